# Writes the table of times in README.md, between its two marks, from bench.csv.
#   Rscript bench/readme.R        after bench/bench.R

bench <- read.csv("bench/bench.csv")
columns <- c(
  "`kgroups()`" = "default call", energy = "energy", kernlab = "kernlab", kkmeans = "kkmeans",
  "`stats::kmeans()`, 10 starts" = "stats::kmeans, 10 starts", "`stats::dist()` alone" = "stats::dist alone"
)
cell <- function(n, method) {
  seconds <- bench$seconds[bench$n == n & bench$d == 10 & bench$k == 10 & bench$method == method]
  if (length(seconds)) formatC(seconds, format = "f", digits = 2) else ""
}
sizes <- c(5000, 10000, 100000)
body <- vapply(sizes, function(n) {
  cells <- c(format(n, big.mark = ",", scientific = FALSE), vapply(columns, cell, "", n = n))
  paste("|", paste(cells, collapse = " | "), "|")
}, "")
table <- c(
  paste("| n |", paste(names(columns), collapse = " | "), "|"),
  paste0("|", strrep("---:|", length(columns) + 1)), body
)
readme <- readLines("README.md")
marks <- match(c("<!-- times: begin -->", "<!-- times: end -->"), readme)
stopifnot(!anyNA(marks))
writeLines(c(readme[seq_len(marks[1])], "", table, "", readme[marks[2]:length(readme)]), "README.md")
