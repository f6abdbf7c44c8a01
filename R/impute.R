# Missing coordinates by their conditional means under one normal model of the points, which are
# scaled so that an observed mean is 0 and a standard deviation 1:
#     x_mis = mu_mis + Sigma_mo (Sigma_oo + ridge)^-1 (x_obs - mu_obs).
# They start at 0; then six times mu is the mean and Sigma the covariance plus the mean conditional
# covariance of what is missing, its off-diagonal entries times 1 - lambda. Every step is a
# function of the data alone: no random numbers, no k. Cost O(D m) a row with m coordinates
# missing and O(m^3) a pattern of them (C: kg_impute.c); the model is learnt from 4000 rows.

model_rounds <- 6L
model_rows <- 4000L
model_coordinates <- 300L

# z: n x D with NA where a coordinate is missing; first: one coordinate for each column.
normal_model <- function(z, w, first = seq_len(ncol(z))) {
  d <- ncol(z)
  if (d > model_coordinates) {
    return(list(mean = numeric(d), precision = NULL, ridge = 0))
  }
  rows <- spread_rows(which(w > 0), model_rows)
  w <- w[rows]
  z <- z[rows, , drop = FALSE]
  lambda <- min(0.9, d / row_count(w) + 0.05)
  w <- w / sum(w)
  open <- open_rows(z, first)
  filled <- z
  filled[is.na(filled)] <- 0
  extra <- 0
  for (round in seq_len(if (length(open)) model_rounds else 1L)) {
    if (round > 1L) {
      step <- .Call(ffi_impute, z, open, model$mean, model$precision, model$ridge, w)
      filled <- step$x
      extra <- step$extra
    }
    model <- normal_step(filled, w, extra, lambda)
  }
  model
}

normal_step <- function(filled, w, extra, lambda) {
  mean <- drop(crossprod(filled, w))
  centred <- filled - rep(mean, each = nrow(filled))
  sigma <- crossprod(centred * sqrt(w)) + extra
  keep <- diag(sigma)
  sigma <- sigma * (1 - lambda)
  ridge <- 1e-6 * max(mean(keep), .Machine$double.xmin)
  diag(sigma) <- keep + ridge
  list(mean = mean, precision = chol2inv(chol(sigma)), ridge = ridge)
}

# At most m of some rows, evenly spread.
spread_rows <- function(rows, m) {
  if (length(rows) <= m) rows else rows[round(seq(1, length(rows), length.out = m))]
}

# What weights count: whole numbers are rows that stand for several, others have no count.
row_count <- function(w) if (all(w == round(w))) sum(w) else sum(w > 0)

# Rows with something missing, equal patterns side by side.
open_rows <- function(z, first = seq_len(ncol(z))) {
  with_missing <- first[vapply(first, function(j) anyNA(z[, j]), NA)]
  if (length(with_missing) == 0L) {
    return(integer())
  }
  mask <- lapply(with_missing, function(j) is.na(z[, j]))
  open <- which(Reduce(`|`, mask))
  open[do.call(order, c(lapply(mask, `[`, open), method = "radix"))]
}

fill_points <- function(z, model, first = seq_len(ncol(z)), open = open_rows(z, first)) {
  if (length(open) == 0L) {
    return(z)
  }
  if (is.null(model$precision)) {
    z[is.na(z)] <- 0
    return(z)
  }
  .Call(ffi_impute, z, open, model$mean, model$precision, model$ridge, NULL)$x
}
