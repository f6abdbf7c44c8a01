#' kgroups: Clustering tables, distances and graphs by energy statistics
#'
#' Clusters matrices, data frames, dissimilarities, kernel matrices and graphs, with observation weights, by a call like
#' [stats::kmeans()]: `kgroups(x, k)`.
#'
#' @section Functions by task:
#' | | |
#' |---|---|
#' | cluster a table, distances or a kernel matrix | [kgroups()]; its [result][kgroups-fit], [the search][kgroups-search] |
#' | let units and correlations of columns not matter | [kgroups()] with `standardize = "within"`, see [kgroups-metric] |
#' | limit the sizes of clusters; keep rows together or apart | [kgroups()] with `sizes`, `together`, `apart` |
#' | cluster by Lloyd's method | [kernel_kmeans()] |
#' | cluster columns of several types, or with missing cells | [kgroups()]; [as_points()] describes the coding |
#' | find elongated, curved or nested clusters | [rho_connected()] |
#' | clusters of unequal shapes and sizes, with probabilities | [kgroups_mixture()] |
#' | cluster more rows than a pass over all pairs allows | [nystroem()]; from files or blocks [row_blocks()] |
#' | find the communities of a graph, and their number | [cluster_communities()], [count_communities()] |
#' | find communities by one method | [cluster_kgroups()], [cluster_bethe_hessian()], [cluster_belief_propagation()] |
#' | compute the Bethe Hessian of a graph | [bethe_hessian()] |
#' | build a tree of clusters (dendrogram) | [kgroups_tree()] |
#' | find change points of a sequence | [kgroups_changes()] |
#' | choose the number of clusters (elbow, gap, silhouette) | [select_k()] |
#' | choose the dissimilarity | [rho_power()], [rho_gaussian()], [rho_exponential()], a metric by name: [rho_metric()], your own by [rho_function()], any other as a `dist` |
#' | compare dissimilarities on the data | [select_semimetric()] |
#' | compute or repair dissimilarity and kernel matrices | [semimetric_matrix()], [as_gram()], [is_negative_type()], [make_negative_type()] |
#' | read a fit | [summary()][summary.kgroups_fit], [tidy()][tidy.kgroups_fit], [glance()][tidy.kgroups_fit], [augment()][tidy.kgroups_fit], [silhouettes][silhouette.kgroups_fit] |
#' | describe the clusters by variables | [describe_clusters()] |
#' | plot a fit | [plot()][plot.kgroups_fit], [autoplot()][plot.kgroups_fit] |
#' | figures and tables of all results | [as_figure()] |
#' | assess a fit | [summary()][summary.kgroups_fit] for the optimum, [stability()] for the clusters |
#' | renumber clusters | [relabel()] |
#' | probabilities of clusters | [predict()][predict.kgroups_fit] with `type = "prob"` |
#' | treat outliers as noise | [kgroups()] with `trim` |
#' | assign new observations | [predict()][predict.kgroups_fit] |
#' | compare with known labels | [compare_clusters()] |
#' | test whether samples differ | [energy_test()], [pairwise_energy_test()], [dispersion_test()], [energy_distance()], [energy_statistics()] |
#' | test whether there are clusters | [cluster_test()] |
#' | use a fit in clue or igraph | [clue-methods], [cluster_kgroups()] |
#' | understand an error or warning about your data | [input-checks], [kgroups-conditions] |
#'
#' The files of `system.file("extdata", package = "kgroups")` are the dermatology data of UCI and Zachary's karate
#' club, with their sources.
#'
#' Vignettes: `vignette("kgroups")` takes one data set from the question to the report, `vignette("other-packages")` is
#' for users of [stats::kmeans()], \pkg{energy} and \pkg{kernlab}, `vignette("reproduction")` repeats results of the
#' paper. `browseVignettes("kgroups")` lists all.
#'
#' @section Method:
#' The within dispersion W, the weighted mean of the semimetric within clusters, is minimised, which maximises the
#' energy statistic between clusters; [kgroups()] defines both.
#'
#' @section Options:
#' * `kgroups.threads`: the default of `threads` in [kgroups()]; 1 if it is not set.
#' * `kgroups.simd`: the instruction set for pairwise dissimilarities, `"auto"` (default), `"avx512"`, `"avx2"` or
#'   `"base"`, plain C.
#' * `kgroups.memory`: a call that needs more than this number of bytes is an error, `Inf` for no limit. The default is
#'   the free memory that the system reports.
#' * `kgroups.progress`: show the progress of long work? `TRUE` by default in interactive sessions.
#'
#' @references
#' França G, Rizzo ML, Vogelstein JT (2021). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#'
#' Székely GJ, Rizzo ML (2013). "Energy statistics: a class of statistics based on distances."
#' *Journal of Statistical Planning and Inference*, 143(8), 1249-1272.
#' \doi{10.1016/j.jspi.2013.03.018}
#'
#' @concept elbow
#' @concept dendrogram
#' @concept fuzzy
#' @concept probability
#' @name kgroups-package
#' @aliases NULL
#' @aliases kgroups-package
#' @useDynLib kgroups, .registration = TRUE
#' @importFrom rlang %||%
#' @importFrom stats as.hclust fitted nobs predict
"_PACKAGE"

.onLoad <- function(libname, pkgname) semimetric_families <<- .Call(ffi_semimetrics)

# Unload the compiled code with the namespace, so that another build can be loaded.
.onUnload <- function(libpath) {
  library.dynam.unload("kgroups", libpath)
}
