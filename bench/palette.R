# Distances between the colours of figures (CIELUV) as normal, protan, deutan and tritan eyes have them. The table gives
# the least distance of any two of the first 3, 5 and 8 colours, and which two.
#     Rscript bench/palette.R
palettes <- list(
  kgroups = unname(getFromNamespace("palette8", "kgroups")),
  former = c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6F7782", "#B5A800")
)
eyes <- list(normal = identity, protan = colorspace::protan, deutan = colorspace::deutan, tritan = colorspace::tritan)
place <- function(colours) colorspace::coords(methods::as(colorspace::hex2RGB(colours), "LUV"))
rows <- do.call(rbind, lapply(names(palettes), function(name) {
  do.call(rbind, lapply(names(eyes), function(eye) {
    far <- as.matrix(stats::dist(place(eyes[[eye]](palettes[[name]]))))
    least <- vapply(c(3, 5, 8), function(n) min(far[seq_len(n), seq_len(n)][lower.tri(diag(n))]), 0)
    at <- which(far == least[3] & lower.tri(far), arr.ind = TRUE)[1, ]
    data.frame(
      palette = name, eye = eye, first3 = least[1], first5 = least[2], all8 = least[3],
      nearest = paste(palettes[[name]][sort(at)], collapse = " ")
    )
  }))
}))
print(rows, digits = 3, row.names = FALSE)
white <- vapply(palettes, function(colours) min(colorspace::contrast_ratio(colours, "white")), 0)
cat("least contrast with white:", paste(names(white), round(white, 2)), "\n")
