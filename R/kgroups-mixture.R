#' Clusters of unequal shapes and sizes: a mixture
#'
#' `kgroups_mixture()` fits mixtures of multivariate t distributions, started from the clusters of
#' `kgroups(x, k, standardize = "within")`. The labels of that fit are kept unless a mixture is clearly better.
#'
#' W favours clusters of one shape and about equal weight. A mixture suits clusters of unlike covariances and sizes, and
#' returns probabilities of membership. The density is
#' \deqn{f(y) = \sum_l p_l\, t_\nu(y; \mu_l, S_l)}{f(y) = sum_l p_l t_nu(y; mu_l, S_l)}
#' in the coordinates y of the learned metric, with one estimated \eqn{\nu}{nu} from 1 to 200 for all components.
#' There are three forms:
#' * `"common"`: one scatter, S_l = S;
#' * `"volumes"`: one shape and a volume each, S_l = v_l S;
#' * `"own"`: a scatter each, shrunk towards the common shape,
#'   \eqn{S_l = (n_l R_l + c d v_l S) / (n_l + c d)}{S_l = (n_l R_l + c d v_l S)/(n_l + c d)} with c = 0.3, R_l the
#'   weighted scatter of the component and d the number of coordinates.
#'
#' @param x A table of numbers as for [kgroups()] (a matrix, a data frame, a formula with `data`), or a fit of one. The
#'   labels of a fit with `standardize = "within"` are the start. A fit in another metric is repeated with this one.
#' @param k The number of clusters. Left out for a fit.
#' @param ... Further arguments of [kgroups()] for the first fit, such as `weights`, `missing`, `semimetric` or
#' `effort`.
#' @return A fit as [kgroups()] returns it, see [kgroups-fit], of class `c("kgroups_mixture", "kgroups_metric_fit",
#'   "kgroups_fit")`, with further components:
#'   \item{cluster}{the labels: the most probable component of each observation, or with `form = "within"` the labels of
#'     `standardize = "within"`. `W` and `within` are those of the labels in the learned metric}
#'   \item{form}{`"within"`, `"common"`, `"volumes"` or `"own"`}
#'   \item{probabilities}{an n x k matrix, `NULL` if there is no mixture. With `form = "within"` those of a mixture with
#'   one scatter started from the labels, with equal sizes unless others attain less BIC}
#'   \item{shares}{k numbers with sum 1, the sizes of the components}
#'   \item{means, scatters}{a k x p matrix and a p x p x k array, in the units of the p numeric columns. The covariance
#'   matrix of component l is \eqn{\nu / (\nu - 2)}{nu/(nu - 2)} times its scatter, if \eqn{\nu > 2}{nu > 2}}
#'   \item{nu}{degrees of freedom; 200 is about the normal distribution}
#'   \item{bic}{the least BIC of each form, of the density of the columns in their units; smaller is better. It can be
#'   compared between numbers of clusters and with other mixtures of these columns}
#'   \item{why}{with `form = "within"` why the labels are kept: `"little"` gain in BIC, `"ties"`, `"skewed"` or
#'     `"unstable"` components, see Choice; else `NULL`}
#'
#'   Methods: those of fits (see [kgroups()]), [logLik()] and [BIC()]. `predict(type = "prob")` returns the
#'   probabilities of the mixture, `predict(type = "class")` the most probable component. `plot()` draws the ellipses of
#'   the components, `plot(type = "uncertainty")` one minus the largest probability.
#' @section Choice: The chosen form attains the least \eqn{BIC = q \log n - 2 \log f}{BIC = q log n - 2 log f}; q
#'   counts the share \eqn{n_l / (n_l + c d)}{n_l/(n_l + c d)} of the parameters of a shrunk scatter. `"volumes"` and
#'   `"own"` must be better than `"common"` by 10. `"common"` replaces the labels only if it is better by 5 than the
#'   same mixture started from these labels, or than one with equal sizes. Labels are also kept
#'   * if d k / n is above 1/3: no metric is learned then;
#'   * if \eqn{\nu}{nu} is at most 1.2, as for columns with heavy ties;
#'   * if the components are skewed and the gain in BIC is below 0.5 a row: a cluster of another family would be divided
#'     between components;
#'   * if the components are less stable than the labels between two halves of the rows (an adjusted Rand index lower by
#'     0.05 on average over five divisions), unless the rows are half as uncertain.
#' @section Algorithm: The EM algorithm for t distributions (Peel and McLachlan 2000) uses the step of Liu and Rubin
#'   (1995) for \eqn{\nu}{nu}. For each form it starts from the labels and from the best three of 48 short runs from
#'   k-means++ centres. The common scatter is shrunk towards the metric as the metric is towards the total covariance.
#'   Above 5000 rows the algorithm takes a sample of 5000, and all rows are assigned by its result; `bic` and [logLik()]
#'   are those of the sample. Missing cells are imputed first.
#' @section Columns of few values: A numeric column of at most five values, and a value of more than a fifth of the
#'   rows, are taken as in [kgroups-metric]. The EM algorithm runs on rows spread within their value, and `bic` and
#'   [logLik()] are those of these rows. Labels and probabilities are those of the values.
#' @section Limits: Columns of categories are an error of class `kg_error_mixture`, as are dissimilarities, kernels and
#'   graphs, and fits with `trim`, `sizes`, `together`, `apart` or landmarks. For clusters that are no ellipses use
#'   [rho_connected()]. The start divides a large cluster that a small one overlaps, and the mixture often keeps these
#'   labels (`bench/when-not.R`).
#' @section Complexity: Two to nine times the time of `standardize = "within"`; \eqn{O(n k d^2)}{O(n k d^2)} for
#'   each of about fifty steps, in at most 12 runs.
#' @references
#' Liu C, Rubin DB (1995). "ML estimation of the t distribution using EM and its extensions, ECM and ECME." *Statistica
#' Sinica*, 5(1), 19-39.
#'
#' Peel D, McLachlan GJ (2000). "Robust mixture modelling using the t distribution." *Statistics and Computing*, 10,
#' 339-348. \doi{10.1023/A:1008981510081}
#'
#' Fraley C, Raftery AE (2002). "Model-based clustering, discriminant analysis, and density estimation." *Journal of the
#' American Statistical Association*, 97(458), 611-631. \doi{10.1198/016214502760047131}
#'
#' Mori TF, Rohatgi VK, Szekely GJ (1994). "On multivariate skewness and kurtosis." *Theory of Probability and Its
#' Applications*, 38(3), 547-551. \doi{10.1137/1138055}
#' @family clustering
#' @concept Gaussian mixture
#' @concept model-based clustering
#' @concept probability
#' @concept unequal sizes
#' @concept covariance
#' @examples
#' # the plain fit divides the large cluster
#' set.seed(1)
#' centre <- rep(c(0, 5, 10), c(240, 30, 30))
#' x <- cbind(rnorm(300, centre), rnorm(300))
#' table(kgroups(x, 3)$cluster, centre)
#' fit <- kgroups_mixture(x, 3)
#' fit
#' table(fit$cluster, centre)
#'
#' # probabilities of new rows
#' round(predict(fit, rbind(c(0, 0), c(2.8, 0)), type = "prob"), 3)
#' @export
kgroups_mixture <- function(x, k, ...) {
  call <- match.call()
  call[[1L]] <- quote(kgroups_mixture)
  env <- rlang::current_env()
  if (missing(x)) check_no_dots(..., call = env, topic = "kgroups_mixture")
  check_given(x, "x", env)
  fit <- if (inherits(x, "kgroups_fit")) {
    if (!missing(k)) check_no_dots(k = k, ..., call = env, topic = "kgroups_mixture")
    check_no_dots(..., call = env, topic = "kgroups_mixture")
    fit_to_start(x, env)
  } else {
    taken <- setdiff(c(names(formals(kgroups.default)), names(formals(kgroups.formula))), c("...", "standardize"))
    other <- setdiff(...names_compat(...), c(taken, ""))
    refused <- stats::setNames(vector("list", length(other)), other)
    do.call(check_no_dots, c(refused, list(call = env, topic = "kgroups_mixture", also = taken)))
    fit_to_start(with_call(env, start_fit(x, k, ..., call = env)), env)
  }
  out <- with_mixture(fit, env)
  out$call <- call
  out
}

# The fit in a learned metric; its errors about the input are those of mixtures.
start_fit <- function(x, ..., call) {
  refuse <- function(...) abort_mixture("dissimilarities, a kernel, a graph, or columns of categories alone", call)
  if (inherits(x, "igraph")) refuse()
  if (inherits(x, "kgroups_blocks")) abort_mixture("blocks of rows", call, "Pass a sample of the rows.")
  no_table <- function(e) {
    as_problem(x, call = call) # an object that is no data has an error of its own
    refuse()
  }
  tryCatch(kgroups(x, ..., standardize = "within"), kg_error_standardize = refuse, kg_error_column_weights = no_table)
}

abort_mixture <- function(came, call, hint = "Use `kgroups()`, whose W needs no density.") {
  abort_input(
    "mixture", call, "A mixture of t distributions needs a table of numbers, of which all rows are in clusters.",
    "You supplied {came}.", "{hint}"
  )
}

# Return the fit in a learned metric whose labels a mixture starts from.
fit_to_start <- function(fit, call) {
  check_fit(fit, call)
  variant <- setdiff(class(fit), c("kgroups_mixture", "kgroups_metric_fit", "kgroups_fit"))
  if (length(variant)) {
    with <- names(control_classes)[sub("_control$", "_fit", control_classes) %in% variant]
    abort_mixture(if (length(with)) sprintf("a fit with `%s`", with[1L]) else "a fit of a graph", call)
  }
  if (!inherits(fit, "kgroups_metric_fit") || inherits(fit, "kgroups_mixture")) {
    kept_data(fit, call)
    if (is.null(fit$blueprint)) abort_mixture("a fit without columns", call)
    again <- list(x = fit$data, k = fit$k, weights = fit$weights, semimetric = fit$semimetric)
    fit <- with_call(call, do.call(start_fit, c(again, list(call = call)), quote = TRUE))
  }
  types <- vapply(used_columns(fit$blueprint), `[[`, "", "type")
  if (any(types == "categories")) {
    n <- sum(types == "categories")
    abort_mixture(
      sprintf("%d column%s of categories", n, plural(n)), call,
      "Leave categories out, or use `kgroups(x, k, standardize = \"within\")`, in which they count."
    )
  }
  fit
}

# Return a fit with the mixture started from its labels.
with_mixture <- function(fit, call) {
  observed <- observed_fit(fit, call)
  problem <- kept_problem(observed, call)
  rows <- min(fit$n, max(mixture_settings$rows, 50 * fit$k))
  inform_long(
    mixture_settings$rate * rows * fit$k * length(learned_coordinates(fit$blueprint))^2,
    "Its time is proportional to the square of the number of columns."
  )
  m <- mixture_of_fit(observed, problem)
  new <- c("kgroups_mixture", class(fit))
  fit <- unclass(fit)
  fit$form <- "within"
  fit[c("probabilities", "shares", "means", "scatters", "nu", "bic", "why", "mixture")] <- list(NULL)
  if (is.null(m)) {
    return(structure(fit, class = new))
  }
  P <- mixture_memberships(m, problem$points)
  if (m$form != "within") {
    labels <- max.col(P, "first")
    first <- first_appearance(labels, fit$k)
    m <- permute_mixture(m, first)
    P <- P[, first, drop = FALSE]
    observed <- with_labels(observed, order(first)[labels], problem)
    fit <- as_labelled(fit, observed)
  }
  colnames(P) <- seq_len(fit$k)
  rownames(P) <- names(observed$cluster)
  m$P <- NULL
  fit$probabilities <- P
  fit[c("form", "nu", "bic", "why")] <- list(m$form, m$nu, m$bic, m$why)
  fit$shares <- as.vector(m$size) / sum(m$size)
  fit[c("means", "scatters")] <- mixture_in_units(m, observed$blueprint)
  fit$mixture <- m
  structure(fit, class = new)
}

# Return a fit with other labels, and W and the sums of theirs.
with_labels <- function(fit, labels, problem) {
  sums <- partition(problem, labels, fit$k)
  fit["cluster"] <- list(stats::setNames(labels, names(fit$cluster)))
  fit$sizes <- tabulate(labels, fit$k)
  fit$within <- true_units(problem, sums$within)
  fit$W <- sum(fit$within)
  fit$S <- fit$total - fit$W
  fit$kept[c("V", "s")] <- sums[c("V", "s")]
  fit$objectives <- c(mixture = fit$W)
  fit$best_start <- 1L
  fit["search"] <- list(NULL)
  fit
}

# Return a fit with the labels of `observed`.
as_labelled <- function(fit, observed) {
  same <- c("sizes", "within", "W", "S", "kept", "objectives", "best_start", "search")
  fit[same] <- unclass(observed)[same]
  fit$cluster[] <- unname(observed$cluster)
  fit
}

# ---- methods ----

#' @export
format.kgroups_mixture <- function(x, digits = 7, ...) {
  first <- sub("clustering", "mixture", NextMethod())
  labels <- if (x$form == "within") {
    "Labels: those of standardize = \"within\", which minimise W"
  } else {
    "Labels: the most probable component of a t mixture; they do not minimise W"
  }
  c(first[!startsWith(first, "Method: ")], labels, mixture_lines(x))
}

form_text <- c(
  common = "one scatter for all clusters", volumes = "one shape, a volume for each cluster",
  own = "a scatter for each cluster"
)

# Why the labels are kept.
kept_text <- c(
  ties = "ties, or tails too heavy for a mixture", little = "no mixture has clearly less BIC",
  skewed = "components of less BIC are skewed",
  unstable = "components of less BIC differ between halves of the rows"
)

mixture_lines <- function(x) {
  if (is.null(x$nu)) {
    few <- has_few_rows(x)
    return(paste("Form: within,", if (few) "from too few rows for a mixture" else "no mixture keeps all clusters"))
  }
  of_rows <- if (x$mixture$rows < x$n) sprintf(" (of %d rows)", x$mixture$rows)
  c(
    sprintf(
      "Form: %s (%s), t distributions with %s degrees of freedom", x$form,
      if (is.null(x$why)) form_text[x$form] else kept_text[x$why], format(x$nu, digits = 3)
    ),
    paste0("BIC: ", paste(names(x$bic), format(x$bic, digits = 5, trim = TRUE), collapse = ", "), of_rows)
  )
}

#' @export
summary.kgroups_mixture <- function(object, ...) {
  check_fit(object)
  structure(list(fit = object, clusters = mixture_table(object)), class = "summary.kgroups_mixture")
}

#' @export
print.summary.kgroups_mixture <- function(x, digits = 4, ...) {
  print(x$fit)
  cat("\n")
  print(x$clusters, digits = digits, row.names = FALSE)
  invisible(x)
}

# A row for each cluster: its size, the share and volume of its component, the mean uncertainty of its rows.
mixture_table <- function(fit) {
  out <- data.frame(cluster = seq_len(fit$k), size = fit$sizes)
  if (is.null(fit$mixture)) {
    return(out)
  }
  d <- length(fit$mixture$at)
  logs <- apply(fit$mixture$scatter, 2L, function(S) as.numeric(determinant(matrix(S, d))$modulus))
  volume <- exp((logs - mean(logs)) / d)
  uncertainty <- uncertainty_of(fit$probabilities)
  inside <- !is.na(uncertainty)
  mean <- group_means(uncertainty[inside], unname(fit$cluster)[inside], fit$k)
  cbind(out, share = fit$shares, volume = volume, uncertainty = mean)
}

#' @export
predict.kgroups_mixture <- function(object, newdata = NULL,
                                    type = c("class", "distance", "squared", "cluster", "prob", "noise"),
                                    diag = NULL, threads = getOption("kgroups.threads", 1L), ...) {
  type <- check_choice(type, "type", c("class", "distance", "squared", "cluster", "prob", "noise"))
  check_fit(object)
  own <- type == "prob" || type == "class" && object$form != "within"
  if (!own || is.null(object$mixture) || is.null(newdata) && type == "class") {
    return(NextMethod(type = type))
  }
  call <- rlang::current_env()
  check_no_dots(..., call = call, topic = "predict.kgroups_fit")
  if (is.null(newdata)) {
    return(object$probabilities)
  }
  fit <- observed_fit(object, call)
  new <- read_newdata(fit, kept_data(fit, call), newdata, call)
  out <- unknown_answer(new, object$k, type)
  known <- which(new$known)
  for (rows in strips(length(known), ncol(new$y) + 3 * object$k)) {
    check_interrupt()
    P <- mixture_memberships(object$mixture, new$y[rows, , drop = FALSE])
    if (type == "prob") out[known[rows], ] <- P else out[known[rows]] <- max.col(P, "first")
  }
  out
}

#' @export
logLik.kgroups_mixture <- function(object, ...) {
  check_fit(object)
  m <- object$mixture
  structure(m$value %||% NA_real_, df = m$parameters %||% NA_real_, nobs = m$count %||% object$n, class = "logLik")
}

#' @export
tidy.kgroups_mixture <- function(x, ...) {
  out <- NextMethod()
  more <- mixture_table(x)[-(1:2)]
  as_table(c(as.list(out[1:3]), as.list(more), as.list(out[-(1:3)])))
}

#' @export
glance.kgroups_mixture <- function(x, ...) {
  value <- stats::logLik(x)
  as_table(c(
    as.list(NextMethod()),
    list(
      form = x$form, nu = x$nu %||% NA_real_, logLik = as.numeric(value), df = attr(value, "df"), BIC = stats::BIC(x)
    )
  ))
}

# Resampling fits the clusters of W again, and no mixture.
#' @export
stability.kgroups_mixture <- function(fit, ...) {
  abort_mixture("a mixture", rlang::current_env(), "Use `stability(kgroups(x, k, standardize = \"within\"))`.")
}

# ---- figures ----

#' @export
as_figure.kgroups_mixture <- function(x, columns = NULL, type = c("ellipses", "uncertainty", plot_types), ...) {
  call <- rlang::caller_env()
  x <- observed_fit(x, call)
  type <- check_choice(type, "type", c("ellipses", "uncertainty", plot_types), call = call)
  drawn <- type %in% c("ellipses", "uncertainty") && !is.null(x$mixture)
  # squares of very large or small units have no numbers
  if (!drawn || type == "ellipses" && (nrow(x$scatters) < 2L || !all(is.finite(x$scatters)))) {
    return(NextMethod(type = if (type %in% plot_types) type else "coordinates"))
  }
  check_no_dots(..., call = call, topic = "plot.kgroups_fit")
  with_verdict(if (type == "uncertainty") uncertainty_figure(x) else components_figure(x, columns, call), x)
}

# A panel for every two columns: observations, the uncertain ones ringed, and the ellipses of the components.
components_figure <- function(fit, columns, call) {
  # the names that figures give to columns
  names <- names(fit_columns(fit, call))[places_of(used_columns(fit$blueprint))]
  colnames(fit$means) <- names
  dimnames(fit$scatters)[1:2] <- list(names, names)
  rim <- is.null(columns)
  columns <- shown_columns(fit, columns, 3L, call)$columns
  columns <- columns[names(columns) %in% names]
  if (length(columns) < 2L) {
    abort_input(
      "columns", call, "`type = \"ellipses\"` needs two columns of numbers or more.", "You supplied fewer.",
      "Use `type = \"coordinates\"`."
    )
  }
  drawn <- thinned_rows(fit$cluster, small_n)
  panels <- pair_panels(columns, fit, drawn, rim)
  ellipses <- lapply(seq_along(panels$names), function(p) {
    at <- component_ellipses(fit, panels$pairs[, p])
    cbind(at, panel = panels$names[p])
  })
  ellipses <- do.call(rbind, ellipses)
  if (!is.null(panels$note)) {
    # beyond the points the frame cuts the ellipses
    for (panel in panels$names) for (side in c("x", "y")) {
      rows <- ellipses$panel == panel
      ends <- range(panels$points[[side]][panels$points$panel == panel])
      panels$axes[[panel]][[side]]$limits <- ends
      wide <- ends + c(-0.04, 0.04) * diff(ends)
      ellipses[[side]][rows] <- pmin(pmax(ellipses[[side]][rows], wide[1L]), wide[2L])
    }
  }
  many <- length(drawn) > 500L
  ringed <- panels$points[uncertainty_of(fit$probabilities)[panels$points$row] > 0.2, c("x", "y", "panel")]
  pair_figure(panels, fit_title(fit), list(
    new_layer("polygon", ellipses, alpha = 0.1),
    new_layer("point", panels$points[1:4], size = if (many) 0.8 else 1.1, alpha = if (many) 0.5, key = TRUE),
    new_layer("point", ringed, shape = 1L, size = if (many) 1.2 else 1.6, alpha = if (many) 0.4, colour = "grey30"),
    number_layer(do.call(rbind, lapply(seq_along(panels$names), function(p) {
      at <- unname(fit$means[, panels$pairs[, p], drop = FALSE])
      data.frame(x = at[, 1L], y = at[, 2L], group = as_cluster(seq_len(fit$k), fit$k), panel = panels$names[p])
    })), fit$k)
  ), notes_text(c(
    if (is.null(fit$why)) form_text[[fit$form]], noise_note(fit), drawn_note(drawn, fit), "ellipses hold 90 %",
    if (NROW(ringed)) "rings: probability below 80 %", panels$note
  )), fit$k)
}

# The ellipses of two columns that hold this share of each component.
component_ellipses <- function(fit, columns, share = 0.9) {
  far2 <- 2 * stats::qf(share, 2, fit$nu)
  do.call(rbind, lapply(seq_len(fit$k), function(l) {
    axes <- eigen(fit$scatters[columns, columns, l], symmetric = TRUE)
    ellipse_points(fit$means[l, columns], axes, far2, as_cluster(l, fit$k))
  }))
}

# One minus the largest probability.
uncertainty_figure <- function(fit) {
  value <- uncertainty_of(fit$probabilities)
  cluster <- unname(fit$cluster)
  many <- sum(value > 0.2)
  title <- sprintf("%d of %d observations %s a probability below 80 %%", many, fit$n, if (many == 1L) "has" else "have")
  blocks_figure(value, cluster, fit$k, title, "1 - largest probability", 0.2)
}
