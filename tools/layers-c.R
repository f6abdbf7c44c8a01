# Layers of src/: the kernels (kg_*) include no header of R, no headers include each other in a
# circle, no .c files call each other in a circle, and no function exceeds 80 lines.
#
#   Rscript tools/layers-c.R          checks; ends with code 1 at a violation
#   Rscript tools/layers-c.R --calls  also prints which file uses which

# Circles by the first of their files, and functions above 80 lines, that wait for their turn.
known <- character()
longest <- 80L
known_long <- character()

read_code <- function(file) {
  text <- paste(readLines(file, warn = FALSE), collapse = "\n")
  comments <- gregexpr("(?s)/\\*.*?\\*/", text, perl = TRUE)
  # comments keep their line breaks
  regmatches(text, comments) <- lapply(regmatches(text, comments), gsub, pattern = "[^\n]", replacement = " ")
  strsplit(text, "\n", fixed = TRUE)[[1L]]
}

files <- list.files("src", "[.][ch]$", full.names = TRUE)
code <- lapply(files, read_code)
names(code) <- basename(files)
sources <- grep("[.]c$", names(code), value = TRUE)

included <- function(lines, pattern) {
  found <- regmatches(lines, regexec(pattern, lines))
  vapply(found[lengths(found) > 0L], `[`, "", 2L)
}
edges <- function(from, to) data.frame(from = rep(from, length(to)), to = to)

includes <- do.call(rbind, lapply(names(code), function(file) {
  edges(file, intersect(included(code[[file]], '^#include "([^"]+)"'), names(code)))
}))

# Names that a .c file defines for others: functions and tables that begin at the margin.
defined_in <- function(lines) {
  heads <- grep("^[a-z].*\\b(kg|ffi)_[a-z0-9_]+( =|\\()", lines, value = TRUE, perl = TRUE)
  heads <- grep("^static|^extern|^typedef|;$", heads, value = TRUE, invert = TRUE)
  unique(sub("^.*?\\b((kg|ffi)_[a-z0-9_]+)( =|\\().*$", "\\1", heads, perl = TRUE))
}
defined <- lapply(code[sources], defined_in)
home <- setNames(rep(names(defined), lengths(defined)), unlist(defined))
calls <- do.call(rbind, lapply(sources, function(file) {
  words <- unique(unlist(regmatches(code[[file]], gregexpr("\\b(kg|ffi)_[a-z0-9_]+\\b", code[[file]]))))
  edges(file, setdiff(unique(home[intersect(words, names(home))]), file))
}))

# Components of mutual reachability of more than one file.
circles <- function(files, edges) {
  reach <- matrix(FALSE, length(files), length(files), dimnames = list(files, files))
  reach[cbind(edges$from, edges$to)] <- TRUE
  for (through in files) reach <- reach | outer(reach[, through], reach[through, ])
  both <- reach & t(reach)
  unique(lapply(files[diag(both)], function(file) files[both[file, ]]))
}

# Functions: from a line at the margin that opens a body to the brace that closes it.
long_functions <- function(file) {
  lines <- code[[file]]
  opens <- grep("\\) \\{$", lines)
  closes <- grep("^\\}", lines)
  starts <- vapply(opens, function(line) {
    head <- which(grepl("^[a-zA-Z]", lines) & seq_along(lines) <= line)
    if (length(head)) max(head) else NA_integer_
  }, 0L)
  starts <- unique(starts[!is.na(starts) & grepl("(", lines[starts], fixed = TRUE)])
  waiting <- sub("^.*?([a-z0-9_]+)\\(.*$", "\\1", lines[starts], perl = TRUE) %in% known_long
  starts <- starts[!waiting]
  ends <- vapply(starts, function(line) min(closes[closes > line], length(lines)), 0L)
  size <- ends - starts + 1L
  sprintf("%d lines: %s: %s", size, file, trimws(lines[starts]))[size > longest]
}

problems <- character()
for (file in grep("^kg_", names(code), value = TRUE)) {
  outside <- included(code[[file]], "^#include <((R|Rinternals|Rmath|R_ext/[^>]*)[.]?h?)>")
  if (length(outside)) problems <- c(problems, sprintf("%s includes %s", file, outside))
}
headers <- includes[grepl("[.]h$", includes$from) & grepl("[.]h$", includes$to), ]
around <- circles(unique(c(headers$from, headers$to)), headers)
called <- circles(sources, calls)
called <- called[!vapply(called, function(one) one[[1L]] %in% known, NA)]
upwards <- calls[grepl("^kg_", calls$from) & grepl("^(ffi_|init)", calls$to), ]
problems <- c(
  problems,
  vapply(around, function(one) paste("headers in a circle:", paste(one, collapse = ", ")), ""),
  vapply(called, function(one) paste("calls in a circle:", paste(one, collapse = ", ")), ""),
  sprintf("a kernel calls the interface: %s -> %s", upwards$from, upwards$to),
  unlist(lapply(sources, long_functions))
)

if ("--calls" %in% commandArgs(TRUE)) cat(sprintf("%s -> %s\n", calls$from, calls$to), sep = "")
cat(sprintf("%d files, %d includes, %d uses between .c files, %d problems\n",
  length(code), nrow(includes), nrow(calls), length(problems)))
if (length(problems)) {
  cat(problems, sep = "\n")
  quit(status = 1L)
}
