# Products of two sizes in R code, which overflow as integers: length(x) * k, nrow(x) * ncol(x). One factor must be
# as.numeric(), a double constant or a quotient.
#
#   Rscript tools/lint-sizes.R     ends with code 1 at a finding

sizes <- c("length", "nrow", "ncol", "NROW", "NCOL", "nlevels")
is_size <- function(x) is.call(x) && is.name(x[[1L]]) && as.character(x[[1L]]) %in% sizes
# a symbol, a component, a size, or a product of these may be an integer
may_be_integer <- function(x) {
  if (is.name(x) || is.integer(x)) {
    return(TRUE)
  }
  if (!is.call(x)) {
    return(FALSE)
  }
  name <- if (is.name(x[[1L]])) as.character(x[[1L]]) else ""
  if (name %in% c("(", "*", "+", "-")) {
    return(all(vapply(as.list(x)[-1L], may_be_integer, NA)))
  }
  name %in% c(sizes, "$", "[[", "max", "min")
}

found <- character()
walk <- function(x, file) {
  if (!is.call(x)) {
    if (is.pairlist(x) || is.expression(x)) for (one in as.list(x)) if (!missing(one)) walk(one, file)
    return(invisible())
  }
  product <- identical(x[[1L]], quote(`*`)) && length(x) == 3L && (is_size(x[[2L]]) || is_size(x[[3L]])) &&
    !is.integer(x[[2L]]) && !is.integer(x[[3L]]) && may_be_integer(x[[2L]]) && may_be_integer(x[[3L]])
  if (product) found <<- c(found, sprintf("R/%s: %s", file, paste(deparse(x), collapse = " ")))
  for (one in as.list(x)) if (!missing(one)) walk(one, file)
}
for (file in list.files("R", "[.]R$")) for (one in parse(file.path("R", file))) walk(one, file)
if (length(found)) {
  cat(found, sep = "\n")
  quit(status = 1L)
}
