# The gaps that rho_connected() uses, from its definition: O(n^3), all in plain R. d: n x n distances,
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

# v for all pairs, from all links of a step: those of equal height and length that join something.
# Distances that differ by rounding are equal.
slow_gaps <- function(d, core, w, tree, q, least, neighbours, apart) {
  snap <- function(x) signif(x, 9)
  n <- length(w)
  on <- w > 0
  d <- snap(d)
  height <- snap(pmax(d, outer(core, core, pmax), na.rm = TRUE)) * (d > 0)
  steps <- rbind(
    data.frame(height = 0, length = 0, exact = 0),
    data.frame(height = snap(tree$height), length = snap(tree$length), exact = tree$height)
  )
  steps <- steps[order(steps$height, steps$length, steps$exact), ]
  steps <- steps[!duplicated(steps[1:2]), ]
  part <- seq_len(n)
  own <- numeric(n) # of a part
  branch <- rep(NA_integer_, n)
  V <- matrix(0, 0L, 0L)
  lift <- numeric()
  weigh <- function(members) sum(w[members])
  new_branch <- function(members) {
    V <<- rbind(cbind(V, rep(0, nrow(V))), rep(0, nrow(V) + 1L))
    lift <<- c(lift, 0)
    branch[members] <<- nrow(V)
  }
  for (s in seq_len(nrow(steps))) {
    h <- steps$height[s]
    above <- if (h > snap(q)) steps$exact[s] - q else 0
    link <- height == h & d == steps$length[s] & outer(on, on) & outer(part, part, "!=")
    group <- part
    for (e in which(link & upper.tri(link))) {
      ends <- group[c((e - 1) %% n + 1, (e - 1) %/% n + 1)]
      group[group == max(ends)] <- min(ends)
    }
    joined <- unique(group[group %in% group[rowSums(link) > 0]])
    for (g in joined) {
      inside <- which(group == g)
      parts <- unique(part[inside])
      heavy <- parts[vapply(parts, function(p) !is.na(branch[match(p, part)]), NA)]
      light <- setdiff(parts, heavy)
      grown <- if (length(heavy)) max(own[heavy]) else h
      if (length(heavy) && h > 0) {
        ids <- lapply(heavy, function(p) unique(branch[part == p]))
        if (above == 0) branch[branch %in% unlist(ids)] <- ids[[1L]][1L]
        small <- light[vapply(light, function(p) {
          most <- max(q, own[p], grown)
          weigh(part == p) >= max(3, neighbours) * (1 - 1e-12) && most > 0 && h >= snap(apart * most)
        }, NA)]
        for (p in small) {
          members <- which(part == p)
          new_branch(members)
          lift[nrow(V)] <- above * least / weigh(members)
          ids <- c(ids, list(nrow(V)))
        }
        light <- setdiff(light, small)
        if (length(light)) grown <- h
        mass <- vapply(seq_len(nrow(V)), function(b) weigh(branch %in% b), 0)
        middle <- NA
        while (length(light)) {
          had <- branch
          taken <- lapply(light, function(p) {
            near <- inside[colSums(link[part == p, inside, drop = FALSE]) > 0]
            near <- unique(stats::na.omit(had[near]))
            near[snap(mass[near]) == max(snap(mass[near]), -Inf)]
          })
          for (a in which(lengths(taken) > 0)) {
            members <- which(part == light[a])
            if (length(taken[[a]]) == 1L) {
              branch[members] <- taken[[a]]
            } else if (is.na(middle)) {
              new_branch(members)
              middle <- nrow(V)
              mass <- c(mass, 0)
              ids <- c(ids, list(middle))
            } else {
              branch[members] <- middle
            }
          }
          light <- light[lengths(taken) == 0]
        }
        if (above > 0) {
          for (a in ids) for (b in ids) if (!identical(a, b)) V[a, b] <- above
        }
      }
      part[inside] <- min(parts)
      own[min(parts)] <- grown
    }
    if (s < nrow(steps) && steps$height[s + 1L] == h) next
    for (p in unique(part[on & is.na(branch)])) {
      if (weigh(part == p) >= least * (1 - 1e-12)) new_branch(which(part == p))
    }
  }
  if (nrow(V) == 0L) return(list(v = matrix(0, n, n), branch = rep(1L, n)))
  V <- pmax(V, outer(lift, lift, pmax)) * (1 - diag(nrow(V)))
  v <- V[branch, branch, drop = FALSE]
  list(v = matrix(ifelse(is.na(v), 0, v), n), branch = branch)
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
                           least = max(3, sqrt(sum(w))), apart = 3) {
  # whole weights are numbers of rows; others have no unit
  if (any(w != round(w))) w <- w / sum(w) * sum(w > 0)
  core <- slow_cores(d, w, neighbours)
  tree <- slow_tree(d, core, w)
  q <- slow_threshold(core, w, level)
  gaps <- slow_gaps(d, core, w, tree, q, least, neighbours, apart)
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
