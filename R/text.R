# Small words of messages and prints.

plural <- function(n) if (n == 1) "" else "s"

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
