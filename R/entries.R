# What the C routines take: a problem as one named list, whose store has the class that
# names its row in the table of src/ffi_problem.c.

c_problem <- function(problem, w = problem$w) {
  list(n = as.numeric(problem$n), w = as.double(w), store = c_store(problem))
}

# For a Gram matrix C works on B = -rho/2, from half of its diagonal.
c_store <- function(problem) {
  if (problem$kind == "sparse") {
    off <- problem$off
    return(structure(
      list(
        n = as.numeric(problem$n), start = off@p, row = off@i, value = off@x,
        diagonal = as.double(problem$diagonal)
      ),
      class = "kgroups_sparse"
    ))
  }
  data <- problem$store[[2L]]
  rho <- problem$store[[5L]]
  n <- problem$store[[3L]]
  fields <- switch(problem$kind,
    points = list(n = n, x = data, rho = rho),
    packed = list(n = n, values = data, rho = rho),
    dense = list(n = n, values = data, half = if (problem$form == "gram") half_diagonal(data))
  )
  structure(fields, class = paste0("kgroups_", problem$kind))
}

half_diagonal <- function(G) diag(G) / 2

points_store <- function(x, rho) {
  structure(list(n = as.numeric(nrow(x)), x = x, rho = rho), class = "kgroups_points")
}

# z: m x n doubles, or the raw vector of landmark features.
features_store <- function(z, n, w = NULL) {
  list(w = w, store = structure(list(n = as.numeric(n), z = z), class = "kgroups_features"))
}

# B_ii as the C routines see it: 0 but for sparse matrices.
core_self <- function(problem) {
  if (problem$kind == "sparse") problem$diagonal else numeric(problem$n)
}

descend <- function(problem, k, starts, method = "hartigan", iter.max = 100, dimension = 0,
                    fill = iter.max > 0) {
  storage.mode(starts) <- "integer"
  control <- list(
    method = unname(method_codes[method]), iter_max = as.numeric(iter.max),
    dimension = as.numeric(dimension), fill = as.numeric(fill)
  )
  .Call(ffi_descend, problem, as.numeric(k), starts, control)
}
