# Instruction sets: chosen at load; the option kgroups.simd names another.

simd_names <- c("auto", "avx512", "avx2", "base")

simd_state <- new.env(parent = emptyenv())
simd_state$asked <- "auto"

# Called wherever a problem is made, so that the option works at any time. Returns the
# name of the loops in use.
use_simd <- function(call = rlang::caller_env()) {
  name <- getOption("kgroups.simd", "auto")
  if (identical(name, simd_state$asked)) {
    return(invisible(.Call(ffi_choose_loops, NULL)))
  }
  name <- check_choice(name, "kgroups.simd", simd_names, call = call)
  used <- .Call(ffi_choose_loops, name)
  if (is.null(used)) {
    kg_abort(
      c(
        "The option {.field kgroups.simd} must name instructions that this processor has.",
        "x" = "It has no {.val {name}}.",
        "i" = "Use {.code options(kgroups.simd = \"auto\")}."
      ),
      "simd",
      call = call
    )
  }
  simd_state$asked <- name
  invisible(used)
}

# Threads for the compiled loops, until the call that asked for them ends and asks for one.
use_threads <- function(threads) invisible(.Call(ffi_choose_threads, as.numeric(threads)))
