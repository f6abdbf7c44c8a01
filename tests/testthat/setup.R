# A kind of message is shown once a session; tests expect it of every call.
withr::local_options(rlib_message_verbosity = "verbose", .local_envir = testthat::teardown_env())
