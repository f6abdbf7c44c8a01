# Two clouds in `n` blocks of unequal size, and a reader for them with a small environment.
block_data <- function(rows = 900, blocks = 5, d = 2) {
  x <- matrix(rnorm(rows * d), rows) + 4 * rep(0:1, length.out = rows)
  colnames(x) <- letters[seq_len(d)]
  at <- sort(c(seq_len(blocks), sample.int(blocks, rows - blocks, TRUE, prob = seq_len(blocks))))
  split.data.frame(x, at)
}

list_reader <- function(blocks) {
  force(blocks)
  function(i) blocks[[i]]
}

# A reader that runs `event` at block 3 whenever `when(i)` states so, else gives the block.
broken_reader <- function(blocks, event) {
  force(blocks)
  force(event)
  function(i) if (i == 3) event(blocks[[i]]) else blocks[[i]]
}
