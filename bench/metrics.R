# Metrics by name: time beside dist() and a fit of its matrix, and the largest difference of W.
#   Rscript bench/metrics.R [n] [columns]
library(kgroups)
args <- as.numeric(commandArgs(TRUE))
n <- if (length(args) > 0) args[1] else 3000
d <- if (length(args) > 1) args[2] else 10
set.seed(1)
x <- matrix(rexp(n * d), n) + 3 * sample(5, n, TRUE)
cpu <- function(expr) sum(system.time(expr)[c(1, 4)])
own <- list(
  cosine = function(x) as.dist(1 - tcrossprod(x / sqrt(rowSums(x^2)))),
  correlation = function(x) as.dist(1 - cor(t(x)))
)
out <- lapply(c("manhattan", "maximum", "canberra", "minkowski", "cosine", "correlation"), function(name) {
  rho <- if (name == "minkowski") rho_metric(name, p = 3) else rho_metric(name)
  init <- sample(5, n, TRUE)
  named <- cpu(fit <- kgroups(x, 5, semimetric = rho, init = init))
  matrix <- cpu({
    D <- if (name %in% names(own)) own[[name]](x) else dist(x, name, p = 3)
    peer <- suppressWarnings(kgroups(D, 5, init = init))
  })
  data.frame(
    metric = name, n = n, columns = d, named = named, dist = matrix, W = fit$W, difference = abs(fit$W / peer$W - 1)
  )
})
print(do.call(rbind, out), digits = 3)
