# Public sets of known classes for bench/connected-public.R: tables and shapes of CRAN packages, and generators.
# public_sets(folder) reads the .rda files of the packages' sources in `folder`, those of FCPS, mlbench, pgmm and so on,
# and returns a list of list(x, truth). Every set has at most 1,500 rows: evenly spaced ones of a larger one.

most_rows <- 1500

as_set <- function(x, truth) {
  x <- as.matrix(x)
  storage.mode(x) <- "double"
  dimnames(x) <- NULL
  complete <- rowSums(is.na(x)) == 0 & !is.na(truth)
  rows <- which(complete)
  if (length(rows) > most_rows) rows <- rows[round(seq(1, length(rows), length.out = most_rows))]
  x <- x[rows, , drop = FALSE]
  varies <- apply(x, 2L, stats::sd) > 0
  list(x = x[, varies, drop = FALSE], truth = as.integer(factor(truth[rows])))
}

# The object `name` of the package in the folder of sources.
from_package <- function(folder, package, name, file = name) {
  held <- new.env()
  found <- list.files(file.path(folder, package, "data"), paste0("^", file, "[.][Rr][Dd]a(ta)?$"), full.names = TRUE)
  load(found[1L], held)
  held[[name]]
}

numbers_of <- function(x) data.matrix(x)

public_tables <- function(folder) {
  of <- function(package, name, file = name) from_package(folder, package, name, file)
  bench <- function(name, class, drop = NULL) {
    x <- of("mlbench", name)
    as_set(numbers_of(x[setdiff(names(x), c(class, drop))]), x[[class]])
  }
  raw <- list(
    iris = as_set(iris[1:4], iris$Species),
    penguins = local({
      x <- utils::read.csv(file.path(folder, "palmerpenguins", "inst", "extdata", "penguins.csv"))
      as_set(x[3:6], x$species)
    }),
    crabs = as_set(MASS::crabs[4:8], paste(MASS::crabs$sp, MASS::crabs$sex)),
    banknote = as_set(of("MixGHD", "banknote")[-1L], of("MixGHD", "banknote")$Status),
    bankruptcy = as_set(of("MixGHD", "bankruptcy")[-1L], of("MixGHD", "bankruptcy")$Y),
    thyroid = as_set(mclust::thyroid[-1L], mclust::thyroid$Diagnosis),
    diabetes = as_set(mclust::diabetes[-1L], mclust::diabetes$class),
    wine = as_set(of("gclus", "wine")[-1L], of("gclus", "wine")$Class),
    `wine of 27 columns` = as_set(of("pgmm", "wine")[-1L], of("pgmm", "wine")$Type),
    `olive by region` = as_set(of("pgmm", "olive")[-(1:2)], of("pgmm", "olive")$Region),
    `olive by area` = as_set(of("pgmm", "olive")[-(1:2)], of("pgmm", "olive")$Area),
    coffee = as_set(of("pgmm", "coffee")[-(1:2)], of("pgmm", "coffee")$Variety),
    seeds = as_set(of("datasetsICR", "seeds")[1:7], of("datasetsICR", "seeds")[[8L]]),
    flea = as_set(of("tclust", "flea")[1:6], of("tclust", "flea")[[7L]]),
    body = as_set(of("gclus", "body")[-25L], of("gclus", "body")[[25L]]),
    Glass = bench("Glass", "Type"), Ionosphere = bench("Ionosphere", "Class"), Sonar = bench("Sonar", "Class"),
    Vehicle = bench("Vehicle", "Class"), Vowel = bench("Vowel", "Class", "V1"), Zoo = bench("Zoo", "type"),
    Satellite = bench("Satellite", "classes"), BreastCancer = bench("BreastCancer", "Class", "Id"),
    `five letters` = local({
      x <- of("mlbench", "LetterRecognition")
      x <- x[x$lettr %in% c("A", "B", "C", "D", "E"), ]
      as_set(x[-1L], x$lettr)
    }),
    digits = as_set(of("RSKC", "optd"), rownames(of("RSKC", "optd")))
  )
  # units apart: the columns scaled too
  apart <- vapply(raw, function(set) {
    sd <- apply(set$x, 2L, stats::sd)
    max(sd) > 3 * min(sd)
  }, NA)
  scaled <- lapply(raw[apart], function(set) list(x = unname(scale(set$x)[, , drop = FALSE]), truth = set$truth))
  names(scaled) <- paste0(names(scaled), ", scaled")
  c(raw, scaled)
}

# Tables that were not read when the rules and constants were chosen.
other_tables <- function(folder) {
  letters_of <- function(some) {
    x <- from_package(folder, "mlbench", "LetterRecognition")
    x <- x[x$lettr %in% some, ]
    as_set(x[-1L], x$lettr)
  }
  land <- from_package(folder, "mlbench", "Satellite")
  land <- land[seq(3, nrow(land), by = 5), ]
  shuttle <- from_package(folder, "mlbench", "Shuttle")
  digits <- from_package(folder, "RSKC", "optd")
  digits <- digits[rownames(digits) %in% c("0", "3", "6", "8", "9"), ]
  pima <- rbind(MASS::Pima.tr, MASS::Pima.te)
  segments <- from_package(folder, "HDclassif", "Crabs")
  spam <- new.env()
  utils::data("spam", package = "kernlab", envir = spam)
  utils::data("musk", package = "kernlab", envir = spam)
  list(
    `letters F to J` = letters_of(LETTERS[6:10]), `letters K to O` = letters_of(LETTERS[11:15]),
    `Satellite, other rows` = as_set(land[-37L], land$classes), Shuttle = as_set(shuttle[-10L], shuttle$Class),
    `five digits` = as_set(digits, rownames(digits)), Pima = as_set(pima[-8L], pima$type),
    `Pima, scaled` = as_set(scale(pima[-8L]), pima$type),
    `crabs by sex, scaled` = as_set(scale(segments[-1L]), segments$class),
    spam = as_set(scale(spam$spam[-58L]), spam$spam$type), musk = as_set(scale(spam$musk[-167L]), spam$musk$Class)
  )
}

public_shapes <- function(folder) {
  names <- c("Atom", "Chainlink", "EngyTime", "Hepta", "Lsun3D", "Target", "Tetra", "TwoDiamonds", "WingNut")
  fcps <- lapply(stats::setNames(nm = names), function(name) {
    held <- from_package(folder, "FCPS", name)
    as_set(held$Data, held$Cls)
  })
  trimmed <- from_package(folder, "tclust", "M5data")
  mixed <- from_package(folder, "tclust", "mixsym")
  normals <- from_package(folder, "EMCluster", "da1")
  c(fcps, list(
    M5data = as_set(trimmed[trimmed[, 3L] > 0, 1:2], trimmed[trimmed[, 3L] > 0, 3L]),
    mixsym = as_set(mixed[1:2], mixed$class),
    da1 = as_set(normals$da, normals$class)
  ))
}

# One draw of each generator of mlbench, and of clusterSim's sources.
public_generators <- function(folder) {
  clusterSim <- new.env()
  sys.source(file.path(folder, "clusterSim", "R", "shapes.r"), clusterSim)
  drawn <- function(set) as_set(set$x, set$classes)
  shaped <- function(set) as_set(set$data, set$clusters)
  c(
    lapply(list(
      `2dnormals` = mlbench::mlbench.2dnormals(400, 4, r = 3), cassini = mlbench::mlbench.cassini(500),
      circle = mlbench::mlbench.circle(400, 2), cuboids = mlbench::mlbench.cuboids(500),
      ringnorm = mlbench::mlbench.ringnorm(400, 5), smiley = mlbench::mlbench.smiley(500, 0.1, 0.05),
      spirals = mlbench::mlbench.spirals(400, 1.5, 0.05), shapes = mlbench::mlbench.shapes(500),
      threenorm = mlbench::mlbench.threenorm(400, 5), twonorm = mlbench::mlbench.twonorm(400, 5),
      waveform = mlbench::mlbench.waveform(400), xor = mlbench::mlbench.xor(400),
      simplex = mlbench::mlbench.simplex(400, 3, sd = 0.25), hypercube = mlbench::mlbench.hypercube(400, 3, sd = 0.2)
    ), drawn),
    lapply(list(
      worms = clusterSim$shapes.worms(), circles2 = clusterSim$shapes.circles2(),
      circles3 = clusterSim$shapes.circles3(),
      bulls.eye = clusterSim$shapes.bulls.eye(), two.moon = clusterSim$shapes.two.moon(),
      blocks3d = clusterSim$shapes.blocks3d()
    ), shaped)
  )
}
