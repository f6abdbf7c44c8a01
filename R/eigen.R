# Eigenvalues of an operator by RSpectra, whose C++ holds what it allocated while it calls
# back: an interrupt or an error that jumps out of the product would leave that behind. So the
# product never jumps: it notes what happened and answers 0 until RSpectra returns.

eigs_of <- function(product, ...) {
  stopped <- NULL
  guarded <- function(v, args) {
    if (!is.null(stopped)) {
      return(numeric(length(v)))
    }
    note <- function(condition) {
      stopped <<- condition
      numeric(length(v))
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
