# Names of arguments that users of kmeans(), pam(), hclust(), dbscan() and Mclust() type, with what to use here. A row
# holds if the function takes the arguments in `takes`; case, dots and underscores do not matter. Other names have the
# nearest argument.

name_row <- function(use, names, takes = NULL) list(use = use, names = names, takes = takes)

other_names <- list(
  name_row("Use `k`.", c("k", "centers", "nclusters", "nclust", "clusters", "ncenters", "g"), "k"),
  name_row("Use `ks`, the numbers of clusters to compare.", c("k", "kmax", "kmin", "centers", "nclusters", "g"), "ks"),
  name_row("Numbers of clusters are compared by `select_k()`.", c("kmax", "kmin", "ks", "g")),
  name_row("Pass the data first, without a name.", c("data", "df", "dataset", "mat"), "x"),
  name_row("Use `nstart`.", c("ninit", "nstarts", "restarts"), "nstart"),
  name_row("Use `iter.max`.", c("maxiter", "maxit", "niter"), "iter.max"),
  name_row("Use `method`.", "algorithm", "method"),
  name_row(
    "All resolutions are compared: for more or fewer communities use `k`, or another row of `$candidates`.",
    c("resolution", "resolutionparameter", "objectivefunction", "gamma"), "graph"
  ),
  name_row("Use `init`, with one label for each row.", c("medoids", "centroids", "cluster", "start"), "init"),
  name_row(
    "Groups merge by their energy distance; other linkages are those of `hclust()`.", c("linkage", "method"), "m"
  ),
  name_row("Use `semimetric`, as \"manhattan\" or `rho_gaussian()`; pass other distances as a `dist`, `as.dist(D)`.", c(
    "metric", "distance", "dist", "diss", "kernel", "sigma", "gamma"
  ), "semimetric"),
  name_row(paste(
    "Use `semimetric`, as \"manhattan\", or distances such as `vegan::vegdist(x)` as `x`; p-values are adjusted by",
    "`p.adjust.method` of `pairwise_energy_test()`."
  ), c("method", "distmethod", "simmethod"), c("g", "semimetric")),
  name_row("Use `standardize = TRUE`.", c("stand", "scale", "center", "scaled"), "standardize"),
  name_row(
    "Use `standardize = \"within\"`, which learns a metric.", c("modelnames", "modelname", "covariancetype"),
    "standardize"
  ),
  name_row("Use `trim`, the share of noise, or \"auto\"; connected clusters are those of `rho_connected()`.", c(
    "noise", "outliers", "alpha", "eps", "minpts", "borderpoints"
  ), "trim"),
  name_row("Use `sizes = c(least, largest)`, or \"equal\".", c("minsize", "maxsize", "size", "balanced"), "sizes"),
  name_row(
    "Use `together` for rows that share a cluster, `apart` for pairs that do not.", c("mustlink", "cannotlink"),
    "together"
  ),
  name_row(
    "Use `predict(fit, type = \"prob\")` for memberships.", c("fuzzy", "membexp", "m", "probability"), "semimetric"
  ),
  name_row("Use `missing = \"impute\"` or `missing = \"fail\"`.", c("narm", "naaction"), "missing"),
  name_row("Use `weights`.", c("w", "weight", "members"), "weights"),
  name_row("Use `B`.", c("nboot", "nsim", "r"), "B"),
  name_row("Use `R`, the number of permutations.", c("nperm", "permutations", "b", "nsim"), "R"),
  name_row("Use `g`, the labels of the rows.", c("group", "groups", "labels", "y", "factors"), "g"),
  name_row("Write `y ~ a + b`: each of the factors is tested given the other one.", "by", c("g", "strata")),
  name_row("Pairs and blocks are `strata`, a label for each row.", c("paired", "pair", "block", "blocks", "id"), "strata"),
  name_row(
    "Titles, colours and legends are those of ggplot2, as `ggplot2::autoplot(x) + ggplot2::labs(title = \"a\")`.",
    c("main", "sub", "title", "xlab", "ylab", "col", "pch", "cex", "legend", "what")
  ),
  name_row("Use `threads`.", c("cores", "ncores", "parallel", "nthreads", "mccores"), "threads"),
  name_row("Call `set.seed()` before.", c("seed", "randomstate")),
  name_row(
    "`options(rlib_message_verbosity = \"quiet\")` silences messages, `options(kgroups.progress = )` progress.",
    c("verbose", "trace", "quiet")
  )
)

# Return a hint for an argument that a function does not take, or NULL; `known`: those that it takes.
argument_hint <- function(name, known) {
  plain <- function(x) gsub("[._]", "", lower_ascii(x))
  for (row in other_names) {
    if (plain(shorten(name, 80L)) %in% row$names && all(row$takes %in% known)) {
      return(row$use)
    }
  }
  near <- nearest_name(name, known)
  if (length(near)) sprintf("Did you mean `%s`?", near)
}
