# Runs of a sequence: the best ones by dynamic programming, and cells of adjacent observations whose ends are compared.

changes_defaults <- list(
  blocks = 1000L, # blocks of adjacent observations that are permuted, at most about
  cells = 64L # whose ends are compared as changes, about
)

# Return W of the best division of all observations into 1..k runs, and `start`, n x k: the first observation of the
# last run of the first j observations.
best_runs <- function(problem, k, least) .Call(ffi_changes, problem, as.numeric(k), as.numeric(least))

# The first observations of the best k runs.
trace_runs <- function(start, k, n) {
  out <- integer(k)
  last <- n
  for (l in k:1) {
    out[l] <- start[last, l]
    last <- out[l] - 1L
  }
  out
}

# The first observations of the best k runs within some adjacent rows.
runs_within <- function(problem, rows, k, least) {
  part <- subset_problem(problem, rows)
  rows[1L] - 1L + trace_runs(best_runs(part, k, least)$start, k, part$n)
}

# Blocks of adjacent observations of one run and the cells of blocks: `block` of each observation, `cell` of each block,
# `size` of each cell, `moving`: the blocks of full size of each run, and `lengths`: of each run its cells (`at`), its
# `size` and the `length` of the cells after one end up to another, NA below `least`.
sequence_layout <- function(n, starts, least) {
  length <- diff(c(starts, n + 1L))
  each <- ceiling(n / changes_defaults$blocks)
  block <- cell <- size <- integer()
  moving <- lengths <- list()
  for (i in seq_along(length)) {
    own <- (seq_len(length[i]) - 1L) %/% each + 1L
    number <- max(own)
    wanted <- max(1, min(number, round(changes_defaults$cells * length[i] / n)))
    cells <- ceiling(seq_len(number) * wanted / number)
    full <- which(tabulate(own) == each)
    moving <- c(moving, list(length(cell) + full))
    block <- c(block, length(cell) + own)
    cell <- c(cell, length(size) + cells)
    new <- tabulate(cells[own], wanted)
    to <- c(0, cumsum(new))
    between <- outer(-to, to, "+")
    between[between < least] <- NA
    lengths <- c(lengths, list(list(at = length(size) + seq_len(wanted), size = length[i], length = between)))
    size <- c(size, new)
  }
  list(block = as.integer(block), cell = as.integer(cell), size = size, moving = moving, lengths = lengths)
}

# Sums of B over pairs of blocks.
sums_of_blocks <- function(problem, block) {
  number <- max(block)
  if (number == problem$n) store_values(problem$store) else .Call(ffi_dispersion, problem, block, as.numeric(number))
}

# From the sums of B over pairs of cells, 2 x 2: the largest fall of W within a run by one change and by two, over the
# W/m of that run, and the run.
falls_of_W <- function(cells, layout) {
  of_runs <- vapply(layout$lengths, function(run) {
    many <- length(run$at)
    sum <- cumulated(t(cumulated(cells[run$at, run$at, drop = FALSE])))
    sum <- rbind(0, cbind(0, sum, deparse.level = 0), deparse.level = 0)
    end <- diag(sum)
    whole <- -end[many + 1L] / run$size
    if (!(whole > 0)) {
      return(c(0, 0))
    }
    # W of the cells after row up to column; NA if they are too short
    W <- (2 * sum - outer(end, end, "+")) / run$length
    first <- W[1L, ]
    last <- W[, many + 1L]
    least <- c(min(whole, first + last, na.rm = TRUE), min(whole, W + outer(first, last, "+"), na.rm = TRUE))
    (whole - c(least[1L], min(least))) / whole * run$size
  }, c(0, 0))
  best <- apply(of_runs, 1L, which.max)
  rbind(of_runs[cbind(1:2, best)], best, deparse.level = 0)
}

# Cumulated sums of the columns of a square matrix.
cumulated <- function(x) {
  n <- nrow(x)
  sums <- matrix(cumsum(x), n)
  sums - rep(c(0, sums[n, -n]), each = n)
}
