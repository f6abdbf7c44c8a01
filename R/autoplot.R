#' Draw a fit with ggplot2
#'
#' The plots of [plot()][plot.kgroups_fit] as \pkg{ggplot2} objects, to which layers, scales
#' and themes can be added.
#'
#' @param object A fit from [kgroups()] or [kernel_kmeans()].
#' @inheritParams plot.kgroups_fit
#' @param ... Not used: an unknown argument is an error (`kg_error_dots`).
#' @return A `ggplot` object.
#' @section Complexity: As [plot()][plot.kgroups_fit].
#' @section Errors: Those of [plot()][plot.kgroups_fit]; `kg_error_package` without \pkg{ggplot2}.
#' @family fits
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' fit <- kgroups(iris[1:4], 3)
#' ggplot2::autoplot(fit) + ggplot2::theme_minimal()
#' ggplot2::autoplot(fit, type = "dispersion")
#' @usage
#' \method{autoplot}{kgroups_fit}(
#'   object,
#'   type = c("coordinates", "silhouette", "objective", "dispersion", "gaps"),
#'   hulls = TRUE,
#'   ...
#' )
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_fit <- function(object, type = c("coordinates", "silhouette", "objective", "dispersion", "gaps"),
                                 hulls = TRUE, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "autoplot.kgroups_fit")
  check_package("ggplot2", "autoplot()")
  type <- check_choice(type, "type", plot_types)
  hulls <- check_flag(hulls, "hulls")
  check_drawable(object, type, rlang::current_env())
  ggplot_picture(fit_picture(object, type, hulls))
}

#' @rdname plot.kgroups_selection
#' @usage
#' \method{autoplot}{kgroups_selection}(
#'   object,
#'   type = c("criteria", "objective", "halves", "agreement"),
#'   ...
#' )
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_selection <- function(object, type = c("criteria", "objective", "halves", "agreement"), ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "plot.kgroups_selection")
  check_package("ggplot2", "autoplot()")
  ggplot_picture(selection_picture(object, check_selection_type(object, type)))
}

#' @rdname plot.kgroups_stability
#' @usage \method{autoplot}{kgroups_stability}(object, type = c("clusters", "observations"), ...)
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_stability <- function(object, type = c("clusters", "observations"), ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "plot.kgroups_stability")
  check_package("ggplot2", "autoplot()")
  ggplot_picture(stability_picture(object, check_choice(type, "type", stability_types)))
}

#' @rdname plot.kgroups_energy_test
#' @usage \method{autoplot}{kgroups_energy_test}(object, ...)
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_energy_test <- function(object, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "plot.kgroups_energy_test")
  check_package("ggplot2", "autoplot()")
  ggplot_picture(test_picture(object))
}
