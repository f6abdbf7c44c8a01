/* kg_split.h - a better partition by trials inside a few clusters: one is split, another
 * one dissolved. Part of kg.h, whose conventions hold here. */
#ifndef KG_SPLIT_H
#define KG_SPLIT_H

#include "kg_part.h"

enum {
  KG_RECEIVERS = 6,        /* clusters that take what the dissolved one leaves */
  KG_NEIGHBOURS = 3,       /* and those beside the one that is split */
  KG_TRIAL = KG_PART_MOST, /* with the two themselves */
  KG_DRAWS = 4             /* uniforms that halving a cluster takes */
};

/* All arrays are the caller's (kg_split_init lays them out). */
typedef struct {
  kg_engine *e; /* all points; set by who calls */
  size_t n, k;
  size_t most;    /* points that halve a cluster: the others follow by the nearest mean */
  int *second;    /* n: the nearest cluster but the own */
  int *half;      /* n: 0 or 1, the half of its cluster */
  int *was;       /* n: labels when the halves were made */
  size_t *member; /* the points of positive weight by cluster, */
  size_t *first;  /* k + 1: where those of a cluster begin */
  double *gain;   /* k: how much W falls if a cluster becomes its halves */
  double *removal;      /* k: at most so much it rises if a cluster is dissolved */
  double *score;        /* k: of the best partner of a cluster that is dissolved */
  int *partner;         /* k: that; -1 if all were tried */
  int *changed;         /* k: are the halves to be made anew? */
  double *tally;        /* k: workspace */
  unsigned char *tried; /* k x k: a + c k, a was split and c dissolved in vain */
  const double *uniforms;
  size_t n_uniforms, at;
  double turned; /* what is added to them, round the unit circle: another part every time
                    that they begin anew, or rounds would come back in a circle */
  double values; /* pair values that halves and trials have cost; else their work */
  double *room;  /* 2 n: workspace */
  /* a trial */
  kg_part local;
  size_t a, c, n_of, sweeps, moves;
  size_t of[KG_TRIAL]; /* clusters of the trial, a and c first */
  int *target;         /* n: labels of the trial within these */
  int phase;
  size_t go_on;
  double before, W, change; /* before the trial, before the sweep; change of W */
} kg_split;

size_t kg_split_doubles(const kg_input *input, size_t k);
size_t kg_split_sizes(const kg_input *input, size_t k);
size_t kg_split_ints(const kg_input *input, size_t k);
/* k x k bytes at `tried`. */
void kg_split_init(kg_split *s, const kg_input *input, size_t k, size_t most,
                   double *doubles, size_t *sizes, int *ints, unsigned char *tried,
                   const double *uniforms, size_t n_uniforms);

/* One uniform. */
double kg_split_uniform(kg_split *s);
/* What is known of the partition, for when its labels come back: so many bytes are kept,
 * or brought back. */
size_t kg_split_known(const kg_split *s);
void kg_split_keep(kg_split *s, unsigned char *bytes, int back);

/* After the labels have changed, with the totals there: members, second nearest means and
 * what dissolving a cluster costs. all: as if every cluster had changed. O(n k). */
void kg_split_look(kg_split *s, int all);
/* Halves one of the clusters that have changed by more than a twentieth: 0 if there is
 * none. The last call sets the partners. */
int kg_split_halve(kg_split *s);
/* The untried pair that promises most: 0 if there is none. */
int kg_split_best(const kg_split *s, size_t *a, size_t *c);
void kg_split_failed(kg_split *s, size_t a, size_t c);
/* Can cluster a be split? */
int kg_split_can(const kg_split *s, size_t a);

/* The trial: a is split, c dissolved, its points to the nearest other mean of the
 * clusters in the trial; then Hartigan's method inside these. kg_split_go until it says
 * 1: change is that of W, and it is exact, for the labels that kg_split_labels writes.
 * Where there is no hope that W falls it ends early. */
void kg_split_begin(kg_split *s, size_t a, size_t c);
int kg_split_go(kg_split *s, double work);
void kg_split_labels(const kg_split *s, int *label);

#endif
