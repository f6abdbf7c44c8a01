/* init.c - the table of routines that R may call. */
#include "ffi.h"
#include "kg_loops.h"
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ROW(name, arity) {#name, (DL_FUNC)&name, arity},
static const R_CallMethodDef entries[] = {FFI_ENTRIES(ROW){NULL, NULL, 0}};

void attribute_visible R_init_kgroups(DllInfo *dll) {
  kg_choose_loops("auto");
  ffi_threads_init();
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}
