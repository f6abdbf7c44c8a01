test_that("arguments that users of kmeans(), pam(), hclust(), dbscan() and Mclust() type have a hint", {
  x <- iris[1:4]
  hint <- function(code) unname(utils::tail(tryCatch(code, kg_error = identity)$body, 1L))
  cases <- list(
    "Use `k`." = list(kgroups, list(x, centers = 3)), "Use `k`." = list(kgroups, list(x, n_clusters = 3)),
    "Use `k`." = list(kgroups, list(x, G = 3)),
    "Use `ks`" = list(select_k, list(x, k.max = 6)), "select_k()" = list(kgroups, list(x, 3, kmax = 6)),
    "Use `iter.max`" = list(kgroups, list(x, 3, max.iter = 6)),
    "Use `method`" = list(kgroups, list(x, 3, algorithm = "Lloyd")),
    "Use `semimetric`" = list(kgroups, list(x, 3, metric = "manhattan")),
    "Use `semimetric`" = list(kgroups, list(x, 3, kernel = "rbf")),
    "as.dist(D)" = list(kgroups, list(x, 3, diss = TRUE)),
    "standardize = TRUE" = list(kgroups, list(x, 3, stand = TRUE)),
    "within" = list(kgroups, list(x, 3, modelNames = "VVV")),
    "rho_connected" = list(kgroups, list(x, 3, eps = 1)), "set.seed()" = list(kgroups, list(x, 3, seed = 1)),
    "`trim`" = list(kgroups, list(x, 3, noise = 0.1)),
    "`missing = " = list(kgroups, list(x, 3, na.rm = TRUE)), "`threads`" = list(kgroups, list(x, 3, cores = 2)),
    "quiet" = list(kgroups, list(x, 3, trace = 1)),
    "`R`" = list(energy_test, list(x, iris$Species, nperm = 9)),
    "`g`" = list(energy_test, list(x, groups = iris$Species)),
    "Use `semimetric`" = list(energy_test, list(x, iris$Species, method = "bray")),
    "Use `semimetric`" = list(dispersion_test, list(x, iris$Species, method = "euclidean")),
    "a + b" = list(energy_test, list(x, iris$Species, by = "margin")),
    "`g`" = list(pairwise_energy_test, list(x, factors = iris$Species)),
    "`p.adjust.method`" = list(pairwise_energy_test, list(x, iris$Species, method = "bonferroni")),
    "linkages" = list(kgroups_tree, list(x, method = "ward.D2"))
  )
  for (i in seq_along(cases)) expect_match(
    hint(do.call(cases[[i]][[1L]], cases[[i]][[2L]])), names(cases)[i], fixed = TRUE, info = i
  )
})

test_that("other names have the nearest argument, no further than two letters, or none", {
  text <- function(code) conditionMessage(tryCatch(code, kg_error = identity))
  x <- iris[1:4]
  expect_match(text(kgroups(x, 3, threds = 2)), "Did you mean `threads`?", fixed = TRUE)
  expect_match(text(kgroups(x, 3, standardise = TRUE)), "Did you mean `standardize`?", fixed = TRUE)
  expect_match(text(kgroups(x, 3, standardize = "withn")), "Did you mean \"within\"?", fixed = TRUE)
  for (code in expression(kgroups(x, 3, standardise_all = 1), kgroups(x, 3, legend = 1))) {
    expect_no_match(text(eval(code)), "Did you mean")
  }
})

test_that("the call that a hint names runs on the data of the error", {
  x <- iris[1:4]
  rownames(x) <- paste0("r", 1:150)
  k <- 2
  units <- list(c(1:5, 7), c(9, 8, 6, 1), 30:34)
  parts <- list(data = x, labs = iris$Species)
  file <- withr::local_tempfile(lines = c("a,b", "1,2", "3,4", "9,7"))
  fit <- kgroups(x[51:150, ], 3)
  by <- kgroups(x[1:100, ], 3)
  few <- kgroups(x[1:40, ], 3)
  g <- rep(1:2, 75)
  holes <- replace(as.matrix(x), cbind(c(3, 3, 3, 3), 1:4), NA)
  # the call, the text of its hint, and the call that the hint names
  cases <- list(
    list(quote(kgroups(units, 2)), "units = rep(seq_along(x)", quote(
      kgroups(unlist(units), k, units = rep(seq_along(units), lengths(units)))
    )),
    list(quote(kgroups(parts, 3)), "`x$data`", quote(kgroups(parts$data, 3))),
    list(quote(relabel(fit, by)), "relabel(fit, predict(by, x))", quote(relabel(fit, predict(by, x[51:150, ])))),
    list(quote(relabel(fit, few)), "relabel(fit, predict(by, x))", quote(relabel(fit, predict(few, x[51:150, ])))),
    list(quote(kgroups(file(file), 2)), "read.csv(x)", quote(kgroups(read.csv(file), 2))),
    list(quote(kgroups(x, c("Sepal.Length", "Petal.Length"), 3)), "Columns are chosen before", quote(
      kgroups(x[c("Sepal.Length", "Petal.Length")], k)
    )),
    list(quote(kgroups(dist(x), 3, standardize = "within")), "Pass the columns", quote(
      kgroups(x, 3, standardize = "within")
    )),
    list(quote(kgroups(x, K = 3)), "Use `k`.", quote(kgroups(x, k = 3))),
    list(quote(kgroups(data = x, k = 3)), "Pass the data first", quote(kgroups(x, k = 3))),
    list(quote(select_k(x, 2:3, method = "silhouette")), "`criterion`", quote(select_k(x, 2:3, criterion = "silhouette"))),
    list(quote(kgroups(iris[1:4], 3, weights = Petal.Width)), "`x$w`", quote(
      kgroups(iris[1:4], 3, weights = iris$Petal.Width)
    )),
    list(quote(kgroups(iris, ~ Sepal.Length + Petal.Width, 3)), "A formula comes first", quote(
      kgroups(~ Sepal.Length + Petal.Width, 3, data = iris)
    )),
    list(quote(kgroups(holes, 3)), "x[rowSums(!is.na(x)) > 0, ]", quote(kgroups(holes[rowSums(!is.na(holes)) > 0, ], 3))),
    list(quote(kgroups(x, 3, centers = 3)), "Use `k`.", quote(kgroups(x, 3))),
    list(quote(kgroups(x, 3, modelNames = "EEE")), "\"within\"", quote(kgroups(x, 3, standardize = "within"))),
    list(quote(kgroups(x, 3, noise = .05)), "Use `trim`", quote(kgroups(x, 3, trim = .05))),
    list(quote(kgroups(x, 3, minsize = 9)), "Use `sizes = c(", quote(kgroups(x, 3, sizes = c(9, 99)))),
    list(quote(kgroups(x, 3, distance = "manhattan")), "Use `semimetric`", quote(kgroups(x, 3, semimetric = "manhattan")))
  )
  for (case in cases) {
    error <- expect_error(suppressMessages(eval(case[[1L]])), class = "kg_error_input")
    stated <- gsub("\\s+", " ", paste(c(error$message, error$body), collapse = " "))
    expect_match(stated, case[[2L]], fixed = TRUE)
    expect_no_error(suppressMessages(eval(case[[3L]])))
  }
})
