# Checks each measured number in the prose of README.md and the vignettes against the files it comes from, and that the
# files and help topics that vignettes/articles/standards.Rmd names exist.
#
#   Rscript tools/check-numbers.R            ends with code 1 if a number is in none of the files of its page
#   Rscript tools/check-numbers.R --list     also lists every number that was checked
#
# Checked are numbers with decimals or with a comma for thousands, outside code, formulas and generated tables. A number
# agrees if a value of the files rounds to it. Numbers of the text itself (a sigma, a version) are `given`.

pages <- list(
  "README.md" = list(
    files = c(
      "bench/learned.md", "bench/fair.md", "bench/readme.csv", "bench/bench.md", "bench/tables.md",
      "tools/trust/campaigns.csv"
    ),
    given = c("10,000", "100,000", "43.12")
  ),
  "paper/paper.md" = list(
    files = c("bench/fair.md", "bench/tables.md", "vignettes/tables.csv", "bench/cluster-test.md"), given = c("0.97", "1.3", "0.15")
  ),
  "vignettes/kgroups.Rmd" = list(files = character(), given = c(".85", ".73")),
  "vignettes/articles/figures.Rmd" = list(files = character(), given = NA),
  "vignettes/articles/faq.Rmd" = list(files = c("bench/plane.md", "bench/cluster-test.md"), given = c("1.5", ".05")),
  "vignettes/choosing.Rmd" = list(files = c("bench/fair.md", "bench/cluster-test.md", "bench/mixture.md"), given = ".05"),
  "vignettes/tables.Rmd" = list(files = "vignettes/tables.csv", given = character()),
  "vignettes/shapes.Rmd" = list(
    files = c(
      "bench/connected.md", "bench/connected-public.md", "bench/connected-suite.md", "bench/connected-settings.md",
      "bench/dependent-changes.md"
    ), given = c(".02", ".85", ".95", "4.4", "1.6")
  ),
  "vignettes/graphs.Rmd" = list(files = "bench/communities.md", given = c("4.7", "196.1", "5.2", "1.5", ".02", "0.55", ".82", ".05", "1.25")),
  "vignettes/large.Rmd" = list(files = c("vignettes/large.csv", "bench/landmarks.md"), given = "100,000"),
  "vignettes/other-packages.Rmd" = list(
    files = c("bench/readme.csv", "bench/fair.md"), given = c("1.7", "10,000", "100,000", "0.5")
  ),
  "vignettes/theory.Rmd" = list(
    files = c("bench/cluster-test.md", "bench/tests.md", "bench/dependent-changes.md"), given = c(".05", "0.05")
  ),
  # settings of the paper's experiments
  "vignettes/reproduction.Rmd" = list(files = "bench/dermatology.md", given = c("5.2", "1.5", "0.6", "1.1", ".872", ".01")),
  "vignettes/articles/when-not.Rmd" = list(
    files = c("vignettes/articles/when-not.csv", "bench/readme.csv", "bench/fair.md"),
    given = c("60,000", "2,000", ".01")
  ),
  "vignettes/articles/experiments.Rmd" = list(
    files = character(), given = c(
      "5.1", "0.7", ".86", "1.2", "4.4", ".95", ".90", "6.5", "0.5", "1.5", "0.3", ".764", ".870", ".800", ".516",
      ".533", ".851"
    )
  )
)

numeral <- "(?<![\\w.,/-])-?(?:[0-9]{1,3}(?:,[0-9]{3})+(?:[.][0-9]+)?|[0-9]*[.]?[0-9]+)(?![\\w]|[.,][0-9]|/)"
value_of <- function(text) as.numeric(gsub(",", "", text))

values_in <- function(file) {
  text <- readLines(file, warn = FALSE)
  hits <- unlist(regmatches(text, gregexpr("-?[0-9][0-9,]*[.]?[0-9]*(e[+-]?[0-9]+)?|[.][0-9]+", text)))
  plain <- suppressWarnings(as.numeric(gsub(",", "", hits)))
  # a comma of a csv file separates values
  parts <- suppressWarnings(as.numeric(unlist(strsplit(text, "[,|\" ;]+"))))
  values <- c(plain, parts)
  unique(values[!is.na(values)])
}

prose_of <- function(page) {
  lines <- readLines(page, warn = FALSE)
  fence <- grepl("^\\s*```", lines)
  code <- cumsum(fence) %% 2L == 1L | fence
  head <- if (lines[1] == "---") seq_along(lines) <= which(lines == "---")[2L] else FALSE
  marks <- cumsum(grepl("<!-- \\w+: begin", lines)) > cumsum(grepl("<!-- \\w+: end", lines))
  lines[code | head | marks] <- ""
  lines <- gsub("`[^`]*`|[$][^$]*[$]|<[^>]*>|\\]\\([^)]*\\)|\\([12][0-9]{3}\\)", " ", lines)
  lines
}

list_all <- "--list" %in% commandArgs(TRUE)
wrong <- checked <- 0L
for (page in names(pages)) {
  one <- pages[[page]]
  lines <- prose_of(page)
  known <- unlist(lapply(one$files, values_in))
  for (i in seq_along(lines)) {
    for (text in regmatches(lines[i], gregexpr(numeral, lines[i], perl = TRUE))[[1L]]) {
      measured <- grepl("[.][0-9]", text) || grepl(",", text)
      if (!measured || text %in% one$given) next
      checked <- checked + 1L
      digits <- if (grepl("[.]", text)) nchar(sub(".*[.]", "", text)) else 0L
      value <- value_of(text)
      known_here <- c(known, 100 * known)
      agrees <- any(abs(known_here - value) <= 0.5000001 * 10^-digits)
      if (!agrees) wrong <- wrong + 1L
      if (list_all || !agrees) {
        cat(sprintf("%s:%d: %s%s\n", page, i, text, if (agrees) "" else " is in none of its files"))
      }
    }
  }
}
cat(sprintf("numbers: %d checked, %d in no file\n", checked, wrong))

# ---- README.md is one screen: at most 90 numbers outside code and links, those of its tables included ----

readme <- readLines("README.md")
fence <- grepl("^```", readme)
readme <- readme[!(cumsum(fence) %% 2L == 1L | fence)]
readme <- gsub("`[^`]*`|\\]\\([^)]*\\)|<!--.*?-->|^[0-9]+[.] ", " ", readme)
count <- sum(lengths(regmatches(readme, gregexpr("(?<![\\w.])[0-9]*[.]?[0-9][0-9,]*(?![\\w])", readme, perl = TRUE))))
cat(sprintf("README.md: %d numbers, at most 90\n", count))
wrong <- wrong + (count > 90)

# ---- the page of standards: files and topics ----

standards <- readLines("vignettes/articles/standards.Rmd")
code <- unique(gsub("`", "", unlist(regmatches(standards, gregexpr("`[^`]+`", standards)))))
tests <- file.path("tests/testthat", grep("^(test|helper)-[a-z0-9-]+[.]R$", code, value = TRUE))
paths <- grep("^(R|src|bench|tools)/[^*]+[.][A-Za-z]+$|^[A-Z]+[.]md$", code, value = TRUE)
help <- unlist(lapply(list.files("man", "[.]Rd$", full.names = TRUE), readLines))
topics <- sub("^[\\]alias[{](.*)[}]$", "\\1", grep("^[\\]alias", help, value = TRUE))
absent <- c(
  Filter(Negate(file.exists), c(tests, paths)), setdiff(grep("^[?]", code, value = TRUE), paste0("?", topics))
)
# names of tests, or their beginnings, in quotation marks outside code
rows <- gsub("`[^`]*`", "", grep("^[|] (G5|UL7)", standards, value = TRUE))
named <- gsub('"', "", unlist(regmatches(rows, gregexpr('"[^"]+"', rows))))
titles <- unlist(lapply(list.files("tests/testthat", "^test-.*[.]R$", full.names = TRUE), function(file) {
  gsub('^test_that[(]"|[\\\\]', "", grep("^test_that", readLines(file), value = TRUE))
}))
known_test <- function(name) any(startsWith(titles, name))
absent <- c(absent, Filter(Negate(known_test), named))
if (length(absent)) cat(sprintf("vignettes/articles/standards.Rmd: there is no %s\n", absent), sep = "")
cat(sprintf("standards: %d places, %d absent\n", length(c(tests, paths)), length(absent)))
wrong <- wrong + length(absent)
quit(status = if (wrong) 1L else 0L)
