# Codes: points with columns of many categories, which a search compares by their codes. A
# mismatch adds a constant to the squared distance, so that one comparison replaces a coordinate
# for each category. The coordinates stay beside them for everything but pairwise dissimilarities.

# Categories of a column from which codes are faster (bench/categories.R).
many_categories <- 50L

# The problem with codes in place of the coordinates of columns of many categories, as it is if
# there are none. A row with an imputed cell has no code, and squared distances are searched by means.
code_categories <- function(problem) {
  rho <- problem$store$rho
  blueprint <- problem$blueprint
  standardized <- !is.null(blueprint$columns) && !blueprint$as_is && problem$exponent == 0
  if (!standardized || !identical(class(problem$store), "kgroups_points") || is_metric(problem$semimetric) ||
    identical(rho, semimetric_code(rho_power(2)))) {
    return(problem)
  }
  first <- first_coordinates(blueprint$columns)
  x <- problem$store$x
  codes <- lapply(which(vapply(blueprint$columns, `[[`, 0L, "size") >= many_categories), function(j) {
    category_codes(x, first[j] - 1L, blueprint$columns[[j]])
  })
  codes <- Filter(Negate(is.null), codes)
  if (length(codes)) problem$store <- new_codes_store(x, codes, rho)
  problem
}

# list(at, code, apart) for the column whose coordinates, sqrt(2 weight) (1{x = l} - share of l), stand
# at `before` + 1, ...; NULL if some rows have no category.
category_codes <- function(x, before, column) {
  levels <- seq_len(column$size)
  unit <- sqrt(2 * column$weight)
  code <- round(as.vector(x %*% replace(numeric(ncol(x)), before + levels, levels)) / unit + sum(levels * column$shares))
  if (any(code < 1 | code > column$size)) {
    return(NULL)
  }
  own <- x[cbind(seq_along(code), before + code)]
  whole <- all(abs(own - unit * (1 - column$shares[code])) <= 1e-12 * unit)
  if (whole) list(at = before + levels, code = code, apart = 4 * column$weight)
}

# `codes`: a list for each column, see category_codes().
new_codes_store <- function(x, codes, rho) {
  rest <- setdiff(seq_len(ncol(x)), unlist(lapply(codes, `[[`, "at")))
  store <- new_points_store(x, rho)
  store$numbers <- if (length(rest)) x[, rest, drop = FALSE] else matrix(0, nrow(x), 1L)
  store$code <- vapply(codes, `[[`, numeric(nrow(x)), "code")
  dim(store$code) <- c(nrow(x), length(codes))
  store$apart <- vapply(codes, `[[`, 0, "apart")
  class(store) <- c("kgroups_codes", "kgroups_points")
  store
}

#' @export
store_subset.kgroups_codes <- function(store, rows) {
  for (field in c("x", "numbers", "code")) store[[field]] <- store[[field]][rows, , drop = FALSE]
  store$n <- as.numeric(length(rows))
  store
}

#' @export
store_rho.kgroups_codes <- function(store, i, j) -2 * .Call(ffi_pairs_at, store, as.integer(i), as.integer(j))

#' @export
worth_caching.kgroups_codes <- function(store, passes) {
  caching_pays(store$n, passes, 1 + 0.05 * ncol(store$numbers) + 0.3 * ncol(store$code) + function_cost(store$rho))
}

#' @export
store_work.kgroups_codes <- function(store) ncol(store$numbers) + 2 * ncol(store$code) + 4
