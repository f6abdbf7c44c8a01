test_that("points are those of the definition, for every type of column", {
  set.seed(1)
  data <- mixed_table()
  expect_equal(points_of(data), reference_points(data), ignore_attr = TRUE, tolerance = 1e-12)
  w <- rexp(60)
  w[3] <- 0
  # times are 1e9 seconds and more from their origin, and the reference sums them as they are
  expect_equal(points_of(data, w), reference_points(data, w), ignore_attr = TRUE, tolerance = 1e-9)
  columns <- c(1, 2, 0.5, 1, 3, 0.3, 1, 1, 1)
  expect_equal(
    points_of(data, column_weights = columns), reference_points(data, columns = columns),
    ignore_attr = TRUE, tolerance = 1e-12
  )
  named <- c(grade = 3, count = 2, day = 0.5, colour = 0.3)
  expect_identical(points_of(data, column_weights = named), points_of(data, column_weights = columns))
})

test_that("missing cells get the conditional means of the definition", {
  set.seed(2)
  for (missing in c(0.03, 0.15, 0.3)) {
    data <- mixed_table(80, missing)
    points <- suppressWarnings(points_of(data))
    expect_equal(points, reference_points(data), ignore_attr = TRUE, tolerance = 1e-7)
    w <- sample(0:3, 80, TRUE)
    expect_equal(
      suppressWarnings(points_of(data, w)), reference_points(data, w), ignore_attr = TRUE, tolerance = 1e-7
    )
  }
})

test_that("numbers with missing cells keep their units", {
  set.seed(3)
  x <- matrix(rnorm(300), 60) %*% matrix(rnorm(25), 5) * rep(10^(0:4), each = 60) + 1000
  holes <- replace(x, sample(300, 40), NA)
  right <- reference_points(as.data.frame(holes))
  mean <- colMeans(holes, na.rm = TRUE)
  sd <- apply(holes, 2, sd, na.rm = TRUE)
  right <- right * rep(sd, each = 60) + rep(mean, each = 60)
  points <- points_of(holes)
  expect_equal(points, right, tolerance = 1e-7)
  expect_identical(points[!is.na(holes)], x[!is.na(holes)])
  expect_identical(points_of(as.data.frame(holes)), `colnames<-`(points, paste0("V", 1:5)))
  # rescaling a column rescales what is filled in
  expect_equal(points_of(holes * 8), points * 8, tolerance = 1e-10)
})

test_that("complete numbers are left as they are", {
  x <- as.matrix(iris[1:4])
  expect_identical(points_of(x), x)
  expect_identical(points_of(iris[1:4]), x)
  expect_identical(points_of(data.frame(a = 1:3, b = c(2.5, 1, 0))), cbind(a = 1:3 + 0, b = c(2.5, 1, 0)))
  expect_identical(points_of(matrix(1:6, 3)), matrix(1:6 + 0, 3))
  with_rows <- data.frame(a = 1:2, row.names = c("u", "v"))
  expect_identical(rownames(points_of(with_rows)), c("u", "v"))
  expect_equal(points_of(x, standardize = TRUE), scale(x), ignore_attr = TRUE, tolerance = 1e-14)
  expect_equal(points_of(x, column_weights = c(Petal.Width = 4)), x * rep(c(1, 1, 1, 2), each = 150))
  # ordered levels are their numbers: the points are those of scale()
  levels <- as.data.frame(lapply(iris[1:4], function(v) factor(v, sort(unique(v)), ordered = TRUE)))
  numbers <- vapply(levels, as.integer, integer(150))
  expect_equal(points_of(levels), scale(numbers), ignore_attr = TRUE, tolerance = 1e-14)
})

test_that("a balanced column of two levels is a standardised column of zeros and ones", {
  half <- rep(c("a", "b"), 50)
  points <- points_of(data.frame(half))
  expect_equal(dist(points), dist((half == "a") * 2), ignore_attr = TRUE)
})

test_that("whole weights are rows, and no others depend on their scale", {
  set.seed(4)
  data <- mixed_table(50, 0.1)
  w <- sample(0:3, 50, TRUE)
  doubled <- data[rep(1:50, w), ]
  first <- match(which(w > 0), rep(1:50, w))
  expect_equal(points_of(data, w)[w > 0, ], points_of(doubled)[first, ], ignore_attr = TRUE, tolerance = 1e-9)
  w <- rexp(50)
  expect_equal(points_of(data, w), points_of(data, 1e-5 * w), tolerance = 1e-9)
  # neither does the order of rows or columns change a point
  p <- sample(50)
  expect_equal(points_of(data)[p, ], points_of(data[p, ]), ignore_attr = TRUE, tolerance = 1e-9)
  q <- sample(length(data))
  mixed <- points_of(data[q])
  expect_equal(mixed[, colnames(points_of(data))], points_of(data), tolerance = 1e-9)
})

test_that("new rows become points as the data did", {
  set.seed(5)
  for (missing in c(0, 0.1)) {
    data <- mixed_table(90, missing)
    for (made in list(
      suppressMessages(make_blueprint(data)), suppressMessages(make_blueprint(data, rexp(90), c(town = 0.4))),
      suppressMessages(make_blueprint(data[c("size", "count")], standardize = TRUE)),
      suppressMessages(make_blueprint(data[c("size", "count")], standardize = FALSE))
    )) {
      expect_identical(unname(apply_blueprint(made$blueprint, data)), unname(made$points))
      # by name, whatever the order and whatever else is there; one row at a time; text for factors
      other <- cbind(data[rev(seq_along(data))], more = "x")
      if ("colour" %in% made$blueprint$names) other$colour <- as.character(other$colour)
      expect_identical(unname(apply_blueprint(made$blueprint, other)), unname(made$points))
      one <- do.call(rbind, lapply(1:9, function(i) apply_blueprint(made$blueprint, data[i, ])))
      expect_identical(unname(one), unname(made$points[1:9, ]))
    }
  }
  # differences of times in other units, levels in another order, integers for doubles
  made <- make_blueprint(mixed_table(90))
  data <- mixed_table(20)
  other <- data
  units(other$lasts) <- "mins"
  other$grade <- factor(as.character(data$grade), c("top", "high", "low", "mid"))
  other$colour <- factor(as.character(data$colour))
  other$count <- as.double(data$count)
  expect_equal(apply_blueprint(made$blueprint, other), apply_blueprint(made$blueprint, data), tolerance = 1e-12)
})

test_that("missing cells of new rows are filled though the data had none", {
  set.seed(6)
  x <- matrix(rnorm(200), 50) %*% matrix(rnorm(16), 4) + 100
  new <- x[1:6, ]
  new[cbind(1:6, c(1, 2, 3, 4, 1, 2))] <- NA
  made <- make_blueprint(x)
  filled <- apply_blueprint(made$blueprint, new, training = made$points)
  expect_false(anyNA(filled))
  expect_identical(filled[!is.na(new)], x[1:6, ][!is.na(new)])
  # the model of complete numbers: one covariance
  z <- scale(x)
  lambda <- 4 / 50 + 0.05
  sigma <- crossprod(z) / 50
  sigma <- sigma * (1 - lambda) + diag(diag(sigma)) * lambda + 1e-6 * diag(4)
  i <- 3
  right <- sigma[i, -i] %*% solve(sigma[-i, -i], z[3, -i])
  expect_equal(filled[3, i], drop(right) * sd(x[, i]) + mean(x[, i]), tolerance = 1e-6)
  expect_error(apply_blueprint(made$blueprint, new), class = "kg_error_newdata")
  weighed <- make_blueprint(x, column_weights = c(1, 4, 1, 1))
  expect_equal(
    apply_blueprint(weighed$blueprint, new, training = weighed$points), filled * rep(c(1, 2, 1, 1), each = 6)
  )
})

test_that("equal column names are distinguished by their order", {
  x <- matrix(c(1, 5, 2, 8, 3, 1, 4, 2, 9, 7, 7, 0), 4, dimnames = list(NULL, c("a", "b", "a")))
  made <- make_blueprint(x)
  expect_identical(apply_blueprint(made$blueprint, x), made$points)
  other <- x[, c(2, 1, 3)]
  expect_identical(apply_blueprint(made$blueprint, other), made$points)
  frame <- data.frame(x, check.names = FALSE)
  made <- make_blueprint(cbind(frame, g = c("u", "v", "v", "u")))
  expect_identical(apply_blueprint(made$blueprint, cbind(g = c("u", "v", "v", "u"), frame)), made$points)
  expect_identical(unname(apply_blueprint(made$blueprint, cbind(frame, g = "u"))[, 1:3]), unname(made$points[, 1:3]))
})

test_that("64-bit integers are taken exactly or not at all", {
  skip_if_not_installed("bit64")
  values <- bit64::as.integer64(c("-1", "4294967295", "4294967296", "-2147483648", "2147483648", "123456789012345", NA))
  expect_identical(from_integer64(values, "a", "x", "x", NULL), as.double(as.character(values)))
  data <- data.frame(b = c(1, 2, 4, 8))
  data$a <- bit64::as.integer64(c(3, -7, NA, 2^40 + 1))
  made <- suppressMessages(make_blueprint(data))
  expect_identical(made$points[-3, "a"], c(3, -7, 2^40 + 1))
  for (edge in c("9007199254740993", "-9007199254740993")) {
    expect_error(from_integer64(bit64::as.integer64(c(edge, "1")), "a", "x", "x", NULL), class = "kg_error_x")
  }
  damaged <- structure(1:4, class = "integer64")
  expect_error(kgroups(1:4, 2, weights = damaged), class = "kg_error_weights")
})

test_that("the model is learnt from some thousand rows whatever n, and stays within bounds", {
  set.seed(7)
  x <- matrix(rnorm(3e4), 1e4)
  x[, 3] <- x[, 1] + x[, 2]
  holes <- x
  holes[sample(1e4, 2000), 3] <- NA
  made <- suppressMessages(make_blueprint(holes))
  expect_identical(made, suppressMessages(make_blueprint(holes)))
  lost <- is.na(holes[, 3])
  expect_gt(cor(made$points[lost, 3], x[lost, 3]), 0.99)
  # more coordinates than the model takes: the mean of the column
  wide <- matrix(rnorm(20 * 301), 20)
  wide[2, 5] <- NA
  made <- make_blueprint(wide)
  expect_equal(made$points[2, 5], mean(wide[-2, 5]), tolerance = 1e-12)
  # more coordinates than rows, equal columns, constant columns
  odd <- cbind(wide[, 1:40], wide[, 1], 7)
  odd[3, c(1, 41, 42)] <- NA
  filled <- points_of(odd)
  expect_true(all(is.finite(filled)))
  expect_identical(filled[3, 42], 7)
  expect_false(anyNA(suppressWarnings(points_of(matrix(c(1, NA, 3, 4, 5, NA), 3)))))
})

test_that("tables come in all their kinds", {
  set.seed(8)
  data <- mixed_table(30, 0.05)
  right <- points_of(data)
  for (class in list(c("tbl_df", "tbl", "data.frame"), c("data.table", "data.frame"))) {
    other <- data
    class(other) <- class
    expect_identical(points_of(other), right)
  }
  if (requireNamespace("tibble", quietly = TRUE)) expect_identical(points_of(tibble::as_tibble(data)), right)
  inside <- data
  inside$size <- NULL
  inside <- cbind(size = I(data$size), inside)
  expect_identical(points_of(inside), right)
  lists <- data
  lists$time <- as.POSIXlt(data$time)
  expect_identical(points_of(lists), right)
  # a matrix in a column stands for its columns
  wide <- data.frame(a = 1:4)
  wide$m <- matrix(c(1, 2, 4, 8, 3, 3, 1, 5), 4)
  expect_identical(points_of(wide), cbind(a = 1:4 + 0, m.1 = c(1, 2, 4, 8), m.2 = c(3, 3, 1, 5)))
})

test_that("huge and tiny numbers are scaled without overflow", {
  x <- c(1, 2, 4, 7)
  near <- points_of(data.frame(x, g = c("a", "b", "a", "b")))
  for (size in c(1e300, 1e-300, 5e-320)) {
    far <- points_of(data.frame(x = x * size, g = c("a", "b", "a", "b")))
    expect_equal(far, near, tolerance = if (size < 1e-310) 1e-3 else 1e-12)
  }
  offset <- points_of(data.frame(x = x + 1e9, g = c("a", "b", "a", "b")))
  expect_equal(offset, near, tolerance = 1e-9)
})

test_that("columns and rows that carry no information are named", {
  data <- data.frame(a = c(1, 2, 3, 4), b = "u", c = factor(c("x", "y", "x", "y")), d = NA, e = 7)
  expect_snapshot({
    made <- make_blueprint(data)
    made$blueprint
    made <- make_blueprint(data[c("a", "c")], column_weights = c(c = 0))
    made$blueprint
    make_blueprint(data.frame(id = letters, x = 1:26))$blueprint
    many <- data.frame(a = c(1, NA, 3, NA, 5, 6), b = c(NA, "u", "v", "u", NA, "v"))
    made <- make_blueprint(many)
    made$blueprint
    made <- make_blueprint(replace(as.matrix(iris[1:4]), 7, NA))
    made$blueprint
    make_blueprint(iris, column_weights = c(Species = 0.3))$blueprint
    make_blueprint(mixed_table(20))$blueprint
    make_blueprint(iris[1:4])$blueprint
    make_blueprint(iris[1:4], standardize = TRUE)$blueprint
  })
  w <- c(1, 1, 0, 0)
  constant <- data.frame(a = c(1, 1, 2, 3), g = c("a", "b", "b", "b"))
  left_out <- function(x, ...) make_blueprint(x, ...)$blueprint$left_out
  expect_identical(left_out(constant, w), "a (constant)")
  expect_identical(left_out(data.frame(a = c(NA, NA, 2, 3), b = 1:4), w), "a (empty)")
  expect_match(format(make_blueprint(data.frame(a = 1:4, b = NA))$blueprint), "; left out: b (empty)", fixed = TRUE)
  wide <- data.frame(u = rep(c("a", "b"), 3), matrix(1, 6, 6))
  expect_match(format(make_blueprint(wide)$blueprint), "X1 (constant), X2 (constant), X3 (constant), 3 more", fixed = TRUE)
})

test_that("tables that cannot be used are refused by name", {
  make <- function(x, ...) as_points(x, ...)
  data <- data.frame(a = c(1, 2, 3), b = c("u", "v", "u"), row.names = c("r", "s", "t"))
  listed <- data
  listed$l <- list(1, 2, 3)
  broken <- structure(list(a = 1:3, b = 1:2), class = "data.frame", row.names = 1:3)
  expect_snapshot(error = TRUE, {
    make(data[0, ])
    make(data[, 0])
    make(listed)
    make(broken)
    make(transform(data, a = c(1, Inf, 2)))
    make(matrix(c(1, 2, Inf, -Inf), 2))
    make(matrix(letters[1:4], 2))
    make(NULL)
    make(data.frame(a = c(1i, 2i)))
    make(data.frame(a = c(1, 1), b = "u"))
    make(data.frame(a = c(NA, NA)))
    make(replace(data, cbind(2, 1:2), NA), missing = "fail")
    make(matrix(c(1, NA, 3, 4), 2), missing = "fail")
    make(data, missing = "drop")
    make(data, standardize = NA)
    make(data, column_weights = c(sexe = 0.3))
    make(data.frame(sex = c("u", "v"), age = 1:2), column_weights = c(sexe = 0.3))
    make(data, column_weights = c(a = -1))
    make(data, column_weights = c(a = NA))
    make(data, column_weights = 1)
    make(data, column_weights = "a")
    make(data, column_weights = c(a = 1, a = 2))
    make(data, column_weights = c(a = 0, b = 0))
    make(data, weights = c(1, 2))
    make(data, like = iris)
    make(data, weights = 1:3, like = make(data))
  })
})

test_that("new rows that do not fit are refused by name, or reported to be taken as missing", {
  data <- data.frame(
    size = c(1, 2, 3, 5), sex = c("f", "m", "f", "m"), day = as.Date("2020-01-01") + 0:3,
    last = as.difftime(1:4, units = "days")
  )
  points <- as_points(data)
  new <- function(...) as_points(transform(data, ...), like = points)
  expect_snapshot(error = TRUE, {
    as_points(data[-1], like = points)
    as_points(stats::setNames(data, c("siez", "sex", "day", "last")), like = points)
    as_points(data[1:2], like = points)
    as_points(matrix(1:8, 2), like = points)
    as_points(unname(data[1:3]), like = points)
    new(size = c("1", "2", "3", "4"))
    new(sex = 1:4)
    new(day = 1:4)
    new(last = 1:4)
    new(size = c(1, Inf, 1, 1))
    as_points(sum, like = points)
    as_points(matrix(1:6, 2), like = as_points(matrix(1:4, 2)))
  })
  expect_snapshot({
    round(new(sex = c("f", "x", "y", NA), last = NA), 2)
    is.na(new(size = c(1, NA, 1, 1), sex = c("f", "other", "f", "f"), day = NA, last = NA)[, 1:3])
  })
})

test_that("the time of a table is that of its cells", {
  skip_on_cran()
  set.seed(9)
  n <- 1e4
  x <- matrix(rnorm(20 * n), n) %*% matrix(rnorm(400), 20)
  x[runif(20 * n) < 0.2] <- NA
  # a guard against quadratic work: a quiet machine takes a tenth of it
  expect_lt(system.time(suppressMessages(suppressWarnings(make_blueprint(x))))[["user.self"]], 3)
})

test_that("values that SPSS declares missing are missing", {
  x <- structure(c(1, 2, 9, 97, NA, 98), na_values = 9, na_range = c(97, 99), class = c(
    "haven_labelled_spss", "haven_labelled", "vctrs_vctr", "double"
  ))
  data <- data.frame(a = 1:6)
  data$x <- x
  expect_identical(read_table(data, "x")$columns[[2]]$values, c(1, 2, NA, NA, NA, NA))
  data$x <- structure(c("u", "v", "-", "u", "v", "-"), na_values = "-", class = class(x))
  expect_identical(read_table(data, "x")$columns[[2]]$levels, c("u", "v"))
})

test_that("points keep their blueprint by rows, and lose it by columns", {
  points <- as_points(iris)
  expect_identical(attr(points[2:5, ], "blueprint"), attr(points, "blueprint"))
  expect_identical(attr(points[points[, 1] > 0, ], "blueprint"), attr(points, "blueprint"))
  for (other in list(points[, 1:2], points[1:4, 2:3], points[3, ], points[1:3], t(points))) expect_false(
    is_points(other)
  )
  fit <- kgroups(points[1:100, ], 2)
  expect_identical(unname(predict(fit, iris[1:100, ])), unname(fit$cluster))
  expect_identical(unname(predict(fit, points[101:150, ])), unname(predict(fit, iris[101:150, ])))
  expect_equal(as.matrix(dist(points))[1:3, 1:3], as.matrix(dist(unclass(points)))[1:3, 1:3], ignore_attr = TRUE)
  expect_equal(prcomp(points)$sdev, prcomp(plain_points(points))$sdev)
})

test_that("points of other columns are no points before the map", {
  mapped <- attr(map_points(as_points(iris[1:4]), diag(4) * 2), "blueprint")
  other <- as_points(stats::setNames(iris[1:4], letters[1:4]))
  expect_error(as_points(other, like = mapped), "Sepal", class = "kg_error_x")
  expect_equal(plain_points(as_points(as_points(iris[1:4]), like = mapped)), 2 * as.matrix(iris[1:4]), ignore_attr = TRUE)
})

test_that("a linear map of the coordinates is the last step, for the data and for new rows", {
  set.seed(5)
  data <- mixed_table(60)
  numbers <- as.matrix(iris[1:4])
  holes <- replace(numbers, sample(length(numbers), 20), NA)
  for (x in list(data, numbers, iris[1:4], holes)) {
    points <- suppressMessages(make_points(x))
    d <- ncol(points)
    map <- matrix(rnorm(d^2), d)
    mapped <- map_points(points, map)
    expect_equal(plain_points(mapped), plain_points(points) %*% map, ignore_attr = TRUE)
    expect_identical(dimnames(mapped), dimnames(points))
    rows <- c(7, 3, 20)
    again <- suppressMessages(apply_blueprint(attr(mapped, "blueprint"), x[rows, , drop = FALSE]))
    expect_equal(again, plain_points(mapped)[rows, ], tolerance = 1e-12, ignore_attr = TRUE)
    twice <- map_points(mapped, solve(map))
    expect_equal(plain_points(twice), plain_points(points), tolerance = 1e-8, ignore_attr = TRUE)
    fit <- suppressMessages(kgroups(mapped, 3))
    expect_identical(suppressMessages(unname(predict(fit, x))), unname(fit$cluster))
  }
  expect_match(format(attr(mapped, "blueprint")), "in the metric of the fit")
})

test_that("columns of numbers are described together as one by one", {
  set.seed(6)
  x <- data.frame(
    a = rnorm(30), b = 5, c = rnorm(30, 1e9), d = rnorm(30) * 1e300, e = 0, f = replace(rnorm(30), 4, NA),
    g = rep_len(c("u", "v"), 30), h = as.Date("2020-01-01") + 1:30, i = rnorm(30) * 1e-310
  )
  columns <- read_table(x, "x")$columns
  for (w in list(rep(1, 30), rep_len(1:3, 30), rexp(30), rep_len(0:2, 30))) {
    for (column in describe_columns(columns, w)) {
      seen <- !is.na(column$values) & w > 0
      values <- column$values[seen]
      if (column$type == "categories") {
        expect_equal(column$shares, as.vector(tapply(w[seen], values, sum)) / sum(w[seen]), tolerance = 1e-12)
      } else {
        moments <- c(column$mean, column$sd)
        expect_equal(moments, weighted_moments(values, w[seen]) * c(1, max(values) > min(values)), tolerance = 1e-12)
      }
    }
  }
})

test_that("attributes of a data frame, such as the units of nlme's, do not change what its fit can do", {
  marked <- function(x) structure(x, units = list(x = "(g)", y = "(s)"), unit.of = "g", formulas = 1, labels = "a")
  for (x in list(iris[1:4], CO2[c("Type", "conc", "uptake")])) {
    set.seed(1)
    fit <- kgroups(marked(x), 3)
    set.seed(1)
    plain <- kgroups(as.data.frame(lapply(x, identity)), 3)
    expect_identical(unname(fit$cluster), unname(plain$cluster))
    expect_equal(unname(predict(fit, marked(x[1:9, ]))), unname(predict(plain, x[1:9, ])))
    expect_s3_class(as_figure(fit), "kgroups_figure")
  }
  # a groupedData with all of its attributes
  expect_s3_class(suppressMessages(as_figure(kgroups(CO2, 3))), "kgroups_figure")
})

test_that("a vector with a unit and a data frame of it alone are the same rows, in the data and in new rows", {
  seconds <- c(1:20, 1e5 + 1:20)
  kinds <- list(
    as.Date("2024-01-01") + seconds, as.POSIXct("2024-01-01", tz = "UTC") + seconds,
    as.difftime(seconds, units = "hours")
  )
  for (times in kinds) {
    new <- times[c(3, 30, 21)]
    for (data in list(times, data.frame(times))) {
      set.seed(1)
      fit <- kgroups(data, 2)
      labels <- unname(fit$cluster[c(3, 30, 21)])
      expect_identical(unname(predict(fit, new)), labels)
      expect_identical(unname(predict(fit, data.frame(times = new))), labels)
      named <- predict(fit, data.frame(times = new, row.names = c("a", "b", "c")))
      expect_identical(named, predict(fit, stats::setNames(new, c("a", "b", "c"))))
    }
  }
  # another class is refused in both forms
  fit <- kgroups(kinds[[1L]], 2)
  expect_error(predict(fit, kinds[[2L]]), class = "kg_error_newdata")
  expect_error(predict(fit, data.frame(times = kinds[[2L]])), class = "kg_error_newdata")
})

test_that("a vector of numbers is a column of points, as it is in kgroups()", {
  for (x in list(c(1, 2, 9), c(a = 1L, b = 2L, c = 9L), as.Date("2024-01-01") + c(0, 1, 8), c(TRUE, FALSE, TRUE))) {
    points <- as_points(x)
    expect_identical(dim(points), c(3L, 1L))
    expect_identical(as.vector(points), as.numeric(x))
    expect_identical(rownames(points), names(x))
    expect_identical(as.vector(as_points(x[2:3], like = points)), as.numeric(x[2:3]))
  }
  expect_error(as_points("a"), class = "kg_error_x")
})
