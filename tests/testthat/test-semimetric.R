test_that("values follow the formulas, among points, across points and from a dist", {
  set.seed(1)
  x <- matrix(rnorm(21), 7)
  y <- matrix(rnorm(9), 3)
  for (semimetric in test_semimetrics()) {
    expect_equal(
      semimetric_matrix(x, semimetric = semimetric), reference_rho(x, semimetric = semimetric),
      tolerance = 1e-13
    )
    expect_equal(
      semimetric_matrix(x, y, semimetric), reference_rho(x, y, semimetric),
      tolerance = 1e-13
    )
    expect_equal(
      semimetric_matrix(dist(x), semimetric = semimetric),
      reference_rho(x, semimetric = semimetric),
      tolerance = 1e-13
    )
  }
})

test_that("bounded semimetrics keep small distances", {
  d <- 1e-12
  expect_equal(semimetric_matrix(c(0, d), semimetric = rho_exponential(1))[1, 2], d, tolerance = 1e-10)
  expect_equal(
    semimetric_matrix(c(0, 1e-6), semimetric = rho_gaussian(1))[1, 2], 1e-12,
    tolerance = 1e-10
  )
})

test_that("the Gram matrix generates the semimetric, (7) and (8)", {
  set.seed(2)
  x <- matrix(rnorm(18), 9)
  x0 <- c(1, -2)
  for (semimetric in test_semimetrics()) {
    P <- reference_rho(x, semimetric = semimetric)
    base <- as.vector(reference_rho(x, matrix(x0, 1), semimetric))
    G <- semimetric_matrix(x, semimetric = semimetric, x0 = x0, type = "gram")
    expect_equal(unclass(G), (outer(base, base, "+") - P) / 2, ignore_attr = TRUE, tolerance = 1e-12)
    expect_equal(outer(diag(G), diag(G), "+") - 2 * unclass(G), P, ignore_attr = TRUE, tolerance = 1e-10)
  }
  from_dist <- semimetric_matrix(dist(x), x0 = 4, type = "gram")
  expect_equal(unclass(from_dist), unclass(semimetric_matrix(x, x0 = x[4, ], type = "gram")), ignore_attr = TRUE)
  expect_equal(unname(from_dist[4, ]), rep(0, 9))
})

test_that("sigma = NULL is the weighted median of the pair distances", {
  set.seed(3)
  x <- matrix(rnorm(30), 15)
  # SPEC section 1: the pairs of an observation with itself count too, so that the median over all
  # ordered pairs is meant, not that of dist(x); only so a weight of 2 can equal two rows
  fit <- kgroups(x, 2, semimetric = rho_exponential())
  expect_equal(fit$semimetric$parameter, median(as.matrix(dist(x))))
  w <- as.numeric(sample(3, 15, replace = TRUE))
  weighted <- kgroups(x, 2, semimetric = rho_gaussian(), weights = w)$semimetric$parameter
  pairs <- as.vector(outer(w, w))
  d <- as.vector(as.matrix(dist(x)))
  below <- sum(pairs[d < weighted])
  up_to <- sum(pairs[d <= weighted])
  expect_true(below <= sum(pairs) / 2 && up_to >= sum(pairs) / 2)
  expect_equal(kgroups(dist(x), 2, semimetric = rho_exponential())$semimetric$parameter, fit$semimetric$parameter)
  for (rows in 2:15) {
    for (semimetric in list(rho_gaussian(), rho_exponential())) {
      some <- x[seq_len(rows), , drop = FALSE]
      sigma <- function(...) kgroups(..., k = 1, semimetric = semimetric)$semimetric$parameter
      v <- w[seq_len(rows)]
      expect_equal(sigma(some, weights = v), sigma(some[rep(seq_len(rows), v), ]))
      expect_equal(sigma(some, weights = rep(2, rows)), sigma(some))
      expect_equal(sigma(some, weights = 0.3 * v), sigma(some, weights = v))
      expect_equal(sigma(some), median(as.matrix(dist(some))))
    }
  }
})

test_that("sigma = NULL and the default candidates are functions of the data, also above 2,000 rows", {
  set.seed(4)
  x <- matrix(round(rnorm(4100), 3), 2050)
  x[1:20, ] <- 0
  w <- rep(c(1, 0, 2), c(1000, 50, 1000))
  order <- sample(2050)
  forms <- list(
    points = list(x, function(rows) x[rows, ]),
    dist = list(dist(x), function(rows) as.dist(as.matrix(dist(x))[rows, rows])),
    sparse = list(Matrix::Matrix(x, sparse = TRUE), function(rows) Matrix::Matrix(x[rows, ], sparse = TRUE))
  )
  drawn <- function(data, weights) {
    c(
      as_problem(data, rho_gaussian(), weights)$semimetric$parameter,
      vapply(default_candidates(as_problem(data, rho_power(1), weights), NULL)[3:4], `[[`, 0, "parameter")
    )
  }
  for (form in forms[repeats(1:2, 1:3)]) {
    set.seed(5)
    seed <- .Random.seed
    one <- drawn(form[[1]], w)
    expect_identical(.Random.seed, seed)
    if (identical(form, forms$points)) expect_identical(drawn(form[[1]], w), one)
    expect_equal(drawn(form[[2]](order), w[order]), one)
  }
  # near the median of all pairs
  expect_equal(as_problem(x, rho_gaussian())$semimetric$parameter, median(dist(x)), tolerance = 0.01)
})

test_that("semimetrics print with their parameters", {
  expect_snapshot({
    print(rho_power())
    print(rho_power(0.5))
    print(rho_exponential(2))
    print(rho_gaussian())
    print(rho_function(function(x, y) 0))
  })
})

test_that("a function of the user has the values of a dist, in one call or a pair at a time", {
  x <- cbind(c(0, 1, 3, 7, 2, 5, 4), c(2, 2, 0, 1, 5, 3, 9))
  pair <- rho_function(function(x, y) sum(abs(x - y)))
  whole <- rho_function(function(x, y) sqrt(outer(x[, 1], y[, 1], "-")^2), vectorized = TRUE)
  expect_identical(packed_function_values(pair, x), as.vector(dist(x, "manhattan")))
  expect_identical(packed_function_values(whole, x), as.vector(dist(x[, 1])))
  wrong <- list(
    function(x, y) matrix(0, nrow(x), nrow(y) + 1L), function(x, y) matrix("0", nrow(x), nrow(y)), function(x, y) 0
  )
  for (f in wrong) {
    expect_error(packed_function_values(rho_function(f, vectorized = TRUE), x), class = "kg_error_semimetric")
  }
  kernel <- rho_function(function(x, y) exp(-sum((x - y)^2)))
  expect_error(packed_function_values(kernel, x), "is not 0.*as_gram", class = "kg_error_semimetric")
  expect_error(packed_function_values(rho_function(function(x, y) sum(x)), x), class = "kg_error_semimetric")
  ordered <- rho_function(function(x, y) max(x[1] - y[1], 0))
  expect_error(packed_function_values(ordered, x), "not symmetric.*Symmetrise", class = "kg_error_semimetric")
})

# Metrics by name against their definitions.

great_circle <- function(a, b) {
  r <- pi / 180
  h <- sin((b[2] - a[2]) * r / 2)^2 + cos(a[2] * r) * cos(b[2] * r) * sin((b[1] - a[1]) * r / 2)^2
  2 * 6371.0088 * asin(min(1, sqrt(h)))
}

share <- function(part, whole) ifelse(whole > 0, part / whole, 0)

definitions <- list(
  manhattan = function(a, b) sum(abs(a - b)),
  maximum = function(a, b) max(abs(a - b)),
  minkowski = function(a, b) sum(abs(a - b)^1.5)^(1 / 1.5),
  canberra = function(a, b) sum(share(abs(a - b), abs(a) + abs(b))),
  hamming = function(a, b) sum(a != b),
  jaccard = function(a, b) share(sum((a != 0) != (b != 0)), sum(a != 0 | b != 0)),
  cosine = function(a, b) 1 - sum(a * b) / sqrt(sum(a^2) * sum(b^2)),
  correlation = function(a, b) 1 - cor(a, b),
  spearman = function(a, b) 1 - cor(a, b, method = "spearman"),
  haversine = great_circle
)

metric_of <- function(name, alpha = 1) if (name == "minkowski") rho_metric(
  name, alpha, 1.5
) else rho_metric(name, alpha)

data_for <- function(name, n) {
  switch(name,
    haversine = cbind(lon = runif(n, -180, 180), lat = asin(runif(n, -1, 1)) * 180 / pi),
    hamming = ,
    jaccard = rbind(0, 0, matrix(rbinom(5 * (n - 2), 2, 0.3), ncol = 5)),
    canberra = round(matrix(rnorm(5 * n), n)),
    matrix(rnorm(5 * n), n)
  )
}

pairwise <- function(x, y, f) {
  outer(seq_len(nrow(x)), seq_len(nrow(y)), Vectorize(function(i, j) f(unname(x[i, ]), unname(y[j, ]))))
}

test_that("each metric is its definition, for every instruction set, among points and across", {
  for (name in names(definitions)) {
    x <- withr::with_seed(1, data_for(name, 41))
    y <- x[c(3, 17), , drop = FALSE]
    D <- pairwise(x, x, definitions[[name]])
    for (set in c("base", "auto")) {
      withr::local_options(kgroups.simd = set)
      S <- semimetric_matrix(x, semimetric = metric_of(name))
      expect_lt(max(abs(S - D)), 1e-12 * max(D))
      expect_identical(unname(diag(S)), numeric(41))
      expect_identical(unname(S), unname(t(S)))
      expect_lt(max(abs(semimetric_matrix(x, y, metric_of(name)) - D[, c(3, 17)])), 1e-12 * max(D))
      expect_lt(max(abs(semimetric_matrix(x, semimetric = metric_of(name, 0.5)) - sqrt(D))), 1e-7 * max(sqrt(D)))
    }
  }
})

test_that("metrics of stats::dist() agree with it", {
  x <- withr::with_seed(2, matrix(rexp(60), 15))
  for (name in c("euclidean", "manhattan", "maximum", "canberra")) {
    expect_equal(semimetric_matrix(x, semimetric = name), as.matrix(dist(x, name)), ignore_attr = TRUE)
  }
  expect_equal(
    semimetric_matrix(x, semimetric = rho_metric("minkowski", p = 3)), as.matrix(dist(x, "minkowski", p = 3)),
    ignore_attr = TRUE
  )
  b <- 1 * (x > 1)
  expect_equal(semimetric_matrix(b, semimetric = "binary"), as.matrix(dist(b, "binary")), ignore_attr = TRUE)
})

test_that("a fit by a metric is the fit of its distances: W, predict(), weights, landmarks", {
  for (name in names(definitions)) {
    x <- withr::with_seed(3, data_for(name, 60))
    w <- withr::with_seed(4, runif(60))
    rho <- metric_of(name)
    D <- as.dist(semimetric_matrix(x, semimetric = rho))
    init <- rep(1:3, 20)
    fit <- suppressWarnings(kgroups(x, 3, semimetric = rho, weights = w, init = init))
    other <- suppressWarnings(kgroups(D, 3, weights = w, init = init))
    expect_equal(fit$W, other$W, tolerance = 1e-10)
    expect_equal(energy_statistics(x, fit$cluster, semimetric = rho, weights = w)$W, fit$W, tolerance = 1e-10)
    expect_equal(predict(fit, x, type = "squared"), suppressWarnings(predict(other, as.matrix(D), type = "squared")),
      tolerance = 1e-8, ignore_attr = TRUE
    )
    full <- suppressWarnings(kgroups(x, 3, semimetric = rho, init = init, approx = nystroem(60)))
    exact <- energy_statistics(x, full$cluster, semimetric = rho)$W
    if (isTRUE(is_negative_type(x, rho))) expect_equal(full$W, exact, tolerance = 1e-3)
  }
})

test_that("powers of metrics known to be of negative type are so on data", {
  for (name in setdiff(names(definitions), "maximum")) {
    x <- withr::with_seed(5, data_for(name, 40))
    for (alpha in c(0.5, 1)) {
      D <- as.dist(semimetric_matrix(x, semimetric = metric_of(name, alpha)))
      expect_true(is_negative_type(D), label = paste(name, alpha))
    }
  }
  x <- withr::with_seed(6, matrix(rnorm(80), 40))
  expect_true(is_negative_type(x, "maximum"))
  expect_identical(
    is_negative_type(cbind(x, x[40:1, ]), "maximum"), is_negative_type(dist(cbind(x, x[40:1, ]), "maximum"))
  )
})

test_that("haversine is right across the date line, at the poles and with swapped columns", {
  places <- cbind(lon = c(179.9, -179.9, 180.1, 0, 90), lat = c(0, 0, 0, 90, 90))
  d <- semimetric_matrix(places, semimetric = "haversine")
  expect_equal(d[1, 2], 0.2 * pi / 180 * 6371.0088, tolerance = 1e-9)
  expect_lt(d[2, 3], 1e-6)
  expect_lt(d[4, 5], 1e-6)
  expect_equal(d[1, 4], pi / 2 * 6371.0088)
  expect_equal(semimetric_matrix(places[, 2:1], semimetric = "haversine"), d)
})

test_that("a metric takes data of any scale", {
  x <- withr::with_seed(7, matrix(rnorm(40), 10))
  for (name in c("manhattan", "maximum", "cosine", "canberra", "correlation")) {
    base <- semimetric_matrix(x, semimetric = name)
    degree <- if (name %in% c("manhattan", "maximum")) 1 else 0
    for (scale in c(2^-700, 2^700)) {
      expect_equal(semimetric_matrix(x * scale, semimetric = name), base * scale^degree, tolerance = 1e-12)
    }
  }
})

test_that("unknown names and undefined distances are classed errors", {
  x <- matrix(c(1:9, 0, 0, 0, 5, 5, 5), 5, byrow = TRUE)
  expect_snapshot(error = TRUE, {
    rho_metric("manhatan")
    rho_metric(1)
    rho_metric("cosine", alpha = 2)
    rho_metric("manhattan", p = 3)
    rho_metric("minkowski", p = 0.5)
    kgroups(x, 2, semimetric = "kosine")
    kgroups(x, 2, semimetric = "rbfdot")
    kgroups(x, 2, semimetric = "cosine")
    kgroups(x, 2, semimetric = "spearman")
    kgroups(x, 2, semimetric = "haversine")
    kgroups(cbind(lat = 1:5 * 30, lon = 1:5), 2, semimetric = "haversine")
    kgroups(dist(x), 2, semimetric = "manhattan")
  })
})

test_that("jaccard refuses columns that are no longer 0 and not 0", {
  set.seed(1)
  x <- as.data.frame(matrix(stats::runif(100) > 0.6, 20))
  expect_error(kgroups(x, 2, semimetric = "jaccard"), "data.matrix", class = "kg_error_semimetric")
  expect_error(kgroups(data.matrix(x), 2, semimetric = "jaccard", standardize = TRUE), class = "kg_error_semimetric")
  expect_equal(
    as.vector(as.dist(semimetric_matrix(data.matrix(x), semimetric = "jaccard"))),
    as.vector(stats::dist(data.matrix(x), "binary"))
  )
})

test_that("the Hamming distance of a table is the number of columns that differ, whatever their types", {
  slow <- function(x, y = x) {
    cells <- function(d) do.call(cbind, lapply(d, as.character))
    a <- cells(x)
    b <- cells(y)
    outer(seq_len(nrow(a)), seq_len(nrow(b)), Vectorize(function(i, j) sum(a[i, ] != b[j, ])))
  }
  set.seed(31)
  x <- data.frame(
    colour = sample(c("red", "green", "blue"), 40, TRUE), size = factor(sample(letters[1:5], 40, TRUE)),
    grade = factor(sample(c("low", "mid", "high"), 40, TRUE), c("low", "mid", "high"), ordered = TRUE),
    new = sample(c(TRUE, FALSE), 40, TRUE), number = sample(3, 40, TRUE)
  )
  D <- slow(x)
  expect_equal(unname(semimetric_matrix(x, semimetric = "hamming")), D)
  expect_equal(unname(semimetric_matrix(x[1:3], semimetric = "hamming")), slow(x[1:3]))
  expect_equal(unname(semimetric_matrix(x, x[7:11, ], semimetric = "hamming")), D[, 7:11])
  expect_equal(unname(semimetric_matrix(as_points(x, column_weights = c(colour = 3)), semimetric = "hamming")), D)
  expect_equal(unname(semimetric_matrix(x, semimetric = rho_metric("hamming", 0.5))), sqrt(D))
  codes <- data.matrix(x)
  fit <- kgroups(x, 3, semimetric = "hamming", init = rep(1:3, length.out = 40))
  same <- kgroups(codes, 3, semimetric = "hamming", init = rep(1:3, length.out = 40))
  expect_equal(fit$W, same$W)
  expect_identical(fit$cluster, same$cluster)
  expect_identical(predict(fit, x), fit$cluster)
  expect_equal(
    predict(fit, x[5:9, ], type = "squared"), predict(same, codes[5:9, ], type = "squared"), ignore_attr = TRUE
  )
  expect_equal(
    predict(fit, x[5, ], type = "squared"), predict(same, codes[5, , drop = FALSE], type = "squared"),
    ignore_attr = TRUE
  )
  expect_match(format(fit), "a mismatch counts 1)", fixed = TRUE, all = FALSE)
  # landmarks and blocks
  marks <- kgroups(x, 3, semimetric = "hamming", init = fit$cluster, approx = nystroem(40))
  expect_equal(
    energy_statistics(x, marks$cluster, semimetric = "hamming")$W, energy_statistics(as.dist(D), marks$cluster)$W
  )
  blocks <- kgroups(row_blocks(function(i) x[seq(i, 40, 2), ], 2), 3, semimetric = "hamming", approx = nystroem(20))
  order <- c(seq(1, 40, 2), seq(2, 40, 2))
  expect_equal(predict(blocks, x[order, ]), unname(blocks$cluster), ignore_attr = TRUE)
  # a missing category is the most probable one
  unknown <- data.frame(u = c(rep("a", 30), rep("b", 9), NA), v = sample(c("p", "q"), 40, TRUE))
  mostly <- replace(unknown, is.na(unknown), "a")
  expect_equal(
    suppressWarnings(suppressMessages(semimetric_matrix(unknown, semimetric = "hamming"))),
    semimetric_matrix(mostly, semimetric = "hamming")
  )
})

test_that("the print has the distance of two categories in each metric", {
  x <- data.frame(a = c("u", "v", "u", "v"), b = c("p", "p", "p", "q"))
  for (rho in list("euclidean", "manhattan", "maximum", "canberra", "hamming", rho_metric("minkowski", p = 3))) {
    fit <- suppressWarnings(kgroups(x, 2, semimetric = rho))
    apart <- sub(".*a mismatch counts ([0-9.]+).*", "\\1", paste(format(fit), collapse = " "))
    # rows 1 and 2 differ in the first column alone
    expect_equal(as.numeric(apart), semimetric_matrix(x, semimetric = rho)[1, 2], tolerance = 0.02)
  }
})

test_that("latitude and longitude are found by the words of their names, in either order", {
  places <- cbind(c(13, 2, -74), c(52, 48, 41))
  right <- as.vector(semimetric_matrix(places, semimetric = "haversine"))
  for (names in list(
    c("decimalLongitude", "decimalLatitude"), c("lon", "lat"), c("x", "y"), c("start_lng", "start_lat"),
    c("Longitude (deg)", "Latitude (deg)"),
    c("long", "b"), c("a", "latitude"), c("LON", "LAT")
  )) {
    colnames(places) <- names
    expect_equal(as.vector(semimetric_matrix(places, semimetric = "haversine")), right, info = names)
    expect_equal(as.vector(semimetric_matrix(places[, 2:1], semimetric = "haversine")), right, info = names)
  }
})

test_that("longitudes go from -180 to 360, and Minkowski's distances are of negative type in the plane", {
  at <- function(lon) as.numeric(semimetric_matrix(cbind(lon, 0), semimetric = rho_metric("haversine"))[1, -1])
  expect_equal(at(c(0, 360, 180, -180)), pi * 6371.0088 * c(0, 1, 1), tolerance = 1e-4)
  for (lon in c(-180.5, 360.5)) expect_error(at(c(0, lon)), class = "kg_error_metric")
  of <- function(p, d) metric_negative_type(rho_metric("minkowski", p = p), d)
  expect_identical(c(of(1.5, 9), of(3, 2), of(3, 3)), c(TRUE, TRUE, FALSE))
})
