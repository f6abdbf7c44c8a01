# The recipe from table to points written from its definition, cell by cell.

# Points of a data frame with at least one column that is not a number, or with standardize.
reference_points <- function(data, w = rep(1, nrow(data)), columns = rep(1, length(data)), fill = TRUE) {
  blocks <- list()
  factors <- numeric()
  rows <- if (all(w == round(w))) function(v) sum(v) else function(v) sum(v > 0)
  for (j in seq_along(data)) {
    x <- data[[j]]
    if (is.factor(x) && !is.ordered(x) || is.character(x) || is.logical(x)) {
      text <- as.character(x)
      levels <- if (is.factor(x)) intersect(levels(x), text) else sort(unique(text), method = "radix")
      block <- sapply(levels, function(l) {
        share <- sum(w[!is.na(text) & text == l]) / sum(w[!is.na(text)])
        sqrt(2) * ((text == l) - share)
      })
    } else {
      number <- as.numeric(x)
      seen <- !is.na(number)
      mean <- sum(w[seen] * number[seen]) / sum(w[seen])
      variance <- sum(w[seen] * (number[seen] - mean)^2) / sum(w[seen]) / (1 - 1 / rows(w[seen]))
      block <- cbind((number - mean) / sqrt(variance))
    }
    blocks[[j]] <- block
    factors <- c(factors, rep(sqrt(columns[j]), ncol(block)))
  }
  z <- unname(do.call(cbind, blocks))
  if (fill) z <- reference_fill(z, w)
  z %*% diag(factors, length(factors))
}

# Six rounds of mean and covariance; conditional means by solving with the observed part.
reference_fill <- function(z, w = rep(1, nrow(z))) {
  if (!anyNA(z)) {
    return(z)
  }
  d <- ncol(z)
  n <- if (all(w == round(w))) sum(w) else sum(w > 0)
  lambda <- min(0.9, d / n + 0.05)
  filled <- replace(z, is.na(z), 0)
  extra <- matrix(0, d, d)
  for (round in 1:6) {
    mu <- colSums(w * filled) / sum(w)
    sigma <- extra
    for (i in seq_len(nrow(z))) sigma <- sigma + w[i] / sum(w) * tcrossprod(filled[i, ] - mu)
    off <- row(sigma) != col(sigma)
    sigma[off] <- (1 - lambda) * sigma[off]
    ridge <- 1e-6 * mean(diag(sigma))
    extra <- matrix(0, d, d)
    for (i in which(rowSums(is.na(z)) > 0)) {
      m <- which(is.na(z[i, ]))
      o <- which(!is.na(z[i, ]))
      if (length(o) == 0) {
        filled[i, ] <- mu
        next
      }
      inverse <- solve(sigma[o, o] + ridge * diag(length(o)))
      filled[i, m] <- mu[m] + sigma[m, o, drop = FALSE] %*% inverse %*% (z[i, o] - mu[o])
      conditional <- sigma[m, m] - sigma[m, o, drop = FALSE] %*% inverse %*% sigma[o, m, drop = FALSE]
      extra[m, m] <- extra[m, m] + w[i] / sum(w) * conditional
    }
  }
  filled
}

# A table with a column of every type, some of them related; `missing` is the share of cells.
mixed_table <- function(n = 60, missing = 0) {
  group <- rep(1:3, length.out = n)
  data <- data.frame(
    size = rnorm(n, 3 * group), count = rpois(n, 4 * group),
    day = as.Date("2020-02-28") + 10 * group + sample(5, n, TRUE),
    lasts = as.difftime(group + runif(n), units = "hours"),
    grade = factor(
      c("low", "mid", "high")[pmin(3, pmax(1, group + sample(-1:1, n, TRUE)))], c("low", "mid", "high", "top"),
      ordered = TRUE
    ),
    colour = factor(
      c("red", "green", "blue", "none")[ifelse(runif(n) < 0.7, group, 4)], c("blue", "red", "unused", "green", "none")
    ),
    town = ifelse(runif(n) < 0.8, c("Ulm", "Bonn", "Kiel")[group], "Graz"),
    member = runif(n) < c(0.9, 0.5, 0.2)[group]
  )
  data$time <- as.POSIXct("2021-05-01 12:00:00", tz = "UTC") + 3600 * group + runif(n, 0, 1000)
  if (missing > 0) {
    for (j in seq_along(data)) data[[j]][runif(n) < missing] <- NA
    empty <- rowSums(is.na(data)) == ncol(data)
    data$size[empty] <- 1
  }
  data
}

points_of <- function(...) suppressMessages(make_blueprint(...))$points

make_blueprint_quietly <- function(...) suppressMessages(make_blueprint(...))$blueprint

# list(blueprint, points) of a table.
make_blueprint <- function(...) {
  made <- make_points(...)
  list(blueprint = attr(made, "blueprint"), points = plain_points(made))
}
