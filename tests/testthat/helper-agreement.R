# One problem in every form that it can be given in, and every question that can be requested of
# it: the answers must agree. tools/trust/agree.R requires them of random problems.

# A random problem: points in groups, labels that are no optimum, whole weights or none.
agreement_problem <- function(n = 24, d = 3, k = 3, weighted = FALSE, ties = FALSE, offset = 0) {
  group <- rep_len(seq_len(k), n)
  x <- matrix(stats::rnorm(n * d), n) + 3 * matrix(stats::rnorm(k * d), k)[group, , drop = FALSE]
  if (ties) x <- round(x)
  x <- x + offset
  dimnames(x) <- list(paste0("row", seq_len(n)), paste0("v", seq_len(d)))
  cluster <- group
  moved <- sample.int(n, n %/% 4L)
  cluster[moved] <- sample.int(k, length(moved), replace = TRUE)
  cluster[match(seq_len(k), group)] <- seq_len(k)
  cluster <- match(cluster, unique(cluster))
  list(
    x = x, k = k, cluster = cluster, n = n,
    weights = if (weighted) as.numeric(sample.int(3L, n, replace = TRUE))
  )
}

# A form: `x` and what goes with it in `args`; `rows`, the observation of the problem that
# every row of the form is; `unit`, what its rho is multiplied by, `mass` the weights; `same_path`, do the moves process
# the same points in the same order?
agreement_form <- function(problem, x, semimetric = NULL, rows = seq_len(problem$n), unit = 1, mass = 1,
                           tolerance = 1e-9, weights = problem$weights[rows], cluster = problem$cluster[rows],
                           same_path = TRUE, fits_only = FALSE, ...) {
  list(
    x = x, args = c(if (!is.null(semimetric)) list(semimetric = semimetric), list(weights = weights)),
    fit_args = list(...),
    cluster = cluster, rows = rows, unit = unit, mass = mass, tolerance = tolerance,
    same_path = same_path, fits_only = fits_only
  )
}

# `alpha`: the power of the distance; NULL for a Gaussian semimetric of bandwidth 2; or a semimetric.
agreement_semimetric <- function(alpha) {
  if (is.null(alpha)) rho_gaussian(2) else if (is.numeric(alpha)) rho_power(alpha) else alpha
}

agreement_forms <- function(problem, alpha = 1) {
  x <- problem$x
  n <- problem$n
  rho <- agreement_semimetric(alpha)
  if (!is.numeric(alpha)) alpha <- NULL
  G <- semimetric_matrix(x, semimetric = rho, x0 = colMeans(x), type = "gram")
  form <- function(...) agreement_form(problem, ...)
  # kernel values about an origin far away have lost digits of rho
  origin <- max(1e-9, 1e-14 * max(abs(x))^(if (is.null(alpha)) 0 else alpha))
  shifted <- function(by) form(x + by, rho, tolerance = max(1e-9, 1e-13 * by))
  out <- list(
    matrix = form(x, rho),
    frame = form(as.data.frame(x), rho),
    asis = form(I(x), rho),
    dist = form(stats::dist(x), rho),
    gram = form(G),
    gram_origin = form(semimetric_matrix(x, semimetric = rho, type = "gram"), tolerance = origin),
    sparse_gram = form(methods::as(
      methods::as(methods::as(Matrix::Matrix(unclass(G), sparse = TRUE), "dMatrix"), "generalMatrix"), "CsparseMatrix"
    )),
    dense_Matrix = form(methods::as(Matrix::Matrix(unclass(G), sparse = FALSE), "symmetricMatrix")),
    own_function = form(x, rho_function(function(a, b) {
      value <- kgroups::semimetric_matrix(a, b, semimetric = rho)
      dimnames(value) <- NULL
      value
    }, vectorized = TRUE)),
    landmarks = form(x, rho, tolerance = 2e-5, fits_only = TRUE, approx = nystroem(landmarks = seq_len(n))),
    shift_10 = shifted(10),
    shift_1e3 = shifted(1e3),
    shift_1e6 = shifted(1e6),
    permuted = form(x[rev(seq_len(n)), ], rho, rows = rev(seq_len(n)), same_path = FALSE)
  )
  # rows of one order, weights and labels of another: matched by name
  turned <- sample.int(n)
  named <- function(values) stats::setNames(values, rownames(x))
  weights <- if (is.null(problem$weights)) rep(1, n) else problem$weights
  by_name <- function(x) {
    form(x, rho, rows = turned, weights = named(weights), cluster = named(problem$cluster), same_path = FALSE)
  }
  out$named <- by_name(x[turned, , drop = FALSE])
  out$named_dist <- by_name(stats::dist(x[turned, , drop = FALSE]))
  out$weights_unit <- form(x, rho, weights = 3.7 * weights, mass = 3.7)
  if (!is.null(alpha)) {
    out$scaled <- form(3 * x, rho, unit = 3^alpha)
    # 2e5 away the entries of the Gram matrix have lost ten digits of rho
    far <- x + 2e5
    if (alpha == 2) {
      out$gram_far <- form(
        semimetric_matrix(far, semimetric = rho, x0 = rep(0, ncol(x)), type = "gram"), tolerance = 1e-4,
        same_path = FALSE
      )
    }
  }
  if (is.null(problem$weights)) {
    twice <- rep(seq_len(n), 2L)
    doubled <- x[twice, , drop = FALSE]
    rownames(doubled) <- NULL
    out$doubled <- form(doubled, rho, rows = twice, weights = rep(0.5, 2L * n), same_path = FALSE)
  } else {
    copies <- rep(seq_len(n), problem$weights)
    replicated <- x[copies, , drop = FALSE]
    rownames(replicated) <- NULL
    out$replicated <- form(replicated, rho, rows = copies, weights = NULL, same_path = FALSE)
  }
  out
}

# A random graph without loops whose vertices all have edges, labels that are no optimum; its Gram
# matrix is the one of the paper that `gram` and `vertex_weights` name.
agreement_graph <- function(n = 24, k = 3, weighted = FALSE, gram = "adjacency", vertex_weights = "degree") {
  group <- rep_len(seq_len(k), n)
  A <- matrix(0, n, n)
  A[] <- stats::runif(n * n) < ifelse(outer(group, group, "=="), 0.5, 0.1)
  A[cbind(seq_len(n), c(seq_len(n)[-1L], 1L))] <- 1
  A <- pmax(A, t(A)) * (1 - diag(n))
  if (weighted) {
    edges <- matrix(stats::runif(n * n, 0.5, 3), n)
    A <- A * pmin(edges, t(edges))
  }
  names <- paste0("v", seq_len(n))
  dimnames(A) <- list(names, names)
  cluster <- replace(group, sample.int(n, n %/% 4L), 1L)
  cluster[match(seq_len(k), group)] <- seq_len(k)
  list(
    A = A, n = n, k = k, cluster = match(cluster, unique(cluster)), gram = gram, vertex_weights = vertex_weights,
    weights = if (vertex_weights == "degree") unname(rowSums(A)) else rep(1, n)
  )
}

# The graph, its vertices in another order, and the matrices that it stands for.
agreement_graph_forms <- function(problem) {
  A <- problem$A
  n <- problem$n
  of_graph <- function(A) igraph::graph_from_adjacency_matrix(A, mode = "undirected", weighted = TRUE)
  inverse <- 1 / problem$weights
  G <- switch(problem$gram,
    adjacency = A * outer(inverse, inverse),
    "normalized-cut" = (A - diag(rowSums(A))) * outer(inverse, inverse),
    "bethe-hessian" = -as.matrix(bethe_hessian(of_graph(A)))
  )
  dimnames(G) <- dimnames(A)
  form <- function(...) agreement_form(problem, ...)
  graph <- function(rows = seq_len(n), names = rownames(A), ...) {
    B <- A[rows, rows]
    dimnames(B) <- if (!is.null(names)) list(names, names)
    form(
      of_graph(B),
      rows = rows, fits_only = TRUE, weights = NULL, gram = problem$gram, vertex_weights = problem$vertex_weights, ...
    )
  }
  sparse <- function(G) methods::as(
    methods::as(methods::as(Matrix::Matrix(G, sparse = TRUE), "dMatrix"), "generalMatrix"), "CsparseMatrix"
  )
  turned <- sample.int(n)
  forms <- list(
    gram = form(quietly(as_gram(G))), sparse_gram = form(sparse(G)),
    dense_Matrix = form(methods::as(Matrix::Matrix(G, sparse = FALSE), "symmetricMatrix")),
    permuted_gram = form(sparse(G[turned, turned]), rows = turned, same_path = FALSE),
    graph = graph(), nameless_graph = graph(names = NULL), permuted_graph = graph(turned, same_path = FALSE)
  )
  lapply(forms, c, list(indefinite = TRUE))
}

quietly <- function(expression) suppressMessages(suppressWarnings(expression))

ask <- function(f, form, ..., fit = FALSE) {
  quietly(do.call(f, c(list(form$x, ...), form$args, if (fit) form$fit_args)))
}

# Observations of the problem from rows of the form: the first of its copies.
of_problem <- function(value, form) {
  at <- match(sort(unique(form$rows)), form$rows)
  if (is.matrix(value)) unname(value[at, , drop = FALSE]) else unname(value[at])
}

# The answers of one form as a named list of numbers in the units of the problem; NULL where
# the form cannot be requested. Fits start from the labels of the problem, whose W is `start`.
agreement_answers <- function(form, k, start) {
  u <- form$unit
  m <- u * form$mass # the unit of W
  out <- list()
  if (!form$fits_only) {
    statistics <- ask(energy_statistics, form, form$cluster)
    out$W <- statistics$W / m
    out$S <- statistics$S / m
    out$total <- statistics$total / m
    out$within <- unname(statistics$within) / m
    out$g <- unname(unclass(statistics$g)) / u
    out$test <- unname(ask(energy_test, form, form$cluster, R = 3)$statistic) / m
    out$energy_distance <- as.vector(quietly(do.call(energy_distance, c(
      list(form$x, g = form$cluster), form$args
    )))) / u
  }
  # labels that stay: what is reported of the given partition
  for (method in c("hartigan", "lloyd")) {
    if (method == "lloyd" && length(form$fit_args)) next
    fit <- ask(kgroups, form, k, init = form$cluster, method = method, fit = TRUE)
    name <- function(what) paste(method, what)
    out[[name("W above that of the start")]] <- max(fit$W / m - start, 0) / (abs(start) + 1e-300)
    if (form$same_path) {
      out[[name("fit W")]] <- fit$W / m
      out[[name("fit S")]] <- fit$S / m
      out[[name("fit labels")]] <- of_problem(fit$cluster, form)
      # a graph has no distances
      if (!inherits(form$x, "igraph")) {
        out[[name("d2")]] <- of_problem(quietly(predict(fit, type = "squared")), form) / u
      }
      out[[name("predicted")]] <- of_problem(quietly(predict(fit)), form)
      # (of an indefinite matrix they hang on the sign of what is 0)
      if (length(form$fit_args) == 0L) {
        if (is.null(form$indefinite)) out[[name("silhouette")]] <- of_problem(quietly(augment(fit))$.silhouette, form)
        out[[name("glance W")]] <- quietly(glance(fit))$W / m
        # (not by summary(), which fits halves)
        w <- if (is.null(fit$weights)) rep(1, fit$n) else fit$weights
        s <- vapply(seq_len(fit$k), function(l) sum(w[fit$cluster == l]), 0)
        out[[name("mean dispersion")]] <- fit$within / s / u
      }
    }
    W <- fit$W
    if (!form$fits_only) {
      again <- quietly(do.call(energy_statistics, c(list(form$x, fit$cluster), form$args)))
      size <- max(abs(again$W), 1e-6 * abs(again$total), 1e-300)
      out[[name("W is that of the labels")]] <- (fit$W - again$W) / size
      out[[name("within is that of the labels")]] <- max(abs(fit$within - unname(again$within))) / size
      out[[name("objective")]] <- (min(fit$objectives) - fit$W) / size
    }
  }
  out
}

# Differences from the first form: a data frame with a row a difference.
agreement_differences <- function(problem, forms) {
  first <- forms[[1L]]
  start <- ask(energy_statistics, first, first$cluster)$W
  answers <- lapply(forms, function(form) {
    tryCatch(agreement_answers(form, problem$k, start), error = function(e) list(failed = conditionMessage(e)))
  })
  first <- answers[[1L]]
  rows <- lapply(names(answers), function(name) {
    one <- answers[[name]]
    if (!is.null(one$failed)) {
      return(data.frame(form = name, question = "error", difference = NA_real_, text = one$failed))
    }
    parts <- lapply(intersect(names(one), names(first)), function(question) {
      a <- first[[question]]
      b <- one[[question]]
      # what may be 0 is measured by the total; W is 0 where clusters hold equal observations alone
      part <- if (grepl("d2|S$|^test|^energy", question)) 1 else if (grepl("W$|dispersion", question)) 1e-6 else 0
      size <- max(abs(a[is.finite(a)]), part * abs(first$total), 1e-300)
      gap <- if (length(a) != length(b)) Inf else max(abs(a - b)[is.finite(a)], 0) / size
      absolute <- grepl("that of the labels|above that of the start|objective", question)
      if (absolute) gap <- max(abs(b))
      if (isTRUE(gap <= if (absolute) max(
        1e-9, if (form_is_approximate(forms[[name]])) forms[[name]]$tolerance
      ) else forms[[name]]$tolerance)) {
        return(NULL)
      }
      data.frame(form = name, question = question, difference = gap, text = "")
    })
    do.call(rbind, parts)
  })
  do.call(rbind, rows)
}

# Entries of the form have lost digits of rho, or stand in for it.
form_is_approximate <- function(form) form$tolerance > 1e-6

# Blocks: every row is a landmark, so that the features are exact, and the values of the fit are
# compared with the definitions; the same blocks as matrices, tables and with a column of weights
# give the same fit. (Other blocks are another sample: another start.)
agreement_blocks <- function(problem, alpha = 1) {
  x <- problem$x
  w <- problem$weights
  n <- problem$n
  rho <- agreement_semimetric(alpha)
  cut <- sort(rep_len(seq_len(sample(2:5, 1)), n))
  read <- function(table) {
    blocks <- lapply(split(seq_len(n), cut), function(rows) table[rows, , drop = FALSE])
    row_blocks(function(i) blocks[[i]], length(blocks))
  }
  column <- cbind(as.data.frame(x), "weight of the row" = if (is.null(w)) 1 else w)
  forms <- list(
    one = list(row_blocks(function(i) x, 1), w), many = list(read(x), w),
    frames = list(read(as.data.frame(x)), w), column = list(read(column), "weight of the row")
  )
  seed <- sample.int(1e6, 1L)
  answers <- lapply(forms, function(form) {
    set.seed(seed)
    quietly(kgroups(
      form[[1L]], problem$k, semimetric = rho, weights = form[[2L]], approx = nystroem(landmarks = unique(x)), tol = 0
    ))
  })
  P <- unclass(quietly(semimetric_matrix(x, semimetric = rho)))
  apart <- c(
    one = agreement_of_blocks(answers$one, x, w, P, rho), many = agreement_of_blocks(answers$many, x, w, P, rho)
  )
  for (name in c("frames", "column")) {
    apart[paste(name, "labels")] <- mean(unname(answers[[name]]$cluster) != unname(answers$many$cluster))
    apart[paste(name, "W")] <- abs(answers[[name]]$W - answers$many$W) / answers$many$total
  }
  wrong <- !(apart <= ifelse(grepl("labels|predicted", names(apart)), 0, 2e-5))
  if (any(wrong)) {
    data.frame(form = "blocks", question = names(apart)[wrong], difference = unname(apart[wrong]), text = "")
  }
}

# The values of a fit of blocks against the definitions.
agreement_of_blocks <- function(fit, x, w, P, rho) {
  n <- nrow(x)
  member <- outer(fit$cluster, seq_len(fit$k), "==") * if (is.null(w)) rep(1, n) else w
  of_cluster <- P %*% member %*% diag(1 / colSums(member), fit$k)
  d2 <- of_cluster - rep(colSums(of_cluster * member) / colSums(member) / 2, each = n)
  reported <- quietly(energy_statistics(x, unname(fit$cluster), rho, w))
  size <- reported$W + reported$S
  c(
    W = abs(fit$W - reported$W) / size, S = abs(fit$S - reported$S) / size,
    total = abs(fit$total - reported$total) / size,
    within = max(abs(fit$within - unname(reported$within))) / size,
    d2 = max(abs(unname(quietly(predict(fit, x, type = "squared"))) - d2)) / max(d2),
    predicted = mean(unname(quietly(predict(fit, x))) != fit$cluster),
    # no observation is nearer to another cluster, as far as the features show
    nearest = max(d2[cbind(seq_len(n), fit$cluster)] - apply(d2, 1L, min)) / max(d2)
  )
}

# The last digits changed at random: what hangs on these is decided by rounding, as ties are.
agreement_moved <- function(x) x + 1e-13 * max(abs(x)) * stats::runif(length(x), -1, 1)

# Does a fit of the problem hang on the last digits of the Gram matrix? Then forms whose sums come in
# another order may end in another optimum.
agreement_tied <- function(problem, G, times = 8L) {
  labels <- function(G, method) {
    unname(quietly(
      kgroups(as_gram(G), problem$k, init = problem$cluster, method = method, weights = problem$weights)
    )$cluster)
  }
  G <- unname(unclass(G))
  any(vapply(c("hartigan", "lloyd"), function(method) {
    first <- labels(G, method)
    any(vapply(seq_len(times), function(i) {
      near <- agreement_moved(G)
      !identical(labels((near + t(near)) / 2, method), first)
    }, NA))
  }, NA))
}
