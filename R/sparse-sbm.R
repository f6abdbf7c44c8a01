#' Sample a sparse graph with planted communities
#'
#' Draws from the symmetric stochastic block model with `k` groups of equal size: two
#' vertices are joined with probability \eqn{a/n} inside a group and \eqn{b/n} across.
#'
#' @details
#' The mean degree \eqn{d = (a + (k - 1) b)/k} and the signal to noise ratio
#' \eqn{\lambda = (a - b)/(k \sqrt{d})}{lambda = (a - b)/(k sqrt(d))} fix
#' \eqn{a = d + (k - 1) \lambda \sqrt{d}}{a = d + (k - 1) lambda sqrt(d)} and
#' \eqn{b = d - \lambda \sqrt{d}}{b = d - lambda sqrt(d)}. Above
#' \eqn{\lambda = 1}{lambda = 1} the groups can be told from the graph by methods that are
#' fast (in the limit of large graphs), below it not. A negative `snr` makes groups that
#' avoid each other. Graphs come from [igraph::sample_sbm()] and R's random numbers; one of tens of
#' millions of edges takes igraph seconds, in which it answers no interrupt.
#'
#' @param n Number of vertices.
#' @param k Number of groups, from 1 to `n`. If it does not divide `n`, the first groups
#'   have one vertex more.
#' @param degree Mean degree \eqn{d}, positive.
#' @param snr Signal to noise ratio \eqn{\lambda}{lambda}. No probability may be negative
#'   or above 1, which asks for \eqn{\lambda \le \sqrt{d}}{lambda <= sqrt(d)} at least.
#' @return An undirected igraph graph with the integer vertex attribute `block`, the planted
#'   group from 1 to `k`.
#' @section Errors:
#' `kg_error_snr` when `snr` would need a probability outside 0 to 1; `kg_error_n`,
#' `kg_error_k`, `kg_error_degree`, `kg_error_memory` for a graph that memory cannot hold.
#' @references
#' Franca G, Rizzo ML, Vogelstein JT (2020). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}, section 5.2, with
#' the threshold of its Eq. (62) as \eqn{(a - b)/(k \sqrt{d}) = 1}{(a - b)/(k sqrt(d)) = 1}.
#' @family graphs
#' @examples
#' set.seed(1)
#' graph <- sample_sparse_sbm(200, k = 2, degree = 5, snr = 1.8)
#' graph
#' table(igraph::V(graph)$block)
#' @export
sample_sparse_sbm <- function(n, k, degree, snr) {
  n <- check_count(n, "n", max = .Machine$integer.max)
  k <- check_count(k, "k", max = n, hint = "There can be no more groups than vertices.")
  degree <- check_number(degree, "degree", min = 0, open = c(TRUE, FALSE))
  snr <- check_number(snr, "snr")
  check_memory(
    24 * k^2 + 16 * n + 40 * n * degree, n, "a graph of such degrees and groups",
    "Ask for fewer vertices or groups, or a lower degree."
  )
  inside <- (degree + (k - 1) * snr * sqrt(degree)) / n
  outside <- if (k == 1) inside else (degree - snr * sqrt(degree)) / n
  # sqrt(degree) as `snr` leaves outside = 0 up to rounding.
  if (abs(outside) * n < 1e-12 * degree) outside <- 0
  if (abs(inside) * n < 1e-12 * degree) inside <- 0
  if (min(inside, outside) < 0 || max(inside, outside) > 1) {
    bound <- snr_range(n, k, degree)
    shown <- sprintf("from %s to %s", signif(bound[1], 4), signif(bound[2], 4))
    values <- sprintf("%s inside and %s across", signif(inside, 4), signif(outside, 4))
    kg_abort(
      c(
        "{.arg snr} must leave both edge probabilities between 0 and 1.",
        "x" = "{snr} needs probabilities of {values} groups.",
        "i" = if (bound[1] <= bound[2]) {
          "With this {.arg degree} and {.arg k} it can be {shown}."
        } else {
          "No {.arg snr} will do: lower {.arg degree}, or raise {.arg n}."
        }
      ),
      "snr"
    )
  }
  sizes <- rep(n %/% k, k) + (seq_len(k) <= n %% k)
  probability <- matrix(outside, k, k)
  diag(probability) <- inside
  graph <- igraph::sample_sbm(n, probability, sizes)
  igraph::set_vertex_attr(graph, "block", value = rep(seq_len(k), sizes))
}

# The signal to noise ratios that are possible.
snr_range <- function(n, k, degree) {
  root <- sqrt(degree)
  if (k == 1) {
    return(if (degree <= n) c(-Inf, Inf) else c(1, 0))
  }
  lowest <- max(-root / (k - 1), (degree - n) / root)
  highest <- min(root, (n - degree) / ((k - 1) * root))
  c(lowest, highest)
}
