# Degenerate inputs through every exported function and the methods of every class of result: each outcome must be a result
# or a condition of a class of the package. Prints every raw error, and ends with code 1 if there was one.
#   Rscript tools/trust/degenerate.R [--short yes]       (2 minutes; a minute if short)

library(kgroups)
suppressPackageStartupMessages(library(generics))
short <- "--short" %in% commandArgs(TRUE)
options(rlib_message_verbosity = "quiet", rlib_warning_verbosity = "quiet", cli.num_colors = 1L)
grDevices::pdf(NULL)
set.seed(1)

named <- function(x, rows, columns) `dimnames<-`(x, list(rows, columns))
odd <- c("a b", "", "`x`", "\u202eb", "if", strrep("n", 300), "a\nb", "\033[31m")
inputs <- list(
  no_rows = matrix(0, 0, 2), no_columns = matrix(0, 3, 0), one = matrix(1, 1, 1), one_number = 3, two = matrix(1:4, 2),
  equal = matrix(1, 5, 2), equal_vector = rep(2, 6), constant_column = cbind(rnorm(8), 1), tiny = matrix(rnorm(16), 8) * 1e-300,
  huge = matrix(rnorm(16), 8) * 1e300, far = matrix(rnorm(16), 8) + 1e16, units = cbind(rnorm(8), rnorm(8) * 1e200),
  equal_names = named(matrix(rnorm(16), 8), rep("r", 8), c("v", "v")), odd_names = named(matrix(rnorm(64), 8), odd, odd),
  half_named = named(matrix(rnorm(24), 8), NULL, c("a", "", "")), missing_all = matrix(NA_real_, 4, 2),
  missing_row = rbind(matrix(rnorm(12), 6), NA), empty_frame = data.frame(), text = data.frame(t = odd, u = rnorm(8)),
  one_level = data.frame(f = factor(rep("a", 6)), v = rnorm(6)), dist_one = dist(1), dist_two = dist(1:2), dist_zero = dist(rep(1, 5)),
  gram_one = as_gram(matrix(1)), gram_zero = as_gram(matrix(0, 4, 4)), logical = matrix(c(TRUE, FALSE), 4, 2), null = NULL, list = list(),
  normal = matrix(rnorm(40), 20)
)
classed <- function(e) inherits(e, c("kg_error", "rlang_error", "vctrs_error", "lifecycle_error_deprecated"))
raw <- list()
tried <- 0
attempt <- function(label, expr) {
  tried <<- tried + 1
  setTimeLimit(elapsed = 20, transient = TRUE)
  on.exit(setTimeLimit())
  tryCatch(
    suppressWarnings(suppressMessages({
      utils::capture.output(value <- withVisible(expr)$value)
      value
    })),
    error = function(e) {
      if (!classed(e)) raw[[length(raw) + 1L]] <<- sprintf("%s: %s [%s]", label, conditionMessage(e), deparse(conditionCall(e))[1L])
      structure(list(), class = "failed")
    }
  )
}
failed <- function(x) inherits(x, "failed")

calls <- list(
  kgroups = function(x) kgroups(x, 2), one_cluster = function(x) kgroups(x, 1), within = function(x) kgroups(x, 2, standardize = "within"),
  standardize = function(x) kgroups(x, 2, standardize = TRUE), trim = function(x) kgroups(x, 1, trim = "auto"),
  equal_sizes = function(x) kgroups(x, 2, sizes = "equal"), together = function(x) kgroups(x, 1, together = cbind(1, 2)),
  apart = function(x) kgroups(x, 2, apart = cbind(1, 2)), connected = function(x) kgroups(x, 2, semimetric = rho_connected()),
  landmarks = function(x) kgroups(x, 1, approx = nystroem(2)), weights_zero = function(x) kgroups(x, 1, weights = rep(0:1, length.out = NROW(x))),
  gaussian = function(x) kgroups(x, 2, semimetric = rho_gaussian()), kernel_kmeans = function(x) kernel_kmeans(x, 2),
  line = function(x) kgroups_1d(x, 1:2), tree = function(x) kgroups_tree(x), changes = function(x) kgroups_changes(x, R = 19),
  select_k = function(x) select_k(x, 1:3, B = 2, splits = 2), cluster_test = function(x) cluster_test(x, R = 19),
  energy_test = function(x) energy_test(x, rep_len(1:2, NROW(x)), R = 19), pairwise = function(x) pairwise_energy_test(x, rep_len(1:3, NROW(x)), R = 19),
  dispersion = function(x) dispersion_test(x, rep_len(1:2, NROW(x)), R = 19), statistics = function(x) energy_statistics(x, rep_len(1:2, NROW(x))),
  distance = function(x) energy_distance(x, g = rep_len(1:2, NROW(x))), semimetric_matrix = function(x) semimetric_matrix(x),
  as_points = function(x) as_points(x), mixture = function(x) kgroups_mixture(x, 2),
  describe = function(x) describe_clusters(rep_len(1:2, NROW(x)), x), compare = function(x) compare_clusters(x, x)
)
methods_of <- list(
  print = print, format = format, summary = function(x) print(summary(x)), plot = plot, predict = predict,
  predict_prob = function(x) predict(x, type = "prob"), tidy = tidy, glance = glance, augment = augment, fitted = fitted, nobs = nobs,
  residuals = residuals, as.data.frame = as.data.frame, describe_clusters = describe_clusters, relabel = function(x) relabel(x, "size"),
  stability = function(x) stability(x, B = 2),
  update = function(x) update(x, evaluate = FALSE)
)
own <- function(x) any(grepl("^kgroups_|^htest", class(x)))
if (short) inputs <- inputs[c("no_rows", "one", "two", "equal", "huge", "odd_names", "half_named", "dist_one", "missing_all", "text")]
for (input in names(inputs)) {
  for (one in names(calls)) {
    result <- attempt(sprintf("%s(%s)", one, input), calls[[one]](inputs[[input]]))
    if (failed(result) || !own(result)) next
    for (method in names(methods_of)) {
      generic <- methods_of[[method]]
      has <- method %in% c("print", "format", "summary") || any(vapply(class(result), function(class) {
        !is.null(utils::getS3method(sub("_.*", "", method), class, optional = TRUE))
      }, NA)) || method %in% c("describe_clusters", "relabel", "stability") && inherits(result, "kgroups_fit")
      if (has) attempt(sprintf("%s(%s(%s))", method, one, input), generic(result))
    }
  }
}
cat(sprintf("%d calls, %d raw errors\n", tried, length(raw)))
writeLines(unlist(raw))
if (length(raw)) quit(status = 1)
