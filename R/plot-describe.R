# Pictures of what clusters are made of, by base graphics and ggplot2.

description_types <- c("coefficients", "distributions")

#' @rdname describe_clusters
#' @param type What to draw: `"coefficients"` (default), a heat map of variables by clusters;
#'   `"distributions"`, the variables with the largest coefficients by cluster, numbers as box plots and
#'   categories as shares.
#' @param top How many variables to draw at most, those with the largest coefficients first. Default 20
#'   for coefficients, 6 for
#'   distributions.
#' @export
plot.kgroups_description <- function(x, type = c("coefficients", "distributions"), top = NULL, ...) {
  type <- check_choice(type, "type", description_types)
  shown <- top_variables(x, type, top)
  x <- drawn_names(x)
  switch(type,
    coefficients = base_coefficients(coefficient_matrix(x, shown), list(...)),
    distributions = base_distributions(x, shown, list(...))
  )
  invisible(x)
}

#' @rdname describe_clusters
#' @usage
#' \method{autoplot}{kgroups_description}(
#'   object,
#'   type = c("coefficients", "distributions"),
#'   top = NULL,
#'   ...
#' )
#' @exportS3Method ggplot2::autoplot
autoplot.kgroups_description <- function(object, type = c("coefficients", "distributions"), top = NULL, ...) {
  need_package("ggplot2", "{.fn autoplot}")
  check_no_dots(..., call = rlang::current_env(), topic = "describe_clusters")
  type <- check_choice(type, "type", description_types)
  shown <- top_variables(object, type, top)
  object <- drawn_names(object)
  switch(type,
    coefficients = ggplot_coefficients(coefficient_matrix(object, shown)),
    distributions = ggplot_distributions(object, shown)
  )
}

description_title <- "Energy coefficient between cluster and rest"

# Variables by their largest coefficient, as many as are to be drawn.
top_variables <- function(x, type, top, call = rlang::caller_env()) {
  if (is.null(top)) top <- if (type == "coefficients") 20 else 6
  top <- check_count(top, "top", 1, call = call)
  largest <- vapply(x$variables, function(variable) {
    max(-1, x$table$coefficient[x$table$variable == variable], na.rm = TRUE)
  }, 0)
  utils::head(order(-largest), top)
}

# Names of variables, clusters and levels at a length that can be drawn; still all different.
drawn_names <- function(x) {
  short <- function(names) all_different(shorten(names, most_drawn))
  variables <- short(x$variables)
  clusters <- short(names(x$sizes))
  levels <- unique(unlist(lapply(x$columns, `[[`, "levels")))
  brief <- if (!is.null(levels)) short(levels)
  level <- function(names) if (!is.null(names)) brief[match(names, levels)]
  renamed <- function(frame) {
    if (is.null(frame)) {
      return(NULL)
    }
    frame$variable <- variables[match(frame$variable, x$variables)]
    levels(frame$cluster) <- clusters
    frame$level <- level(frame$level)
    frame
  }
  x$columns <- lapply(x$columns, function(column) {
    column$levels <- level(column$levels)
    column
  })
  x$table <- renamed(x$table)
  x$shares <- renamed(x$shares)
  levels(x$cluster) <- clusters
  names(x$sizes) <- clusters
  x$variables <- variables
  x
}

coefficient_matrix <- function(x, shown) {
  clusters <- names(x$sizes)
  out <- matrix(NA_real_, length(shown), length(clusters), dimnames = list(x$variables[shown], clusters))
  at <- cbind(match(x$table$variable, rownames(out)), match(as.character(x$table$cluster), clusters))
  inside <- !is.na(at[, 1L])
  out[at[inside, , drop = FALSE]] <- x$table$coefficient[inside]
  out
}

base_coefficients <- function(H, arguments) {
  side <- min(14, 2 + 0.5 * max(nchar(rownames(H))))
  old <- graphics::par(mar = c(4, side, 3, 1))
  on.exit(graphics::par(old))
  p <- nrow(H)
  upright <- t(H[rev(seq_len(p)), , drop = FALSE])
  ours <- list(
    x = seq_len(ncol(H)), y = seq_len(p), z = upright, zlim = c(0, 1),
    col = grDevices::hcl.colors(64, "Blues", rev = TRUE)[1:48], xlab = "cluster", ylab = "", axes = FALSE,
    main = description_title
  )
  draw(graphics::image.default, ours, arguments)
  graphics::axis(1, seq_len(ncol(H)), colnames(H), tick = FALSE)
  graphics::axis(2, seq_len(p), rev(rownames(H)), las = 1, tick = FALSE)
  if (length(H) <= 240L) graphics::text(row(upright), col(upright), format_coefficient(upright))
}

format_coefficient <- function(H) ifelse(is.na(H), "", sprintf("%.2f", H))

base_distributions <- function(x, shown, arguments) {
  old <- graphics::par(mar = c(4, 4, 2, 1), mfrow = rev(grDevices::n2mfrow(length(shown))))
  on.exit(graphics::par(old))
  for (j in shown) {
    column <- x$columns[[j]]
    if (column$type == "categories") {
      shares <- level_shares(x, j)
      draw(
        graphics::barplot,
        list(
          height = shares, names.arg = colnames(shares), col = grDevices::hcl.colors(nrow(shares), "Blues"),
          xlab = "cluster", ylab = "share", main = x$variables[j], legend.text = rownames(shares)
        ),
        arguments
      )
    } else {
      draw(
        graphics::boxplot,
        list(
          x = split(column$values, x$cluster), col = cluster_colours(length(x$sizes)),
          xlab = "cluster", ylab = value_label(column), main = x$variables[j]
        ),
        arguments
      )
    }
  }
}

# L x k shares of the levels of a variable, by cluster.
level_shares <- function(x, j) {
  rows <- x$shares[x$shares$variable == x$variables[j], ]
  levels <- x$columns[[j]]$levels
  clusters <- names(x$sizes)
  out <- matrix(0, length(levels), length(clusters), dimnames = list(levels, clusters))
  out[cbind(match(rows$level, levels), match(as.character(rows$cluster), clusters))] <- rows$inside
  out
}

value_label <- function(column) {
  switch(column$type,
    date = "days since 1970", time = "seconds since 1970", difference = column$unit,
    ordered = "level", ""
  )
}

ggplot_coefficients <- function(H) {
  frame <- data.frame(
    variable = factor(rownames(H)[row(H)], rev(rownames(H))), cluster = factor(colnames(H)[col(H)], colnames(H)),
    coefficient = as.vector(H), text = format_coefficient(as.vector(H))
  )
  out <- ggplot2::ggplot(frame, ggplot2::aes(.data$cluster, .data$variable, fill = .data$coefficient)) +
    ggplot2::geom_tile() +
    ggplot2::scale_fill_gradient(low = "#F7FBFF", high = "#4A90C2", limits = c(0, 1)) +
    ggplot2::labs(y = NULL, fill = "coefficient", title = description_title)
  if (length(H) > 240L) out else out + ggplot2::geom_text(ggplot2::aes(label = .data$text))
}

# Numbers and categories stand in panels of one picture, each with a layer of its own.
ggplot_distributions <- function(x, shown) {
  panels <- x$variables[shown]
  type <- vapply(x$columns[shown], `[[`, "", "type")
  numbers <- do.call(rbind, lapply(shown[type != "categories"], function(j) {
    data.frame(
      variable = factor(x$variables[j], panels), cluster = x$cluster, value = x$columns[[j]]$values
    )
  }))
  shares <- do.call(rbind, lapply(shown[type == "categories"], function(j) {
    share <- level_shares(x, j)
    data.frame(
      variable = factor(x$variables[j], panels), cluster = factor(colnames(share)[col(share)], colnames(share)),
      level = rownames(share)[row(share)], rank = (row(share) / nrow(share))[seq_along(share)],
      value = as.vector(share)
    )
  }))
  out <- ggplot2::ggplot(mapping = ggplot2::aes(.data$cluster, .data$value))
  if (!is.null(numbers)) {
    out <- out + ggplot2::geom_boxplot(
      data = numbers, ggplot2::aes(fill = .data$cluster),
      na.rm = TRUE, show.legend = FALSE
    )
  }
  if (!is.null(shares)) {
    stacked <- ggplot2::position_stack(vjust = 0.5)
    # a narrow one has no room for its name but takes its place
    shares$text <- ifelse(shares$value >= 0.08, shares$level, "")
    out <- out +
      ggplot2::geom_col(
        data = shares, ggplot2::aes(alpha = .data$rank, group = .data$level),
        fill = "#4A90C2", colour = "white", show.legend = FALSE
      ) +
      ggplot2::geom_text(
        data = shares, ggplot2::aes(label = .data$text, group = .data$level),
        position = stacked, size = 3
      )
  }
  out + ggplot2::facet_wrap(ggplot2::vars(.data$variable), scales = "free_y") +
    ggplot2::labs(x = "cluster", y = NULL)
}
