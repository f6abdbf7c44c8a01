/* init.c - the table of routines that R may call. */
#include "ffi.h"
#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#define ENTRY(name, arity) {#name, (DL_FUNC)&name, arity}

static const R_CallMethodDef entries[] = {
    {NULL, NULL, 0},
};

void attribute_visible R_init_kgroups(DllInfo *dll) {
  R_registerRoutines(dll, NULL, entries, NULL, NULL);
  R_useDynamicSymbols(dll, FALSE);
  R_forceSymbols(dll, TRUE);
}
