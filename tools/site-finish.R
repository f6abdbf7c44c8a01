# Finishes a pkgdown site so that it needs no network: scripts and styles from elsewhere go (what
# they did, pkgdown/extra.js and extra.css do), tables get a box to scroll in, plots of examples an
# alternative text, and search.js holds the sections of all pages.
#   Rscript tools/site-finish.R DIRECTORY

root <- normalizePath(commandArgs(TRUE)[1])
pages <- list.files(root, "[.]html$", recursive = TRUE)

# Scripts and styles from elsewhere, pkgdown's own script that leans on them, and conditional
# comments for browsers of long ago.
from_elsewhere <- paste0(
  "(?s)<script[^>]*src=\"(https?:|file:|[^\"]*pkgdown[.]js)[^>]*></script>",
  "|<link[^>]*rel=\"stylesheet\"[^>]*href=\"https?:[^>]*>",
  "|<link[^>]*href=\"https?:[^>]*rel=\"stylesheet\"[^>]*>",
  "|<link[^>]*rel=\"(icon|apple-touch-icon)\"[^>]*>",
  "|<!--\\[if lt IE 9\\]>.*?<!\\[endif\\]-->"
)

alternative_texts <- function(html, page) {
  topic <- sub("[.]html$", "", basename(page))
  text <- sprintf("alt=\"Plot drawn by the example of %s\"", topic)
  images <- gregexpr("<img [^>]*>", html, perl = TRUE)
  regmatches(html, images) <- lapply(regmatches(html, images), function(found) {
    bare <- grepl("alt=\"\"", found, fixed = TRUE) & !grepl("logo", found, fixed = TRUE)
    found[bare] <- sub("alt=\"\"", text, found[bare], fixed = TRUE)
    found
  })
  html
}

icon <- function(page) {
  up <- strrep("../", lengths(regmatches(page, gregexpr("/", page, fixed = TRUE))))
  sprintf("<link rel=\"icon\" type=\"image/svg+xml\" href=\"%slogo.svg\"></head>", up)
}

for (page in pages) {
  file <- file.path(root, page)
  html <- paste(readLines(file, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  html <- gsub(from_elsewhere, "", html, perl = TRUE)
  if (!grepl("table-box", html, fixed = TRUE)) {
    html <- gsub("<table\\b", "<div class=\"table-box\" tabindex=\"0\"><table", html, perl = TRUE)
    html <- gsub("</table>", "</table></div>", html, fixed = TRUE)
  }
  if (startsWith(page, "reference/")) html <- alternative_texts(html, page)
  html <- sub("</head>", icon(page), html, fixed = TRUE)
  # pandoc makes a caption of the alternative text of a figure that is a paragraph
  html <- gsub("(<img src=\"[^\"]*\") alt=\"\">(<p class=\"caption\">)([^<\"]*)", "\\1 alt=\"\\3\">\\2\\3", html)
  # README.md links to the sources of the pages
  html <- gsub("href=\"vignettes/([A-Za-z0-9-]+)[.]Rmd", "href=\"articles/\\1.html", html)
  # the first sentence of the home page
  if (page == "index.html") html <- sub("(?s)(</h1>\\s*</div>\\s*)<p>", "\\1<p class=\"lead-sentence\">", html, perl = TRUE)
  writeLines(enc2utf8(html), file, useBytes = TRUE)
}
invisible(file.copy("man/figures/logo.svg", file.path(root, "logo.svg"), overwrite = TRUE))

# A section is what stands between one heading and the next.
clean <- function(text) trimws(gsub("\\s+", " ", text))
sections_of <- function(page) {
  document <- xml2::read_html(file.path(root, page))
  main <- xml2::xml_find_first(document, "//main")
  if (inherits(main, "xml_missing")) {
    return(NULL)
  }
  title <- clean(xml2::xml_text(xml2::xml_find_first(main, ".//h1")))
  boxes <- xml2::xml_find_all(main, ".//*[self::div or self::section][contains(@class, 'section')]")
  lapply(c(list(main), as.list(boxes)), function(box) {
    whole <- identical(xml2::xml_name(box), "main")
    # text of the section itself, not of the sections inside
    head <- xml2::xml_find_first(box, "./h2|./h3|./h4")
    id <- stats::na.omit(c(xml2::xml_attr(box, "id"), xml2::xml_attr(head, "id")))
    nodes <- xml2::xml_find_all(box, "./*[not(contains(@class, 'section'))]")
    list(
      page = title, head = if (whole) "" else clean(xml2::xml_text(head)),
      path = page, anchor = if (whole || !length(id)) "" else paste0("#", id[1]),
      text = substr(clean(paste(xml2::xml_text(nodes), collapse = " ")), 1, 4000)
    )
  })
}
unsearched <- "^(404|authors)[.]html$|index[.]html$"
sections <- do.call(c, lapply(pages[!grepl(unsearched, pages) | pages == "index.html"], sections_of))
sections <- Filter(function(section) nzchar(section$text) && !is.na(section$head), sections)
json <- jsonlite::toJSON(sections, auto_unbox = TRUE)
writeLines(paste0("window.kgroupsSections = ", json, ";"), file.path(root, "search.js"), useBytes = TRUE)
cat(sprintf("site: %d sections to search\n", length(sections)))
