# Numbers as powers of two times numbers near 1, so that sums of squares neither overflow nor
# vanish; and weighted order statistics.

# floor(log2(max |x|)), 0 for all zero
binary_exponent <- function(x) {
  range <- value_range(x)
  largest <- max(range[["largest"]], -range[["smallest"]])
  if (largest == 0) 0 else floor(log2(largest))
}

# In one look that copies nothing: a dist may be as large as memory allows.
value_range <- function(x) {
  out <- .Call(ffi_range, if (is.double(x)) x else as.double(x))
  names(out) <- c("smallest", "largest", "missing", "infinite")
  out
}

# 1..n in strips for which about `values` numbers are worked on, each of them `of_each`. A loop of R's
# own looks for an interrupt once in a thousand rounds: between strips it is looked for here.
strips <- function(n, of_each, values = 4e6) {
  step <- max(1, floor(values / max(of_each, 1)))
  lapply(if (n > 0) seq(1, n, by = step), function(at) seq.int(at, min(at + step - 1, n)))
}

# Is no number missing or infinite?
all_finite <- function(x) {
  if (!is.double(x)) {
    return(!anyNA(x))
  }
  range <- value_range(x)
  range[["missing"]] + range[["infinite"]] == 0
}

look_for_interrupt <- function() {
  value_range(0)
  invisible()
}

# x * 2^e in steps that neither over- nor underflow by themselves
times_power_of_two <- function(x, e) {
  if (e == 0) {
    return(x)
  }
  half <- trunc(e / 2)
  x * 2^half * 2^(e - half)
}

# Exponents within 400 leave room for squares and sums of them: data are used as they are.
scaling_exponent <- function(x) {
  e <- binary_exponent(x)
  if (abs(e) > 400) e else 0
}

# The value with half of the weight below it, the mean of two where the weight falls between them.
weighted_median <- function(x, w = NULL, near = near_middle(x, w)) {
  if (length(x) == 0L) {
    return(0)
  }
  x <- x[near$at]
  w <- if (is.null(w)) rep(1, length(x)) else w[near$at]
  by_size <- order(x)
  share <- near$before + cumsum(w[by_size])
  half <- 0.5 * near$all
  # exactly half but for the rounding of the sums: integer weights equal replicated values
  first <- which(share >= half * (1 - 1e-12))[1L]
  if (share[first] > half * (1 + 1e-12)) {
    return(x[by_size][first])
  }
  after <- which(w[by_size] > 0 & seq_along(x) > first)[1L]
  if (is.na(after)) x[by_size][first] else mean(x[by_size][c(first, after)])
}

# Which values of x can be its middle, the weight of what lies below them, and of all. Of many values those
# between two quantiles of a hundred thousand of them: what is left is quickly put in order.
near_middle <- function(x, w, few = 1e5, most = 4e6) {
  all <- if (is.null(w)) length(x) else sum(w)
  every <- list(at = seq_along(x), before = 0, all = all)
  if (length(x) <= most) {
    return(every)
  }
  some <- round(seq(1, length(x), length.out = few))
  ends <- vapply(c(0.48, 0.52), function(p) weighted_quantile(x[some], p, w[some]), 0)
  weight_of <- function(at) if (is.null(w)) length(at) else sum(w[at])
  at <- list()
  before <- 0
  for (part in strips(length(x), 1)) {
    look_for_interrupt()
    value <- x[part]
    before <- before + weight_of(part[value < ends[1L]])
    at <- c(at, list(part[value >= ends[1L] & value <= ends[2L]]))
  }
  at <- unlist(at)
  inside <- before < 0.5 * all * (1 - 1e-12) && before + weight_of(at) > 0.5 * all * (1 + 1e-12)
  if (inside) list(at = at, before = before, all = all) else every
}

# The same for the distances d of all pairs i < j of n observations (w their weights, or NULL)
# and of every observation to itself: a weight of 2 equals two rows.
median_distance <- function(d, n, w = NULL) {
  if (is.null(w)) {
    # n zeros, and every d twice, among n^2 pairs: half of them end with d number `rank`
    rank <- n * (n - 2) / 4
    at <- ceiling(rank)
    if (at > rank) {
      return(sort(d, partial = at)[at])
    }
    sorted <- sort(d, partial = c(if (at > 0) at, at + 1))
    return(mean(c(if (at > 0) sorted[at] else 0, sorted[at + 1])))
  }
  pairs <- as.vector(stats::as.dist(outer(w, w)))
  weighted_median(c(0, d), c(sum(w^2), 2 * pairs))
}

weighted_quantile <- function(x, p, w = NULL) {
  if (length(x) == 0L) {
    return(0)
  }
  if (is.null(w)) {
    return(unname(stats::quantile(x, p)))
  }
  by_size <- order(x)
  share <- cumsum(w[by_size])
  x[by_size][which(share >= p * share[length(share)])[1L]]
}

# Values in true units that overflow; NA stands for a value that is not defined.
check_values_range <- function(values, call) {
  whole <- is.double(values) && sum(value_range(values)[c("missing", "infinite")]) == 0
  if (!whole && any(is.infinite(values) | is.nan(values))) {
    kg_abort(
      c(
        "The pair values are above the range of double precision numbers.",
        "x" = "They are of the order of 1e308 or more.",
        "i" = "Rescale {.arg x}, for example divide it by {.code max(abs(x))}."
      ),
      "range",
      call = call
    )
  }
  invisible(values)
}

# Sums of a vector, or of the columns of a matrix, over the groups 1..k; 0 for an empty group.
sum_by <- function(x, group, k) {
  sums <- rowsum(x, group, reorder = FALSE)
  out <- matrix(0, k, ncol(sums))
  out[as.integer(rownames(sums)), ] <- sums
  if (is.matrix(x)) out else out[, 1L]
}

# ---- instruction sets and threads ----

# Instruction sets: chosen at load; the option kgroups.simd names another.

simd_names <- c("auto", "avx512", "avx2", "base")

simd_state <- new.env(parent = emptyenv())
simd_state$asked <- "auto"

# Called wherever a problem is made, so that the option works at any time. Returns the
# name of the loops in use.
use_simd <- function(call = rlang::caller_env()) {
  name <- getOption("kgroups.simd", "auto")
  if (identical(name, simd_state$asked)) {
    return(invisible(.Call(ffi_choose_loops, NULL)))
  }
  name <- check_choice(name, "kgroups.simd", simd_names, call = call)
  used <- .Call(ffi_choose_loops, name)
  if (is.null(used)) {
    kg_abort(
      c(
        "The option {.field kgroups.simd} must name instructions that this processor has.",
        "x" = "It has no {.val {name}}.",
        "i" = "Use {.code options(kgroups.simd = \"auto\")}."
      ),
      "simd",
      call = call
    )
  }
  simd_state$asked <- name
  invisible(used)
}

# Threads for the compiled loops, until the call that asked for them ends and asks for one.
use_threads <- function(threads) invisible(.Call(ffi_choose_threads, as.numeric(threads)))
