# Makes inst/extdata/karate_edges.csv and karate_labels.csv, the vertices numbered as in
# Zachary's article. The ties come from igraph, the factions from Table 1 of the article.
#
#   Rscript data-raw/karate.R                    makes the files
#   Rscript data-raw/karate.R EDGES.csv LABELS.csv
#         also compares with a copy whose vertices may be numbered otherwise (edges: from,
#         to; labels: node, class)
#
# Run at the root of the package.

library(igraph)

karate <- make_graph("Zachary")
edges <- as.data.frame(as_edgelist(karate, names = FALSE))
names(edges) <- c("from", "to")

# Sympathies before the split. Member 9 sided with the president, and joined the
# instructor's club all the same.
instructor <- c(1:8, 11:14, 17, 18, 20, 22)
labels <- data.frame(
  node = 1:34,
  class = ifelse(1:34 %in% instructor, "Mr. Hi", "John A.")
)

stopifnot(nrow(edges) == 78, sum(labels$class == "Mr. Hi") == 16)

other <- commandArgs(TRUE)
if (length(other)) {
  copy_labels <- utils::read.csv(other[2])
  copy <- graph_from_data_frame(utils::read.csv(other[1]), FALSE, copy_labels)
  colour <- function(x, first) ifelse(x == first, 1L, 2L)
  stopifnot(isomorphic(karate, copy,
    method = "vf2",
    vertex.color1 = colour(labels$class, "Mr. Hi"),
    vertex.color2 = colour(copy_labels$class, copy_labels$class[1])
  ))
}

utils::write.csv(edges, file.path("inst", "extdata", "karate_edges.csv"),
  row.names = FALSE, quote = FALSE
)
utils::write.csv(labels, file.path("inst", "extdata", "karate_labels.csv"),
  row.names = FALSE, quote = FALSE
)
