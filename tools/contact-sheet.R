# One sheet of every plot type, by base graphics and beside it by ggplot2, for inspection after a change
# of the figures. Needs ggplot2 and ragg.
#   Rscript tools/contact-sheet.R [FILE]        the sheet goes to FILE, .build/contact-sheet.png by default

library(kgroups)
file <- c(commandArgs(TRUE), ".build/contact-sheet.png")[1]
set.seed(1)

flowers <- kgroups(iris[1:4], 3)
many <- kgroups(cbind(rep(1:4, each = 60), rep(1:3, 80)) * 5 + rnorm(480), 12)
crowd <- kgroups(
  rbind(matrix(rnorm(20000), ncol = 2), matrix(rnorm(16000, 4), ncol = 2)), 2,
  approx = nystroem(30)
)
edges <- read.csv(kgroups_example("karate_edges.csv"))
club <- igraph::graph_from_edgelist(as.matrix(edges), directed = FALSE)
choice <- select_k(iris[1:4], 1:6, criterion = c("elbow", "stability", "silhouette"), splits = 8)
semimetric <- select_semimetric(iris[1:4], 3, splits = 6)
sure <- stability(flowers, B = 30)

figures <- list(
  list(flowers, "coordinates"), list(flowers, "silhouette"), list(flowers, "objective"), list(flowers, "dispersion"),
  list(many, "coordinates"), list(many, "silhouette"), list(many, "dispersion"), list(crowd, "coordinates"),
  list(kgroups(club, 2), "coordinates"), list(kgroups(iris[[1]], 3), "coordinates"),
  list(choice, "criteria"), list(choice, "objective"), list(choice, "halves"),
  list(semimetric, "criteria"), list(semimetric, "agreement"),
  list(sure, "clusters"), list(sure, "observations"),
  list(energy_test(iris[1:100, 1:4], iris$Species[1:100], R = 199)),
  list(energy_test(iris[1:50, 1:4], rep(1:2, 25), R = 199))
)

captured <- function(draw) {
  device <- ragg::agg_capture(width = 520, height = 420, res = 84)
  draw()
  out <- device(native = FALSE)
  grDevices::dev.off()
  out
}
both <- lapply(figures, function(one) {
  names(one) <- c("x", "type")[seq_along(one)]
  list(
    captured(function() do.call(plot, one)),
    captured(function() print(do.call(ggplot2::autoplot, stats::setNames(one, c("object", "type")[seq_along(one)]))))
  )
})
cells <- unlist(both, recursive = FALSE)
columns <- 4
rows <- ceiling(length(cells) / columns)
ragg::agg_png(file, width = 520 * columns, height = 420 * rows)
grid::grid.newpage()
grid::pushViewport(grid::viewport(layout = grid::grid.layout(rows, columns)))
for (i in seq_along(cells)) {
  at <- grid::viewport(layout.pos.row = (i - 1) %/% columns + 1, layout.pos.col = (i - 1) %% columns + 1)
  grid::grid.raster(cells[[i]], vp = at, interpolate = FALSE, width = 1, height = 1)
}
invisible(grDevices::dev.off())
cat("wrote", file, "\n")
