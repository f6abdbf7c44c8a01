# Shared by the pages of the experiments: data and figures.

knitr::opts_chunk$set(fig.width = 7, fig.height = 3.6, echo = FALSE)
synthetic <- read.csv("experiments-synthetic.csv")
public <- read.csv("experiments-public.csv")
public <- public[rep(seq_len(nrow(public)), public$starts), ]
options(knitr.kable.NA = "")
order_of <- c(
  "k-means, Lloyd", "k-means, Hartigan-Wong", "k-means, 100 starts",
  "Gaussian mixture", "spectral", "spectral, base at the mean", "kernel k-means", "kernel k-groups",
  "kernel k-groups, 25 random starts", "kgroups(), default call",
  "random labels"
)
# Four colours: k-means, what is neither, kernel methods as the paper has them, and
# ours; within a colour a full sign with a full line and an empty one with a dashed line.
style <- data.frame(
  colour = colours[c("grey", "grey", "grey", "orange", "orange", "orange", "blue", "blue", "blue", "vermilion", "grey")],
  sign = c(1, 16, 10, 15, 0, 7, 2, 17, 6, 18, 4), line = c(2, 1, 3, 1, 2, 3, 2, 1, 3, 1, 3),
  short = c(
    "k-means, Lloyd", "k-means, H-W", "H-W, 100 starts", "mixture", "spectral", "centred",
    "kernel k-means", "kernel k-groups", "25 random starts", "default call", "random labels"
  ),
  row.names = order_of
)

# methods in rows, settings in columns
wide <- function(rows, value = "accuracy", by = "setting") {
  out <- tapply(rows[[value]], list(factor(rows$method, order_of), rows[[by]]), mean)
  out <- out[rowSums(!is.na(out)) > 0, , drop = FALSE]
  out[, order(match(colnames(out), unique(rows[[by]]))), drop = FALSE]
}
pick <- function(name, semimetric = NULL) {
  rows <- synthetic[synthetic$experiment == name, ]
  if (!is.null(semimetric)) rows <- rows[rows$semimetric == semimetric, ]
  rows
}
# One panel: curves a little side by side, so that methods that agree are visible, and their
# names at the right end, set apart so that none covers another.
lines_of <- function(rows, xlab, log = "", bayes = NULL, main = "") {
  table <- wide(rows)
  methods <- rownames(table)
  setting <- as.numeric(colnames(table))
  place <- if (log == "x") log10(setting) else setting
  step <- diff(range(place)) * 0.006
  ylim <- range(table, bayes + 0.015, na.rm = TRUE)
  par(mar = c(4, 4, 2.5, 10), las = 1)
  plot(NA,
    xlim = range(place), ylim = ylim, xaxt = "n", xlab = xlab, ylab = "accuracy",
    main = main, bty = "l"
  )
  axis(1, place, setting)
  if (!is.null(bayes)) {
    abline(h = bayes, lty = 3)
    text(max(place), bayes, "Bayes", adj = c(1, -0.35), cex = 0.8)
  }
  for (i in seq_along(methods)) {
    drawn <- style[methods[i], ]
    lines(place + step * (i - (length(methods) + 1) / 2), table[i, ],
      type = "b", col = drawn$colour, pch = drawn$sign, lty = drawn$line, lwd = 1.6
    )
  }
  last <- apply(table, 1, function(row) row[max(which(!is.na(row)))])
  sorted <- order(last)
  apart <- 0.075 * diff(ylim)
  at <- last[sorted]
  for (i in seq_along(at)[-1]) at[i] <- max(at[i], at[i - 1] + apart)
  at <- at - max(0, mean(at) - mean(last))
  edge <- par("usr")[2]
  points(rep(edge + 4 * step, length(at)), at,
    pch = style[methods[sorted], "sign"], col = style[methods[sorted], "colour"], xpd = NA
  )
  text(edge + 7 * step, at, style[methods[sorted], "short"],
    adj = 0, col = "black", cex = 0.85, xpd = NA
  )
}
