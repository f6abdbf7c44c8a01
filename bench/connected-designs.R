# Simulated data of bench/connected.R, bench/connected-settings.R and bench/connected-public.R: connected_sets, a list of
# groups of designs, and grouped_sets, designs of two to six groups. Each function draws a list(x, truth).

# ---- simulated data: a function a setting, each gives list(x, truth) ----

# Five groups of settings: shapes that gaps divide, the same among noise coordinates, with more noise, normals and their
# like, overlapping normals in the plane.

half_circles <- function(n, sd) {
  a <- runif(n[1L], 0, pi)
  b <- runif(n[2L], 0, pi)
  x <- rbind(cbind(cos(a), sin(a)), cbind(1 - cos(b), 0.5 - sin(b)))
  list(x = x + rnorm(length(x), sd = sd), truth = rep(1:2, n))
}

circles <- function(radii, n, sd) {
  truth <- rep(seq_along(radii), n)
  a <- runif(sum(n), 0, 2 * pi)
  x <- radii[truth] * cbind(cos(a), sin(a))
  list(x = x + rnorm(length(x), sd = sd), truth = truth)
}

# Annuli of equal width about different centres, one within the other or beside it.
rings <- function(n, width) {
  truth <- rep(1:3, n)
  a <- runif(sum(n), 0, 2 * pi)
  r <- c(1, 3, 1.2)[truth] + runif(sum(n), -width, width)
  centre <- cbind(c(0, 0, 6)[truth], 0)
  list(x = centre + r * cbind(cos(a), sin(a)), truth = truth)
}

cigars <- function(sd) {
  truth <- rep(1:3, each = 150)
  list(x = cbind(rnorm(450, sd = 4), 4 * (truth - 1) + rnorm(450, sd = sd)), truth = truth)
}

spirals <- function(n, sd) {
  truth <- rep(1:2, each = n)
  t <- sqrt(runif(2 * n, 0.05, 1)) * 2.5 * pi
  a <- t + pi * (truth - 1)
  x <- t * cbind(cos(a), sin(a))
  list(x = x + rnorm(length(x), sd = sd), truth = truth)
}

line_beside_cloud <- function(sd) {
  line <- cbind(runif(150, -8, 8), rnorm(150, -3.5, sd))
  cloud <- matrix(rnorm(400, sd = 0.8), 200)
  list(x = rbind(line, cloud), truth = rep(1:2, c(150, 200)))
}

# Among noise coordinates, turned at random.
among <- function(data, extra, sd) {
  x <- cbind(data$x, matrix(rnorm(nrow(data$x) * extra, sd = sd), nrow(data$x)))
  turn <- qr.Q(qr(matrix(rnorm(ncol(x)^2), ncol(x))))
  list(x = x %*% turn, truth = data$truth)
}

normals <- function(n, centres, sd) {
  truth <- rep(seq_along(n), n)
  d <- ncol(centres)
  x <- centres[truth, , drop = FALSE] + sd[truth] * matrix(rnorm(sum(n) * d), ncol = d)
  list(x = x, truth = truth)
}

triangle <- function(side) side * cbind(c(0, 1, 0.5), c(0, 0, sqrt(0.75)))

heavy_tails <- function(side) {
  truth <- rep(1:3, each = 120)
  list(x = triangle(side)[truth, ] + matrix(rt(720, 2), 360), truth = truth)
}

# The 60 between the groups belong to none: they are skipped of the score.
among_uniform <- function(side) {
  data <- normals(rep(110, 3), triangle(side), rep(1, 3))
  stray <- matrix(runif(120, -3, side + 3), 60)
  list(x = rbind(data$x, stray), truth = c(data$truth, rep(NA, 60)))
}

connected_sets <- list(
  shapes = list(
    moons = function() half_circles(c(200, 200), runif(1, 0.05, 0.08)),
    circles = function() circles(c(1, 2.2), c(200, 200), runif(1, 0.1, 0.15)),
    cigars = function() cigars(runif(1, 0.3, 0.5)),
    rings = function() rings(c(120, 300, 140), 0.25),
    spirals = function() spirals(250, runif(1, 0.1, 0.25)),
    `unequal moons` = function() half_circles(c(300, 100), 0.06),
    `line and cloud` = function() line_beside_cloud(0.2)
  ),
  `in 10 to 50 dimensions` = list(
    moons = function() among(half_circles(c(200, 200), 0.05), sample(8:48, 1), runif(1, 0.1, 0.15)),
    circles = function() among(circles(c(1, 2.2), c(200, 200), 0.1), sample(8:48, 1), runif(1, 0.1, 0.3)),
    cigars = function() among(cigars(0.3), sample(8:48, 1), runif(1, 0.1, 0.3)),
    rings = function() among(rings(c(120, 300, 140), 0.25), sample(8:48, 1), runif(1, 0.1, 0.3)),
    spirals = function() among(spirals(250, 0.1), sample(8:48, 1), runif(1, 0.1, 0.3))
  ),
  `noisy shapes` = list(
    moons = function() half_circles(c(200, 200), runif(1, 0.1, 0.2)),
    circles = function() circles(c(1, 2.2), c(200, 200), runif(1, 0.2, 0.3)),
    cigars = function() cigars(runif(1, 0.7, 1)),
    rings = function() rings(c(120, 300, 140), 0.6),
    spirals = function() spirals(250, runif(1, 0.5, 0.8))
  ),
  `normals and their like` = list(
    `ten dimensions` = function() {
      normals(rep(100, 4), matrix(rnorm(40, sd = runif(1, 0.7, 1.2)), 4), rep(1, 4))
    },
    sizes = function() normals(c(300, 70, 30), triangle(runif(1, 3, 4.5)), rep(1, 3)),
    deviations = function() normals(rep(130, 3), triangle(8), c(0.3, runif(1, 1.5, 2.5), 1)),
    `heavy tails` = function() heavy_tails(runif(1, 5, 10)),
    `uniform noise` = function() among_uniform(runif(1, 5, 8))
  ),
  `overlapping normals` = list(
    plane = function() normals(rep(130, 3), triangle(runif(1, 2, 3.5)), rep(1, 3)),
    unequal = function() normals(c(200, 120, 70), triangle(runif(1, 2.5, 3.5)), c(1, 0.8, 1.2))
  )
)

# ---- two to six groups, for the choice of k ----

some_sizes <- function(k) sample(90:220, k, TRUE)

# Half circles in a row, every second one upside down.
row_of_moons <- function(k) {
  truth <- rep(seq_len(k), some_sizes(k))
  a <- runif(length(truth), 0, pi)
  up <- ifelse(truth %% 2 == 1, 1, -1)
  x <- cbind(1.25 * truth + cos(a), up * sin(a) + 0.4 * (up < 0))
  list(x = x + rnorm(length(x), sd = runif(1, 0.04, 0.07)), truth = truth)
}

rings_beside <- function(k) {
  truth <- rep(seq_len(k), some_sizes(k))
  a <- runif(length(truth), 0, 2 * pi)
  x <- 3.2 * cbind(truth %% 3, truth %/% 3) + runif(k, 0.7, 1.3)[truth] * cbind(cos(a), sin(a))
  list(x = x + rnorm(length(x), sd = runif(1, 0.06, 0.12)), truth = truth)
}

parallel_cigars <- function(k) {
  truth <- rep(seq_len(k), some_sizes(k))
  list(
    x = cbind(rnorm(length(truth), sd = 4), 4 * truth + rnorm(length(truth), sd = runif(1, 0.3, 0.5))), truth = truth
  )
}

arms_of_spirals <- function(k) {
  truth <- rep(seq_len(k), each = sample(180:260, 1L))
  t <- sqrt(runif(length(truth), 0.1, 1)) * 2 * pi
  a <- t + 2 * pi * truth / k
  x <- k / 2 * t * cbind(cos(a), sin(a))
  list(x = x + rnorm(length(x), sd = runif(1, 0.1, 0.25)), truth = truth)
}

# A cloud, a line below a ring, the next cloud, ..
lines_and_clouds <- function(k) {
  one <- function(i, n) {
    a <- runif(n, 0, 2 * pi)
    shape <- switch(i %% 3 + 1L,
      2.3 * cbind(cos(a), sin(a)) + rnorm(2 * n, sd = 0.15),
      matrix(rnorm(2 * n, sd = 0.5), n),
      cbind(runif(n, -4, 4), rnorm(n, -3.6, 0.2))
    )
    t(t(shape) + c(9 * (i %/% 3), 0))
  }
  sizes <- some_sizes(k)
  list(x = do.call(rbind, Map(one, seq_len(k), sizes)), truth = rep(seq_len(k), sizes))
}

normals_apart <- function(k, apart) {
  d <- sample(c(2, 4, 8), 1L)
  repeat {
    centres <- matrix(rnorm(k * d), k) * apart
    if (min(stats::dist(centres)) > apart) break
  }
  normals(some_sizes(k), centres, rep(1, k))
}

grouped_sets <- list(
  moons = row_of_moons,
  `rings within rings` = function(k) circles(seq_len(k), 90 * seq_len(k), runif(1, 0.05, 0.09)),
  `rings beside` = rings_beside,
  cigars = parallel_cigars,
  spirals = arms_of_spirals,
  `lines and clouds` = lines_and_clouds,
  `normals apart` = function(k) normals_apart(k, runif(1, 5, 7)),
  `normals that touch` = function(k) normals_apart(k, runif(1, 3.2, 4.2))
)
