# Messages of kgroups(x, 3) on public tables: data frames and matrices of installed packages with 10 to 1000 rows and 2 to 60
# columns, at most 30 of a package, evenly spaced in its list. The rules were set on the first packages; the others are
# held out. Writes bench/messages.md in some minutes.
#   Rscript bench/messages.R

library(kgroups)
packages <- list(
  public = c(
    "datasets", "MASS", "survival", "nlme", "boot", "mclust", "cluster", "psych", "carData", "AER", "HSAUR3", "ade4",
    "lme4", "ISLR2", "vegan", "factoextra", "FactoMineR", "modeldata", "palmerpenguins", "mlbench", "rpart",
    "robustbase", "dbscan", "ggplot2", "dplyr", "tidyr", "clue", "kernlab", "ape", "caret", "quantreg", "lattice"
  ),
  `held out` = c(
    "mice", "flexmix", "lmtest", "survey", "lava", "prabclus", "emmeans", "tclust", "sp", "maptools", "gclus", "ipred",
    "Matrix", "s2", "sandwich", "clock", "diptest", "ggpubr", "reshape2", "stringr", "wk", "bit64", "colorspace",
    "hardhat", "mgcv", "mitools", "pbkrtest", "plyr", "SparseM", "dendextend", "energy", "forcats", "fpc", "lubridate",
    "ModelMetrics", "permute", "pROC", "statmod", "viridis", "xtable", "xts"
  )
)

tables_of <- function(package) {
  items <- suppressWarnings(utils::data(package = package)$results[, "Item"])
  tables <- lapply(items, function(item) {
    env <- new.env()
    suppressWarnings(
      try(utils::data(list = sub("^.*\\((.*)\\)$", "\\1", item), package = package, envir = env), silent = TRUE)
    )
    x <- get0(sub(" .*", "", item), env, inherits = FALSE)
    table <- is.data.frame(x) || is.matrix(x) && is.numeric(x)
    if (table && nrow(x) %in% 10:1000 && ncol(x) %in% 2:60) x
  })
  names(tables) <- paste(package, sub(" .*", "", items))
  tables <- Filter(Negate(is.null), tables)
  tables[unique(round(seq(1, length(tables), length.out = min(length(tables), 30))))]
}
packages <- lapply(packages, Filter, f = function(one) requireNamespace(one, quietly = TRUE))
tables <- lapply(packages, function(some) unlist(lapply(unname(some), tables_of), recursive = FALSE))

# The messages and warnings of the package: "class: text" each.
heard <- function(code) {
  out <- character()
  note <- function(c) {
    out <<- c(out, paste0(class(c)[1L], ": ", gsub("\\s+", " ", conditionMessage(c))))
    tryInvokeRestart("muffleMessage")
    tryInvokeRestart("muffleWarning")
  }
  withCallingHandlers(try(code, silent = TRUE), kg_message = note, kg_warning = note)
  out
}
numeric_columns <- function(x) {
  if (!is.data.frame(x)) {
    return(x)
  }
  x <- as.data.frame(x)
  x[vapply(x, function(column) is.numeric(column) && is.null(dim(column)), NA)]
}

# The fit with these arguments given, among them a weight for each column by its name.
stated <- function(x) {
  weights <- if (!is.null(colnames(x)) && !anyDuplicated(colnames(x))) stats::setNames(rep(1, ncol(x)), colnames(x))
  kgroups(x, 3, standardize = FALSE, missing = "impute", column_weights = weights)
}

loop <- length(heard(for (i in 1:20) kgroups(cbind(id = 1:50, USArrests), 3)))
options(rlib_message_verbosity = "verbose")
found <- lapply(tables, lapply, function(x) {
  numbers <- numeric_columns(x)
  two <- ncol(numbers) > 1L
  list(
    numeric = if (two) heard(kgroups(numbers, 3)), scaled = if (two) heard(kgroups(scale(numbers), 3)),
    whole = heard(kgroups(x, 3)), stated = if (two) heard(stated(numbers)), tried = two
  )
})
speaks <- function(form) {
  of <- lapply(found, Filter, f = function(one) form == "whole" || one$tried)
  share <- vapply(of, function(some) 100 * mean(lengths(lapply(some, `[[`, form)) > 0), 0)
  sprintf("| %s | %s |", form, paste(sprintf("%d | %.1f %%", lengths(of), share), collapse = " | "))
}
texts <- unlist(lapply(unname(found), lapply, function(one) unique(c(one$numeric, one$whole))), use.names = TRUE)
messages <- sub("^[a-z_]+: ", "", texts)

# Messages that a reader of the table and its help page would not follow.
wrong <- c(
  "flexmix candy", "flexmix seizure", "MASS biopsy", "mlbench BreastCancer", "ade4 casitas", "prabclus tetragonula"
)
message <- grepl("^kg_message", texts)
label <- paste(sub("[0-9]*$", "", names(texts)), sub(":.*", "", texts))
right <- !Reduce(`|`, lapply(wrong, startsWith, x = label))[message]

kinds <- sort(table(sub(":.*", "", texts)), decreasing = TRUE)
page <- c(
  "# Messages on public tables", "",
  sprintf(
    "`kgroups(x, 3)` on %d tables of %d packages, and %d tables of %d others on which no rule was set; R %s.",
    length(tables[[1L]]), length(packages[[1L]]), length(tables[[2L]]), length(packages[[2L]]), getRversion()
  ), "",
  "| columns | calls | with a message or warning | held out | with a message or warning |", "|---|--:|--:|--:|--:|",
  speaks("numeric"), speaks("scaled"), speaks("whole"), speaks("stated"), "",
  "`stated`: with `standardize`, `missing` and `column_weights`; what is left are warnings of rows with nothing observed.",
  "",
  sprintf(
    "Messages, each read beside its table: %d of %d are right (not: %s).", sum(right), sum(message), toString(wrong)
  ),
  "",
  sprintf(
    "Characters of a message: median %.0f, largest %.0f. A loop of 20 calls gives %d.", stats::median(nchar(messages)),
    max(nchar(messages)), loop
  ),
  "",
  "| class | messages |", "|---|--:|", sprintf("| %s | %d |", names(kinds), kinds), "",
  "| table | message |", "|---|---|",
  sprintf("| %s | %s |", sub("[0-9]*$", "", names(texts)), gsub("|", "&#124;", messages, fixed = TRUE))
)
writeLines(page, "bench/messages.md")
