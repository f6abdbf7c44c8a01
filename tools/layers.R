# The layers of R/: which file calls which. A file calls files of its own layer and of lower
# ones, and no two files call each other, directly or by a detour. Collate in DESCRIPTION is
# the order of the layers.
#
#   Rscript tools/layers.R            checks; ends with code 1 at a call upwards, a cycle, or a function that is
#                                     defined twice or named nowhere else
#   Rscript tools/layers.R --calls    also prints every call between files
#
# Real calls only: a function of the package that is called, or handed over by name
# (vapply(x, f, 0)), where no argument or local variable of that name hides it. The methods
# of a generic are not calls of it.

# A file that is not listed belongs to the layer of interface.
layers <- list(
  words = c("conditions", "text", "numbers", "other-names", "check", "objects", "labels", "machine", "kgroups-package"),
  data = c(
    "impute", "formula", "table", "blueprint", "input-checks", "as-points", "new-data", "semimetric",
    "metric", "graph-input"
  ),
  problem = c(
    "eigen", "neighbour-metric", "store", "store-points", "store-pairs", "store-sparse", "connected", "gram", "problem",
    "sparse-input"
  ),
  solve = c(
    "settings", "engine", "landmarks", "start", "exact", "reduce", "search",
    "solve", "few-values", "learned-metric", "mixture"
  ),
  fit = c(
    "negative-type", "kgroups-fit", "fit-methods", "probabilities", "predict", "sizes", "trim",
    "links", "contiguous", "constraints", "relabel", "fit-geometry"
  )
)

calls_between <- function(folder = "R") {
  files <- list.files(folder, "[.]R$", full.names = TRUE)
  defined <- list()
  bodies <- list()
  for (file in files) {
    stem <- sub("[.]R$", "", basename(file))
    for (expression in as.list(parse(file, keep.source = FALSE))) {
      assigned <- is.call(expression) && identical(expression[[1L]], quote(`<-`)) && is.name(expression[[2L]])
      value <- if (assigned) expression[[3L]] else expression
      is_function <- is.call(value) && identical(value[[1L]], quote(`function`))
      if (assigned) defined[[as.character(expression[[2L]])]] <- list(file = stem, is_function = is_function)
      body <- if (is_function) eval(value, baseenv()) else as.function(list(value), baseenv())
      name <- if (assigned) as.character(expression[[2L]]) else "(top level)"
      bodies[[length(bodies) + 1L]] <- list(file = stem, name = name, body = body)
    }
  }
  functions <- names(defined)[vapply(defined, `[[`, NA, "is_function")]
  home <- vapply(defined, `[[`, "", "file")
  rows <- lapply(bodies, function(one) {
    used <- codetools::findGlobals(one$body, merge = FALSE)
    called <- intersect(unlist(used, use.names = FALSE), functions)
    if (length(called) == 0L) {
      return(NULL)
    }
    data.frame(from = one$file, by = one$name, to = unname(home[called]), calls = called)
  })
  calls <- do.call(rbind, rows)
  list(
    files = sub("[.]R$", "", basename(files)),
    calls = calls[calls$from != calls$to, , drop = FALSE]
  )
}

# Files that reach each other: components of mutual reachability of more than one file.
knots <- function(files, calls) {
  reach <- matrix(FALSE, length(files), length(files), dimnames = list(files, files))
  reach[cbind(calls$from, calls$to)] <- TRUE
  for (through in files) reach <- reach | outer(reach[, through], reach[through, ])
  both <- reach & t(reach)
  tied <- files[diag(both)]
  unique(lapply(tied, function(file) files[both[file, ]]))
}

collate_of <- function() {
  field <- read.dcf("DESCRIPTION", "Collate")[1L]
  if (is.na(field)) {
    return(NULL)
  }
  sub("[.]R$", "", scan(text = gsub("'", "", field), what = "", quiet = TRUE))
}

found <- calls_between()
known <- unlist(layers, use.names = FALSE)
number <- rep(seq_along(layers), lengths(layers))[match(found$files, known)]
number[is.na(number)] <- length(layers) + 1L
names(number) <- found$files
titles <- c(names(layers), "interface")
problems <- character()

between <- table(
  from = factor(titles[number[found$calls$from]], titles),
  to = factor(titles[number[found$calls$to]], titles)
)
cat("Calls between files, by layer\n")
print(between)
if ("--calls" %in% commandArgs(TRUE)) {
  with(found$calls, cat(sprintf("%s: %s -> %s: %s\n", from, by, to, calls), sep = ""))
}

upward <- found$calls[number[found$calls$from] < number[found$calls$to], ]
if (nrow(upward)) {
  problems <- c(problems, sprintf(
    "upwards: %s() of R/%s.R (%s) calls %s() of R/%s.R (%s)",
    upward$by, upward$from, titles[number[upward$from]],
    upward$calls, upward$to, titles[number[upward$to]]
  ))
}
tied <- knots(found$files, found$calls)
problems <- c(problems, vapply(tied, function(one) paste("a cycle:", paste(one, collapse = ", ")), ""))

collate <- collate_of()
if (is.null(collate)) {
  problems <- c(problems, "DESCRIPTION has no Collate")
} else {
  if (!setequal(collate, found$files)) {
    odd <- c(setdiff(collate, found$files), setdiff(found$files, collate))
    problems <- c(problems, paste("Collate and R/ differ in", paste(odd, collapse = ", ")))
  }
  if (is.unsorted(number[intersect(collate, found$files)])) {
    problems <- c(problems, "Collate is not in the order of the layers")
  }
}

# CONTRIBUTING.md names the files of each layer.
for (layer in titles) {
  row <- grep(sprintf("^\\| %s \\|", layer), readLines("CONTRIBUTING.md"), value = TRUE)
  cell <- strsplit(row, "|", fixed = TRUE)[[1L]][4L]
  patterns <- utils::glob2rx(gsub("`", "", regmatches(cell, gregexpr("`[^`]+`", cell))[[1L]]))
  own <- found$files[titles[number] == layer]
  named <- vapply(patterns, grepl, logical(length(own)), own)
  problems <- c(
    problems, sprintf("CONTRIBUTING.md: %s has no file of %s", patterns[colSums(named) == 0L], layer),
    sprintf("CONTRIBUTING.md: R/%s.R is not in the row of %s", own[rowSums(named) == 0L], layer)
  )
}

# A function has one definition, and a use: in code, in the template of a message, or by NAMESPACE.
code <- unlist(lapply(list.files("R", full.names = TRUE), readLines))
code <- grep("^\\s*#", code, value = TRUE, invert = TRUE)
defined <- sub(" <- function.*", "", grep("^[A-Za-z._][A-Za-z0-9._]* <- function", code, value = TRUE))
namespace <- readLines("NAMESPACE")
methods <- sub("^S3method\\((.*),(.*)\\)$", "\\1.\\2", gsub("\"", "", grep("^S3method", namespace, value = TRUE)))
methods <- c(sub("^.*::", "", methods), ".onLoad", ".onUnload", sub("^export\\((.*)\\)$", "\\1", namespace))
words <- table(unlist(regmatches(code, gregexpr("[A-Za-z._][A-Za-z0-9._]*", code))))
problems <- c(
  problems, sprintf("%s() is defined twice", unique(defined[duplicated(defined)])),
  sprintf("%s() has no use", setdiff(defined[words[defined] == 1L], methods))
)

cat(sprintf(
  "\n%d files, %d calls between files, %d upwards, %d files in cycles\n",
  length(found$files), nrow(found$calls), nrow(upward), sum(lengths(tied))
))
if (length(problems)) {
  cat(problems, sep = "\n")
  quit(status = 1L)
}
