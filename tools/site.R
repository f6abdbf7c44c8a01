# Finishes a pkgdown site and checks it: formulas become MathML, scripts and styles from elsewhere go, search.js holds the
# sections of all pages; then the width of each page, links, figures and code are checked.
#   Rscript tools/site.R DIRECTORY        ends with code 1 at a problem

root <- normalizePath(commandArgs(TRUE)[1])
pages <- list.files(root, "[.]html$", recursive = TRUE)
if (length(pages) == 0) stop("there is no page in ", root)

# ---- formulas as MathML, which browsers render by themselves; pandoc translates, a failure is an error ----

# TeX between \( and \), \[ and \] or $$ and $$. Code and the head of a page are matched
# first, so that what is in there stays.
parts <- paste0(
  "(?s)<(head|pre|code|script)\\b.*?</\\1>",
  "|\\\\\\(.*?\\\\\\)|\\\\\\[.*?\\\\\\]|[$]{2}.*?[$]{2}"
)

unescape <- function(tex) {
  for (pair in list(c("&lt;", "<"), c("&gt;", ">"), c("&quot;", "\""), c("&amp;", "&"))) {
    tex <- gsub(pair[1], pair[2], tex, fixed = TRUE)
  }
  tex
}

# Formulas with their delimiters, as paragraphs of Markdown, through one call of pandoc.
mathml <- function(formulas) {
  tex <- trimws(gsub("\\s+", " ", unescape(substring(formulas, 3, nchar(formulas) - 2))))
  mark <- ifelse(startsWith(formulas, "\\("), "$", "$$")
  file <- tempfile(fileext = ".md")
  writeLines(paste0(mark, tex, mark, "\n"), file)
  html <- system2("pandoc", c("-f", "markdown", "-t", "html", "--mathml", "--wrap=none", file), stdout = TRUE)
  html <- paste(html, collapse = "\n")
  out <- regmatches(html, gregexpr("(?s)<math.*?</math>", html, perl = TRUE))[[1]]
  if (length(out) != length(formulas)) {
    stop(length(formulas) - length(out), " formulas that pandoc cannot translate")
  }
  # the TeX source would come out as text where pages are searched or copied
  out <- gsub("(?s)<annotation.*?</annotation>", "", out, perl = TRUE)
  # browsers know no variant of a whole expression: upright words are one identifier, bold is style
  upright <- gregexpr("<mstyle mathvariant=\"normal\">(<mi>[^<]*</mi>)+</mstyle>", out)
  regmatches(out, upright) <- lapply(regmatches(out, upright), function(found) {
    word <- gsub("<[^>]*>", "", found)
    sprintf("<mi%s>%s</mi>", ifelse(nchar(word) == 1, " mathvariant=\"normal\"", ""), word)
  })
  gsub("<mstyle mathvariant=\"bold\">(.*?)</mstyle>", "<mrow style=\"font-weight: bold\">\\1</mrow>", out, perl = TRUE)
}

write_formulas <- function() {
  read <- function(page) paste(readLines(page, encoding = "UTF-8", warn = FALSE), collapse = "\n")
  html <- lapply(file.path(root, pages), read)
  found <- lapply(html, function(text) regmatches(text, gregexpr(parts, text, perl = TRUE))[[1]])
  is_formula <- function(text) !startsWith(text, "<")
  formulas <- unique(Filter(is_formula, unlist(found)))
  translated <- stats::setNames(if (length(formulas)) mathml(formulas) else character(), formulas)
  for (at in seq_along(pages)) {
    text <- html[[at]]
    new <- found[[at]]
    new[is_formula(new)] <- translated[new[is_formula(new)]]
    regmatches(text, gregexpr(parts, text, perl = TRUE)) <- list(new)
    text <- gsub("<script[^>]*mathjax[^>]*></script>", "", text, ignore.case = TRUE)
    writeLines(enc2utf8(text), file.path(root, pages[at]), useBytes = TRUE)
  }
  cat(sprintf("site: %d formulas\n", length(formulas)))
}

# ---- no network: what the removed scripts did, pkgdown/extra.js and extra.css do ----

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

# A section is what stands between one heading and the next.
clean <- function(text) trimws(gsub("\\s+", " ", text))
sections_of <- function(root, page) {
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

finish_pages <- function() {
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
    html <- gsub("href=\"vignettes/(?:articles/)?([A-Za-z0-9-]+)[.]Rmd", "href=\"articles/\\1.html", html, perl = TRUE)
    # the first sentence of the home page
    if (page == "index.html") {
      html <- sub("(?s)(</h1>\\s*</div>\\s*)<p>", "\\1<p class=\"lead-sentence\">", html, perl = TRUE)
    }
    writeLines(enc2utf8(html), file, useBytes = TRUE)
  }
  invisible(file.copy("man/figures/logo.svg", file.path(root, "logo.svg"), overwrite = TRUE))
  unsearched <- "^(404|authors)[.]html$|index[.]html$"
  sections <- do.call(c, lapply(pages[!grepl(unsearched, pages) | pages == "index.html"], sections_of, root = root))
  sections <- Filter(function(section) nzchar(section$text) && !is.na(section$head), sections)
  json <- jsonlite::toJSON(sections, auto_unbox = TRUE)
  writeLines(paste0("window.kgroupsSections = ", json, ";"), file.path(root, "search.js"), useBytes = TRUE)
  cat(sprintf("site: %d sections to search\n", length(sections)))
}

# ---- width: every page in headless Chromium; left out, with a message, if there is none ----

# A page that loads the others in a frame of that width, one after the other, and writes down
# what it saw. Files are one origin to each other by the flag below.
probe_page <- '<!DOCTYPE html><meta charset="utf-8"><pre id="out"></pre><iframe id="f" style="width:%dpx;height:2000px;border:0"></iframe><script>
var pages = %s, at = -1, f = document.getElementById("f"), out = [];
function next() {
  at++;
  if (at >= pages.length) { document.getElementById("out").textContent = out.join("\\n") + "\\nend"; return; }
  f.src = pages[at];
}
f.onload = function () {
  if (at < 0) return;
  var d = f.contentDocument, room = d.documentElement.clientWidth, w, widest = "";
  Array.prototype.forEach.call(d.querySelectorAll("details"), function (e) { e.open = true; });
  w = d.documentElement.scrollWidth;
  if (w > room) Array.prototype.forEach.call(d.querySelectorAll("body *"), function (e) {
    if (e.closest(".table-box, pre")) return;
    var r = e.getBoundingClientRect();
    if (r.right > room + 1) widest = e.tagName + "." + e.className + " to " + Math.round(r.right);
  });
  if (w > room) out.push(pages[at] + ": " + w + " px in " + room + ", " + widest);
  Array.prototype.forEach.call(d.querySelectorAll("img"), function (e) {
    if (e.complete && !e.naturalWidth) out.push(pages[at] + ": picture not shown: " + e.getAttribute("src"));
  });
  next();
};
next();
</script>'

page_widths <- function(width = 390L) {
  browser <- Filter(nzchar, Sys.which(c("chromium", "chromium-browser", "google-chrome", "chrome")))
  if (!length(browser)) {
    cat("site: page width left out, there is no Chromium here\n")
    return(0L)
  }

  probe <- file.path(root, "width-probe.html")
  json <- paste0("[", paste(sprintf("\"%s\"", pages), collapse = ","), "]")
  writeLines(sprintf(probe_page, width, json), probe)
  home <- tempfile()
  dom <- suppressWarnings(system2(browser[1], c(
    "--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", paste0("--user-data-dir=", home),
    "--window-size=1280,2400", "--virtual-time-budget=120000", "--dump-dom", shQuote(paste0("file://", probe))
  ), stdout = TRUE, stderr = FALSE))
  unlink(c(probe, home), recursive = TRUE)
  dom <- paste(dom, collapse = "\n")
  reported <- sub("(?s).*<pre id=\"out\">(.*?)</pre>.*", "\\1", dom, perl = TRUE)
  lines <- Filter(nzchar, strsplit(reported, "\n", fixed = TRUE)[[1]])
  if (!"end" %in% lines) {
    cat("site: page width left out, Chromium did not answer\n")
    return(0L)
  }
  problems <- setdiff(lines, "end")
  if (length(problems)) cat(sprintf("  %s\n", problems), sep = "")
  cat(sprintf("site: %d pages at %d px, %d problems\n", length(pages), width, length(problems)))
  length(problems)
}

# ---- links and anchors inside the site, alternative texts, nothing from elsewhere, no TeX, code of at most 76 characters ----

# The page and the anchor that a link on `page` means, or NULL if it leaves the site.
target <- function(root, link, page) {
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

check_pages <- function() {
  documents <- lapply(stats::setNames(pages, pages), function(page) xml2::read_html(file.path(root, page)))
  anchors <- lapply(documents, function(document) {
    xml2::xml_text(xml2::xml_find_all(document, "//@id | //a/@name"))
  })
  code_width <- 76
  problems <- character()
  links <- 0
  for (page in pages) {
    document <- documents[[page]]
    all <- xml2::xml_text(xml2::xml_find_all(document, "//a/@href | //img/@src | //script/@src | //link/@href"))
    for (link in unique(all)) {
      to <- target(root, link, page)
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
    bare <- xml2::xml_attr(
      images, "src"
    )[!nzchar(trimws(ifelse(is.na(xml2::xml_attr(images, "alt")), "", xml2::xml_attr(images, "alt"))))]
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
  length(problems)
}

write_formulas()
finish_pages()
problems <- page_widths() + check_pages()
quit(status = problems > 0)
