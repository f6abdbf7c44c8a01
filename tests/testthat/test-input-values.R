# Return the code after "use" or "Use" in the one message or warning of a class.
code_of_message <- function(x, class) {
  found <- tryCatch(suppressMessages(kgroups(x, 2), classes = "kg_message_scale"), condition = identity)
  expect_s3_class(found, class)
  gsub("\\s+", " ", sub("(?s).*?(?:use|Pass|pass|Use) `(.*?)`.*", "\\1", conditionMessage(found), perl = TRUE))
}

test_that("codes below a gap, fill values and dates of no day are reported with code that removes them", {
  set.seed(21)
  y <- rnorm(80)
  late <- as.Date("2021-05-01") + sample(400, 80, TRUE)
  columns <- list(
    replace(round(rnorm(80, 45, 8)), 1:5, -9), replace(sample(0:40, 80, TRUE), 1:5, -8), replace(y * 3 + 50, 1:4, 1e20), replace(y, 1:4, 9.969209968386869e36),
    replace(y * 9, 1:4, -2147483648), replace(sample(100, 80, TRUE), 1:4, 65535), replace(late, 1:4, as.Date("9999-12-31")),
    replace(late, 1:4, as.Date("1900-01-01")), replace(as.POSIXct(late), 1:4, as.POSIXct("1970-01-01", tz = "UTC"))
  )
  for (column in columns) {
    x <- data.frame(v = column, y)
    x <- run_on(x, code_of_message(x, "kg_message_code"))
    expect_true(all(is.na(x$v[1:4])) && !anyNA(x$v[6:80]), info = format(column[1]))
  }
  for (column in list(late, c(late[-1], as.Date("1990-01-01")), exp(rnorm(80, 30, 9)), sample(-9:30, 80, TRUE), round(rnorm(80, 5, 9)), c(-9, rexp(79) * 50))) {
    expect_false("kg_message_code" %in% conditions_of(kgroups(data.frame(v = column, y), 2)))
  }
})

test_that("columns of codes, directions and days are named; measurements are not", {
  set.seed(22)
  y <- rnorm(60)
  day <- as.Date("2020-01-01") + sample(900, 60)
  for (name in c("zip", "fips", "Phone", "stratum", "pooled.stratum")) {
    x <- stats::setNames(data.frame(sample(9000:9999, 60), y), c(name, "y"))
    expect_true("kg_message_nominal" %in% conditions_of(kgroups(x, 2)), info = name)
  }
  x <- data.frame(wind_dir = runif(60, 0, 360), y)
  code <- code_of_message(x, "kg_message_direction")
  expect_identical(names(eval(str2lang(code), list(x = x))), c("y", "cos", "sin"))
  x <- data.frame(when = as.integer(format(day, "%Y%m%d")), y)
  expect_identical(run_on(x, code_of_message(x, "kg_message_text"))$when, day)
  for (x in list(data.frame(aspect = runif(60), y), data.frame(zip = y, z = rev(y)), data.frame(a = sample(19000000:20999999, 60), y))) {
    expect_false(any(c("kg_message_nominal", "kg_message_direction", "kg_message_text") %in% conditions_of(kgroups(x, 2))))
  }
  expect_true("kg_message_grouped" %in% conditions_of(kgroups(ChickWeight, 2)))
  for (name in c("hour", "doy")) expect_true("kg_message_calendar" %in% conditions_of(kgroups(stats::setNames(data.frame(sample(20, 60, TRUE), y), c(name, "y")), 2)))
})

test_that("dissimilarities in other shapes are reported, with code that gives them", {
  d <- dist(iris[seq(1, 120, 10), 1:4])
  M <- as.matrix(d)
  at <- lower.tri(M)
  long <- data.frame(value = M[at], a = rownames(M)[row(M)[at]], b = colnames(M)[col(M)[at]])
  for (x in list(long, cbind(long[c(2, 3, 1)], method = runif(66) > 2), long[3:1])) {
    x[c("a", "b")] <- lapply(x[c("a", "b")], function(v) paste0("s", v))
    suppressWarnings(classes = "kg_warning_constant", suppressMessages({
      warned <- expect_warning(kgroups(x, 2), class = "kg_warning_dissimilarities")
    }))
    shown <- gsub("\\s+", " ", conditionMessage(warned))
    env <- list2env(list(x = x), parent = globalenv())
    for (code in regmatches(shown, gregexpr("(?<=[ (])`[^`]*`", shown, perl = TRUE))[[1L]]) {
      code <- gsub("`", "", code)
      if (grepl("<-|as[.]dist[(]d", code)) out <- eval(str2lang(code), env)
    }
    name <- paste0("s", colnames(M))
    D <- as.matrix(out)
    dimnames(D) <- list(env$v, env$v)
    expect_equal(unname(D[name, name]), unname(M))
  }
  part <- long[-c(3, 9), c(2, 3, 1)]
  expect_warning(suppressMessages(kgroups(part, 2)), "2 of the pairs have none", class = "kg_warning_dissimilarities")
  names(part)[3] <- "weight"
  expect_true("kg_message_edges" %in% conditions_of(kgroups(part, 2)))
  triangles <- list(
    replace(M, upper.tri(M, TRUE), NA), replace(M, lower.tri(M, TRUE), NA), replace(M, upper.tri(M, TRUE), NA)[-1, -12],
    replace(M, lower.tri(M, TRUE), NA)[-12, -1]
  )
  for (x in c(triangles, lapply(triangles, as.data.frame))) {
    found <- NULL
    withCallingHandlers(suppressMessages(try(kgroups(x, 2), silent = TRUE)), warning = function(w) {
      if (inherits(w, "kg_warning_dissimilarities")) found <<- conditionMessage(w)
      invokeRestart("muffleWarning")
    })
    use <- gsub("\\s+", " ", sub("(?s).*Pass `(.*?)` if.*", "\\1", found, perl = TRUE))
    expect_equal(as.vector(eval(str2lang(use), list(x = x))), as.vector(d))
  }
})

test_that("weighted graphs are not taken for dissimilarities, nor dissimilarities with zeros for graphs", {
  set.seed(23)
  A <- as.matrix(igraph::as_adjacency_matrix(igraph::make_graph("Zachary")))
  W <- A * matrix(runif(34^2), 34)
  W <- W + t(W)
  graph <- eval(str2lang(code_of_message(W, "kg_warning_adjacency")), list(x = W))
  expect_equal(sum(igraph::E(graph)$weight), sum(W) / 2)
  same <- as.matrix(dist(cbind(rep(c(0, 3.5), c(20, 10)))))
  expect_identical(conditions_of(kgroups(same, 2)), "kg_warning_dissimilarities")
  edges <- data.frame(a = c("a", "a", "b", "d", "d", "e", "c"), b = c("b", "c", "c", "e", "f", "f", "d"), strength = 1:7)
  names(edges)[1:2] <- c("from", "to")
  graph <- eval(str2lang(code_of_message(edges, "kg_message_edges")), list(x = edges))
  expect_identical(igraph::E(graph)$weight, 1:7)
})
