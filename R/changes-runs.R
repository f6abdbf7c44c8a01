# Runs of a sequence: the best ones by dynamic programming, and cells of adjacent observations whose ends are compared.

changes_defaults <- list(
  blocks = 1000L, # blocks of adjacent observations that are permuted, at most about
  cells = 64L, # whose ends are compared as changes, about
  rate = 4e-10 # seconds per pair of observations, pass and unit of work: 70 s of CPU for 12,000 values, R = 199
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
# `size` of each cell, `moving`: the blocks of full size of each run, `first`: the first cell of each run, and `least`.
sequence_layout <- function(n, starts, least) {
  length <- diff(c(starts, n + 1L))
  each <- ceiling(n / changes_defaults$blocks)
  block <- cell <- size <- first <- integer()
  moving <- list()
  for (i in seq_along(length)) {
    own <- (seq_len(length[i]) - 1L) %/% each + 1L
    number <- max(own)
    wanted <- max(1, min(number, round(changes_defaults$cells * length[i] / n)))
    cells <- ceiling(seq_len(number) * wanted / number)
    full <- which(tabulate(own) == each)
    moving <- c(moving, list(length(cell) + full))
    block <- c(block, length(cell) + own)
    cell <- c(cell, length(size) + cells)
    first <- c(first, length(size) + 1L)
    size <- c(size, tabulate(cells[own], wanted))
  }
  list(
    block = as.integer(block), cell = as.integer(cell), size = as.numeric(size), moving = moving, first = first,
    least = least
  )
}

# Sums of B over pairs of blocks.
sums_of_blocks <- function(problem, block) {
  number <- max(block)
  if (number == problem$n) store_values(problem$store) else .Call(ffi_dispersion, problem, block, as.numeric(number))
}

# From the sums of B over pairs of cells, 2 x 2: the largest fall of W within a run by one change and by two, over the
# W/m of that run, and the run.
falls_of_W <- function(cells, layout) .Call(ffi_falls, cells, layout$size, layout$first, as.numeric(layout$least))
