/* kg_split.h - a better partition by attempts inside a few clusters: one is split,
 * another one removed. */
#ifndef KG_SPLIT_H
#define KG_SPLIT_H

#include "kg_engine.h"
#include "kg_room.h"
#include "kg_start.h"

enum {
  KG_RECEIVERS = 6,  /* clusters that take what the removed one leaves */
  KG_NEIGHBOURS = 3, /* and those beside the one that is split */
  KG_ATTEMPT = 2 + KG_RECEIVERS + KG_NEIGHBOURS, /* with the two themselves */
  KG_TRIES = 3,           /* candidates for the second seed of halves, */
  KG_DRAWS = KG_TRIES + 1 /* and uniforms that halving a cluster takes */
};

/* Some of the points as an engine of their own. */
typedef struct {
  kg_engine *e; /* of the last part, */
  size_t m, k;  /* its points and clusters */
  size_t *rows; /* numbers of its points */
  int *label;
  char *memory; /* its input and engine */
} kg_part;

/* One attempt, or the division of one cluster. Threads work on several at once; the
 * partition does not change meanwhile. */
typedef struct {
  kg_part local;
  double *room;  /* 2 n: workspace */
  double *tally; /* k: workspace */
  int *target;   /* n: labels of the attempt within its clusters */
  size_t a, c, n_of, sweeps, moves;
  size_t of[KG_ATTEMPT]; /* clusters of the attempt, a and c first */
  int phase;
  size_t go_on;
  double before, W, change; /* before the attempt, before the sweep; change of W */
  double values; /* pairwise dissimilarities that this has cost; where there are none, its
                    work */
} kg_attempt;

typedef struct {
  int *half;    /* n: 0 or 1, the half of its cluster */
  int *was;     /* n: labels when the halves were made */
  double *gain; /* k: how much W falls if a cluster becomes its halves */
  int *changed; /* k: are the halves to be made again? */
  int *sampled; /* k: are they those of some of the points? */
  double *u;    /* KG_DRAWS x k: the uniforms that halve a cluster */
  size_t most;  /* points of a cluster that are halved for its gain */
} kg_halves;

/* Pairs of a cluster to split and one to remove. */
typedef struct {
  double *score;        /* k: of the best partner of a cluster that is removed */
  int *partner;         /* k: that; -1 if all were tried */
  unsigned char *tried; /* k x k: a + c k, a was split and c removed in vain */
} kg_split_pairs;

/* A partition and its sums. */
typedef struct {
  kg_engine *e; /* all points; set by who calls */
  size_t n, k;
  int *second;     /* n: the nearest cluster but the own */
  size_t *member;  /* the points of positive weight by cluster, */
  size_t *first;   /* k + 1: where those of a cluster begin */
  double *removal; /* k: at most so much W rises if a cluster is removed */
  kg_halves halves;
  kg_split_pairs pairs;
  double *tally;     /* k: workspace */
  int improving;     /* 1: only pairs whose halves gain more than the removal costs */
  kg_uniforms draws; /* set by the caller, as e is */
  double values;     /* what halves and attempts have cost */
} kg_split;

void kg_split_lay(kg_split *s, const kg_input *input, size_t k, kg_room *room);
void kg_attempt_lay(kg_attempt *t, const kg_input *input, size_t k, kg_room *room);

/* After the labels have changed, with the totals there: members, second nearest means and
 * what removing a cluster costs. all: as if every cluster had changed. O(n k). */
void kg_split_scan(kg_split *s, int all);
/* The next of the clusters that have changed by more than a twentieth: 0 if there is none. */
int kg_split_next(kg_split *s, size_t *a);
/* Halves cluster a: begin, then go until it returns 1. A large cluster is estimated from
 * a sample; halved once more, which an attempt requires, all its points have halves.
 * Different clusters may be halved side by side. */
void kg_halve_begin(kg_split *s, kg_attempt *t, size_t a);
int kg_halve_go(kg_split *s, kg_attempt *t, double work);
/* Once all of them are halved. */
void kg_split_partners(kg_split *s);
/* The untried pair that estimates most: 0 if there is none. */
int kg_split_best(const kg_split *s, size_t *a, size_t *c);
void kg_split_failed(kg_split *s, size_t a, size_t c);
/* The pairs that kg_split_best would give one after the other if all of them failed, at
 * most `most`; returns how many. */
size_t kg_split_ahead(kg_split *s, size_t most, size_t *a, size_t *c);
/* Can cluster a be split? */
int kg_split_can(const kg_split *s, size_t a);

/* The attempt: a is split, c removed, its points to the nearest other mean of the
 * clusters in the attempt; then Hartigan's method inside these. kg_split_go until it
 * returns 1: change is that of W, and it is exact, for the labels that kg_split_labels
 * writes. It ends early if W cannot fall. */
void kg_split_begin(const kg_split *s, kg_attempt *t, size_t a, size_t c);
int kg_split_go(kg_attempt *t, double work);
void kg_split_labels(const kg_split *s, const kg_attempt *t, int *label);

#endif
