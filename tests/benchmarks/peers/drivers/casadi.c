/* Functions that CasADi wrote, over states in turn: f0, f1 and f2 of (q, v, u) with one result each. */
#include TEXT
#include <stdlib.h>
#include <string.h>
#include "clock.h"

#define PUBLIC __attribute__((visibility("default")))

typedef struct {
    long states;
    int nq, nv;
    double *q, *v, *u, *w, *out;
    casadi_int *iw;
} Peer;

PUBLIC void *peer_open(const char *path)
{
    Peer *peer = calloc(1, sizeof(Peer));
    (void)path;
    peer->nq = (int)f0_sparsity_in(0)[0];
    peer->nv = (int)f0_sparsity_in(1)[0];
    peer->w = calloc(65536, sizeof(double));
    peer->iw = calloc(4096, sizeof(casadi_int));
    peer->out = calloc((size_t)peer->nv * (size_t)peer->nv, sizeof(double));
    return peer;
}

static double *copied(const double *x, size_t count)
{
    double *kept = malloc(count * sizeof(double));
    memcpy(kept, x, count * sizeof(double));
    return kept;
}

PUBLIC void peer_states(void *opened, long states, const double *q, const double *v, const double *u)
{
    Peer *peer = opened;
    peer->states = states;
    peer->q = copied(q, (size_t)states * (size_t)peer->nq);
    peer->v = copied(v, (size_t)states * (size_t)peer->nv);
    peer->u = copied(u, (size_t)states * (size_t)peer->nv);
}

#define EVALUATED(FUNCTION)                                                                        \
    CALLS(calls, arg[0] = peer->q + k * peer->nq; arg[1] = peer->v + k * peer->nv;                 \
          arg[2] = peer->u + k * peer->nv; res[0] = peer->out; FUNCTION(arg, res, peer->iw, peer->w, 0))

PUBLIC double peer_spent(void *opened, int function, long calls)
{
    Peer *peer = opened;
    const double *arg[64];
    double *res[64];
    const double start = now();
    switch (function) {
    case 0: EVALUATED(f0)
#ifdef EVERY
    case 1: EVALUATED(f1)
#endif
    case 2: EVALUATED(f2)
    default: return -1;
    }
    return now() - start;
}

PUBLIC void peer_result(void *opened, int kind, double *result)
{
    const Peer *peer = opened;
    memcpy(result, peer->out, (size_t)peer->nv * (size_t)(kind == 2 ? peer->nv : 1) * sizeof(double));
}
