# Eigenvalues of an operator by RSpectra, whose C++ holds what it allocated while it calls
# back. An error of the product comes back through it in order and leaves nothing behind, so an interrupt
# is handed through as one; what happened is noted and raised again behind it.

eigs_of <- function(product, ...) {
  stopped <- NULL
  note <- function(condition) stopped <<- condition
  guarded <- function(v, args) {
    value <- tryCatch(product(v), interrupt = note, error = note)
    if (!is.null(stopped)) stop("the product has stopped")
    value
  }
  out <- tryCatch(
    suppressWarnings(RSpectra::eigs_sym(guarded, ...)),
    error = function(e) if (is.null(stopped)) stop(e)
  )
  if (inherits(stopped, "interrupt")) rlang::interrupt()
  if (!is.null(stopped)) stop(stopped)
  out
}
