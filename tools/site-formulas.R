# Writes the formulas of a pkgdown site as MathML, which browsers render by themselves: no
# script from elsewhere is needed to read them.
#   Rscript tools/site-formulas.R DIRECTORY
# pandoc translates; a formula that it cannot is an error.

root <- normalizePath(commandArgs(TRUE)[1])
pages <- list.files(root, "[.]html$", recursive = TRUE, full.names = TRUE)

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

read <- function(page) paste(readLines(page, encoding = "UTF-8", warn = FALSE), collapse = "\n")
html <- lapply(pages, read)
found <- lapply(html, function(text) regmatches(text, gregexpr(parts, text, perl = TRUE))[[1]])
is_formula <- function(text) !startsWith(text, "<")
formulas <- unique(Filter(is_formula, unlist(found)))
translated <- stats::setNames(if (length(formulas)) mathml(formulas), formulas)
for (at in seq_along(pages)) {
  text <- html[[at]]
  new <- found[[at]]
  new[is_formula(new)] <- translated[new[is_formula(new)]]
  regmatches(text, gregexpr(parts, text, perl = TRUE)) <- list(new)
  text <- gsub("<script[^>]*mathjax[^>]*></script>", "", text, ignore.case = TRUE)
  writeLines(enc2utf8(text), pages[at], useBytes = TRUE)
}
cat(sprintf("site: %d formulas\n", length(formulas)))
