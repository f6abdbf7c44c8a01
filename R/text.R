# Small words of messages and prints.

plural <- function(n) if (n == 1) "" else "s"

# How far from negative type, in words: by the least eigenvalue below 0 beside the largest.
violation_size <- function(share) c("small", "moderate", "large")[findInterval(share, c(0.05, 0.25)) + 1L]

violation_text <- function(smallest, largest) {
  if (largest <= 1e-10 * -smallest) {
    return("a large violation, no eigenvalue is above 0")
  }
  share <- -smallest / largest
  how <- if (share > 1) {
    sprintf("%s times the largest eigenvalue", format(share, digits = 2))
  } else {
    sprintf("%s %% of the largest eigenvalue", format(100 * share, digits = 2))
  }
  sprintf("a %s violation, %s", violation_size(share), how)
}

is_are <- function(n) if (n == 1) "is" else "are"

article <- function(word) if (grepl("^[aeiou]", word)) "an" else "a"

sizes_text <- function(sizes, most = 20L) {
  shown <- sizes[seq_len(min(length(sizes), most))]
  paste0(
    paste(shown, collapse = ", "),
    if (length(sizes) > most) sprintf(", ... (%d more)", length(sizes) - most)
  )
}

# make.unique() puts all names on the stack of C, which ends at some megabytes.
all_different <- function(names) {
  if (anyDuplicated(names)) make.unique(names) else names
}

deparse_short <- function(expr) {
  # R writes no text of unknown bytes
  text <- tryCatch(deparse(expr, width.cutoff = 60L, nlines = 2L), error = function(e) "data")
  if (length(text) > 1L) paste0(text[1L], "...") else text
}

# A tibble if the package is there. Row names that say something become a column, as in
# broom.
as_table <- function(data) {
  data <- as.data.frame(data, optional = TRUE)
  if (.row_names_info(data) > 0L && !".rownames" %in% names(data)) {
    data <- cbind(.rownames = row.names(data), data)
  }
  row.names(data) <- NULL
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(data) else data
}

# "2, 3, 4" as "2 to 4"
runs_text <- function(ks) {
  if (length(ks) > 2L && all(diff(ks) == 1L)) sprintf("%d to %d", ks[1L], ks[length(ks)]) else paste(ks, collapse = ", ")
}
