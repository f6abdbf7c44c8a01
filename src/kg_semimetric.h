/* kg_semimetric.h - the semimetrics: their values, and what is known of them.
 *
 * A new semimetric is one name in kg_family and one row of the table in kg_semimetric.c,
 * in the same order. R reads the table (ffi_semimetrics). */
#ifndef KG_SEMIMETRIC_H
#define KG_SEMIMETRIC_H

#include <stddef.h>

enum kg_family {
  KG_POWER,       /* d^a                     Eq. (52) */
  KG_EXPONENTIAL, /* 2 - 2 exp(-d/(2 a))     Eq. (53) */
  KG_GAUSSIAN,    /* 2 - 2 exp(-d^2/(2 a^2)) Eq. (54) */
  KG_GIVEN,       /* the stored value is rho itself */
  KG_ARC,         /* (2 asin(d/2))^a: angle of unit vectors */
  KG_MANHATTAN,   /* powers d^a of metrics (kg_metric.h) */
  KG_MAXIMUM,
  KG_MINKOWSKI,
  KG_CANBERRA,
  KG_HAMMING,
  KG_JACCARD,
  KG_N_FAMILIES
};

typedef struct {
  enum kg_family family;
  double parameter; /* a above */
} kg_semimetric;

/* The semimetrics that vector code has, as functions of a value v: the squared distance
 * for those before KG_POWER_TWO, the distance itself for KG_ROOT, KG_SQUARE and the rest.
 */
enum kg_shape {
  KG_SCALAR,       /* none of these: one value at a time */
  KG_ROOT,         /* sqrt(v) */
  KG_SQUARE,       /* v */
  KG_FOURTH_ROOT,  /* v^(1/4) */
  KG_ROOT_CUBED,   /* v^(3/4) */
  KG_POWERED,      /* v^a */
  KG_EXP_ROOT,     /* the exponential family */
  KG_EXP_SQUARE,   /* the Gaussian family */
  KG_POWER_TWO,    /* v^2 */
  KG_TIMES_ROOT,   /* v^(3/2) */
  KG_EXP_DISTANCE, /* the exponential family */
  KG_EXP_POWER_TWO /* the Gaussian family */
};

/* The terms that a distance adds up over the coordinates. */
enum kg_sum {
  KG_SUM_SQUARES,  /* Euclidean distance */
  KG_SUM_ABSOLUTE, /* |x - y| */
  KG_SUM_MAXIMUM,  /* the largest |x - y| */
  KG_SUM_POWERS,   /* |x - y|^p */
  KG_SUM_CANBERRA, /* |x - y| / (|x| + |y|), 0 for 0 and 0 */
  KG_SUM_UNEQUAL,  /* 1 if x != y */
  KG_SUM_UNION     /* Jaccard: |x - y| over the size of the union */
};

/* The factor that multiplying all distances by c does to rho. */
enum kg_scaling {
  KG_NOT_SCALED,     /* nothing simple */
  KG_SCALES_POWER,   /* c^a rho: a is the degree of homogeneity */
  KG_SCALES_WITH,    /* nothing, if a is multiplied by c too */
  KG_SCALES_LINEARLY /* c rho */
};

typedef struct {
  const char *name;
  double (*value)(double d, double a);  /* -rho/2 from the distance; NULL: that is rho */
  double (*square)(double q, double a); /* the same from its square; NULL: by the root */
  enum kg_shape shape; /* of squares; KG_SQUARE: that of the power, if it has one */
  enum kg_scaling scaling;
  int negative_type; /* 1 yes, Eq. (3), 0 not in general, -1 not known */
  enum kg_sum sum;
} kg_semimetric_row;

const kg_semimetric_row *kg_semimetric_of(enum kg_family family);
enum kg_shape kg_shape_of(kg_semimetric rho); /* of squared distances */

/* In place: value[0..n) from squared Euclidean distances, or from distances, to -rho/2.
 */
void kg_from_squares(kg_semimetric rho, double *value, size_t n);
void kg_from_distances(kg_semimetric rho, double *value, size_t n);

#endif
