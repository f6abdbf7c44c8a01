# Snapshots of ggplots were drawn by this version; others draw the same tables with other
# themes and margins.
same_ggplot2 <- function() {
  version <- utils::packageVersion("ggplot2")
  version >= "3.4.0" && version < "3.5.0"
}
