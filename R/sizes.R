# Limits on the sizes of clusters: sums of the weights of the user, which are numbers of observations without weights.

# The weights that the limits are on are an attribute.
settle_sizes <- function(control, problem, call) {
  control$sizes <- structure(control$sizes, amount = true_units(problem, problem$w, "weight"))
  control
}

# Clusters of a sample have their share of the sizes, give or take one observation.
restrict_sizes <- function(sizes, rows, n) {
  whole <- attr(sizes, "amount")
  amount <- whole[rows]
  if (is.numeric(sizes)) {
    step <- max(amount)
    ends <- range(sizes) * sum(amount) / sum(whole) / step
    sizes <- c(max(floor(ends[1L]), 1), ceiling(ends[2L])) * step
  }
  structure(sizes, amount = amount)
}

within_limits <- function(sizes, limits) sizes >= limits[1L] & sizes <= limits[2L]

# ---- checks ----

check_sizes <- function(sizes, arg, call) {
  sizes <- plain_integers(sizes)
  good <- identical(sizes, "equal") || is.numeric(sizes) && length(sizes) %in% 1:2 && !anyNA(sizes) &&
    min(sizes) >= 0 && sizes[1L] <= sizes[length(sizes)] && is.finite(sizes[1L])
  if (good) {
    return(sizes)
  }
  abort_argument(
    sizes, arg, "be the least and the largest size of a cluster, one size, or \"equal\".",
    "For example `sizes = c(20, 40)`, or `sizes = c(20, Inf)` for a least size alone.", call = call
  )
}

# Return c(least, most), sizes that k clusters of these amounts may have: whole numbers of observations if all count
# alike.
size_limits <- function(sizes, k, call) {
  amount <- attr(sizes, "amount")
  n <- length(amount)
  even <- max(amount) == min(amount)
  step <- if (even) amount[1L] else 0
  total <- if (even) n * step else sum(amount)
  if (identical(sizes[1L], "equal")) {
    if (even) {
      return(c(floor(n / k), ceiling(n / k)) * step)
    }
    abort_input(
      "sizes", call, "`sizes = \"equal\"` needs equal weights.", "You supplied `weights` that differ.",
      paste(
        "Give limits on the sums of weights, such as",
        "`sizes = c({signif(.9 * total / k, 3)}, {signif(1.1 * total / k, 3)})`."
      )
    )
  }
  least <- max(sizes[1L], step)
  most <- min(sizes[length(sizes)], total)
  if (step == 1 && any(c(least, most) != round(c(least, most)))) {
    abort_input(
      "sizes", call, "`sizes` must be whole numbers of observations.", "You supplied {value_text(sizes)}.",
      "With `weights` they are sums of weights, which may be any numbers."
    )
  }
  least_sum <- if (even) ceiling(least / step - 1e-9) * step else least
  most_sum <- if (even) floor(most / step + 1e-9) * step else most
  slack <- 1e-9 * total
  if (k * least_sum > total + slack) abort_infeasible(total, k, "least", least, total / k, even, call)
  if (k * most_sum < total - slack) abort_infeasible(total, k, "most", most, total / k, even, call)
  c(least, most)
}

abort_infeasible <- function(total, k, which, size, bound, even, call) {
  limit <- if (which == "least") "The least size can be at most" else "The largest size must be at least"
  if (even) bound <- if (which == "least") floor(bound) else ceiling(bound)
  abort_input(
    "sizes", call,
    "No partition of {format(total)} {if (even) 'observations' else 'in sum'} into {k} cluster{?s} has these `sizes`.",
    "{k} cluster{?s} of at {which} {format(size)} have at {which} {format(k * size)}.", "{limit} {format(bound)}."
  )
}

# ---- methods ----

#' @export
input_text.kgroups_sized_fit <- function(fit) {
  limits <- fit$limits
  range <- vapply(unique(limits$sizes), format, "")
  many <- length(limits$binding)
  c(
    NextMethod(),
    paste0(
      if (limits$weighted) "Sums of weights: " else "Sizes: ", paste(range, collapse = " to "), "; ",
      if (many == 0L) "no limit is attained" else sprintf("attained by %d cluster%s", many, plural(many)),
      if (many > 0L) rise_text(fit, limits$W_free, ", W is %.3g %% above that without limits")
    )
  )
}

# By how much W is above that without constraints, in per cent, or NULL.
rise_text <- function(fit, W_free, template) {
  if (!is.null(W_free) && W_free > 0) sprintf(template, max(0, 100 * (fit$W / W_free - 1)))
}
