# What rho_connected() sees, from its definition: O(n^3), all in plain R. d: n x n distances,
# w: frequency weights. Observations of weight 0 take no part.
slow_cores <- function(d, w, neighbours) {
  on <- which(w > 0)
  vapply(seq_along(w), function(i) {
    if (w[i] == 0) return(NA_real_)
    by_distance <- on[order(d[i, on])]
    enough <- vapply(d[i, by_distance], function(r) sum(w[on][d[i, on] <= r]), 0) >= neighbours * (1 - 1e-12)
    if (any(enough)) d[i, by_distance[enough][1L]] else max(d[i, on])
  }, 0)
}

# Kruskal's tree of the heights: equal ones by smaller distance, then smaller indices.
slow_tree <- function(d, core, w) {
  on <- which(w > 0)
  pair <- if (length(on) > 1L) t(utils::combn(on, 2L)) else matrix(0L, 0L, 2L)
  length <- d[pair]
  height <- ifelse(length == 0, length, pmax(length, core[pair[, 1L]], core[pair[, 2L]]))
  part <- seq_along(w)
  kept <- integer()
  for (e in order(height, length, pair[, 1L], pair[, 2L])) {
    ends <- part[pair[e, ]]
    if (ends[1L] == ends[2L]) next
    part[part == ends[2L]] <- ends[1L]
    kept <- c(kept, e)
  }
  data.frame(height = height[kept], length = length[kept], a = pair[kept, 1L], b = pair[kept, 2L])
}

slow_threshold <- function(core, w, level) {
  on <- which(w > 0)
  enough <- vapply(core[on], function(c) sum(w[on][core[on] <= c]), 0) >= level * sum(w) * (1 - 1e-12)
  min(core[on][enough])
}

# v for all pairs, level by level; 0 throughout where nothing is as heavy as `least`.
slow_gaps <- function(tree, w, q, least) {
  n <- length(w)
  part <- seq_len(n)
  branch <- rep(NA_integer_, n)
  v <- matrix(0, n, n)
  made <- 0L
  for (h in sort(unique(c(0, tree$height)))) {
    here <- tree[tree$height == h, ]
    before <- part
    had <- branch
    for (e in seq_len(nrow(here))) {
      a <- here$a[e]
      b <- here$b[e]
      if (is.na(branch[a])) {
        branch[part == part[a]] <- branch[b]
      } else if (is.na(branch[b])) {
        branch[part == part[b]] <- branch[a]
      }
      part[part == part[b]] <- part[a]
    }
    for (i in which(!is.na(had))) {
      for (j in which(!is.na(had) & part == part[i] & before != before[i])) {
        v[branch %in% had[i], branch %in% had[j]] <- max(h - q, 0)
      }
    }
    # of the branches that met, all observations: those that came at this level too
    for (p in unique(part[is.na(branch) & w > 0])) {
      if (sum(w[part == p]) >= least * (1 - 1e-12)) {
        made <- made + 1L
        branch[part == p] <- made
      }
    }
    # who joined a branch at a level sees what the branch sees
    for (b in unique(branch[!is.na(branch)])) {
      members <- which(branch == b)
      old <- members[!is.na(had[members])]
      if (length(old) == 0L) next
      v[members, ] <- rep(v[old[1L], ], each = length(members))
      v[, members] <- rep(v[, old[1L]], times = length(members))
    }
  }
  list(v = v, branch = branch, heights = tree$height)
}

# U = sum over the pairs of the height at which they meet / (N^2 / 2)
slow_spread <- function(tree, w) {
  part <- seq_along(w)
  total <- 0
  for (e in order(tree$height)) {
    a <- part == part[tree$a[e]]
    b <- part == part[tree$b[e]]
    total <- total + tree$height[e] * sum(w[a]) * sum(w[b])
    part[b] <- part[tree$a[e]]
  }
  total / (sum(w)^2 / 2)
}

# rho_connected() of all pairs: d distances, base values of the base.
slow_connected <- function(d, w = rep(1, nrow(d)), base = d, strength = 8, neighbours = 3, level = .85,
                           least = max(3, sqrt(sum(w)))) {
  core <- slow_cores(d, w, neighbours)
  tree <- slow_tree(d, core, w)
  q <- slow_threshold(core, w, level)
  gaps <- slow_gaps(tree, w, q, least)
  v <- gaps$v
  for (i in which(w == 0)) {
    on <- which(w > 0)
    nearest <- on[which.min(d[i, on])]
    v[i, ] <- v[nearest, ]
    v[, i] <- v[, nearest]
  }
  B <- sum(outer(w, w) * base) / sum(w)^2
  U <- slow_spread(tree, w)
  rho <- if (U == 0 || all(v == 0)) base else base / B + strength * v / U
  list(rho = rho, v = v, core = core, q = q, B = B, U = U, heights = sort(as.numeric(tree$height)))
}
