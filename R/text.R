# Text of messages and prints, and text that users supply.

# ---- text that users supply ----

is_string <- function(x) is.character(x) && length(x) == 1L && !is.na(x)

# Return text in UTF-8. Unmarked bytes are UTF-8 if they are valid, else Latin-1.
as_utf8 <- function(x) {
  plain <- Encoding(x) == "unknown"
  odd <- which(plain & !is.na(x) & is.na(iconv(x, "ASCII", "ASCII")))
  if (length(odd)) {
    text <- x[odd]
    valid <- validUTF8(text)
    Encoding(text[valid]) <- "UTF-8"
    text[!valid] <- iconv(text[!valid], "latin1", "UTF-8")
    x[odd] <- text
  }
  # R does not sort text of unknown bytes
  bytes <- which(!plain & Encoding(x) == "bytes")
  if (length(bytes)) x[bytes] <- iconv(x[bytes], "ASCII", "ASCII", sub = "byte")
  x
}

# Return the different text values without NA, in one order for every locale. The radix sort needs
# 1 kB a byte of the longest value.
sort_text <- function(x) {
  x <- unique(as_utf8(x))
  sort(x, method = if (all(nchar(x, "bytes") < 1e5, na.rm = TRUE)) "radix" else "shell")
}

# Lines that are longer than the console is wide, wrapped.
within_width <- function(lines, width = getOption("width", 80L)) {
  unlist(lapply(lines, function(line) if (nchar(line) > width) strwrap(line, width + 1L, exdent = 2L) else line))
}

# Lower case of a to z only: other letters depend on the locale.
lower_ascii <- function(x) chartr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", as_utf8(x))

# Return unique names. make.unique() puts all names on the C stack, so it is called only if needed.
all_different <- function(names) if (anyDuplicated(names)) make.unique(names) else names

# Return the candidate with the least edit distance to a name, or NULL if none is near.
nearest_name <- function(name, candidates) {
  # one letter is not a misspelt word
  candidates <- candidates[!is.na(candidates)]
  candidates <- as_utf8(candidates[nchar(candidates, "bytes") > 1L])
  if (length(candidates) == 0L || is.na(name)) {
    return(NULL)
  }
  # a long name is not a misspelling, and takes long to compare
  name <- as_utf8(shorten(name, 80L))
  far <- drop(utils::adist(lower_ascii(name), lower_ascii(candidates)))
  few <- if (nchar(name) < 4L) 1 else 2
  if (min(far) <= few) candidates[which.min(far)]
}

# print() of a class with a format().
print_lines <- function(x, ...) {
  cat(format(x, ...), sep = "\n")
  invisible(x)
}

# ---- words ----

plural <- function(n) if (n == 1) "" else "s"

article <- function(word) if (grepl("^[aeiou]", word)) "an" else "a"

in_words <- function(x) {
  if (length(x) < 2L) x else paste(paste(x[-length(x)], collapse = ", "), "and", x[length(x)])
}

# The first names, and how many others there are.
first_of <- function(names, most) {
  in_words(c(utils::head(names, most), count_of(length(names) - most, "other", "others")))
}

count_of <- function(n, one, many) if (n > 0) paste(n, if (n == 1) one else many)

# The size of a violation of negative type: the least eigenvalue relative to the largest.
violation_size <- function(share) c("small", "moderate", "large")[findInterval(share, c(0.05, 0.25)) + 1L]

violation_text <- function(smallest, largest) {
  if (largest <= 1e-10 * -smallest) {
    return("a large violation, no eigenvalue is above 0")
  }
  share <- -smallest / largest
  how <- if (share > 1) paste(format(share, digits = 2), "times") else paste(format(100 * share, digits = 2), "% of")
  sprintf("a %s violation: the least eigenvalue is below 0, in size %s the largest", violation_size(share), how)
}

sizes_text <- function(sizes, most = 20L) {
  shown <- sizes[seq_len(min(length(sizes), most))]
  paste0(paste(shown, collapse = ", "), if (length(sizes) > most) sprintf(", ... (%d more)", length(sizes) - most))
}

deparse_short <- function(expr) {
  # deparse() fails for text of unknown bytes
  text <- catch_error(deparse(expr, width.cutoff = 60L, nlines = 2L), error = function(e) "data")
  if (length(text) > 1L) paste0(text[1L], "...") else text
}

# Return a tibble if that package is installed; row names become a column, as in broom. Names that a tibble cannot have
# are repaired: x2 for the second column, and a suffix for a name that stands twice.
as_table <- function(data) {
  data <- as.data.frame(data, optional = TRUE)
  odd <- which(is.na(names(data)) | grepl("^([.]{3}|[.]{2}[0-9]+)?$", names(data)))
  names(data)[odd] <- paste0("x", odd)
  if (anyDuplicated(names(data))) names(data) <- make.unique(names(data), "_")
  if (.row_names_info(data) > 0L && !".rownames" %in% names(data)) data <- cbind(.rownames = row.names(data), data)
  row.names(data) <- NULL
  if (has_package("tibble")) tibble::as_tibble(data) else data
}

# "2, 3, 4" as "2 to 4"
runs_text <- function(ks) {
  paste(if (length(ks) > 2L && all(diff(ks) == 1L)) sprintf("%d to %d", min(ks), max(ks)) else ks, collapse = ", ")
}

# Two digits without -0.00, for sprintf().
two_digits <- function(x) round(x, 2) + 0

verdict_of <- function(p) paste0("one cluster ", if (p <= 0.05) "rejected, " else "not rejected, ", p_text(p))

p_text <- function(p) if (isTRUE(p < 1e-4)) "p < 0.0001" else paste("p =", format(p, digits = 2))
