# make demo: kernel k-groups on the dermatology data, beside the diagnosis.

library(kgroups)

dermatology <- read.csv(system.file("extdata", "dermatology.csv", package = "kgroups"))
diagnosis <- dermatology$class
x <- dermatology[names(dermatology) != "class"]
x$age[is.na(x$age)] <- mean(x$age, na.rm = TRUE)
x <- scale(x)

set.seed(1)
fit <- kgroups(x, 6, semimetric = rho_power(1 / 2))
print(fit)

cat("\nAgreement with the diagnosis\n")
agreement <- c(
  "accuracy" = compare_clusters(diagnosis, fit$cluster, "accuracy"),
  "adjusted Rand index" = compare_clusters(diagnosis, fit$cluster),
  "normalized mutual information" = compare_clusters(diagnosis, fit$cluster, "nmi")
)
cat(sprintf("  %-30s %.3f\n", names(agreement), agreement), sep = "")

cat("\n")
groups <- table(diagnosis, cluster = fit$cluster)
print(groups)

# A row a cluster, a column a patient, the patients in the order of their diagnoses: a
# cluster that is a diagnosis is one unbroken bar.
patients <- order(match(diagnosis, rownames(groups)[max.col(t(groups))]))
shown <- outer(seq_len(fit$k), fit$cluster[patients], "==")
boundaries <- cumsum(rle(diagnosis[patients])$lengths)
middles <- boundaries - rle(diagnosis[patients])$lengths / 2

png("demo.png", width = 1600, height = 650, res = 150)
par(mar = c(5, 4, 2.5, 1))
image(seq_along(patients), seq_len(fit$k), t(shown),
  useRaster = TRUE, col = c("grey93", "steelblue4"), xlab = "", ylab = "cluster", axes = FALSE,
  main = "366 patients: cluster (row) against diagnosis (column)"
)
axis(2, seq_len(fit$k), las = 1, tick = FALSE)
abline(v = head(boundaries, -1) + 0.5, col = "white", lwd = 2)
abline(h = seq_len(fit$k - 1) + 0.5, col = "white")
text(middles, par("usr")[3] - 0.25, rle(diagnosis[patients])$values,
  srt = 20, adj = c(1, 1), xpd = NA, cex = 0.8
)
box()
invisible(dev.off())
cat("\nwrote demo.png\n")
