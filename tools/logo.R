# Draws man/figures/logo.svg: two clouds with one centre and different scale, the figure of what
# kgroups() shows apart and a mean does not. Plain SVG without fonts, the same on every machine.
#   Rscript tools/logo.R

# Points of a sunflower, so that a cloud is even and no seed is needed.
cloud <- function(n, inner, outer) {
  at <- seq_len(n) - 0.5
  radius <- sqrt(inner^2 + (outer^2 - inner^2) * at / n)
  angle <- at * pi * (3 - sqrt(5))
  cbind(100 + radius * cos(angle), 115 + radius * sin(angle))
}
corners <- 2 * pi * (seq_len(6) - 0.5) / 6
hexagon <- paste(sprintf("%.1f,%.1f", 100 + 112 * cos(corners), 115 + 112 * sin(corners)), collapse = " ")
wide <- cloud(64, 34, 86)
tight <- cloud(34, 0, 29)
diamonds <- sprintf(
  "<rect x=\"%.1f\" y=\"%.1f\" width=\"7.4\" height=\"7.4\" transform=\"rotate(45 %.1f %.1f)\"/>",
  wide[, 1] - 3.7, wide[, 2] - 3.7, wide[, 1], wide[, 2]
)
dots <- sprintf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.9\"/>", tight[, 1], tight[, 2])
writeLines(c(
  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 200 230\" role=\"img\">",
  "<title>kgroups: a tight cloud inside a wide one</title>",
  sprintf("<polygon points=\"%s\" fill=\"#f7f9fb\" stroke=\"#0072B2\" stroke-width=\"5\" stroke-linejoin=\"round\"/>", hexagon),
  "<g fill=\"#E69F00\">", diamonds, "</g>",
  "<g fill=\"#0072B2\">", dots, "</g>",
  "</svg>"
), "man/figures/logo.svg")
