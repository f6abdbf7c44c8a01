# Choices, stability and tests drawn with ggplot2; what is drawn comes from R/plot-selection.R.

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
  need_package("ggplot2", "autoplot()")
  ggplot_picture(selection_picture(object, check_selection_type(object, type)))
}

#' @rdname plot.kgroups_stability
#' @usage \method{autoplot}{kgroups_stability}(object, type = c("clusters", "observations"), ...)
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_stability <- function(object, type = c("clusters", "observations"), ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "plot.kgroups_stability")
  need_package("ggplot2", "autoplot()")
  ggplot_picture(stability_picture(object, check_choice(type, "type", stability_types)))
}

#' @rdname plot.kgroups_energy_test
#' @usage \method{autoplot}{kgroups_energy_test}(object, ...)
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_energy_test <- function(object, ...) {
  check_no_dots(..., call = rlang::current_env(), topic = "plot.kgroups_energy_test")
  need_package("ggplot2", "autoplot()")
  ggplot_picture(test_picture(object))
}
