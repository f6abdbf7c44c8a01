# Checks the pages of a pkgdown site: every link and figure inside the site leads
# somewhere, anchors included; every figure but the logo has an alternative text; nothing is
# loaded from elsewhere; no page shows TeX where a formula should be; the code of articles has
# lines of at most 76 characters.
#   Rscript tools/check-site.R DIRECTORY

root <- normalizePath(commandArgs(TRUE)[1])
pages <- list.files(root, "[.]html$", recursive = TRUE)
if (length(pages) == 0) stop("there is no page in ", root)
documents <- lapply(stats::setNames(pages, pages), function(page) xml2::read_html(file.path(root, page)))
anchors <- lapply(documents, function(document) {
  xml2::xml_text(xml2::xml_find_all(document, "//@id | //a/@name"))
})

# The page and the anchor that a link on `page` means, or NULL if it leaves the site.
target <- function(link, page) {
  if (grepl("^([a-z]+:|//)", link) || link %in% c("", "#")) {
    return(NULL)
  }
  anchor <- if (grepl("#", link, fixed = TRUE)) utils::URLdecode(sub("^[^#]*#", "", link)) else ""
  path <- sub("[?#].*$", "", link)
  file <- if (path == "") page else file.path(dirname(page), path)
  full <- normalizePath(file.path(root, file), mustWork = FALSE)
  if (dir.exists(full)) full <- file.path(full, "index.html")
  list(file = full, page = substring(full, nchar(root) + 2), anchor = anchor)
}

code_width <- 76
problems <- character()
links <- 0
for (page in pages) {
  document <- documents[[page]]
  all <- xml2::xml_text(xml2::xml_find_all(document, "//a/@href | //img/@src | //script/@src | //link/@href"))
  for (link in unique(all)) {
    to <- target(link, page)
    if (is.null(to)) next
    links <- links + 1
    if (!file.exists(to$file)) {
      problems <- c(problems, sprintf("%s: %s leads nowhere", page, link))
    } else if (to$anchor != "" && to$page %in% pages && !to$anchor %in% anchors[[to$page]]) {
      problems <- c(problems, sprintf("%s: there is no anchor %s", page, link))
    }
  }
  loaded <- xml2::xml_text(xml2::xml_find_all(document, "//script/@src | //link[@rel='stylesheet']/@href"))
  loaded <- grep("^([a-z]+:|//)", loaded, value = TRUE)
  if (length(loaded)) problems <- c(problems, sprintf("%s: loaded from elsewhere: %s", page, loaded[1]))
  images <- xml2::xml_find_all(document, "//img[not(contains(@class, 'logo'))]")
  bare <- xml2::xml_attr(images, "src")[!nzchar(trimws(ifelse(is.na(xml2::xml_attr(images, "alt")), "", xml2::xml_attr(images, "alt"))))]
  if (length(bare)) problems <- c(problems, sprintf("%s: without alternative text: %s", page, bare))
  if (startsWith(page, "articles/")) {
    code <- xml2::xml_text(xml2::xml_find_all(document, "//pre[contains(@class, 'sourceCode')]"))
    code <- grep("^#>", unlist(strsplit(code, "\n", fixed = TRUE)), value = TRUE, invert = TRUE)
    long <- code[nchar(code) > code_width]
    if (length(long)) problems <- c(problems, sprintf("%s: code of %d characters: %s", page, nchar(long), long))
  }
  # A formula is MathML. The part that is left of TeX, with its delimiters or without, is not rendered.
  text <- xml2::xml_text(xml2::xml_find_all(
    document, "//main//*[self::p or self::dd or self::dt or self::li or self::td][not(ancestor::pre)]"
  ))
  raw <- grep("\\\\\\(|\\\\\\[|[$]{2}|\\\\(rho|sum|frac|eqn|deqn|alpha|lambda|log|exp|phi)", text, value = TRUE)
  if (length(raw)) problems <- c(problems, sprintf("%s: not rendered: %s", page, trimws(raw[1])))
}
cat(sprintf("  %s\n", problems), sep = "")
cat(sprintf("site: %d pages, %d links, %d problems\n", length(pages), links, length(problems)))
q(status = length(problems) > 0)
