# Random calls for the fuzz. A call is list(f, args, n, data): the name of a function of the package
# or of a generic, and its arguments; `oracle` inspects what came back.

fuzz_call <- function() {
  one <- sample(names(fuzz_makers), 1L, prob = vapply(fuzz_makers, `[[`, 0, "weight"))
  call <- fuzz_makers[[one]]$make()
  call$maker <- one
  # a required argument skipped, an unknown one added
  ours <- exists(call$f, asNamespace("kgroups"), inherits = FALSE)
  if (chance(0.02) && length(call$args) && ours) call$args <- call$args[-sample.int(length(call$args), 1L)]
  call
}

# Arguments that are only sometimes given.
sometimes <- function(..., p = 0.3) {
  given <- eval(substitute(alist(...)))
  given <- given[stats::runif(length(given)) < p]
  lapply(given, eval, parent.frame())
}

a_call <- function(f, args, ...) list(f = f, args = args, ...)

fit_arguments <- function(n, k) {
  c(
    sometimes(semimetric = fuzz_semimetric(), p = 0.4),
    sometimes(weights = fuzz_weights(n), init = fuzz_init(n, k), p = 0.4),
    sometimes(
      nstart = pick(1, 2, 3, 5L, 1, 2, fuzz_junk()), iter.max = pick(1, 2, 100, 1e9, fuzz_junk()),
      method = pick("hartigan", "lloyd", "lloyd", "lloyd", "hart", fuzz_junk()), approx = fuzz_approx(n),
      threads = pick(1, 2, 4, fuzz_junk()),
      keep.data = pick(TRUE, FALSE, FALSE, fuzz_junk()),
      p = 0.1
    ),
    sometimes(centers = 3, nonsense = 1, p = 0.01)
  )
}

fuzz_approx <- function(n) {
  pick(
    nystroem(2), nystroem(5), nystroem(256), nystroem(5, "kmeans++"), nystroem(10, polish = TRUE),
    nystroem(landmarks = seq_len(max(2, n %/% 2))), nystroem(landmarks = matrix(stats::rnorm(8), 4)), fuzz_junk()
  )
}

make_kgroups <- function() {
  data <- fuzz_data()
  k <- fuzz_k(data$n)
  args <- c(list(x = data$x, k = k), fit_arguments(data$n, k))
  if (data$kind == "graph") {
    args$semimetric <- args$approx <- args$threads <- args$keep.data <- NULL
    args <- c(args, sometimes(
      vertex_weights = pick("degree", "unit", "none"), gram = pick("bethe-hessian", "adjacency", "normalized-cut", "a"),
      normalize = pick(TRUE, FALSE, NA)
    ))
    m <- if (igraph::is_igraph(data$x)) igraph::ecount(data$x) else 0
    if (!is.null(args$weights)) args$weights <- pick(fuzz_weights(m), NA)
    if (chance(0.3)) args["k"] <- list(NULL)
  }
  a_call("kgroups", args)
}

make_kernel_kmeans <- function() {
  call <- make_kgroups()
  if (chance(0.9)) call$args$method <- NULL
  call$f <- "kernel_kmeans"
  call
}

make_1d <- function() {
  data <- fuzz_data(c(vector = 10, whole = 5, matrix = 3, frame = 1, mixed = 1, odd = 1, junk = 1))
  args <- list(x = data$x, k = fuzz_k(data$n))
  a_call("kgroups", c(args, sometimes(weights = fuzz_weights(data$n), p = 0.6)))
}

make_blocks <- function() {
  data <- fuzz_data(c(blocks = 1))
  args <- list(x = data$x, k = fuzz_k(data$n), approx = fuzz_approx(data$n))
  a_call("kgroups", c(args, sometimes(
    semimetric = fuzz_semimetric(), weights = fuzz_weights(data$n), nstart = pick(1, 3, fuzz_junk()),
    iter.max = pick(1, 100, fuzz_junk()), tol = pick(0, 1e-3, fuzz_junk()),
    p = 0.2
  )))
}

make_statistics <- function() {
  data <- fuzz_data()
  args <- list(x = data$x, cluster = fuzz_labels(data$n))
  args <- c(args, sometimes(semimetric = fuzz_semimetric(), weights = fuzz_weights(data$n), p = 0.5))
  a_call("energy_statistics", args)
}

make_distance <- function() {
  if (chance(0.5)) {
    data <- fuzz_data()
    args <- c(list(x = data$x, g = fuzz_labels(data$n)), sometimes(weights = fuzz_weights(data$n)))
  } else {
    data <- fuzz_data(point_kinds)
    other <- if (chance(0.2) || !length(dim(data$x))) {
      fuzz_data(point_kinds)$x
    } else {
      fuzz_numbers(fuzz_size(), NCOL(data$x))
    }
    if (is.data.frame(data$x) && chance(0.8)) other <- as.data.frame(other)
    args <- list(x = data$x, y = other)
    args <- c(args, sometimes(weights_x = fuzz_weights(data$n), weights_y = fuzz_weights(NROW(other))))
  }
  a_call("energy_distance", c(args, sometimes(semimetric = fuzz_semimetric(), sqrt = pick(TRUE, FALSE, fuzz_junk()))))
}

make_test <- function() {
  data <- fuzz_data()
  args <- list(x = data$x, g = fuzz_labels(data$n))
  a_call("energy_test", c(args, list(R = pick(9, 19, 99)), sometimes(
    semimetric = fuzz_semimetric(), weights = fuzz_weights(data$n), strata = fuzz_labels(data$n),
    statistic = pick("S", "F", "H", "original", "disco", fuzz_junk()), nonsense = 1
  )))
}

make_semimetric <- function() {
  number <- pick(0.5, 1, 2, 1e-300, 1e300, fuzz_junk())
  pick(
    a_call("rho_power", list(alpha = number)), a_call("rho_exponential", list(sigma = number)),
    a_call("rho_gaussian", list(sigma = number)),
    a_call("rho_function", list(f = fuzz_junk(), vectorized = pick(TRUE, fuzz_junk()))),
    a_call(
      "nystroem",
      list(m = pick(5, fuzz_junk()), landmarks = pick("uniform", fuzz_data()$x), polish = pick(TRUE, fuzz_junk()))
    )
  )
}

make_matrices <- function() {
  data <- fuzz_data()
  semimetric <- sometimes(semimetric = fuzz_semimetric(), p = 0.5)
  pick(
    a_call("semimetric_matrix", c(list(x = data$x), semimetric, sometimes(y = pick(data$x, fuzz_newdata(data))))),
    a_call(
      "semimetric_matrix",
      c(list(x = data$x, type = "gram"), semimetric, sometimes(x0 = pick(1, c(0, 0), stats::rnorm(3), fuzz_junk())))
    ),
    a_call("is_negative_type", c(list(x = data$x), semimetric)),
    a_call("make_negative_type", c(list(x = data$x), semimetric, sometimes(weights = fuzz_weights(data$n)))),
    a_call("as_gram", list(G = pick(data$x, tcrossprod(fuzz_numbers(data$n, 2)))))
  )
}

make_selection <- function() {
  data <- fuzz_data()
  pick(
    a_call("select_k",
      c(list(x = data$x, ks = pick(NULL, 1:3, 2:4, fuzz_junk()), splits = pick(2, 3)), sometimes(
      criterion = pick(
        "elbow", "pseudo_f", "silhouette", "stability", "bic", c("elbow", "pseudo_f"), names(k_criteria), fuzz_junk()
      ),
      semimetric = pick(fuzz_semimetric(), list(rho_power(1), rho_gaussian())), weights = fuzz_weights(data$n),
      one_cluster = pick(TRUE, FALSE, NA),
      rows = pick(10, 25, Inf, fuzz_junk()), p = 0.5
    ))),
    a_call("select_semimetric", c(list(x = data$x, k = pick(2, 3, fuzz_k(data$n)), splits = 2), sometimes(
      candidates = pick(list(rho_power(1), rho_gaussian()), list(fuzz_semimetric(), rho_power(2)), list(), fuzz_junk()),
      weights = fuzz_weights(data$n),
      p = 0.5
    )))
  )
}

# A fit that worked, for what is done with fits. list(fit, x, n)
fuzz_fit <- function() {
  repeat {
    call <- if (chance(0.1)) make_blocks() else if (chance(0.15)) make_1d() else make_kgroups()
    fit <- tryCatch(suppressWarnings(suppressMessages(run_call(call))), error = function(e) NULL)
    if (is.list(fit) && !inherits(fit, "kgroups_fit")) fit <- fit[[1L]]
    if (inherits(fit, "kgroups_fit")) {
      return(list(fit = fit, x = call$args$x, n = fit$n))
    }
  }
}

fuzz_newdata <- function(data) {
  x <- data$x
  if (chance(0.2)) {
    return(fuzz_data()$x)
  }
  m <- sample(c(1, 3, 10), 1L)
  if (is.data.frame(x) || is.matrix(x) && !is_gram(x)) {
    rows <- x[sample.int(max(1, nrow(x)), m, TRUE), , drop = FALSE]
    if (chance(0.1) && ncol(x) && is.numeric(rows[[1L]])) rows[1L, 1L] <- pick(NA, Inf, 1e300)
    return(rows)
  }
  if (is.numeric(x) && !is.object(x)) {
    return(pick(stats::rnorm(m), 1e200, NA_real_, x))
  }
  matrix(abs(stats::rnorm(m * data$n)), m)
}

make_predict <- function() {
  data <- fuzz_fit()
  a_call("predict", c(
    list(object = data$fit), sometimes(newdata = fuzz_newdata(data), p = 0.8),
    sometimes(type = pick("class", "distance", "squared", "prob", fuzz_junk()), p = 0.6),
    sometimes(diag = pick(rep(1, 3), fuzz_junk()), p = 0.2), sometimes(nonsense = 1, p = 0.05)
  ))
}

make_method <- function() {
  data <- fuzz_fit()
  fit <- data$fit
  pick(
    a_call("print", list(fit)), a_call("format", list(fit)), a_call("summary", list(fit)),
    a_call("print", list(summary(fit))), a_call("fitted", list(fit)), a_call("nobs", list(fit)),
    a_call("as.data.frame", list(fit)), a_call("tidy", list(fit)), a_call("glance", list(fit)),
    a_call("augment", c(list(fit), sometimes(data = pick(data$x, fuzz_junk()), newdata = fuzz_newdata(data)))),
    a_call("silhouette", list(fit)), a_call("cl_class_ids", list(fit)),
    a_call(
      "cl_predict", c(list(fit), sometimes(newdata = fuzz_newdata(data), type = pick("class_ids", "memberships", "a")))
    ),
    a_call("is.cl_partition", list(fit)), a_call("is.cl_hard_partition", list(fit)),
    a_call("cluster_kgroups", list(pick(fit, fit, fuzz_junk()))),
    a_call("stability", list(fit = pick(fit, fit, fit, fuzz_junk()), B = pick(2, 5, fuzz_junk()))),
    a_call("energy_statistics", list(x = data$x, cluster = fit)),
    a_call("compare_clusters", list(truth = fit, cluster = fuzz_labels(data$n)))
  )
}

make_plot <- function() {
  fit <- fuzz_fit()$fit
  type <- sometimes(type = pick("coordinates", "silhouette", "profile", "dispersion", "pie", fuzz_junk()), p = 0.8)
  outline <- sometimes(outline = pick("hull", "none", fuzz_junk()), p = 0.2)
  a_call(pick("plot", "autoplot"), c(list(fit), type, outline))
}

make_graph_call <- function() {
  graph <- if (chance(0.9)) fuzz_graph(fuzz_size()) else fuzz_data()$x
  m <- if (igraph::is_igraph(graph)) igraph::ecount(graph) else 3
  n <- if (igraph::is_igraph(graph)) igraph::vcount(graph) else 3
  weights <- sometimes(weights = pick(NA, NULL, stats::runif(m), fuzz_weights(m)))
  r <- sometimes(r = pick(2, 0, -3, 1, 1e200, 1e-200, fuzz_junk()))
  k <- sometimes(k = fuzz_k(n), p = 0.7)
  flat <- sometimes(normalize = pick(TRUE, FALSE, fuzz_junk()))
  pick(
    a_call("bethe_hessian", c(list(graph), r, weights)), a_call("count_communities", c(list(graph), r, weights)),
    a_call("cluster_bethe_hessian", c(list(graph), k, weights, flat, sometimes(nstart = pick(1, 5, fuzz_junk())))),
    a_call("cluster_kgroups", c(list(graph), k, weights, flat, sometimes(
      vertex_weights = pick("degree", "unit", fuzz_junk()), init = fuzz_init(n, 2), method = pick("hartigan", "lloyd"),
      gram = pick("bethe-hessian", "adjacency", "normalized-cut", fuzz_junk()), nstart = pick(1, 2, fuzz_junk())
    ))),
    a_call("cluster_belief_propagation", c(list(graph), k, weights, sometimes(
      sweeps = pick(0, 1, 20, fuzz_junk()), model = pick("plain", "dc_p", "dc_norm", "dc_norm_bins", fuzz_junk()),
      nstart = pick(1, 5, fuzz_junk())
    ))),
    a_call("cluster_communities", c(list(graph), k, weights, sometimes(nstart = pick(1, 5, fuzz_junk()))))
  )
}

make_score <- function() {
  n <- fuzz_size()
  method <- pick("accuracy", "overlap", "adjusted_rand", "nmi", fuzz_junk())
  mean <- sometimes(mean = pick("geometric", "arithmetic", "min", "max", "harmonic", fuzz_junk()))
  a_call("compare_clusters", c(list(truth = fuzz_labels(n), cluster = fuzz_labels(n), method = method), mean))
}

make_other <- function() a_call("row_blocks", list(x = pick(identity, fuzz_junk()), n = pick(2, fuzz_junk())))

fuzz_makers <- list(
  kgroups = list(weight = 30, make = make_kgroups), kernel_kmeans = list(weight = 6, make = make_kernel_kmeans),
  one_dimension = list(weight = 6, make = make_1d), blocks = list(weight = 4, make = make_blocks),
  statistics = list(weight = 6, make = make_statistics), distance = list(weight = 5, make = make_distance),
  test = list(weight = 5, make = make_test), semimetric = list(weight = 4, make = make_semimetric),
  matrices = list(weight = 8, make = make_matrices), selection = list(weight = 3, make = make_selection),
  predict = list(weight = 8, make = make_predict), method = list(weight = 8, make = make_method),
  plot = list(weight = 4, make = make_plot), graph = list(weight = 8, make = make_graph_call),
  score = list(weight = 4, make = make_score), other = list(weight = 4, make = make_other)
)

# The call with symbols for its arguments, as a user writes it.
run_call <- function(call) {
  f <- fuzz_function(call$f)
  args <- call$args
  if (is.null(names(args))) names(args) <- rep("", length(args))
  symbols <- ifelse(nzchar(names(args)), names(args), sprintf("arg%d", seq_along(args)))
  env <- new.env(parent = globalenv())
  for (i in seq_along(args)) assign(symbols[i], args[[i]], env)
  assign(call$f, f, env)
  expression <- as.call(c(as.name(call$f), stats::setNames(lapply(symbols, as.name), names(args))))
  eval(expression, env)
}

fuzz_function <- function(name) {
  from <- c(
    predict = "stats", plot = "graphics", print = "base", format = "base", summary = "base", fitted = "stats",
    nobs = "stats", as.data.frame = "base", autoplot = "ggplot2", silhouette = "cluster", cl_class_ids = "clue",
    cl_predict = "clue", is.cl_partition = "clue", is.cl_hard_partition = "clue"
  )
  if (name %in% names(from)) getExportedValue(from[[name]], name) else getExportedValue("kgroups", name)
}
