# Public data sets with known groups: vignettes/public.csv, which vignette("when-not") shows.
#   Rscript bench/public.R        packages mclust, mlbench, dbscan; their rows are skipped if one is absent
# Every method gets standardised columns and the right number of groups; HDBSCAN gets the least size of a cluster, n / 20.

library(kgroups)
has <- function(package) requireNamespace(package, quietly = TRUE)
from <- function(name, package) {
  envir <- new.env()
  utils::data(list = name, package = package, envir = envir)
  envir[[name]]
}
sets <- list(
  list("iris", "datasets", iris[1:4], iris$Species),
  local({
    crabs <- from("crabs", "MASS")
    list("crabs", "MASS", crabs[4:8], paste(crabs$sp, crabs$sex))
  }),
  local({
    x <- read.csv(kgroups_example("dermatology.csv"))
    x$age[is.na(x$age)] <- mean(x$age, na.rm = TRUE)
    list("dermatology", "kgroups", x[names(x) != "class"], x$class)
  })
)
if (has("mclust")) {
  for (name in c("banknote", "thyroid", "diabetes")) {
    x <- from(name, "mclust")
    label <- if (name == "diabetes") "class" else names(x)[1L]
    sets <- c(sets, list(list(name, "mclust", x[names(x) != label], x[[label]])))
  }
}
if (has("mlbench")) {
  labels <- c(Glass = "Type", Vehicle = "Class", Ionosphere = "Class", Sonar = "Class")
  for (name in names(labels)) {
    x <- from(name, "mlbench")
    numbers <- vapply(x, function(column) is.numeric(column) && stats::sd(column) > 0, NA)
    sets <- c(sets, list(list(name, "mlbench", x[numbers], x[[labels[[name]]]])))
  }
}

methods <- list(
  kgroups = function(x, k) kgroups(x, k)$cluster,
  "k-means" = function(x, k) kmeans(x, k, nstart = 50, iter.max = 100)$cluster,
  PAM = function(x, k) cluster::pam(x, k)$clustering,
  mclust = if (has("mclust")) {
    function(x, k) {
      mclustBIC <- mclust::mclustBIC
      mclust::Mclust(x, k, verbose = FALSE)$classification
    }
  },
  HDBSCAN = if (has("dbscan")) function(x, k) dbscan::hdbscan(x, max(2, nrow(x) %/% 20))$cluster
)
methods <- Filter(Negate(is.null), methods)

rows <- do.call(rbind, lapply(sets, function(one) {
  x <- scale(one[[3L]])
  truth <- as.character(one[[4L]])
  k <- length(unique(truth))
  rand <- vapply(methods, function(method) {
    set.seed(1)
    found <- tryCatch(suppressWarnings(suppressMessages(method(x, k))), error = function(e) NULL)
    if (is.null(found)) NA_real_ else compare_clusters(truth, as.integer(found))
  }, 0)
  data.frame(set = one[[1L]], package = one[[2L]], n = nrow(x), d = ncol(x), k = k, as.list(round(rand, 3)), check.names = FALSE)
}))
print(rows)
write.csv(rows, "vignettes/public.csv", row.names = FALSE)
