/* ffi.h - what the shims between R and the kernels share. */
#ifndef KG_FFI_H
#define KG_FFI_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

#include "kg.h"

#endif
