# Eigenvalues of an operator by RSpectra, whose C++ holds what it allocated while it calls
# back: an interrupt or an error that jumps out of the product would leave that behind. So the
# product never jumps: it notes what happened and answers NaN, of which RSpectra stops by itself.

eigs_of <- function(product, ...) {
  stopped <- NULL
  guarded <- function(v, args) {
    if (!is.null(stopped)) {
      return(rep(NaN, length(v)))
    }
    note <- function(condition) {
      stopped <<- condition
      rep(NaN, length(v))
    }
    tryCatch(product(v), interrupt = note, error = note)
  }
  out <- tryCatch(
    suppressWarnings(RSpectra::eigs_sym(guarded, ...)),
    error = function(e) if (is.null(stopped)) stop(e)
  )
  if (inherits(stopped, "interrupt")) rlang::interrupt()
  if (!is.null(stopped)) stop(stopped)
  out
}
