/* kg_metric.h - points under metrics that sum or compare coordinates and are no functions
 * of the Euclidean distance: Manhattan, maximum, Minkowski, Canberra, Hamming, Jaccard.
 *
 * rho is a power of the metric. A new metric is one row of the table of semimetrics and
 * one term of kg_loops_metric.h. */
#ifndef KG_METRIC_H
#define KG_METRIC_H

#include "kg_pairs.h"

typedef struct {
  kg_coordinates points; /* Jaccard: columns of 0 and 1, then their sum */
  double p;              /* exponent of the Minkowski metric */
} kg_metric;

/* The metric stays the caller's. */
kg_pairs kg_metric_pairs(const kg_metric *metric);

#endif
