# One pass over all pairs in the semimetrics beside the plain distance, sums over groups, permutations, wide tables and
# stability(): CPU seconds, the least of some runs. With two libraries they take turns in one run.
#   Rscript bench/kernels.R LIBRARY [LIBRARY BEFORE]
libraries <- commandArgs(TRUE)

child <- function() {
  suppressPackageStartupMessages(library(kgroups))
  options(kgroups.threads = 1L, rlib_message_verbosity = "quiet", rlib_warning_verbosity = "quiet")
  cpu <- function(code, times) {
    code <- substitute(code)
    frame <- parent.frame()
    min(vapply(seq_len(times), function(i) {
      gc(FALSE)
      sum(system.time(eval(code, frame), gcFirst = FALSE)[1:2])
    }, 0))
  }
  set.seed(1)
  x <- matrix(rnorm(1e5), 1e4)
  five <- rep_len(1:5, 1e4)
  few <- x[1:5000, ]
  apart <- dist(few)
  internal <- function(name) get(name, asNamespace("kgroups"))
  sums <- function(problem, k, labels) .Call(internal("ffi_group_sums"), problem, as.numeric(k), as.integer(labels))
  groups <- function(problem, k, labels) .Call(internal("ffi_dispersion"), problem, as.integer(labels), as.numeric(k))
  problem_of <- function(x, rho) internal("as_problem")(x, rho)
  mixed <- data.frame(x[, 1:5], a = factor(five), b = factor(rev(five)))
  semimetrics <- list(
    "power 1" = rho_power(1), "power 2" = rho_power(2), "power 1.3" = rho_power(1.3), exponential = rho_exponential(1),
    Gaussian = rho_gaussian(1), Manhattan = rho_metric("manhattan"), maximum = rho_metric("maximum"),
    Canberra = rho_metric("canberra"), "Minkowski 3" = rho_metric("minkowski", p = 3)
  )
  slow <- c("power 1.3", "Minkowski 3")
  out <- c()
  for (name in names(semimetrics)) {
    p <- problem_of(x, semimetrics[[name]])
    times <- if (name %in% slow) 1L else 4L
    out[paste("pass,", name)] <- cpu(sums(p, 5, five), times)
    if (!name %in% slow[-1L]) out[paste("groups,", name)] <- cpu(groups(p, 5, five), times)
  }
  p <- problem_of(mixed, rho_power(1))
  out["pass, mixed 5 + 2"] <- cpu(sums(p, 5, five), 5L)
  out["groups, mixed 5 + 2"] <- cpu(groups(p, 5, five), 5L)
  for (a in c(1, 1.5)) {
    p <- problem_of(apart, rho_power(a))
    out[paste("pass, dist n = 5000, power", a)] <- cpu(sums(p, 5, five[1:5000]), 4L)
  }
  out["energy_test(), n = 2000, d = 5, R = 999"] <- cpu(energy_test(x[1:2000, 1:5], five[1:2000], R = 999), 2L)
  wide <- list("63 x 2308" = c(63, 2308), "64 x 6830" = c(64, 6830))
  for (name in names(wide)) {
    y <- matrix(rnorm(prod(wide[[name]])), wide[[name]][1L])
    out[paste("sd 1,", name)] <- cpu(kgroups(y, 4, standardize = TRUE), 2L)
    if (Sys.getenv("BEFORE") == "" || name == "63 x 2308") {
      out[paste("within,", name)] <- cpu(kgroups(y, 4, standardize = "within"), 2L)
    }
  }
  z <- matrix(rnorm(30000), 3000)
  scatter <- internal("scatter_points")(z, z[, 0L], rep(1, 3000), rho_power(1), 1:3000, 3000)
  step <- internal("scatter_settings")(0, 1)
  out["pair scatter, 3000 x 10, three clusters"] <- cpu(
    .Call(internal("ffi_scatter_steps"), scatter, rep(1:3, 1000), 3, diag(10), step), 8L
  )
  z <- matrix(rnorm(40000), 5000) + 0.7 * matrix(rnorm(40), 5)[sample(5, 5000, TRUE), ]
  fit <- kgroups(z, 5)
  out["stability(B = 20), 5000 x 8"] <- cpu(stability(fit, B = 20), 2L)
  z <- matrix(rnorm(1e5), 1e4) + 1.5 * matrix(rnorm(100), 10)[sample(10, 1e4, TRUE), ]
  out["default fit, 10000 x 10, k = 10"] <- cpu(kgroups(z, 10), 3L)
  flat <- matrix(rnorm(20), 10)[sample(10, 1e4, TRUE), ] + rnorm(20000)
  out["default fit, 10000 x 2, k = 10"] <- cpu(kgroups(flat, 10), 3L)
  out["kgroups_changes(Nile)"] <- cpu(kgroups_changes(Nile), 3L)
  out["within, 10000 x 10, k = 10"] <- cpu(kgroups(z, 10, standardize = "within"), 2L)
  for (name in names(out)) cat("row\t", name, "\t", out[[name]], "\n", sep = "")
}

if (nzchar(Sys.getenv("ROOMS_CHILD"))) {
  child()
} else {
  run <- function(library, before) {
    lines <- system2("Rscript", "bench/kernels.R", stdout = TRUE, env = c(
      paste0("R_LIBS=", library, ":", Sys.getenv("R_LIBS")), "ROOMS_CHILD=yes", if (before) "BEFORE=yes"
    ))
    rows <- strsplit(sub("^row\t", "", grep("^row\t", lines, value = TRUE)), "\t")
    stats::setNames(as.numeric(vapply(rows, `[`, "", 2L)), vapply(rows, `[`, "", 1L))
  }
  now <- run(libraries[1L], FALSE)
  before <- if (length(libraries) > 1L) run(libraries[2L], TRUE)
  table <- data.frame(seconds = now, row.names = names(now))
  if (!is.null(before)) {
    table <- cbind(before = unname(before[names(now)]), table, ratio = round(unname(before[names(now)]) / now, 1))
  }
  print(table, digits = 3)
}
