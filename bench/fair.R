# Agreement with known groups on public tables that had no part in the choice of any constant, and the same methods on the tables of
# bench/learned.R. Every method is given k; k-means, PAM and Ward have the columns as given and with standard deviation 1.
#   Rscript bench/fair.R fresh | new | old   (5, 3 and 15 minutes; one process): writes bench/fair-fresh.csv and so on
#   Rscript bench/fair.R                writes bench/fair.md from them
#
# The rule, written before any method was run: every data frame of the packages archdata, DAAG, HSAUR3, ipred, klaR, MASS, modeldata
# and tclust that
#   - has 50 to 1000 complete rows, three or more measured columns with more than ten values (all of these are used, numbers of
#     cases, sites and dates are not), and at most a third as many columns as rows;
#   - has a factor of 2 to 12 levels which its help page describes as the kind of the row: species, population, type, form, school,
#     phase, epoch, diagnosis, place of production (not treatment, block, sex or place of observation); the first one;
#   - is not among the tables of bench/learned.R, under another name either.
# Packages that are not installed are read from their sources on CRAN.
library(kgroups)

sources <- Sys.getenv("KG_SOURCES", file.path(tempdir(), "sources"))
data_of <- function(name, package) {
  e <- new.env()
  if (requireNamespace(package, quietly = TRUE)) {
    utils::data(list = name, package = package, envir = e)
  } else {
    folder <- file.path(sources, package)
    if (!dir.exists(folder)) {
      dir.create(sources, FALSE)
      utils::untar(utils::download.packages(package, sources, type = "source", quiet = TRUE)[1L, 2L], exdir = sources)
    }
    load(
      Filter(
        function(f) tools::file_path_sans_ext(basename(f)) == name,
        list.files(file.path(folder, "data"), full.names = TRUE)
      )[1L],
      e
    )
  }
  as.data.frame(get(name, e))
}
table_of <- function(package, name, class, columns) {
  list(package = package, load = function() {
    d <- data_of(name, package)
    d <- d[stats::complete.cases(d[c(columns, class)]), ]
    list(d[columns], d[[class]])
  })
}
tables <- list(
  possum = table_of(
    "DAAG", "possum", "Pop",
    c("hdlngth", "skullw", "totlngth", "taill", "footlgth", "earconch", "eye", "chest", "belly")
  ),
  races2000 = table_of("DAAG", "races2000", "type", c("dist", "climb", "time", "timef")),
  RBGlass1 = table_of(
    "archdata", "RBGlass1", "Site", c("Al", "Fe", "Mg", "Ca", "Na", "K", "Ti", "P", "Mn", "Sb", "Pb")
  ),
  RBGlass2 = table_of(
    "archdata", "RBGlass2", "Site", c("Ba", "Co", "Cr", "Cu", "Li", "Ni", "Sr", "V", "Y", "Zn", "Zr")
  ),
  TRBPottery = table_of("archdata", "TRBPottery", "Form", paste0(rep(LETTERS[1:8], each = 2), c("X", "Y"))),
  DartPoints = table_of(
    "archdata", "DartPoints", "Name", c("Length", "Width", "Thickness", "B.Width", "J.Width", "H.Length", "Weight")
  ),
  BACups = table_of("archdata", "BACups", "Phase", c("RD", "ND", "SD", "H", "NH")),
  B3 = table_of("klaR", "B3", "PHASEN", c(
    "BSP91JW", "CP91JW", "DEFRATE", "EWAJW", "EXIMRATE", "GM1JW", "IAU91JW", "IB91JW", "LSTKJW", "PBSPJW", "PCPJW",
    "ZINSK", "ZINSLR"
  )),
  flea = table_of("tclust", "flea", "species", c("tars1", "tars2", "head", "aede1", "aede2", "aede3")),
  wholesale = table_of(
    "tclust", "wholesale", "Channel", c("Fresh", "Milk", "Grocery", "Frozen", "Detergent", "Delicatessen")
  ),
  scat = table_of("modeldata", "scat", "Species", c("Length", "Diameter", "Taper", "TI", "Mass", "d13C", "d15N", "CN")),
  oils = table_of(
    "modeldata", "oils", "class", c("palmitic", "stearic", "oleic", "linoleic", "linolenic", "eicosanoic", "eicosenoic")
  ),
  dystrophy = table_of("ipred", "dystrophy", "Class", c("AGE", "CK", "H", "PK", "LD")),
  painters = table_of("MASS", "painters", "School", c("Composition", "Drawing", "Colour", "Expression")),
  skulls = table_of("HSAUR3", "skulls", "epoch", c("mb", "bh", "bl", "nh"))
)
# The rule of the fresh tables, written before any method was run; nothing was chosen on them since: in the sources of
# packages that no bench, page or test had named (`fresh`), in the order of their names and of their data, at most three
# data frames a package of other names than tables of the packages above, that have
#   - three to thirty columns of numbers which vary (all are used, whatever they count; rows with missing cells are not);
#   - 50 to 1000 such rows, at least three times as many as columns;
#   - a factor or text of two to eight values, at least ten rows each, which linear discriminant analysis of the columns
#     finds when a row is left out (adjusted Rand index of at least .3): the first one.
fresh <- c(
  "BSDA", "DescTools", "Ecdat", "Epi", "GLMsData", "HistData", "ICSNP", "ICSOutlier", "LLSR", "Lock5Data",
  "MPsychoR", "Morpho", "NHANES", "PairedData", "Rdatasets", "Rfit", "StatDA", "TH.data", "UsingR", "abd", "agridat",
  "aod", "aplore3", "bayesrules", "catdata", "cellWise", "chemometrics", "cluster.datasets", "compositions",
  "datarium", "ddalpha", "doBy", "dobson", "dslabs", "faraway", "fdm2id", "gamlss.data", "gapminder", "isdals",
  "kohonen", "likert", "liver", "ltm", "mda", "medicaldata", "mlr3data", "mosaicCalc", "mosaicData", "multilevel",
  "mvdalab", "mvoutlier", "npmv", "openintro", "pls", "plsgenomics", "psychTools", "robCompositions", "robustHD",
  "rpart.plot", "rrcovHD", "sda", "smss", "sur", "vcd", "vcdExtra"
)
known <- c(
  "iris", "iris3", "crabs", "banknote", "thyroid", "diabetes", "fgl", "vehicle", "ionosphere", "sonar", "penguins", "wine",
  "wines", "olive", "oliveoil", "glass", "pima", "wdbc", "biopsy", "zoo", "breastcancer", "fish", "ais", "body", "spam",
  "shuttle", "flea", "vowel", "satellite", "salmon", "irises", "penguins_simple", "wholesale_customers"
)
by_rule <- function(d) {
  d <- as.data.frame(d)
  is_number <- function(v) {
    is.numeric(v) && is.null(dim(v)) && !inherits(v, c("Date", "difftime")) && length(unique(v)) > 1 &&
      !identical(as.numeric(v), as.numeric(seq_along(v)))
  }
  number <- vapply(d, is_number, NA)
  groups <- vapply(d, function(v) (is.factor(v) || is.character(v)) && length(unique(v[!is.na(v)])) %in% 2:8, NA)
  if (nrow(d) < 50 || nrow(d) > 5000 || sum(number) < 3 || sum(number) > 30) {
    return(NULL)
  }
  for (group in names(d)[groups]) {
    rows <- stats::complete.cases(d[c(names(d)[number], group)])
    x <- as.matrix(d[rows, number]) * 1
    truth <- factor(d[[group]][rows])
    x <- x[, apply(x, 2, function(v) length(unique(v))) > 1, drop = FALSE]
    size <- nrow(x) >= 50 && nrow(x) <= 1000 && 3 * ncol(x) <= nrow(x) && ncol(x) > 2
    if (!size || nlevels(truth) < 2 || min(table(truth)) < 10) next
    found <- tryCatch(
      compare_clusters(truth, suppressWarnings(MASS::lda(x, truth, CV = TRUE))$class), error = function(e) -1
    )
    if (found >= 0.3) {
      return(list(as.data.frame(x), truth))
    }
  }
}
fresh_tables <- function() {
  out <- list()
  keys <- NULL
  for (package in fresh) {
    dir.create(sources, FALSE)
    file <- list.files(sources, paste0("^", package, "_.*tar.gz$"), full.names = TRUE)
    if (!length(file)) file <- utils::download.packages(package, sources, type = "source", quiet = TRUE)[1L, 2L]
    data <- sort(grep("^[^/]+/data/.*[.](rda|RData|rdata|csv|txt|tab)$", utils::untar(file, list = TRUE), value = TRUE))
    if (length(data)) utils::untar(file, files = data, exdir = sources)
    got <- 0L
    for (one in data) {
      e <- new.env()
      name <- tools::file_path_sans_ext(basename(one))
      place <- file.path(sources, one)
      if (grepl("[.]r", one, ignore.case = TRUE)) {
        tryCatch(load(place, e), error = function(e) NULL)
      } else {
        separator <- if (grepl("csv$", one)) ";" else ""
        e[[name]] <- tryCatch(utils::read.csv(place, sep = separator, stringsAsFactors = TRUE), error = function(e) NULL)
      }
      for (name in setdiff(sort(ls(e)), known)) {
        if (got == 3L || tolower(name) %in% known || !is.data.frame(e[[name]])) next
        pair <- tryCatch(by_rule(e[[name]]), error = function(e) NULL)
        key <- if (!is.null(pair)) sum(scale(pair[[1L]][[1L]])^3)
        if (is.null(pair) || any(abs(keys - key) < 1e-6 * abs(key))) next # the same table in two packages
        got <- got + 1L
        keys <- c(keys, key)
        out[[paste(package, name, sep = "::")]] <- local({
          own <- pair
          list(package = package, load = function() own)
        })
      }
    }
  }
  out
}
# `tables` of bench/learned.R
old_tables <- function() {
  e <- new.env(parent = globalenv())
  for (one in parse("bench/learned.R")) {
    if (identical(one[[1L]], quote(`<-`)) && identical(one[[2L]], quote(tables))) eval(one, e)
  }
  e$some <- function(d, n) d[seq(1, nrow(d), length.out = n), ]
  lapply(e$tables, function(one) list(package = one[[1L]], load = one[[2L]]))
}

suppressPackageStartupMessages(library(mclust))
raw <- c(
  "k-means" = function(x, k) stats::kmeans(x, k, nstart = 50, iter.max = 100)$cluster,
  PAM = function(x, k) cluster::pam(x, k)$clustering,
  Ward = function(x, k) stats::cutree(stats::hclust(stats::dist(x), "ward.D2"), k)
)
# wide tables: six models, started on 200 of the rows
normal_mixture <- function(x, k) {
  if (ncol(x) <= 20L) {
    return(mclust::Mclust(x, k, verbose = FALSE)$classification)
  }
  start <- list(subset = sample(nrow(x), min(200, nrow(x))))
  mclust::Mclust(
    x, k, c("EII", "VII", "EEI", "VVI", "EEE", "VVV"), initialization = start, verbose = FALSE
  )$classification
}
# The EM algorithm of mclust from the labels of a fit, the model by BIC.
mixture_from <- function(x, labels) {
  models <- if (ncol(x) <= 20L) mclust::mclust.options("emModelNames") else c("EII", "VII", "EEI", "VVI", "EEE", "VVV")
  found <- lapply(
    models, function(model) tryCatch(mclust::me(x, model, mclust::unmap(labels)), error = function(e) NULL)
  )
  bic <- vapply(found, function(one) {
    if (is.null(one) || !isTRUE(is.finite(one$loglik))) {
      return(-Inf)
    }
    2 * one$loglik - mclust::nMclustParams(one$modelName, ncol(x), ncol(one$z)) * log(nrow(x))
  }, 0)
  mclust::map(found[[which.max(bic)]]$z)
}
own <- c(
  within = function(x, k) kgroups(x, k, standardize = "within")$cluster,
  mixture = function(x, k) kgroups_mixture(x, k)$cluster,
  scaled = function(x, k) kgroups(x, k, standardize = TRUE)$cluster,
  mclust = normal_mixture,
  "mclust from within" = function(x, k) mixture_from(x, kgroups(x, k, standardize = "within")$cluster),
  "HDBSCAN (minPts 5)" = function(x, k) dbscan::hdbscan(scale(x), minPts = 5)$cluster,
  "HDBSCAN cut to k" = function(x, k) stats::cutree(dbscan::hdbscan(scale(x), minPts = 5)$hc, k),
  Genie = function(x, k) if (requireNamespace("genieclust", quietly = TRUE)) stats::cutree(
    genieclust::gclust(scale(x)), k
  )
)
methods <- c(own, raw, stats::setNames(lapply(raw, function(f) {
  force(f)
  function(x, k) f(scale(x), k)
}), paste(names(raw), "scaled")))

score <- function(table) {
  pair <- table$load()
  x <- data.matrix(as.data.frame(pair[[1L]])) * 1
  x <- x[, apply(x, 2L, stats::sd) > 0, drop = FALSE]
  truth <- as.integer(factor(pair[[2L]]))
  values <- vapply(methods, function(method) {
    set.seed(1)
    labels <- tryCatch(suppressWarnings(suppressMessages(method(x, max(truth)))), error = function(e) NULL)
    if (is.null(labels)) NA else compare_clusters(truth, labels)
  }, 0)
  data.frame(n = nrow(x), d = ncol(x), k = max(truth), t(round(values, 4)), check.names = FALSE)
}
measure <- function(tables, file) {
  rows <- lapply(names(tables), function(name) {
    found <- tryCatch(score(tables[[name]]), error = function(e) NULL)
    message(name, if (is.null(found)) " not loaded")
    if (!is.null(found)) cbind(table = name, package = tables[[name]]$package, found)
  })
  utils::write.csv(do.call(rbind, rows), file, row.names = FALSE, quote = 1:2)
}
part <- commandArgs(TRUE)
if ("fresh" %in% part) measure(fresh_tables(), "bench/fair-fresh.csv")
if ("new" %in% part) measure(tables, "bench/fair-new.csv")
if ("old" %in% part) measure(old_tables(), "bench/fair-old.csv")

# ---- bench/fair.md ----

read_scores <- function(file) utils::read.csv(file, check.names = FALSE)
shown <- function(scores) scores[-(1:5)][, colSums(!is.na(scores[-(1:5)])) > 0]
cells <- function(values) ifelse(is.na(values), "-", formatC(values, digits = 2, format = "f"))
row_of <- function(...) paste("|", paste(c(...), collapse = " | "), "|")
lines_of <- function(scores) {
  values <- shown(scores)
  names <- sprintf("%s (%s, %d x %d, %d)", scores$table, scores$package, scores$n, scores$d, scores$k)
  c(
    row_of("", names(values)), paste0("|---|", strrep("---:|", ncol(values))),
    vapply(seq_along(names), function(i) row_of(names[i], cells(unlist(values[i, ]))), ""),
    row_of(sprintf("mean of %d", nrow(values)), cells(colMeans(values, na.rm = TRUE)))
  )
}
compared <- function(scores, other, method) {
  difference <- scores[[method]] - scores[[other]]
  sprintf(
    "%s: better by more than .05 on %d of %d, worse on %d; mean difference %.2f, standard error %.2f", other,
    sum(difference > 0.05), sum(!is.na(difference)), sum(difference < -0.05), mean(difference, na.rm = TRUE),
    stats::sd(difference, na.rm = TRUE) / sqrt(sum(!is.na(difference)))
  )
}
counts <- function(scores, method = "within") {
  scores[["best of k-means, PAM, Ward as given or scaled"]] <- do.call(
    pmax, scores[c(names(raw), paste(names(raw), "scaled"))]
  )
  others <- c(
    "scaled", "k-means", "k-means scaled", "PAM scaled", "Ward scaled", "mclust",
    "best of k-means, PAM, Ward as given or scaled"
  )
  paste0("- ", vapply(others, compared, "", scores = scores, method = method), ".")
}
# Both calls of the package beside each other and the other methods (the better mean of columns as given and scaled): paired t
# tests, p-values adjusted by Holm's method, and the ratio of mean to standard error if one table of each related pair is left out.
related <- list(
  c("Epi::bdendo", "Epi::bdendo11"), c("Lock5Data::Cars2015", "Lock5Data::Cars2020"),
  c("aplore3::burn_eval_1", "aplore3::burn_eval_2"), c("mosaicData::Galton", "HistData::GaltonFamilies"),
  c("openintro::births", "openintro::births14")
)
tests_of <- function(scores) {
  better <- function(method) names(which.max(colMeans(scores[c(method, paste(method, "scaled"))], na.rm = TRUE)))
  others <- c(better("k-means"), better("PAM"), better("Ward"), "mclust")
  pairs <- rbind(c("mixture", "within"), cbind("within", others), cbind("mixture", others))
  ratio <- function(d) mean(d) / (stats::sd(d) / sqrt(length(d)))
  differences <- scores[pairs[, 1L]] - scores[pairs[, 2L]]
  p <- vapply(differences, function(d) stats::t.test(d)$p.value, 0)
  ways <- apply(expand.grid(rep(list(1:2), length(related))), 1L, function(which) {
    out <- mapply(function(pair, i) pair[[i]], related, which)
    vapply(differences[!scores$table %in% out, ], ratio, 0)
  })
  adjusted <- vapply(
    apply(2 * stats::pt(-abs(ways), nrow(scores) - length(related) - 1L), 2L, stats::p.adjust, "holm", simplify = FALSE), min, 0
  )
  stopifnot(unlist(related) %in% scores$table, stats::complete.cases(differences))
  c(
    "| difference | mean (standard error) | median | p | p by Holm | ratio, one of each pair left out |", "|---|---|---|---|---|---|",
    sprintf(
      "| %s less %s | %.3f (%.3f) | %.3f | %.3f | %.2f | %.1f to %.1f |", pairs[, 1L], pairs[, 2L],
      colMeans(differences), vapply(differences, stats::sd, 0) / sqrt(nrow(scores)),
      vapply(differences, stats::median, 0), p, stats::p.adjust(p, "holm"), apply(ways, 1L, min), apply(ways, 1L, max)
    ), "",
    sprintf(
      "Least p by Holm's method over the %d ways to leave out one of each pair: %.2f to %.2f. No method reaches .1 on %d of %d tables.",
      ncol(ways), min(adjusted), max(adjusted),
      sum(do.call(pmax, c(scores[unique(c("within", "mixture", paste(names(raw), "scaled"), names(raw), "mclust"))], na.rm = TRUE)) < 0.1),
      nrow(scores)
    ), "",
    with(scores, {
      few <- n < 10 * d * k
      advised <- ifelse(few, scaled, within)
      less <- advised - scores[[others[1L]]]
      sprintf(
        paste(
          "Fewer than ten rows for each column and cluster: %d tables. `scaled` there and `within` elsewhere: mean %.2f, less %s %.3f",
          "(standard error %.3f). `within` less `scaled`: %.3f (%.3f) there, %.3f (%.3f) elsewhere."
        ),
        sum(few), mean(advised), others[1L], mean(less), stats::sd(less) / sqrt(length(less)),
        mean((within - scaled)[few]), stats::sd((within - scaled)[few]) / sqrt(sum(few)),
        mean((within - scaled)[!few]), stats::sd((within - scaled)[!few]) / sqrt(sum(!few))
      )
    })
  )
}
if (length(part) == 0L) {
  fresh <- read_scores("bench/fair-fresh.csv")
  new <- read_scores("bench/fair-new.csv")
  old <- read_scores("bench/fair-old.csv")
  writeLines(c(
    "# Public tables: a comparison in which nothing was chosen", "",
    "Output of `bench/fair.R`, whose head has the rule by which the first tables were chosen, before any method was run. Adjusted Rand index",
    "with the known groups; every method is given k. `within` is `kgroups(x, k, standardize = \"within\")`, `mixture` is `kgroups_mixture(x, k)`,",
    "`scaled` is `kgroups(x, k, standardize = TRUE)`. mclust has the columns as given, HDBSCAN and Genie those of standard deviation 1. HDBSCAN with minPts 5 chooses the",
    "number of clusters, and its noise counts as a group.", "",
    "## Fresh tables", "",
    "Drawn by the second rule; no constant was chosen on them, before or since. The rule of frequent values (bench/few-values.md) was seen",
    "on them before it was kept: alone it moved the mean of `within` by .00 and that of `mixture` by -.02. The columns of the package are",
    "of a later run than those of other methods.",
    "All columns of numbers are used, also those of few values. Known groups",
    "that discriminant analysis finds need not be clusters: the highest mean of a method is far below 1. A difference of less than two",
    "standard errors is not shown by these tables. HDBSCAN and Genie were not run on them.", "", lines_of(fresh), "",
    "`within` beside", "", counts(fresh), "", "`mixture` beside", "", counts(fresh, "mixture"), "",
    "Paired t tests, with the better mean of columns as given and scaled; the ratio is that of mean and standard error.", "",
    tests_of(fresh), "", paste0("Related: ", paste(vapply(related, paste, "", collapse = " and "), collapse = ", "), "."), "",
    "## Older tables", "",
    "Three, flea, wholesale and dystrophy, were among the tables on which the margin of the mixture was chosen; no other constant was.", "",
    lines_of(new), "", "`within` beside", "", counts(new), "", "`mixture` beside", "", counts(new, "mixture"), "",
    "## Tables on which constants were chosen (bench/learned.R)", "",
    "mclust: above twenty columns six models (EII, VII, EEI, VVI, EEE, VVV), started on 200 of the rows.", "",
    lines_of(old), "",
    "`within` beside", "", counts(old)
  ), "bench/fair.md")
}
