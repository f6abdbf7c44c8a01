# Random arguments for the fuzz of the R surface: data of every kind, right and wrong. All
# randomness comes from R's generator, so that a seed names a call.

pick <- function(...) {
  choices <- eval(substitute(alist(...)))
  eval(choices[[sample.int(length(choices), 1L)]], parent.frame())
}

chance <- function(p) stats::runif(1L) < p

# Values that are no sensible argument anywhere.
fuzz_junk <- function() {
  pick(
    NULL, NA, NA_real_, NaN, Inf, -Inf, -1, 0, 1.5, 1e300, "a", "", NA_character_, TRUE, c(2, 3),
    numeric(), character(), list(), list(1, "a"), sum, quote(a + b), y ~ x, as.Date("2020-01-01"),
    1i, as.raw(1), factor("a"), new.env(), data.frame(), matrix(0, 0, 3), matrix(NA_real_, 2, 2),
    array(1, c(2, 2, 2)), "2", 2L, structure(list(), class = "thing"), Sys.time(), mean
  )
}

fuzz_size <- function() sample(c(1, 2, 3, 5, 8, 12, 20, 30, 60, 100), 1L, prob = c(1, 2, 3, 4, 4, 4, 4, 4, 2, 2))

# A numeric matrix: usual, tied, constant, collinear, heavy-tailed, far from 0, out of scale.
fuzz_numbers <- function(n, d) {
  x <- matrix(stats::rnorm(n * d), n, d)
  kind <- sample(12L, 1L, prob = c(12, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.5))
  x <- switch(kind,
    x,
    round(x),
    x * 0 + 3,
    cbind(x[, -1L, drop = FALSE], 7),
    x[, 1L] %o% seq_len(d),
    matrix(stats::rcauchy(n * d), n, d),
    exp(5 * x),
    x + 1e8,
    x * 1e150,
    x * 1e-150,
    x * pick(1e305, 1e-310, 1e-320),
    matrix(sample(c(-1, 0, 1), n * d, TRUE) * .Machine$double.xmax, n, d)
  )
  if (chance(0.3) && ncol(x)) colnames(x) <- make.names(letters[seq_len(ncol(x))])
  if (chance(0.2) && n) rownames(x) <- sprintf("r%d", seq_len(n))
  x
}

poison <- function(x) {
  if (length(x)) x[sample.int(length(x), 1L)] <- sample(c(NA, NaN, Inf, -Inf), 1L)
  x
}

# list(x, n): n is what the data check like they hold, for arguments that go with it.
fuzz_data <- function(kinds = fuzz_kinds) {
  kind <- sample(names(kinds), 1L, prob = kinds)
  n <- fuzz_size()
  d <- sample(c(1, 2, 3, 10), 1L)
  x <- fuzz_numbers(n, d)
  if (chance(0.05)) x <- poison(x)
  gram <- function() {
    y <- fuzz_numbers(n, 2)
    G <- tcrossprod(y)
    if (chance(0.2)) G <- G + diag(sample(c(-1, 1), n, TRUE), n)
    G
  }
  x <- switch(kind,
    matrix = x,
    integer = matrix(sample.int(9L, n * d, TRUE), n),
    frame = as.data.frame(x),
    tibble = as_table(as.data.frame(x)),
    vector = x[, 1L],
    whole = sample.int(20L, n, TRUE),
    dist = fuzz_dist(x),
    gram = tryCatch(as_gram(gram()), kg_error = function(e) gram()),
    kernlab = kernlab::as.kernelMatrix(gram()),
    sparse = fuzz_sparse(n),
    graph = fuzz_graph(n),
    blocks = fuzz_blocks(x),
    mixed = pick(
      data.frame(x, f = factor(rep_len(c("u", "v"), n))), data.frame(x, s = rep_len("t", n)),
      data.frame(x, l = rep_len(c(TRUE, FALSE), n)), data.frame(x, d = rep_len(Sys.Date(), n)),
      data.frame(x, m = I(x)), data.frame(x, l = I(as.list(seq_len(n)))), data.frame(x)[0, , drop = FALSE],
      data.frame(x, c = rep_len(1i, n)), data.frame(row.names = seq_len(n)), as.matrix(data.frame(x, "a"))
    ),
    odd = pick(
      x > 0, matrix("a", n, 2), matrix(list(1), n, 2), as.complex(x), matrix(1i, n, 2), x[0, , drop = FALSE],
      x[, 0, drop = FALSE], array(x, c(n, d, 1)), stats::ts(x), as.Date("2020-01-01") + seq_len(n),
      as.difftime(seq_len(n), units = "secs"), factor(seq_len(n)), as.list(x), letters, numeric(),
      integer(), table(sample(3, n, TRUE)), structure(x, class = "strange"), stats::as.dist(matrix(1, 1, 1)),
      structure(1:3, class = "dist", Size = 4), structure(c("a", "b", "c"), class = "dist", Size = 3),
      structure(1:3, class = "dist"), structure(1:3, class = "dist", Size = NA),
      structure(matrix(1:6, 2), class = c("kgroups_gram", "matrix", "array")),
      structure(matrix(poison(1:4), 2), class = c("kgroups_gram", "matrix", "array")),
      structure(list(1), class = c("kgroups_gram", "matrix")), structure(list(n = 2), class = "kgroups_blocks"),
      structure(list(), class = "igraph")
    ),
    junk = fuzz_junk()
  )
  list(x = x, n = n, kind = kind)
}

fuzz_kinds <- c(
  matrix = 20, integer = 3, frame = 6, tibble = 2, vector = 5, whole = 2, dist = 12, gram = 8, kernlab = 1, sparse = 4,
  graph = 4, blocks = 0, mixed = 2, odd = 3, junk = 3
)

point_kinds <- c(matrix = 20, integer = 3, frame = 6, tibble = 2, vector = 5, whole = 2, mixed = 1, odd = 1, junk = 1)

fuzz_dist <- function(x) {
  d <- stats::dist(x, method = sample(c("euclidean", "manhattan", "maximum"), 1L))
  pick(d, d, d, d, d^2.5, sqrt(d), poison(d), -d, round(d))
}

fuzz_sparse <- function(n) {
  G <- as.matrix(Matrix::rsparsematrix(n, n, 0.3, symmetric = TRUE))
  sparse <- Matrix::Matrix(G, sparse = TRUE)
  pick(
    sparse, sparse, methods::as(sparse, "generalMatrix"), Matrix::Diagonal(n), Matrix::Diagonal(x = seq_len(n)),
    Matrix::crossprod(sparse), methods::as(sparse != 0, "nMatrix"), Matrix::rsparsematrix(n, n, 0.3),
    Matrix::rsparsematrix(n, n + 1, 0.3), Matrix::Matrix(crossprod(G) + 1), Matrix::Matrix(G, sparse = TRUE) * 1e200,
    methods::as(sparse, "TsparseMatrix"), sparse * 0, sparse * NaN, Matrix::Matrix(0, 0, 0, sparse = TRUE)
  )
}

fuzz_graph <- function(n) {
  graph <- pick(
    igraph::sample_gnp(n, 0.3), igraph::sample_gnp(n, min(1, 3 / n)), igraph::make_empty_graph(n, directed = FALSE),
    igraph::make_full_graph(n), igraph::make_ring(n), igraph::make_star(n, "undirected"),
    igraph::sample_gnp(n, 0.3, directed = TRUE, loops = TRUE), igraph::make_empty_graph(0),
    igraph::disjoint_union(igraph::make_full_graph(n), igraph::make_full_graph(3), igraph::make_empty_graph(1, FALSE)),
    igraph::make_graph(sample.int(n, 4 * n, TRUE), n, directed = FALSE)
  )
  if (chance(0.4)) {
    m <- igraph::ecount(graph)
    weight <- pick(
      stats::runif(m), rep(1, m), sample(0:2, m, TRUE), stats::rnorm(m), 1e200 * stats::runif(m),
      1e-200 * stats::runif(m),
      poison(rep(1, m)), rep("a", m), exp(stats::rnorm(m, sd = 5)), rep(0, m), rep(2, m)
    )
    graph <- igraph::set_edge_attr(graph, "weight", value = weight)
  }
  if (chance(0.2)) graph <- igraph::set_vertex_attr(graph, "name", value = paste0("v", seq_len(igraph::vcount(graph))))
  graph
}

fuzz_blocks <- function(x, n = sample.int(3L, 1L)) {
  part <- rep_len(seq_len(n), nrow(x))
  row_blocks(pick(
    function(i) x[part == i, , drop = FALSE], function(i) x[part == i, , drop = FALSE],
    function(i) as.data.frame(x[part == i, , drop = FALSE]), function(i) stop("gone"), function(i) NULL, function() 1
  ), n)
}

fuzz_k <- function(n) {
  if (chance(0.85)) sample.int(max(1, min(n, 6)), 1L) else pick(n, n + 1, 0, -1, 1.5, "2", 2L, n - 1, 1e10, fuzz_junk())
}

fuzz_weights <- function(n) {
  if (chance(0.4)) {
    return(NULL)
  }
  pick(
    stats::runif(n), sample(0:3, n, TRUE), stats::rexp(n), stats::runif(n), sample(1:3, n, TRUE), rep(1, n),
    replace(numeric(n), sample.int(max(n, 1), 1L), 1),
    stats::runif(n) * 1e-300, stats::runif(n) * 1e300, 10^stats::runif(n, -300, 300), 10^stats::runif(n, -8, 8),
    numeric(n), -stats::runif(n), poison(stats::runif(n)), stats::runif(n + 1), fuzz_junk()
  )
}

fuzz_semimetric <- function() {
  pick(
    rho_power(1), rho_power(1), rho_power(0.5), rho_power(2), rho_power(1e-3), rho_exponential(), rho_gaussian(),
    rho_exponential(1), rho_gaussian(0.5), rho_gaussian(1e-200), rho_exponential(1e200),
    rho_function(function(x, y) sum(abs(x - y))), rho_function(function(x, y) max(abs(x - y))),
    rho_function(function(x, y) as.matrix(stats::dist(rbind(x, y), "manhattan"))[
      seq_len(nrow(x)), nrow(x) + seq_len(nrow(y)),
      drop = FALSE
    ], vectorized = TRUE),
    fuzz_wrong_semimetric()
  )
}

fuzz_wrong_semimetric <- function() {
  pick(
    rho_function(function(x, y) stop("mine")), rho_function(function(x, y) "a"), rho_function(function(x, y) NaN),
    rho_function(function(x, y) sum(x - 2 * y)), rho_function(function(x) 1), rho_function(function(x, y) 1:2),
    rho_function(function(x, y) x, vectorized = TRUE), rho_power, function(x, y) sum(x), "gaussian", fuzz_junk()
  )
}

fuzz_init <- function(n, k) {
  groups <- if (is_number(k) && k >= 1) min(k, n) else 2
  if (chance(0.4)) {
    return(NULL)
  }
  pick(
    "kmeans++", "k-means++", "random", "spectral", sample(rep_len(seq_len(groups), n)),
    sample(rep_len(seq_len(groups), n)), factor(sample(rep_len(letters[seq_len(min(26, groups))], n))),
    sample.int(groups, n, TRUE), rep(1, n), seq_len(n), poison(rep_len(1:2, n)), "none", fuzz_junk()
  )
}

fuzz_labels <- function(n) {
  pick(
    sample(rep_len(1:2, n)), sample(rep_len(letters[1:3], n)),
    factor(sample(rep_len(c("b", "a"), n)), c("a", "b", "c")),
    seq_len(n), rep(1, n), rep_len(c(TRUE, FALSE), n), stats::rnorm(n), sample.int(5, n, TRUE),
    rep_len(c(1, NA), n), rep_len(1:2, n + 1), as.list(seq_len(n)), fuzz_junk(), rep_len(1:2, n), rep_len(1:3, n)
  )
}
