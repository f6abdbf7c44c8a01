# Names of arguments and of values that users of other packages try, with a hint. A row of other_names holds if the
# function takes the arguments in `takes`, and is on one of the help pages in `at`; the first that holds is shown.

name_row <- function(hint, names, takes = NULL, at = NULL) list(hint = hint, names = names, takes = takes, at = at)

group_words <- c("group", "groups", "grouping", "cluster", "clusters", "labels", "label", "classes", "class", "by", "sizes", "ind", "treatment", "y")
test_pages <- c("energy_test", "pairwise_energy_test", "dispersion_test", "cluster_test")

# Case, dots and underscores do not matter.
other_names <- list(
  # of one function
  name_row("Use `threads`.", c("cl", "cluster"), "threads", "stability"),
  name_row("Each number is searched in full: `effort` sets the length of the search.", c("nstart", "ninit", "init", "iter", "maxiter"), at = c(
    "select_k", "select_semimetric"
  )),
  name_row("The clusters are those of `kgroups()`: there is no function to supply.", c("fun", "funcluster", "clusteralg", "clusterfun"), at = c(
    "select_k", "stability", "cluster_test"
  )),
  name_row("The samples are bootstrap samples: leave it out.", c("bootmethod", "scheme", "resampling"), at = "stability"),
  name_row("Times come with the series: use `ts(x, start = 1871)`, or a column of dates.", c("index", "time", "times", "date", "dates"), at = "kgroups_changes"),
  name_row("Pairs are the `strata` of `energy_test()`, a test of two groups.", c("paired", "pairs", "strata", "block", "blocks"), at = c(
    "pairwise_energy_test", "dispersion_test"
  )),
  name_row("The test has no permutations; `splits` is the number of random divisions.", c("r", "b", "nperm", "nboot", "nsim"), "splits", "cluster_test"),
  name_row("A fit holds what it was made of; `describe_clusters(fit, data)` takes other columns.", c("data", "x", "points", "object"), at = "plot.kgroups_fit"),
  name_row("Use `k`.", c("no", "noofcommunities", "numcommunities", "spins"), "k", c("cluster_communities", "cluster_kgroups")),
  name_row("There are no walks and no steps to set; `k` is the number of communities.", c("steps", "step", "walks"), "k", c("cluster_communities", "cluster_kgroups")),
  name_row("Use `init` of `kgroups()`, a label for each vertex.", c("initialmembership", "initial", "start"), at = c("cluster_communities", "cluster_kgroups")),
  name_row("The objective is the modularity, with `gram`; `cluster_communities()` has others.", c("objectivefunction", "objective"), at = "cluster_kgroups"),
  name_row("Use `threads`, or `future::plan(\"multisession\", workers = 2)`.", c("workers", "ncpus"), "threads"),
  name_row("Use `threads`, or a plan of package future.", c("cl", "cluster"), c("threads", "ks")),
  name_row("Use `alpha`.", c("level", "siglvl", "siglevel", "pvalue"), "alpha", "kgroups_changes"),
  name_row("The number of runs is `ks`, one more than that of changes.", c("breaks", "nbreaks", "ncpts", "numchanges", "maxchanges"), "ks"),
  name_row("Use `least`, a number of rows.", "h", "least"),
  name_row("Use `by`, the new number of each cluster; to begin with cluster 3, then 1, it is `by = order(c(3, 1, 2))`.", "order", c("fit", "by")),
  name_row("For pairs use `strata`, the number of the pair for each observation, as `strata = rep(1:20, 2)`.", c("paired", "pairs", "block", "blocks", "id"), "strata"),
  name_row("Take the rows before, as `data = subset(data, a > 0)`.", "subset", "data", test_pages),
  name_row("The number of communities is `k`; `cluster_communities()` finds it.", c(
    "resolution", "gamma", "resolutionparameter"
  ), at = c("cluster_kgroups", "cluster_bethe_hessian")),
  name_row("Rows that must share a cluster go in `together`; labels to start from in `init`.", c("groups", "group", "grouping", "links", "link", "blocks"), "together"),
  name_row("A graph of neighbours is no argument; `rho_connected()` finds connected clusters.", c(
    "neighbours", "neighbors", "contiguity", "listw", "nb", "connectivity"
  ), "together"),
  name_row("Use `sizes = \"equal\"`.", c("equal", "equalsizes"), "sizes"),
  name_row("Samples of rows are drawn by `approx = nystroem(m)`.", c("samples", "sampsize", "batchsize"), "approx"),
  name_row("For a second sample use `list(x, y)` as `x`, for labels `g`.", "y", "g", test_pages),
  name_row("Use `g`, the labels of the rows; sizes c(10, 20) are `g = rep(1:2, c(10, 20))`.", group_words, "g"),
  name_row("Use `cluster`, the labels of the rows.", c(group_words, "g", "k"), "cluster", "energy_statistics"),
  name_row("The result has the p-value: compare it with a level yourself.", c("alpha", "level", "conflevel", "siglevel"), at = test_pages),
  name_row("Use `statistic`.", c("method", "type", "stat"), "statistic"),
  name_row("Use `R`, the number of permutations.", c("nperm", "permutations", "nresample", "nsim", "perm", "b", "nboot", "replicates"), "R"),
  name_row("Use `sigma`; gamma is 1/(2 sigma^2) of `rho_gaussian()`.", c("gamma", "g"), "sigma"),
  name_row("Use `sigma`, the bandwidth.", c("bandwidth", "bw", "h", "scale", "width", "s", "sd", "lengthscale"), "sigma"),
  name_row("Use `neighbours`, their number.", c("k", "knn", "nn", "minpts", "neighbors", "nneighbors", "minsamples"), "neighbours"),
  name_row("There is no radius: `strength` weighs the gaps between clusters.", c("eps", "radius", "threshold"), "neighbours"),
  name_row("Use `p`, the exponent of \"minkowski\", or `alpha`, a power of the metric.", c("power", "exponent", "q"), c("metric", "p")),
  name_row("Use `metric`.", c("method", "name", "distance", "type", "semimetric"), c("metric", "p")),
  name_row("Use `alpha`, the power.", c("p", "power", "exponent", "beta", "a"), "alpha", "semimetrics"),
  name_row("Use `m`, the number of landmarks.", c("k", "n", "size", "ncomponents", "components", "rank", "ncomp", "nlandmarks"), "m", "nystroem"),
  name_row("Mark the kernel values that you computed; `rho_gaussian()` needs none.", c("kernel", "sigma", "gamma", "kpar"), at = "as_gram"),
  name_row("Use `method`.", c("type", "index", "measure", "metric", "criterion"), c("truth", "method")),
  name_row("Use `print(described, n = 2)` for fewer variables a cluster.", c("n", "top", "numvar", "nvar"), at = "describe_clusters"),
  name_row("Use `by`.", c("method", "reference", "labels", "sort"), c("fit", "by")),
  name_row("Cut the tree by `predict(tree, k)` or `cutree(tree, k)`.", c("k", "h", "nclusters", "centers"), at = "kgroups_tree"),
  name_row("The ends stand in a row; `plot(as.hclust(tree), hang = -1)` is the plot of base R.", "hang", at = "results"),
  name_row("Use `ggplot2::autoplot(fit) + ggplot2::theme(legend.position = \"none\")`.", "legend", at = c("plot.kgroups_fit", "results")),
  name_row("Groups merge by their energy distance; `hclust(dist(x))` has other linkages.", c("method", "linkage"), at = "kgroups_tree"),
  name_row("Use `ks`, numbers of runs: one more than changes.", c(
    "k", "nbkps", "ncp", "q", "changes", "breaks", "nchanges", "maxchanges", "maxcp", "ncpmax", "cpts"
  ), "ks", "kgroups_changes"),
  name_row("Use `least`, the rows of a run.", c("minsize", "minseglen", "minlength", "minsegment", "h", "delta"), "least", "kgroups_changes"),
  name_row("Use `alpha`, the level of each test.", c("level", "siglevel", "siglvl", "conflevel", "pvalue"), "alpha", "kgroups_changes"),
  name_row("The tests have no direction: any difference of distributions counts.", c("alternative", "tail", "onesided"), at = test_pages[1:3]),
  name_row("All permutations are used if there are no more than `R`.", "exact", "R"),
  name_row("Distances are those to the spatial median of the group; there is no choice.", c("type", "center", "method"), at = "dispersion_test"),
  name_row("The dip test is the only one: leave it out.", c("method", "type", "test", "statistic"), at = "cluster_test"),
  name_row("No test compares one sample with a value: give two samples, as `energy_test(list(x, y))`.", c("mu", "null", "h0", "theta"), at = test_pages[1:3]),
  name_row("It is 2E|x - y| - E|x - x'| - E|y - y'|; `sqrt = TRUE` gives its root.", c("squared", "square", "root"), "sqrt"),
  name_row("Use `B`, the number of bootstrap samples.", c("nboot", "bootstrap", "nsim", "times", "replicates", "nrep", "nsamples", "runs", "r"), "B"),
  name_row("Write the labels: `writeLines(as.character(fit$cluster), file)`.", c("file", "output", "outfile", "filename"), at = "kgroups"),
  name_row("A tree assigns the rows that it was made from, `predict(tree, k)`; for new rows use `predict(kgroups(x, k, init = tree), newdata)`.", c(
    "newdata", "data", "newx"
  ), c("object", "k"), "kgroups_tree"),
  name_row("It takes no formula: pass the column, `data$a`, or use `kgroups(~ a, k, data = data)`.", c("data", "formula"), at = "kgroups_1d"),
  name_row("Use `type`.", c("which", "what", "whichplots"), "type", c("plot.kgroups_fit", "results")),
  name_row("Sizes and shapes of clusters are not restricted; `sizes = c(least, largest)` limits the numbers of observations.", c(
    "restrfact", "restr", "restrictionfactor"
  ), "sizes"),
  name_row("Numbers of clusters are compared by `select_k()`.", c("k", "ks", "kmax"), at = "cluster_test"),
  name_row("A fit holds its data: leave them out.", c("data", "x", "points", "object"), at = "stability"),
  name_row("It takes no formula: pass the columns, as `subset(data, select = c(a, b))`.", c("data", "formula"), at = c(
    "energy_statistics", "semimetric_matrix", "select_k", "select_semimetric", "kgroups_tree", "kgroups_changes", "cluster_test"
  )),
  name_row("Use `col`, one colour or one for each cluster.", c("colour", "color", "colours", "colors", "cols", "fill", "palette"), "pch"),
  name_row("Use `pch`, one sign or one for each cluster.", c("shape", "shapes", "symbol", "symbols"), "pch"),
  name_row("Use `cex`, the size of the points.", c("size", "pointsize"), "pch"),
  name_row("Use `main`.", "title", "pch"),
  name_row("Add `ggplot2::labs()`, scales, limits or a theme to the plot.", c(
    "main", "title", "sub", "subtitle", "xlab", "ylab", "xlim", "ylim", "col", "colour", "color", "colours", "colors", "palette", "pch",
    "shape", "cex", "size", "theme"
  ), "object", c("plot.kgroups_fit", "results")),
  name_row("Use `outline`: \"ellipse\", \"hull\" or \"none\".", c("ellipse", "ellipses", "hull", "hulls", "frame", "frametype"), "outline"),
  name_row("Use `newdata`.", c("newx", "newdata", "testdata", "data", "x", "xnew"), "newdata"),
  # of most functions
  name_row("Use `k`.", c(
    "centers", "centres", "nclusters", "nclust", "ncluster", "numclusters", "ncl", "clusters", "kclusters", "nc", "ngroups", "g", "ncomponents"
  ), "k"),
  name_row("Use `ks`, the numbers of clusters to compare.", c(
    "kmax", "maxk", "krange", "kmin", "k", "kvalues", "centers", "nc", "maxnc", "minnc", "nclusters", "g"
  ), "ks"),
  name_row("Use `ks = 2:10` of `select_k()`.", c("kmax", "maxk", "krange", "ks", "kmin", "maxnc", "minnc")),
  name_row("Use `criterion`.", c("index", "indices", "criteria", "crit", "method", "measure", "score"), "criterion"),
  name_row("Use `criterion` of `select_k()`.", c("criterion", "index", "indices", "criteria", "crit")),
  name_row("Use `method`.", "algorithm", "method"),
  name_row("Use `semimetric = rho_power(alpha)`, or `trim` for a share of noise.", "alpha", c("semimetric", "trim")),
  name_row("Use `semimetric`, as rho_gaussian() or rho_metric(\"manhattan\"); pass other distances as a `dist`.", c(
    "metric", "distance", "dist", "dissimilarity", "distfun", "method.dist", "similarity", "rho", "semimetrics"
  ), "semimetric"),
  name_row("Use `semimetric = rho_gaussian()`, or pass a kernel matrix by `as_gram()`.", c("kernel", "kpar", "sigma", "gamma", "affinity"), "semimetric"),
  name_row("Use `semimetric = rho_power(alpha)`.", c("alpha", "exponent", "power", "p"), "semimetric"),
  name_row("Use `init`, with one label for each row.", c("cluster", "labels", "label", "classes", "medoids", "centroids"), "init"),
  name_row("Use `init`.", c("start", "initial", "startvalues", "initialization", "initmethod"), "init"),
  name_row("Use `sizes = c(least, largest)`, or \"equal\".", c(
    "minsize", "maxsize", "size", "balanced", "minclustersize", "equalsize", "sizemin", "sizemax", "minclusize"
  ), "sizes"),
  name_row("Use `together` for pairs that must share a cluster, `apart` for pairs that must not.", c(
    "mustlink", "cannotlink", "constraints", "ml", "cl", "pairs"
  ), "together"),
  name_row("Use `together` and `apart` of `kgroups()`, which `select_k()` passes on.", c("mustlink", "cannotlink", "constraints", "ml", "cl")),
  name_row("Neighbourhoods of density have no counterpart; for connected clusters see `rho_connected()`.", c("eps", "minpts", "minsamples"), "semimetric"),
  name_row("Use `predict(fit, type = \"prob\")` for memberships.", c("fuzzy", "fuzzifier", "membexp", "m", "probability")),
  name_row("Use `effort` for a longer search; there is no penalty.", c("lambda", "penalty"), "effort"),
  name_row("Call `set.seed()` before.", c("seed", "randomstate", "rngseed")),
  name_row("Use `standardize`.", c("standardise", "stand", "std", "standard", "zscore"), "standardize"),
  name_row("Use `standardize = TRUE`.", c("scale", "scaled", "center", "normalize", "normalise", "scaledata"), "standardize"),
  name_row("Use `missing = \"impute\"` or `missing = \"fail\"`.", c("na", "narm", "naaction", "usena", "nas"), "missing"),
  name_row("Select the columns of the data, `subset(x, select = 1:2)`; `column_weights` weighs them.", c("columns", "cols", "vars", "variables", "select"), "column_weights"),
  name_row("Use `column_weights`, as c(sex = 0.3).", c("featureweights", "variableweights", "colweights", "varweights"), "column_weights"),
  name_row("Use `weights`.", c("w", "weight", "wt", "wts", "sampleweight", "caseweights", "freq"), "weights"),
  name_row("Pass distances as a `dist`, as `as.dist(D)` of a matrix D.", c("diss", "isdist", "precomputed"), "semimetric"),
  name_row("There are no models of the covariance; `standardize = \"within\"` learns a metric.", c("modelnames", "modelname", "covariancetype"), "standardize"),
  name_row("There is no tolerance; `effort` and `iter.max` set the length of a search.", c("tol", "tolerance"), "iter.max"),
  name_row("Use `weights`.", "members", "weights"),
  name_row("Use `type`.", c("what", "output", "method"), c("newdata", "type")),
  name_row("Use `threads`.", c("nthreads", "cores", "ncores", "njobs", "numthreads", "mccores", "parallel"), "threads"),
  name_row("Use `nstart`.", c("ninit", "nstarts", "restarts", "nrep", "repeats", "runs", "numinit"), "nstart"),
  name_row("Use `iter.max`.", c("maxiter", "itermax", "maxit", "iter", "niter", "maxiterations"), "iter.max"),
  name_row("Use `approx = nystroem(m)`.", c("nystroem", "nystrom", "landmarks", "approximate"), "approx"),
  name_row("Use `keep.data`.", c("returndata", "keep"), "keep.data"),
  name_row("Use `trim`, the share of noise, or `trim = \"auto\"`.", c("noise", "outliers", "contamination"), "trim"),
  name_row("`data` goes with a formula, `kgroups(~ a + b, k, data = d)`; without one the data are `x`.", "data", at = "kgroups"),
  name_row("Use `x`, the first argument.", c("x", "df", "dat", "mat", "xdata", "datamatrix"), "x"),
  name_row("Take the rows first: `x[rows, ]`.", c("subset", "rows"), at = "kgroups"),
  name_row("Its settings are arguments: `effort`, `nstart`, `iter.max`.", c("control", "controls", "options", "params"), c("effort", "nstart")),
  name_row("Results have a method of `plot()`.", c("plot", "doplot", "plotit", "graph")),
  name_row("Progress is shown by `options(kgroups.progress = TRUE)`.", c("verbose", "trace", "quiet", "progress"))
)

# Return a hint for an argument that a function does not take, or NULL; `known`: those that it takes.
argument_hint <- function(name, topic, known) {
  name <- as_utf8(name)
  if (name == "K" && "k" %in% known) {
    return("Use `k`.")
  }
  plain <- gsub("[._]", "", lower_ascii(shorten(name, 80L)))
  for (row in other_names) {
    here <- (is.null(row$at) || topic %in% row$at) && all(row$takes %in% known)
    if (here && plain %in% gsub("[._]", "", row$names)) {
      return(row$hint)
    }
  }
  near <- nearest_name(name, known)
  if (length(near)) {
    sprintf("Did you mean `%s`?", near)
  } else if (name %in% c("semimetric", "approx", "threads", "size_term", "weights", "init", "nstart", "iter.max", "keep.data")) {
    "It is an argument for other kinds of input."
  }
}

# Values that users of other packages try, by argument.
range_hint <- "Scale the columns before: `apply(x, 2, function(v) (v - min(v)) / (max(v) - min(v)))`."
robust_hint <- "Scale the columns before: `apply(x, 2, function(v) (v - median(v)) / mad(v))`."
likelihood_hint <- "W has no likelihood: use \"gap\" or \"stability\"; for graphs \"description_length\"."
criterion_hint <- "`method` is that of the local search; criteria are `criterion` of `select_k()`, as \"silhouette\"."
linkage_hint <- "For a hierarchy see `kgroups_tree()`."
values_use <- function(value, names) stats::setNames(rep(sprintf("Use \"%s\".", value), length(names)), names)
values_with <- function(text, names) stats::setNames(rep(text, length(names)), names)

other_values <- list(
  missing = values_with("To drop such rows use na.omit() first.", c("omit", "na.omit", "drop")),
  criterion = c(
    values_with(likelihood_hint, c("bic", "aic", "icl", "loglik")),
    values_use("pseudo_f", c("ch", "calinski", "calinhara", "calinski_harabasz", "calinski-harabasz", "vrc", "f")),
    values_use("elbow", c("wss", "withinss", "inertia", "sse", "knee")), values_use("gap", c("gap_stat", "gapstat", "clusgap")),
    values_use("silhouette", c("sil", "asw", "average_silhouette", "dunn", "db", "davies_bouldin")),
    values_use("stability", c("prediction_strength", "prediction.strength", "clusterboot", "jaccard")),
    values_use("eigengap", "spectral"),
    all = "Name several, as c(\"gap\", \"silhouette\")."
  ),
  method = c(
    values_with(criterion_hint, c("silhouette", "gap", "gap_stat", "elbow", "wss", "stability")),
    values_use("lloyd", c("macqueen", "forgy", "kmeans", "k-means", "kernel_kmeans")),
    values_use("hartigan", c("hartigan-wong", "pam", "kgroups")),
    values_with(linkage_hint, c("ward", "ward.d", "ward.d2", "average", "complete", "single", "hclust")),
    values_use("adjusted_rand", c("ari", "rand", "adjusted.rand", "adjustedrand", "adjusted_rand_index", "hubert-arabie")),
    values_use("nmi", c("normalized_mutual_information", "normalised_mutual_information")),
    values_with("It has none; \"nmi\" is mutual information over the mean of both entropies.", c("mi", "ami", "mutual_information")),
    values_with("It has none; `igraph::compare(a, b, \"vi\")` takes labels that are whole numbers.", c("vi", "variation_of_information")),
    values_with("\"accuracy\" is the share of a matching one to one; purity matches each cluster by itself.", c("purity", "f", "f1")),
    values_with("\"adjusted_rand\" compares pairs; `stability(fit)` has Jaccard coefficients of clusters.", "jaccard"),
    values_with("Use `table(a, b)` of both vectors of labels.", c("table", "confusion", "crosstab", "contingency"))
  ),
  standardize = c(
    values_with(range_hint, c("range", "minmax", "min-max", "max", "unit", "01")), values_with(robust_hint, c("mad", "robust", "median")),
    values_with("Use `standardize = TRUE`.", c("zscore", "z", "z-score", "sd", "scale", "standard", "standardize", "center", "unit.variance"))
  ),
  type = c(
    values_use("prob", c("probability", "probabilities", "probs", "posterior", "membership", "soft", "proba")),
    values_use("class", c("response", "raw", "label", "labels", "classes", "hard", "vector")),
    values_use("distance", c("dist", "distances", "d")),
    values_with("`type` names the figure; lines and points of this one are fixed.", c("b", "l", "p", "o", "h", "s", "n")),
    values_with("The means lie in the feature space: `tidy(fit)` has means of columns.", c("centers", "means"))
  ),
  init = c(
    values_use("kmeans++", c("k-means++", "kmeanspp", "plusplus", "++")), values_use("random", c("forgy", "rand")),
    values_with("Pass the labels: `init = cutree(hclust(dist(x)), k)`.", c("hclust", "pam", "kmeans"))
  )
)

# Return the hint for a value of an argument, or NULL; not for a value that is none of the choices.
value_hint <- function(arg, value, choices = NULL) {
  hints <- other_values[[arg]]
  for (hint in hints[names(hints) == lower_ascii(shorten(value, 80L))]) {
    named <- sub("^(Use )?\"([a-z_+]*)\".*", "\\2", hint)
    if (named == hint || is.null(choices) || named %in% choices) {
      return(hint)
    }
  }
}

# Objects of other packages in the place of the data, by class, with what to pass; objects of the package itself.
other_objects <- c(
  recipe = "Use its columns: `recipes::bake(recipes::prep(x), new_data = NULL)`.",
  workflow = "Pass the data frame itself.",
  prcomp = "Use its scores: `x$x[, 1:2]`.",
  princomp = "Use its scores: `x$scores[, 1:2]`.",
  PCA = "Use its coordinates: `x$ind$coord`.",
  hclust = "`cutree(x, k)` cuts the tree, and `cophenetic(x)` has its distances.",
  dendrogram = "`cophenetic(x)` has its distances.",
  kmeans = "The data come first; a partition is `init`.",
  pam = "The data come first; a partition is `init`.",
  Mclust = "The data come first; a partition is `init`.",
  kgroups_fit = "The data come first; a fit is `init`, `cluster` or `fit` of other functions.",
  kgroups_semimetric = "The data come first, and the semimetric has its name: `semimetric = rho_power(1)`.",
  kgroups_blocks = "`kgroups()` alone takes blocks; other functions take the rows of one, or a sample of the rows.",
  kgroups_select_k = "The data come first: `kgroups(data, x)`.",
  phylo = "Pass its distances: `as.dist(cophenetic(x))`.",
  NN = "Neighbours are no distances: pass the data, with `semimetric = rho_connected()` for connected clusters.",
  matrix.csr = "Use `SparseM::as.matrix(x)`.",
  transactions = "Use `methods::as(x, \"matrix\") + 0` with `semimetric = \"jaccard\"`.",
  dfm = "Use `methods::as(x, \"CsparseMatrix\")`."
)

# Those that no function takes as its data.
never_data <- setdiff(names(other_objects), c("hclust", "kmeans", "pam", "Mclust", "kgroups_fit", "kgroups_blocks"))

is_metric_name <- function(x) is_string(x) && lower_ascii(x) %in% c(metric_names, names(metric_aliases), names(semimetric_nicknames))

# Return a hint for an object that is no data, or NULL.
object_hint <- function(x) {
  known <- intersect(class(x), names(other_objects))
  if (length(known)) {
    return(other_objects[[known[1L]]])
  }
  if (is_metric_name(x)) {
    return(sprintf("The data come first, and the semimetric has its name: `semimetric = \"%s\"`.", x))
  }
  if (is.complex(x)) {
    return("`cbind(Re(x), Im(x))` has both parts as numbers.")
  }
  if (is.raw(x)) {
    return("If its bytes are numbers pass `matrix(as.integer(x), NROW(x))`.")
  }
  if (is_string(x) && grepl("[./\\\\]", x)) {
    return("Read the file first, as by `read.csv()`; `row_blocks()` reads a large one in blocks.")
  }
  if (is.array(x) && length(dim(x)) > 2L) {
    return("`matrix(x, nrow(x))` has one observation a row.")
  }
  if (!is.list(x) || is.object(x) || length(x) == 0L) {
    return(NULL)
  }
  if (!is.null(hint <- table_in_list(x))) {
    return(hint)
  }
  vector <- vapply(x, function(one) is.atomic(one) && is.null(dim(one)), NA)
  equal <- length(unique(lengths(x))) == 1L
  if (all(vector) && equal && !is.null(names(x))) {
    "Use `as.data.frame(x)` if its elements are columns, `do.call(rbind, x)` if they are rows."
  } else if (all(vapply(x, is.numeric, NA)) && all(vector) && equal) {
    "Use `do.call(rbind, x)` if its elements are observations."
  } else if (all(vapply(x, is_string, NA))) {
    "For distances between texts pass `as.dist(adist(unlist(x)))`."
  } else if (all(vapply(x, is.character, NA))) {
    "For sets use `unclass(table(rep(seq_along(x), lengths(x)), unlist(x)))` with `semimetric = \"jaccard\"`."
  } else if (all(vapply(x, is.matrix, NA)) && length(unique(lapply(x, dim))) == 1L) {
    "Use `do.call(rbind, lapply(x, as.vector))` if its elements are observations."
  } else if (all(vapply(x, is.list, NA)) && equal) {
    "Use `do.call(rbind, lapply(x, as.data.frame))` if its elements are observations."
  }
}

# Return a hint for a list with one table among other values, as of cov.wt(), or NULL.
table_in_list <- function(x) {
  at <- which(vapply(x, function(one) is.data.frame(one) || is.matrix(one) && is.numeric(one), NA))
  if (length(at) != 1L || length(x) < 2L || is.null(names(x)) || !nzchar(names(x)[at])) {
    return(NULL)
  }
  table <- sprintf("x[[%s]]", encodeString(names(x)[at], quote = "\""))
  if (is.matrix(x[[at]]) && nrow(x[[at]]) > 1L && isSymmetric(x[[at]]) && names(x)[at] %in% c("cov", "cor", "r")) {
    return(sprintf("It holds no observations. To cluster the variables use `as.dist(1 - abs(cov2cor(%s)))`.", table))
  }
  sprintf("Pass its table, `%s`.", table)
}
