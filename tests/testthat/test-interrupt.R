# SIGINT to a child R process in the middle of every long routine: the call answers, R stays
# usable, and the next result is right. How fast it answers is measured in tools/trust/interrupt.R.

test_that("every long routine answers an interrupt", {
  skip_on_cran()
  skip_on_covr() # code that counts its lines is too slow to be caught in time
  skip_on_os("windows")
  skip_if_not_installed("processx")
  skip_if_interrupts_ignored()
  found <- interrupt_calls(long_calls)
  info <- paste(c(utils::capture.output(print(found)), attr(found, "output")), collapse = "\n")
  expect_identical(found$answer, rep("interrupted", length(long_calls)), info = info)
  expect_identical(found$right, rep(TRUE, length(long_calls)), info = info)
})
