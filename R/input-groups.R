# Input checks: columns that hold the known groups.

# Columns of few whole numbers with the name of known groups.
inform_named_groups <- function(x) {
  if (ncol(x) < 2L) {
    return(invisible())
  }
  class_name <- grepl("^(.*[._ ])?(class|classes|label|labels|target|outcome|diagnosis|species|group|cluster|clusters|type)$", lower_ascii(names(x)))
  for (j in which(class_name)) {
    column <- x[[j]]
    levels <- if (is.numeric(column) && !is.object(column) && is.null(dim(column))) unique(column[!is.na(column)])
    if (length(levels) %in% 2:12 && length(levels) * 5L <= nrow(x) && all(levels == round(levels))) {
      report("groups_named", name = names(x)[j], k = length(levels))
    }
  }
}

# ---- clusters that a column gives ----

# Report the column, or block of columns of 0 and 1, that may hold the known groups: it has as many categories as there are
# clusters, or it alone gives them. Every function that finds clusters of observations calls it once, with the labels.
inform_known_groups <- function(x, cluster) {
  found <- Filter(function(one) !any(one$names %in% reported$left), group_columns(x, max(cluster)))
  answer <- answer_column(found, max(cluster))
  if (!is.null(answer)) {
    report("groups", names = answer$names, k = max(cluster))
  } else if (NCOL(x) > 2L) {
    inform_separating(found, cluster)
  }
  invisible()
}

# The same for clusters of several numbers, as the cuts of a tree: `labels` returns those of a number. A column has no
# number of clusters to agree with, so that it must give them.
inform_known_cuts <- function(x, numbers, labels) {
  found <- if (NCOL(x) > 2L) group_columns(x, 2)
  few <- unique(vapply(found, `[[`, 0L, "size"))
  for (k in sort(intersect(few, numbers[numbers > 1]))) {
    if (inform_separating(found, labels(k), sprintf("the division into %d clusters", k))) {
      return(invisible())
    }
  }
}

# Return the columns of few values as list(names, code, size, categories, block): of a table, of points their columns before,
# of blocks of columns of 0 and 1 the categories.
group_columns <- function(x, k) {
  if (inherits(x, "AsIs")) x <- drop_as_is(x)
  sparse <- inherits(x, "sparseMatrix")
  if (k < 2L || length(dim(x)) != 2L || ncol(x) < 2L || nrow(x) < 3L * k || nrow(x) == ncol(x) && !is.data.frame(x)) {
    return(list())
  }
  n <- nrow(x)
  rows <- evenly_spaced(seq_len(n), 4000)
  columns <- if (is_points(x)) {
    columns_before(x)
  } else if (is.data.frame(x)) {
    as.list(x)
  } else if ((sparse || is.numeric(x)) && !is.null(colnames(x))) {
    # dense columns one after the other
    some <- if (sparse) varied_columns(x[rows, , drop = FALSE]) else seq_len(ncol(x))
    stats::setNames(lapply(some, function(j) as.vector(x[rows, j])), colnames(x)[some])
  }
  few <- lapply(seq_along(columns), function(j) few_values(columns[[j]], n, rows, k))
  names <- column_label(names(columns), seq_along(columns))
  found <- Map(function(one, name) if (!is.null(one)) c(list(names = name, block = FALSE), one), few, names)
  # one message a column
  found <- Filter(function(one) !is.null(one) && !one$names %in% reported$names, unname(found))
  c(found, binary_blocks(found, names))
}

# Return list(code, size, categories) for a column of few values, NULL for others. `rows` of n are compared; matrices have those
# alone.
few_values <- function(column, n, rows, k) {
  if (!is.atomic(column) || !is.null(dim(column)) || is_damaged(column) || !length(column) %in% c(n, length(rows))) {
    return(NULL)
  }
  categories <- is_text_column(column) || is.ordered(column)
  value <- as.vector(unclass(if (is.factor(column)) as.integer(column) else column))
  if (length(value) == n) value <- value[rows]
  found <- unique(value[!is.na(value)])
  few <- length(found) > 1L && length(found) <= max(10, k) && (categories || is.character(found) || all(found == round(found)))
  if (few) list(code = match(value, found), size = length(found), categories = categories, binary = setequal(found, 0:1), value = value)
}

# The columns from which points were made; none after a linear map.
columns_before <- function(x) {
  blueprint <- blueprint_of(x)
  used <- used_columns(blueprint)
  if (!is.null(blueprint$map) || is.null(blueprint$names)) {
    return(list())
  }
  first <- if (blueprint$as_is) seq_along(used) else first_coordinates(used)
  columns <- lapply(seq_along(used), function(j) {
    column <- used[[j]]
    if (column$type == "categories") {
      code <- category_codes(plain_points(x), first[j] - 1L, column)
      return(if (!is.null(code)) factor(column$levels[code$code]))
    }
    value <- x[, first[j]] / sqrt(column$weight)
    if (blueprint$as_is) value else round(value * column$sd + column$mean, 8)
  })
  stats::setNames(columns, vapply(used, `[[`, "", "label"))
}

# The columns of a sparse matrix that are not 0 in nearly all rows.
varied_columns <- function(x) which(Matrix::colSums(x != 0) >= 0.02 * nrow(x))

# Blocks of adjacent columns of 0 and 1 of which a row has at most one 1, as model.matrix() makes them of a factor.
binary_blocks <- function(found, names) {
  binary <- Filter(function(one) one$binary && !anyNA(one$value), found)
  at <- match(vapply(binary, `[[`, "", "names"), names)
  blocks <- list()
  start <- 1L
  while (start < length(binary)) {
    total <- binary[[start]]$value
    end <- start
    while (end < length(binary) && at[end + 1L] == at[end] + 1L && max(total + binary[[end + 1L]]$value) == 1) {
      end <- end + 1L
      total <- total + binary[[end]]$value
    }
    if (end > start) {
      code <- Reduce(`+`, Map(function(one, l) one$value * l, binary[start:end], seq_len(end - start + 1L)))
      size <- length(unique(code))
      names_of <- vapply(binary[start:end], `[[`, "", "names")
      blocks <- c(blocks, list(list(
        names = names_of, block = TRUE, code = match(code, unique(code)), size = size, categories = min(code) > 0
      )))
    }
    start <- end + 1L
  }
  blocks
}

# The one column of k categories; several of them are questions with the same answers.
answer_column <- function(found, k) {
  answer <- Filter(function(one) one$categories && one$size == k, found)
  if (length(answer) == 1L) answer[[1L]]
}

# Report the one column that determines the clusters, but for 2 percent of the rows and a tenth of each cluster. A block stands for
# its columns if none of them does. Return whether there is one.
inform_separating <- function(found, cluster, what = "the clusters") {
  k <- max(cluster)
  if (k < 2L || length(found) == 0L) {
    return(FALSE)
  }
  label <- cluster[evenly_spaced(seq_along(cluster), 4000)]
  gives <- vapply(found, function(one) {
    if (one$size < k || 5L * one$size > length(label) || anyNA(one$code)) {
      return(FALSE)
    }
    counts <- matrix(tabulate(one$code + one$size * (label - 1L), one$size * k), one$size)
    most <- max.col(counts, "first")
    right <- sum_by(counts[cbind(seq_len(one$size), most)], most, k)
    sum(right) >= 0.98 * length(label) && all(right >= 0.9 * tabulate(label, k))
  }, NA)
  block <- vapply(found, `[[`, NA, "block")
  at <- if (any(gives & !block)) which(gives & !block) else which(gives)
  if (length(at) == 1L) {
    names <- found[[at]]$names
    report("separates", names = names, what = what, use = code_without(names))
  }
  length(at) == 1L
}

# ---- groups of a test ----

# Report a column of x that is the groups under other labels. Return whether there is one.
inform_group_column <- function(x, labels) {
  if (inherits(x, "AsIs")) x <- drop_as_is(x)
  labels <- partition_labels(labels)
  n <- length(labels)
  is_plain <- function(x) is.atomic(x) && is.null(dim(x)) && !is_damaged(x)
  first <- if (is_plain(labels)) match(labels, labels)
  table <- is.data.frame(x) || is.matrix(x) && is.numeric(x) && !is_gram(x) && !is.null(colnames(x))
  if (is.null(first) || !table || ncol(x) < 2L || n != nrow(x) || n < 3L * length(unique(first))) {
    return(FALSE)
  }
  same <- vapply(seq_len(ncol(x)), function(j) {
    column <- if (is.data.frame(x)) .subset2(x, j) else x[, j]
    is_plain(column) && length(column) == n && identical(match(column, column), first)
  }, NA)
  if (any(same)) report("group", name = colnames(x)[same][1L], use = code_without(colnames(x)[same]))
  any(same)
}
