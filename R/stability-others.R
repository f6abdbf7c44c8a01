# Stability of partitions by functions of other packages: how each clusters some rows and assigns all.

#' @rdname stability
#' @param data Of a partition by [stats::kmeans()], the observations that it clustered.
#' @export
stability.default <- function(fit, B = 100, ..., data = NULL) {
  env <- rlang::current_env()
  check_no_dots(..., call = env, topic = "stability")
  method <- other_method(fit, env)
  B <- check_count(B, "B", 1, 1e6, hint = "100 is enough for two decimal places.")
  x <- data %||% fit$data
  x <- if (!is.null(x)) as.matrix(x)
  cluster <- as.integer(partition_labels(fit))
  if (!is.numeric(x) || nrow(x) != length(cluster) || anyNA(x)) {
    abort_argument(
      x, "data", "be the {length(cluster)} observations that were clustered, numbers without missing cells.",
      "Use {.code stability(fit, data = x)}.",
      call = env
    )
  }
  k <- max(cluster)
  samples <- run_tasks(
    as.list(seq_len(B)), other_task,
    x = x, method = method, made = fit, fit = list(cluster = cluster, k = k), purpose = "Bootstrap samples"
  )
  new_stability(samples, stats::setNames(cluster, rownames(x)), tabulate(cluster, k), B)
}

other_task <- function(task, x, method, made, fit) {
  rows <- sort(unique(sample.int(nrow(x), replace = TRUE)))
  compare_sample(fit, as.integer(method(made, x, rows, fit$k)), rows)
}

# Functions of (fit, x, rows, k) that cluster some rows as the fit was and return the labels of all.
other_methods <- list(
  kmeans = function(fit, x, rows, k) {
    means <- stats::kmeans(x[rows, , drop = FALSE], k, iter.max = 50, nstart = 5)$centers
    nearest_row(x, means)
  },
  pam = function(fit, x, rows, k) {
    metric <- fit$call$metric %||% "euclidean"
    found <- cluster::pam(x[rows, , drop = FALSE], k, metric = if (is.character(metric)) metric else "euclidean")
    nearest_row(x, found$medoids, identical(metric, "manhattan"))
  },
  Mclust = function(fit, x, rows, k) {
    # these functions find others by name from the environment of the caller
    values <- list(x = x, part = x[rows, , drop = FALSE], k = k, name = fit$modelName)
    code <- quote({
      found <- summaryMclustBIC(
        mclustBIC(part, G = k, modelNames = name, verbose = FALSE), part, G = k, modelNames = name
      )
      estep(modelName = found$modelName, data = x, parameters = found$parameters)$z
    })
    max.col(eval(code, values, asNamespace("mclust")))
  }
)

other_method <- function(fit, call) {
  check_given(fit, "fit", call)
  known <- intersect(class(fit), names(other_methods))
  if (length(known) == 0L) {
    abort_argument(
      fit, "fit", "be a fit from {.fn kgroups}, {.fn kmeans}, {.fn cluster::pam} or {.fn mclust::Mclust}.",
      if (is.numeric(fit) || is.data.frame(fit)) {
        "Cluster the data first: {.code stability(kgroups(x, k))}."
      } else {
        "For other clusterings see {.fn fpc::clusterboot}."
      },
      call = call
    )
  }
  if (known[1L] == "Mclust") check_package("mclust", "stability()", call = call)
  other_methods[[known[1L]]]
}

nearest_row <- function(x, rows, absolute = FALSE) {
  apart <- vapply(seq_len(nrow(rows)), function(l) {
    difference <- t(x) - rows[l, ]
    colSums(if (absolute) abs(difference) else difference^2)
  }, numeric(nrow(x)))
  max.col(-matrix(apart, nrow(x)), ties.method = "first")
}
