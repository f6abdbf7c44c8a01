# The message "the groups may be clusters found from the same data" where groups are real: factors of tables in installed
# packages with their numeric columns. Prints the share of tables with the message and their names.
#   Rscript tools/trust/found-groups.R          (20 seconds)

library(kgroups)
options(rlib_message_verbosity = "verbose", rlib_warning_verbosity = "quiet")
set.seed(6107)

# TRUE, FALSE, or NA if the test is not possible.
has_message <- function(x, g) {
  found <- FALSE
  note <- function(m) {
    found <<- found || inherits(m, "kg_message_level")
    invokeRestart("muffleMessage")
  }
  run <- function() suppressWarnings(withCallingHandlers(energy_test(x, g, R = 1), message = note))
  if (inherits(tryCatch(run(), error = identity), "error")) NA else found
}

tables_of <- function(package) {
  place <- new.env()
  items <- unique(sub(" .*", "", utils::data(package = package)$results[, "Item"]))
  for (item in items) try(suppressWarnings(utils::data(list = item, package = package, envir = place)), silent = TRUE)
  Filter(function(table) is.data.frame(table) && nrow(table) >= 20L, as.list(place))
}

# For each of the first three factors of a table: is there a message?
messages_of <- function(table) {
  table <- as.data.frame(table)
  number <- vapply(table, function(column) is.numeric(column) && !is.object(column) && length(unique(column)) > 2L, NA)
  factors <- names(table)[vapply(table, function(column) is.factor(column) || is.character(column), NA)]
  if (!any(number)) {
    return(NULL)
  }
  vapply(utils::head(factors, 3L), function(name) {
    rows <- which(!is.na(table[[name]]))
    if (length(rows) > 400L) rows <- sample(rows, 400L)
    g <- droplevels(factor(table[[name]][rows]))
    if (!nlevels(g) %in% 2:10 || min(table(g)) < 3L) NA else has_message(as.matrix(table[rows, number, drop = FALSE]), g)
  }, NA)
}

packages <- c("datasets", "MASS", "cluster", "mclust", "vegan", "ade4", "survival", "boot", "nlme", "lattice", "robustbase")
found <- unlist(lapply(stats::setNames(nm = Filter(function(p) requireNamespace(p, quietly = TRUE), packages)), function(p) {
  lapply(tables_of(p), messages_of)
}))
found <- found[!is.na(found)]
cat(sum(found), "of", length(found), "groupings have the message:", names(found)[found], "\n")
