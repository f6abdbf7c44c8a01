# Runs statements of README.md, the vignettes and the help pages that are cheap to verify; those that rest on benchmarks
# are counted from the files of results.
#   Rscript tools/claims.R        (4 minutes; ends with code 1 if one does not hold)
library(kgroups)
options(rlib_message_verbosity = "quiet", rlib_warning_verbosity = "quiet", warn = -1)
failed <- 0L
claim <- function(page, text, holds) {
  set.seed(1)
  value <- tryCatch(isTRUE(holds), error = function(e) conditionMessage(e))
  failed <<- failed + !isTRUE(value)
  cat(sprintf("%-8s %-18s %s\n", if (isTRUE(value)) "holds" else "FAILS", page, text))
  if (is.character(value)) cat("        ", value, "\n")
}
rand <- function(truth, fit, digits = 2) round(compare_clusters(truth, fit), digits)
within <- function(x, k, ...) kgroups(x, k, standardize = "within", ...)
cpu <- function(call) sum(system.time(call)[1:2])
flowers <- iris[1:4]
crabs <- MASS::crabs
utils::data("thyroid", package = "mclust")
penguins <- read.csv(system.file("extdata", "penguins.csv", package = "kgroups"))
birds <- penguins[stats::complete.cases(penguins[3:6]), ]
normals <- function(n, by) matrix(rnorm(4 * n), n) + by * (seq_len(n) <= n / 2) * rep(c(1, 0, 0, 0), each = n)

# ---- README.md ----
claim("fair.md", "iris: .92, k-means .73, PAM .73, Ward .73", {
  theirs <- list(kmeans(flowers, 3, nstart = 20)$cluster, cluster::pam(flowers, 3)$clustering,
                 cutree(hclust(dist(flowers), "ward.D2"), 3))
  scores <- vapply(c(list(within(flowers, 3)$cluster), theirs), function(one) rand(iris$Species, one), 0)
  all(scores == c(0.92, 0.73, 0.73, 0.73))
})
claim("README", "the two clusters of crabs are the species; four clusters: .78", {
  rand(paste(crabs$sp, crabs$sex), within(crabs[4:8], 4)) == 0.78 && rand(crabs$sp, within(crabs[4:8], 2)) == 1
})
claim("README", "53 tables: nothing significant of nine after Holm, least p .09; mixture ahead of k-means, PAM, Ward by 2 se", {
  fresh <- read.csv("bench/fair-fresh.csv", check.names = FALSE)
  others <- c("k-means scaled", "PAM", "Ward scaled", "mclust")
  ratio <- function(ours, theirs) vapply(theirs, function(one) {
    by <- fresh[[ours]] - fresh[[one]]
    mean(by) / (sd(by) / sqrt(length(by)))
  }, 0)
  all <- c(ratio("within", c("mixture", others)), ratio("mixture", others))
  shown <- c("within", "mixture", "k-means", "PAM", "Ward", others)
  length(all) == 9L && round(min(p.adjust(2 * pt(-abs(all), nrow(fresh) - 1), "holm")), 2) == 0.09 &&
    all(all[6:8] > 2) && all(all[2:5] < 2.05) &&
    abs(mean(do.call(pmax, c(fresh[shown], na.rm = TRUE)) < 0.1) - 0.25) < 0.02
})
claim("README", "15 older tables: no difference to the methods shown exceeds two standard errors", {
  new <- read.csv("bench/fair-new.csv", check.names = FALSE)
  all(vapply(c("k-means scaled", "PAM scaled", "Ward scaled", "mclust", "Genie"), function(one) {
    by <- new[c("within", "mixture")] - new[[one]]
    max(abs(colMeans(by)) / (vapply(by, sd, 0) / sqrt(nrow(by))))
  }, 0) < 2)
})
claim("README", "thyroid .61, mixture .85, mclust .88; breast cancer: within .39, scaled columns .57 to .67, mixture .71", {
  old <- read.csv("bench/fair-old.csv", check.names = FALSE)
  wdbc <- old[old$table == "wdbc", ]
  scaled <- range(wdbc[paste(c("k-means", "PAM", "Ward"), "scaled")])
  rand(thyroid$Diagnosis, within(thyroid[-1], 3)) == 0.61 &&
    all(abs(c(wdbc$within, unlist(scaled), wdbc$mixture) - c(0.39, 0.57, 0.67, 0.71)) < 0.0051) &&
    round(old$mixture[old$table == "thyroid"], 2) == 0.85
})
claim("graphs", "eight types of cells: the mixture and \"within\" find all, columns as given do not", {
  set.seed(4)
  type <- sample(8, 3000, replace = TRUE, prob = c(30, 20, 15, 12, 10, 6, 4, 3))
  deviation <- 6 / sqrt(1:50)
  centres <- 0.8 * matrix(rnorm(8 * 50), 8) * rep(deviation, each = 8)
  cells <- centres[type, ] + 0.6 * matrix(rnorm(3000 * 50), 3000) * rep(pmax(deviation, 1), each = 3000)
  rand(type, within(cells, 8)) == 1 && rand(type, kgroups_mixture(cells, 8)) == 1 && rand(type, kgroups(cells, 8)) == 0.81
})
claim("kgroups", "penguins: the rule gives three clusters for 11 of 12 seeds, four for one", {
  file <- system.file("extdata", "penguins.csv", package = "kgroups")
  measures <- stats::na.omit(read.csv(file)[3:6])
  k <- vapply(1:12, function(seed) {
    set.seed(seed)
    select_k(measures, 1:6, standardize = "within", splits = 2)$k
  }, 0)
  sum(k == 3) >= 9 && all(k %in% 3:4)
})
claim("README", "no linear map changes the clusters by \"within\"", {
  fit <- within(flowers, 3)
  all(replicate(10, rand(fit$cluster, within(as.matrix(flowers) %*% matrix(rnorm(16), 4), 3))) == 1)
})
claim("README", "means of 53, 15 and 34 tables: .27 and .23, .34 and .30, .58 and .50 (mclust)", {
  mean_of <- function(file) round(colMeans(read.csv(file, check.names = FALSE)[c("within", "mclust")], na.rm = TRUE), 2)
  found <- c(mean_of("bench/fair-fresh.csv"), mean_of("bench/fair-new.csv"), mean_of("bench/fair-old.csv"))
  all(found == c(0.27, 0.23, 0.34, 0.3, 0.58, 0.5))
})
claim("README", "fresh tables: the mixture is ahead by two standard errors, of mclust and \"within\" by less; \"within\" by at most two", {
  fresh <- read.csv("bench/fair-fresh.csv", check.names = FALSE)
  ratio <- function(method, other) {
    d <- fresh[[method]] - fresh[[other]]
    mean(d) / (sd(d) / sqrt(length(d)))
  }
  better <- c("k-means scaled", "PAM", "Ward scaled") # the better of both scalings by their means
  ahead <- vapply(c("within", better), function(other) ratio("mixture", other), 0)
  own <- vapply(c("mclust", better), function(other) ratio("within", other), 0)
  p <- 2 * pt(-c(ahead, mclust = ratio("mixture", "mclust")), nrow(fresh) - 1)
  medians <- vapply(c("within", "mclust", better), function(other) median(fresh$mixture - fresh[[other]]), 0)
  all(ahead[better] > 2, ahead[["within"]] < 2, own < 2.02, medians < 0.015) && ratio("mixture", "mclust") < 2 &&
    identical(names(which(p.adjust(p) < 0.05)), "Ward scaled")
})
claim("README", "each call of the table of calls", {
  calls <- expression(
    within(penguins[3:7], 3), kgroups(penguins[c(1:2, 7)], 3), kgroups_mixture(flowers, 3), kgroups(dist(flowers), 3),
    kgroups(as_gram(tcrossprod(as.matrix(flowers))), 3), kgroups(flowers, 2, semimetric = rho_connected()),
    cluster_communities(igraph::make_graph("Zachary")), kgroups(flowers, 3, approx = nystroem()),
    kgroups(flowers, 3, weights = 1:150), kgroups(flowers, 3, trim = "auto"), kgroups(flowers, 3, sizes = "equal"),
    kgroups(flowers, 3, together = cbind(1, 2), apart = cbind(1, 100)), select_k(flowers, 1:4, standardize = "within"),
    stability(kgroups(flowers, 3), B = 5), describe_clusters(kgroups(flowers, 3)),
    energy_test(flowers, iris$Species, R = 19), cluster_test(flowers), kgroups_changes(Nile),
    kgroups(ChickWeight["weight"], 2, units = ChickWeight$Chick)
  )
  all(lengths(lapply(calls, eval)) > 0)
})

# ---- vignettes ----
claim("kgroups", "penguins: three clusters are the species (.97), fits of halves agree with them to .99", {
  fit <- within(birds[3:6], 3)
  rand(birds$species, fit) == 0.97 && round(summary(fit)$halves, 2) == 0.99
})
claim("kgroups", "one unimodal cluster is rejected for penguins, not for noise", {
  noise <- replicate(5, cluster_test(matrix(rnorm(800), 200))$p.value)
  cluster_test(scale(birds[3:6]))$p.value < 0.001 && all(noise > 0.05)
})
claim("choosing", "power of cluster_test() is small for two normals 3 sd apart", {
  mean(replicate(20, cluster_test(normals(200, 3))$p.value) <= 0.05) < 0.3
})
claim("faq", "a long cloud: stable (.9), and one cluster is not rejected", {
  cloud <- cbind(rnorm(300, sd = 4), rnorm(300))
  min(as.data.frame(stability(kgroups(cloud, 2), B = 20))$jaccard) > 0.9 && cluster_test(cloud)$p.value > 0.05
})
claim("tables", "trim finds the twelve far rows", {
  x <- as.data.frame(scale(faithful))
  far <- data.frame(eruptions = rnorm(12, 6, 0.2), waiting = rnorm(12, -4, 0.2))
  all(kgroups(rbind(x, far), 2, trim = "auto")$noise[273:284])
})
claim("tables", "means of 24 settings of the simulation", {
  rows <- subset(read.csv("vignettes/tables.csv"), part == "simulated")
  mean_of <- tapply(rows$rand, rows$method, mean)
  length(unique(rows$setting)) == 24 && grepl("kgroups|k-groups", names(which.max(mean_of)))
})
claim("shapes", "the Nile changes in 1899, without `ks` too; kgroups() of a vector is exact", {
  x <- rnorm(200)
  kgroups_changes(Nile)$changes[["2"]] == 29 && kgroups(x, 4)$method == "exact"
})
claim("graphs", "a random graph is one community; Leiden finds more", {
  chance <- igraph::sample_gnm(500, 2500)
  leiden <- igraph::cluster_leiden(chance, "modularity", n_iterations = 20)
  length(cluster_communities(chance)) == 1 && length(leiden) > 5
})
claim("graphs", "k is returned", {
  karate <- igraph::make_graph("Zachary")
  all(vapply(2:6, function(k) length(cluster_communities(karate, k)), 0L) == 2:6)
})
claim("large", "landmarks: the exact W of the partition is nearer to that of the exact fit than W is; few labels differ", {
  x <- normals(2000, 4)
  exact <- kgroups(x, 2)
  some <- kgroups(x, 2, approx = nystroem(100))
  excess <- energy_statistics(x, some$cluster)$W / exact$W - 1
  mean(some$cluster != exact$cluster) < 0.02 && excess < 0.001 && some$approx$error > 10 * excess
})
claim("other-packages", "rho_power(2) has the criterion of kmeans()", {
  all.equal(kgroups(flowers, 3, semimetric = rho_power(2))$W, kmeans(flowers, 3, nstart = 50)$tot.withinss)
})
claim("other-packages", "50 centres: ten starts of kmeans() are 16 % above (8 % at least)", {
  x <- (matrix(rnorm(500, sd = 3), 50))[sample(50, 10000, TRUE), ] + rnorm(1e5)
  ours <- kgroups(x, 50, semimetric = rho_power(2))$W
  kmeans(x, 50, nstart = 10, iter.max = 100)$tot.withinss / ours > 1.08
})
claim("other-packages", "energy::kgroups() stops although a move lowers W, in most of 20 runs", {
  sum(replicate(20, {
    z <- matrix(rnorm(120), 60)
    theirs <- energy::kgroups(z, 4, nstart = 1, iter.max = 100)
    kgroups(z, 4, init = theirs$cluster)$W < theirs$W * (1 - 1e-10)
  })) > 10
})
claim("when-not", "normals that differ in scale are not separated in the plane", {
  x <- rbind(matrix(rnorm(200), 100), matrix(rnorm(200, sd = 3), 100))
  compare_clusters(rep(1:2, each = 100), kgroups(x, 2)$cluster, "accuracy") < 0.7
})
claim("when-not", "Leiden is eleven to fifteen times faster (three to forty are allowed)", {
  graph <- igraph::sample_sbm(1000, 0.004 + 0.04 * diag(8), rep(125, 8))
  leiden <- cpu(for (i in 1:5) igraph::cluster_leiden(graph, "modularity", n_iterations = 20)) / 5
  ratio <- cpu(for (i in 1:5) cluster_kgroups(graph)) / 5 / leiden
  ratio > 2.5 && ratio < 40
})

claim("choosing", "select_k() of one normal cloud is 1 by BIC, of the geyser 2", {
  select_k(matrix(rnorm(600), 150), 1:4)$k == 1 && select_k(scale(faithful), 1:4)$k == 2
})
claim("figures", "no single column separates the penguins, two do", {
  fit <- within(birds[3:6], 3)
  alone <- vapply(birds[3:6], function(one) compare_clusters(birds$species, kgroups(one, 3)), 0)
  max(alone) < 0.9 && compare_clusters(birds$species, within(birds[3:4], 3)) > 0.8
})
claim("experiments-public", "the search pays on thyroid and banknote; NMI of vehicle, sonar and ionosphere", {
  public <- read.csv("vignettes/articles/experiments-public.csv")
  means <- sapply(split(public, public[c("method", "data", "standardised")], sep = "/"), function(rows) {
    weighted.mean(rows$nmi, rows$starts)
  })
  nmi <- function(method, standardised = TRUE, sets = unique(public$data)) means[paste(method, sets, standardised, sep = "/")]
  gain <- nmi("kgroups(), default call") - nmi("kernel k-groups")
  most <- function(set, standardised) max(nmi(unique(public$method), standardised, set))
  pays <- unique(public$data) %in% c("thyroid", "banknote")
  all(gain[pays] > 0.03) && all(abs(gain[!pays]) < 0.03) && most("sonar", TRUE) < 0.02 && most("vehicle", FALSE) < 0.2 &&
    most("ionosphere", TRUE) < 0.3 && most("ionosphere", FALSE) < 0.3
})
claim("experiments", "bounded semimetric, n = 200: kernel k-means stays at its start", {
  passes <- vapply(1:10, function(seed) {
    set.seed(seed)
    x <- matrix(rnorm(200 * 20), 200) * rep(c(sqrt(0.5), 1), each = 100)
    x[101:200, 1:5] <- x[101:200, 1:5] + 0.5
    kernel_kmeans(x, 2, semimetric = rho_exponential(1), init = "kmeans++")$iterations
  }, 0L)
  mean(passes == 1) > 0.7
})
claim("figures", "the test of splits rejects one cluster for cluster 3 and the rest alone; widths of noise are positive", {
  fit <- within(birds[3:6], 3)
  splits <- cluster_test(fit, tree = kgroups_tree(fit))
  noise <- within(matrix(rnorm(4 * nrow(birds)), nrow(birds)), 3)
  splits$p.value[1] < 1e-4 && splits$p.value[2] > 0.05 && mean(cluster::silhouette(noise)[, 3] > 0) > 0.95
})
claim("tables", "sizes = c(30, Inf) sets a minimum alone; separated pairs raise W", {
  x <- scale(faithful)
  bound <- kgroups(x, 2, apart = rbind(c(1, 3), c(5, 7)))
  min(kgroups(flowers, 4, sizes = c(30, Inf))$sizes) >= 30 && bound$W > kgroups(x, 2)$W
})
claim("theory", "DISCO: F of given groups is that of energy::disco()", {
  ours <- energy_test(flowers, iris$Species, statistic = "F", R = 9)$statistic
  all.equal(unname(ours), unname(energy::disco(flowers, iris$Species, R = 0)$statistic), tolerance = 1e-6)
})

# ---- help pages ----
claim("?kgroups-metric", "\"within\" takes about five times as long at 1000 and at 10,000 rows (twice is allowed)", {
  ratio <- function(n, k, times) {
    x <- 2 * matrix(rnorm(10 * k), k)[sample(k, n, TRUE), ] + rnorm(10 * n)
    cpu(for (i in seq_len(times)) within(x, k)) / cpu(for (i in seq_len(times)) kgroups(x, k, standardize = TRUE))
  }
  within(normals(100, 4), 2) # not timed: the first call loads code
  ratio(1000, 3, 5) < 10 && ratio(10000, 10, 1) < 10
})
claim("?cluster_test", "level: at most .05 for normal, uniform and discrete data", {
  draws <- list(rnorm, runif, function(n) rbinom(n, 4, 0.5))
  all(vapply(draws, function(draw) mean(replicate(20, cluster_test(matrix(draw(400), 100))$p.value) <= 0.05), 0) <= 0.1)
})
claim("?as_points", "64-bit integers are exact up to 2^53", {
  x <- bit64::as.integer64(2)^52 + 0:3
  identical(as.vector(as_points(data.frame(x = x, y = 1:4), standardize = FALSE)[, 1]), 2^52 + 0:3)
})
claim("?make_negative_type", "adds twice the least eigenvalue", {
  d <- as.matrix(dist(matrix(rnorm(40), 20)))^3
  J <- diag(20) - 1 / 20
  by <- 2 * abs(min(eigen(-J %*% d %*% J / 2, TRUE)$values))
  all.equal(as.vector(make_negative_type(as.dist(d)) - as.dist(d)), rep(by, 190), tolerance = 1e-6)
})
# ---- drawn at random from all pages ----
claim("README", "a choice of select_semimetric() serves as `semimetric`; weight 2 counts as two rows, 0 as none", {
  choice <- select_semimetric(flowers, 3)
  w <- rep(c(1, 2, 0), 50)
  counted <- rep(seq_len(150), w)
  weighted <- energy_test(flowers, iris$Species, weights = w, R = 9)$statistic
  repeated <- energy_test(flowers[counted, ], iris$Species[counted], R = 9)$statistic
  energy_test(flowers, iris$Species, semimetric = choice, R = 9)$p.value > 0 && all.equal(weighted, repeated)
})
claim("README", "crabs: one cluster is rejected or nearly so, in the learned metric; the same clusters for any seed", {
  p <- vapply(1:3, function(seed) {
    set.seed(seed)
    select_k(crabs[4:8], 1:4, standardize = "within")$p.value
  }, 0)
  scores <- vapply(1:10, function(seed) {
    set.seed(seed)
    rand(iris$Species, within(flowers, 3), 3)
  }, 0)
  all(p < 0.1) && all(scores == 0.922)
})
claim("tables", "dates, times, differences and ordered factors enter by (x - mean) / sd", {
  d <- data.frame(
    date = as.Date("2020-01-01") + sample(300, 20), time = as.POSIXct("2020-01-01") + 1e5 * rnorm(20),
    lapse = as.difftime(rexp(20), units = "hours"), grade = factor(sample(letters[1:4], 20, TRUE), ordered = TRUE)
  )
  all.equal(as.vector(as_points(d)), as.vector(scale(vapply(d, as.numeric, numeric(20)))))
})
claim("tables", "k-groups and PAM with Gower's coefficient have nearly the same mean, k-groups a larger one", {
  rows <- subset(read.csv("vignettes/tables.csv"), part == "simulated")
  mean_of <- tapply(rows$rand, rows$method, mean)
  gower <- mean_of[grep("Gower", names(mean_of))]
  length(gower) == 2 && diff(range(gower)) < 0.04 && all(mean_of[["k-groups"]] > gower)
})
claim("tables", "VarSelLCM is better in 15 of 24 settings, k-means of FAMD coordinates in 10, kamila in 4", {
  rows <- subset(read.csv("vignettes/tables.csv"), part == "simulated")
  scores <- tapply(rows$rand, list(rows$setting, rows$method), sum)
  all(colSums(scores > scores[, "k-groups"])[c("VarSelLCM", "FAMD + k-means", "kamila")] == c(15, 10, 4))
})
claim("tables", "trimming cuts the tails of exponential clusters and none of the eruptions", {
  skewed <- cbind(rexp(400), rexp(400)) + rep(c(0, 8), each = 200)
  sum(kgroups(skewed, 2, trim = "auto")$noise) > 5 && sum(kgroups(scale(faithful), 2, trim = "auto")$noise) == 0
})
claim("when-not", "53 tables: within is better on 5, 14, 14, 17, 18, 16 and worse on 6, 13, 14, 12, 8, 12 by more than .05", {
  fresh <- read.csv("bench/fair-fresh.csv", check.names = FALSE)
  less <- fresh$within - fresh[c("mixture", "scaled", "k-means scaled", "PAM scaled", "Ward scaled", "mclust")]
  all(colSums(less > 0.05 + 1e-9) == c(5, 14, 14, 17, 18, 16)) && all(colSums(less < -0.05 - 1e-9) == c(6, 13, 14, 12, 8, 12))
})
claim("when-not", "53 tables: within better than the best of k-means, PAM and Ward on 10, worse on 24; of 34 ahead on 12, behind on 17", {
  fresh <- read.csv("bench/fair-fresh.csv", check.names = FALSE)
  three <- c("k-means", "PAM", "Ward")
  by <- fresh$within - do.call(pmax, c(fresh[c(three, paste(three, "scaled"))], na.rm = TRUE))
  public <- read.csv("vignettes/articles/public.csv", check.names = FALSE)
  lead <- public$learned - do.call(pmax, c(public[c(three, "mclust", "HDBSCAN", "Genie")], na.rm = TRUE))
  all(c(sum(by > 0.05), sum(by < -0.05), sum(lead > 0.01), sum(lead < -0.01)) == c(10, 24, 12, 17))
})
claim("faq", "a normal variable that is cut in two has a coefficient of .6", {
  z <- data.frame(v = rnorm(300))
  abs(describe_clusters(kgroups(z, 2), z)$table$coefficient[1] - 0.6) < 0.04
})
claim("faq", "iris: the clusters are those of kmeans()", {
  compare_clusters(kgroups(flowers, 3), kmeans(flowers, 3, nstart = 20)$cluster) == 1
})
claim("choosing", "dermatology: the most stable semimetric, rho_connected(), is the farthest from the diagnoses (.30)", {
  patients <- read.csv(system.file("extdata", "dermatology.csv", package = "kgroups"))
  x <- patients[names(patients) != "class"]
  x$age[is.na(x$age)] <- mean(x$age, na.rm = TRUE)
  rand(patients$class, kgroups(x, 6, semimetric = rho_connected(), standardize = TRUE)) < 0.4
})
claim("shapes", "two rings: 8 branches, the largest gap is 4.4 times the threshold, the next 1.6", {
  angle <- runif(300, 0, 2 * pi)
  rings <- rep(c(1, 2.5), c(100, 200)) * cbind(cos(angle), sin(angle)) + rnorm(600, sd = 0.1)
  found <- kgroups(rings, 2, semimetric = rho_connected())$semimetric$found
  gaps <- sort(found$merges$height, decreasing = TRUE) / found$threshold
  found$branches == 8 && all(round(gaps[1:2], 1) == c(4.4, 1.6))
})
claim("shapes", "cluster_test() does not reject one cluster for rings within rings", {
  angle <- runif(600, 0, 2 * pi)
  three <- rep(1:3, c(100, 200, 300)) * cbind(cos(angle), sin(angle)) + rnorm(1200, sd = 0.07)
  cluster_test(three)$p.value > 0.05
})
claim("shapes", "the best of all partitions of few values is one into runs", {
  all(replicate(5, {
    x <- rnorm(7)
    labels <- as.matrix(expand.grid(c(list(1), rep(list(1:3), 6))))
    least <- min(apply(labels, 1, function(one) energy_statistics(matrix(x), one)$W))
    isTRUE(all.equal(least, kgroups(x, 3)$W))
  }))
})
claim("designs", "three and three units: p is at least .1; without `units` p is far too small", {
  unit <- rep(1:6, each = 20)
  two <- rep(1:2, each = 60)
  few <- energy_test(matrix(rnorm(120) + 5 * two), two, units = unit)$p.value
  shift <- rnorm(12)[rep(1:12, each = 10)]
  x <- matrix(shift + rnorm(120, sd = 0.3))
  g <- rep(1:2, each = 60)
  few >= 0.1 && energy_test(x, g, units = rep(1:12, each = 10))$p.value > energy_test(x, g)$p.value
})
claim("theory", "tr G = W + S, tr H G = S", {
  d <- as.matrix(dist(flowers))
  J <- diag(150) - 1 / 150
  G <- -J %*% d %*% J / 2
  A <- model.matrix(~ iris$Species)
  H <- A %*% solve(crossprod(A), t(A)) - 1 / 150
  ours <- energy_statistics(flowers, iris$Species)
  all.equal(c(sum(diag(G)), sum(H * G)), c(ours$W + ours$S, ours$S))
})
claim("?predict", "ties go to the lowest label", {
  predict(kgroups(matrix(c(-2, -1, 1, 2)), 2), matrix(0)) == 1
})
claim("?nystroem", "all rows if there are fewer than m; `polish` ends at a minimum of the exact method", {
  x <- matrix(rnorm(4000), 1000)
  polished <- kgroups(x, 4, approx = nystroem(50, polish = TRUE))
  few <- kgroups(flowers[1:40, ], 2, approx = nystroem(1000))
  again <- kgroups(x, 4, init = polished$cluster)$W
  all.equal(again, energy_statistics(x, polished$cluster)$W) && all.equal(few$W, kgroups(flowers[1:40, ], 2)$W)
})
claim("?rho_connected", "distances that agree to nine digits are equal", {
  x <- unique(as.matrix(flowers))
  same_seed <- function(x) {
    set.seed(2)
    kgroups(x, 3, semimetric = rho_connected())$cluster
  }
  identical(same_seed(x), same_seed(x + 1e-11 * rnorm(length(x))))
})
claim("?kgroups", "missing cells are filled; the print has their number", {
  any(grepl(paste(sum(is.na(airquality)), "missing cells filled"), format(kgroups(airquality, 3))))
})
claim("?dispersion_test", "every group needs two observations", {
  inherits(tryCatch(dispersion_test(flowers[1:3, ], c(1, 1, 2)), error = identity), "kg_error")
})
claim("?dispersion_test", "F is that of the analysis of variance of the distances to the spatial median", {
  test <- dispersion_test(flowers, iris$Species, R = 9)
  all.equal(unname(test$statistic), summary(aov(test$distances ~ iris$Species))[[1]][["F value"]][1], tolerance = 1e-4)
})
claim("?rho_metric", "hamming: weights of columns have no effect, 0 leaves a column out; jaccard: counts are presence", {
  x <- matrix(sample(0:2, 120, TRUE), 20, dimnames = list(NULL, letters[1:6]))
  W <- function(x, ...) {
    set.seed(1)
    kgroups(x, 3, semimetric = rho_metric("hamming"), ...)$W
  }
  zero <- rbind(0, 0, x)
  jaccard <- function(x) as.matrix(semimetric_matrix(x, semimetric = rho_metric("jaccard")))
  isTRUE(all.equal(W(x), W(x, column_weights = c(a = 5)))) && W(x[, -1]) * 5 == W(x, column_weights = c(a = 0)) * 5 &&
    isTRUE(all.equal(jaccard(zero), jaccard(1 * (zero > 0)))) && jaccard(zero)[1, 2] == 0
})
claim("?kgroups_tree", "heights are twice the increase of W, in the unit of energy::energy.hclust()", {
  tree <- kgroups_tree(dist(flowers[1:40, ]))
  all.equal(sort(tree$height), sort(energy::energy.hclust(dist(flowers[1:40, ]))$height)) &&
    all.equal(sum(tree$height) / 2, energy_statistics(flowers[1:40, ], rep(1, 40))$W)
})
claim("tables", "without the sex, height and hands still separate women from men", {
  students <- MASS::survey[!is.na(MASS::survey$Sex), ]
  fit <- kgroups(students, 2, column_weights = c(Sex = 0, Wr.Hnd = 0.5, NW.Hnd = 0.5))
  compare_clusters(students$Sex, fit, "accuracy") > 0.75
})
claim("when-not", "270 and 30 overlapping points: least W divides the large group; scales alone: both groups are cut", {
  overlap <- replicate(5, {
    x <- rbind(matrix(rnorm(1080), 270), matrix(rnorm(120, 2.5 / 2), 30))
    max(tabulate(kgroups(x, 2)$cluster[1:270], 2)) / 270
  })
  x <- rbind(matrix(rnorm(200), 100), matrix(rnorm(200, sd = 3), 100))
  halves <- table(rep(1:2, each = 100), kgroups(x, 2)$cluster)
  max(overlap) < 0.8 && min(halves) > 20
})
claim("?check_negative_type", "make_negative_type() leaves the partitions in which Hartigan's method ends", {
  d <- as.dist(as.matrix(dist(matrix(rnorm(60), 30)))^3)
  ends <- kgroups(d, 3, init = rep(1:3, 10))$cluster
  again <- kgroups(make_negative_type(d), 3, init = ends)$cluster
  rand(ends, again) == 1
})
claim("?cluster_test", "clusters two sd apart are not detected; a ring is rejected", {
  angle <- runif(300, 0, 2 * pi)
  ring <- cbind(cos(angle), sin(angle)) + rnorm(600, sd = 0.05)
  mean(replicate(10, cluster_test(normals(200, 2))$p.value) <= 0.05) <= 0.1 && cluster_test(ring)$p.value <= 0.05
})
claim("?fit-methods", "fitted() has the rows of the centres, or the labels", {
  fit <- kgroups(flowers, 3)
  identical(unname(fitted(fit)), unname(fit$centers[fit$cluster, ])) && all(fitted(fit, "classes") == fit$cluster)
})
claim("?energy_test", "\"original\" is the statistic of energy::eqdist.etest(), for two groups twice S", {
  sizes <- c(50, 50, 50)
  theirs <- energy::eqdist.etest(as.matrix(flowers), sizes, R = 0)$statistic
  two <- flowers[1:100, ]
  g <- iris$Species[1:100, drop = TRUE]
  original <- function(x, g) unname(energy_test(x, g, statistic = "original", R = 9)$statistic)
  isTRUE(all.equal(original(flowers, iris$Species), unname(theirs))) &&
    all.equal(original(two, g), 2 * energy_statistics(two, g)$S)
})
claim("?as_points", "rows with different levels are 2 apart; two balanced levels are nearly a standardised 0 and 1", {
  three <- as_points(data.frame(g = c("a", "b", "c", "c")))
  two <- as_points(data.frame(g = rep(c("a", "b"), 10)))
  zero <- scale(rep(0:1, 10))
  all(round(dist(three)[c(1, 2, 4)], 10) == 2) && max(abs(dist(two) / 2 - dist(zero) / max(dist(zero)))) < 1e-10 &&
    abs(max(dist(two)) / max(dist(zero)) - 1) < 0.03
})
claim("shapes", "positive autocorrelation is not taken for changes (AR(1), .5)", {
  found <- replicate(10, max(kgroups_changes(as.numeric(arima.sim(list(ar = 0.5), 150)), R = 99)$k))
  mean(found > 1) <= 0.3
})
claim("?energy_statistics", "one variable is sorted: the same W as from all pairs", {
  x <- rnorm(200)
  g <- rep(1:4, 50)
  all.equal(energy_statistics(x, g)$W, energy_statistics(dist(x), g)$W)
})
claim("?kgroups_mixture", "the covariance of a component is nu / (nu - 2) times its scatter", {
  x <- matrix(rt(6000, 6), 3000)
  fit <- kgroups_mixture(rbind(x, x[1:1500, ] + 30), 2)
  l <- fit$cluster[1]
  ratio <- diag(fit$scatters[, , l]) * fit$nu / (fit$nu - 2) / diag(var(x))
  all(abs(ratio - 1) < 0.15)
})
claim("?select_k", "W cannot be compared between semimetrics; k above n / 3 is not chosen", {
  choice <- select_k(flowers[c(1:4, 51:54), ], 1:6, "pseudo_f")
  choice$k <= 8 / 3
})
claim("choosing", "the clusters of iris by \"within\" are the same for columns in other units", {
  rand(within(flowers, 3)$cluster, within(flowers * rep(c(1, 25.4, 0.1, 1000), each = 150), 3)) == 1
})
noise <- matrix(rnorm(900), 300)
claim("README", "normal and rounded noise: one cluster is not rejected in the subtitle", {
  all(vapply(list(noise, round(noise)), function(x) {
    fit <- within(x, 3)
    grepl("one cluster not rejected", as_figure(fit)$subtitle)
  }, NA))
})
claim("README", "normal and rounded noise: fits of both halves agree with the clusters to at most .6", {
  agree <- vapply(901:908, function(seed) {
    set.seed(seed)
    x <- matrix(rnorm(900), 300)
    c(summary(within(x, 3))$halves, summary(within(round(x), 3))$halves)
  }, numeric(2))
  all(agree <= 0.6)
})
claim("figures", "the layout of a graph depends on the graph alone; ten cities", {
  graph <- igraph::sample_gnm(200, 600)
  ends <- function(k) {
    layers <- lapply(as_figure(kgroups(graph, k))$layers[1:2], function(layer) layer$data[c("x", "y", "xend", "yend")])
    sort(unlist(do.call(rbind, layers)))
  }
  isTRUE(all.equal(ends(2), ends(5), check.attributes = FALSE)) && attr(UScitiesD, "Size") == 10
})
claim("faq", "a column of 0 and 1 does not take the clusters by \"within\"; logarithms of long tails", {
  group <- rep(1:4, each = 50)
  x <- cbind(rnorm(200, 5 * group), rnorm(200), rbinom(200, 1, 0.5))
  tails <- exp(cbind(rnorm(300, 3 * rep(1:2, each = 150)), rnorm(300), rnorm(300)))
  two <- rep(1:2, each = 150)
  rand(group, within(x, 4)) > 0.9 && rand(two, within(log(tails), 2)) > rand(two, within(tails, 2))
})
claim("faq", "energy coefficients of normals .5, .8 and 2 sd apart: .05, .14, .48", {
  coefficient <- vapply(c(0.5, 0.8, 2), function(by) {
    x <- data.frame(v = c(rnorm(5000), rnorm(5000, by)))
    describe_clusters(rep(1:2, each = 5000), x)$table$coefficient[1]
  }, 0)
  all(abs(coefficient - c(0.05, 0.14, 0.48)) < 0.03)
})
claim("tables", "with Gower's coefficient PAM and k-groups have the same mean (.43), k-groups on its own coding .65", {
  rows <- subset(read.csv("vignettes/tables.csv"), part == "simulated")
  mean_of <- tapply(rows$rand, rows$method, mean)
  all(abs(mean_of[c("PAM on Gower", "k-groups on Gower", "k-groups")] - c(0.43, 0.43, 0.65)) < 0.006)
})
claim("kgroups", "patients: stable in bootstrap samples, one cluster not rejected", {
  pbc <- survival::pbc[1:312, setdiff(names(survival::pbc), c("id", "time", "status", "trt"))]
  for (name in c("ascites", "hepato", "spiders")) pbc[[name]] <- as.logical(pbc[[name]])
  pbc$edema <- factor(pbc$edema)
  pbc$stage <- factor(pbc$stage, ordered = TRUE)
  for (name in c("bili", "chol", "copper", "alk.phos", "ast", "trig", "protime")) pbc[[name]] <- log(pbc[[name]])
  fit <- kgroups(pbc, 2)
  numbers <- vapply(pbc, is.numeric, NA)
  min(stability(fit, B = 20)$clusters$jaccard) > 0.9 && cluster_test(scale(pbc[numbers]))$p.value > 0.5
})
claim("paper", "53 tables less one of each related pair: differences and errors increase by at most .02; best of six -.04 (.04)", {
  all <- read.csv("bench/fair-fresh.csv", check.names = FALSE)
  pairs <- "bdendo11|Cars2020|burn_eval_2|mosaicData::Galton|births14"
  error <- function(x) sd(x) / sqrt(length(x))
  change <- function(ours, theirs) {
    d <- all[[ours]] - all[[theirs]]
    rest <- d[!grepl(pairs, all$table)]
    c(mean(rest) - mean(d), error(rest) - error(d))
  }
  changes <- c(
    change("within", "k-means scaled"), change("within", "mclust"),
    change("mixture", "k-means scaled"), change("mixture", "mclust")
  )
  six <- c("k-means", "k-means scaled", "PAM", "PAM scaled", "Ward", "Ward scaled")
  apart <- all$within - do.call(pmax, all[six])
  all(changes > 0, changes < 0.02, round(c(mean(apart), error(apart)), 2) == c(-0.04, 0.04))
})
claim("paper", "means of 15 tables .34, .26, .30; of 34 tables .58, .47, .50; no difference above two standard errors", {
  means <- function(file) {
    all <- read.csv(file, check.names = FALSE)
    best <- max(colMeans(all[c("k-means", "k-means scaled")]))
    round(c(mean(all$within), best, mean(all$mclust)), 2)
  }
  new <- read.csv("bench/fair-new.csv", check.names = FALSE)
  others <- c("mclust", "Genie", "k-means scaled", "PAM scaled", "Ward scaled")
  t <- vapply(new[others], function(one) mean(new$within - one) / (sd(new$within - one) / sqrt(nrow(new))), 0)
  all(means("bench/fair-new.csv") == c(0.34, 0.26, 0.3), means("bench/fair-old.csv") == c(0.58, 0.47, 0.5), abs(t) <= 2)
})
claim("choosing", "default rule: .63 of samples with clusters, all of one cluster; elbow .33", {
  rows <- grep("mean of designs with", readLines("bench/mixture.md"), value = TRUE)
  all(grepl("0.63 \\| 0.66 \\| 0.33", rows[1L]), grepl("1.00 \\| 0.65 \\| 0.00", rows[2L]))
})
claim("figures", "a pairwise test with too few permutations has that in its title", {
  test <- pairwise_energy_test(chickwts$weight, chickwts$feed, R = 199)
  grepl("below 0.075", as_figure(test)$title)
})
claim("?plot.kgroups_fit", "a plot leaves the stream of random numbers and the kind of the generator", {
  fit <- within(flowers, 3)
  before <- .Random.seed
  as_figure(fit)
  identical(before, .Random.seed) && RNGkind()[1L] == "Mersenne-Twister"
})
claim("figures", "no two numbers of thirty clusters touch on a page of 7 by 5 inches", {
  x <- matrix(rnorm(60, sd = 5), 30)[rep(1:30, each = 20), ] + rnorm(1200)
  built <- ggplot2::ggplot_build(ggplot2::autoplot(kgroups(x, 30)))$data
  at <- Filter(function(one) "label" %in% names(one), built)[[1L]]
  min(dist(at[c("x", "y")])) > 0.2
})
cat(sprintf("%d statements do not hold\n", failed))
quit(status = if (failed) 1L else 0L)
