# How long every long routine takes to answer Ctrl-C. Writes bench/interrupt.csv.
#   Rscript bench/interrupt.R        (from the root of the sources, package installed)
library(kgroups)
source("tests/testthat/helper-interrupt.R")

found <- do.call(rbind, lapply(1:3, function(time) {
  interrupt_calls(long_calls, pause = c(0.2, 0.3, 0.5)[time])
}))
worst <- aggregate(seconds ~ call, found, max)
worst$interrupted <- tapply(found$answer == "interrupted", found$call, all)[worst$call]
worst <- worst[match(names(long_calls), worst$call), ]
worst$seconds <- round(worst$seconds, 3)
print(worst, row.names = FALSE)
utils::write.csv(worst, "bench/interrupt.csv", row.names = FALSE)
