#' Data files that come with the package
#'
#' Returns the path of a file of example data, to be read with [utils::read.csv()]. The file `SOURCES.md`
#' beside them states the origin, the licence and all changes.
#'
#' | file | holds |
#' |---|---|
#' | `dermatology.csv` | 366 patients, 34 attributes, `class`: 6 diagnoses; 8 ages are missing |
#' | `karate_edges.csv` | 78 ties between the 34 members of a karate club: `from`, `to` |
#' | `karate_labels.csv` | the two factions into which the club split: `node`, `class` |
#' | `SOURCES.md` | origin and licence of each of them |
#'
#' @param file Name of a file, one string; `NULL` (the default) lists the names.
#' @return The path of the file, one string; for `NULL` a character vector of file names.
#' @section Errors:
#' A name that is not among the files is an error of class `kg_error_file`.
#' @references
#' Guvenir HA, Demiroz G, Ilter N (1998). "Learning differential diagnosis of
#' erythemato-squamous diseases using voting feature intervals." *Artificial Intelligence in
#' Medicine*, 13(3), 147-165. \doi{10.1016/S0933-3657(98)00028-1}
#'
#' Zachary WW (1977). "An information flow model for conflict and fission in small groups."
#' *Journal of Anthropological Research*, 33(4), 452-473. \doi{10.1086/jar.33.4.3629752}
#' @family data
#' @seealso `vignette("dermatology")` and `vignette("graphs")`, which use them.
#' @export
#' @examples
#' kgroups_example()
#'
#' dermatology <- read.csv(kgroups_example("dermatology.csv"))
#' table(dermatology$class)
#'
#' edges <- read.csv(kgroups_example("karate_edges.csv"))
#' igraph::graph_from_data_frame(edges, directed = FALSE)
kgroups_example <- function(file = NULL) {
  folder <- system.file("extdata", package = "kgroups", mustWork = TRUE)
  files <- sort(list.files(folder), method = "radix")
  if (is.null(file)) {
    return(files)
  }
  file <- check_choice(file, "file", files)
  file.path(folder, file)
}
