# Returns `quick`, or `all` if the environment variable KGROUPS_TESTS is "all" (make test-all).
repeats <- function(quick, all) if (identical(Sys.getenv("KGROUPS_TESTS"), "all")) all else quick
