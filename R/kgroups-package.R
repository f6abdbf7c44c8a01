#' kgroups: Clustering by energy statistics in semimetric spaces
#'
#' Finds groups whose distributions differ as much as pairwise values can tell. The way in is
#' `kgroups(x, k)`, as easy as [stats::kmeans()], for data matrices, data frames, dissimilarities,
#' Gram matrices and graphs, with observation weights.
#'
#' @section What do you want to do?:
#' | | |
#' |---|---|
#' | cluster a table, distances or a kernel matrix | [kgroups()]; its [arguments][kgroups-arguments], its [result][kgroups-fit], [how it searches][kgroups-search] |
#' | cluster by Lloyd's method | [kernel_kmeans()] |
#' | cluster columns of several kinds, or with missing cells | [kgroups()]; [as_points()] says what they become |
#' | find long, bent or nested clusters | [rho_connected()] |
#' | cluster one variable, exactly | [kgroups_1d()] |
#' | cluster more rows than a pass over all pairs allows | [nystroem()]; from files or blocks [chunks()], [chunks_csv()], [chunks_rds()], [chunks_dbi()] |
#' | find the communities of a graph, and how many | [cluster_communities()], [count_communities()] |
#' | find communities by one method | [cluster_kgroups()], [cluster_bethe_hessian()], [cluster_belief_propagation()] |
#' | look into graphs | [bethe_hessian()], [community_spectrum()], [sample_sparse_sbm()] |
#' | choose the number of clusters | [select_k()] |
#' | choose how far apart two observations are | [rho_power()], [rho_gaussian()], [rho_exponential()], [rho_localized()], [rho_sine()], one of your own by [rho_function()] |
#' | let the data choose it | [select_semimetric()] |
#' | see or mend pair values | [semimetric_matrix()], [gram_matrix()], [as_gram()], [is_negative_type()], [negative_type_margins()], [make_negative_type()] |
#' | read a fit | [summary()][summary.kgroups_fit], [tidy()][tidy.kgroups_fit], [glance()][tidy.kgroups_fit], [augment()][tidy.kgroups_fit], [silhouettes][silhouette.kgroups_fit] |
#' | know what the clusters are made of | [describe_clusters()] |
#' | look at it | [plot()][plot.kgroups_fit], [autoplot()][autoplot.kgroups_fit] |
#' | know how sure it is | [summary()][summary.kgroups_fit] of the optimum, [stability()] of the clusters |
#' | place new observations | [predict()][predict.kgroups_fit] |
#' | compare with known labels | [compare_clusters()] |
#' | test whether samples differ | [energy_test()], [energy_distance()], [energy_statistics()] |
#' | hand a fit to clue, fpc or igraph | [clue-methods], [kgroupsCBI()], [as_communities()] |
#' | know what an error or warning about your data means | [input-traps], [Errors][kgroups-arguments] |
#' | try the package on real data | [kgroups_example()] |
#'
#' Pages to read: `vignette("kgroups")` to begin with, `vignette("from-kmeans")` if you know [stats::kmeans()],
#' `vignette("when-not")` for the cases that other methods win, and `browseVignettes("kgroups")` for all.
#'
#' @section What is computed:
#' Let \eqn{\rho}{rho} be a semimetric of negative type, for example Euclidean distance raised to
#' a power \eqn{\alpha}{alpha} in \eqn{(0, 2]}{(0, 2]}, and \eqn{w}{w} the weights of the
#' observations. A partition into \eqn{C_1, \dots, C_k}{C_1, ..., C_k} has the within dispersion
#' \deqn{W = \sum_j \frac{s_j}{2} g(C_j, C_j),}{W = sum_j s_j/2 g(C_j, C_j),}
#' where \eqn{s_j}{s_j} is the weight of \eqn{C_j}{C_j} and \eqn{g}{g} the weighted mean of
#' \eqn{\rho}{rho} over pairs. The package looks for the partition with the smallest
#' \eqn{W}{W}, which is the one with the largest energy statistic between the groups. With
#' \eqn{\alpha = 2}{alpha = 2} that is the objective of k-means.
#'
#' @section How:
#' A semimetric of negative type is a squared distance in a feature space, so that
#' \eqn{W}{W} is the objective of kernel k-means there. It is lowered one observation at a time
#' (Hartigan's method, `method = "hartigan"`), which stops at no partition that a single move
#' improves, or by reassigning all observations to the nearest mean (Lloyd's method,
#' `method = "lloyd"`).
#'
#' @section Options:
#' * `kgroups.threads`: the default of `threads` in [kgroups()]; 1 if it is not set.
#' * `kgroups.simd`: which instructions compute pair values, `"auto"` (default), `"avx512"`, `"avx2"` or
#'   `"base"`, plain C.
#' * `kgroups.memory`: bytes that a call may use before it is refused, `Inf` for any number; by default what the system
#'   says is free.
#' * `kgroups.progress`: show the progress of long work? `TRUE` by default in interactive sessions.
#'
#' @references
#' Franca G, Rizzo ML, Vogelstein JT (2020). "Kernel k-Groups via Hartigan's
#' Method." *IEEE Transactions on Pattern Analysis and Machine Intelligence*,
#' 43(12), 4411-4425. \doi{10.1109/TPAMI.2020.2998120}
#'
#' Szekely GJ, Rizzo ML (2013). "Energy statistics: a class of statistics based on distances."
#' *Journal of Statistical Planning and Inference*, 143(8), 1249-1272.
#' \doi{10.1016/j.jspi.2013.03.018}
#'
#' @name kgroups-package
#' @aliases NULL
#' @aliases kgroups-package
#' @useDynLib kgroups, .registration = TRUE
#' @importFrom rlang %||%
#' @importFrom stats fitted nobs predict
"_PACKAGE"

# The routines go with the namespace, so that another build of the package may follow.
.onUnload <- function(libpath) {
  library.dynam.unload("kgroups", libpath)
}
