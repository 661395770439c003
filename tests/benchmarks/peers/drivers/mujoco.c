/* MuJoCo's stages on a model in its format, with contacts and constraints disabled. */
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"

#define PUBLIC __attribute__((visibility("default")))

typedef struct {
    mjModel *model;
    mjData *data;
    long states;
    double *q, *v, *u, *tau, *M;
} Peer;

PUBLIC void *peer_open(const char *path)
{
    char error[1000] = "";
    Peer *peer = calloc(1, sizeof(Peer));
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    if (!m) return NULL;
    m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_EQUALITY | mjDSBL_FRICTIONLOSS | mjDSBL_LIMIT | mjDSBL_CONTACT |
                           mjDSBL_SPRING | mjDSBL_DAMPER | mjDSBL_ACTUATION | mjDSBL_SENSOR | mjDSBL_WARMSTART |
                           mjDSBL_AUTORESET;
    peer->model = m;
    peer->data = mj_makeData(m);
    peer->tau = calloc((size_t)m->nv, sizeof(double));
    peer->M = calloc((size_t)m->nv * (size_t)m->nv, sizeof(double));
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
    peer->q = copied(q, (size_t)states * (size_t)peer->model->nq);
    peer->v = copied(v, (size_t)states * (size_t)peer->model->nv);
    peer->u = copied(u, (size_t)states * (size_t)peer->model->nv);
}

static void positions(Peer *peer, long k)
{
    memcpy(peer->data->qpos, peer->q + k * peer->model->nq, (size_t)peer->model->nq * sizeof(double));
    mj_kinematics(peer->model, peer->data);
    mj_comPos(peer->model, peer->data);
}

static void speeds(Peer *peer, long k)
{
    memcpy(peer->data->qvel, peer->v + k * peer->model->nv, (size_t)peer->model->nv * sizeof(double));
    mj_comVel(peer->model, peer->data);
}

static void inverse(Peer *peer, long k)
{
    positions(peer, k);
    speeds(peer, k);
    memcpy(peer->data->qacc, peer->u + k * peer->model->nv, (size_t)peer->model->nv * sizeof(double));
    mj_rne(peer->model, peer->data, 1, peer->tau);
}

static void forward(Peer *peer, long k)
{
    int i;
    const mjModel *m = peer->model;
    mjData *d = peer->data;
    positions(peer, k);
    mj_makeM(m, d);
    mj_factorM(m, d);
    speeds(peer, k);
    mj_rne(m, d, 0, peer->tau);
    for (i = 0; i < m->nv; ++i) peer->tau[i] = peer->u[k * m->nv + i] - peer->tau[i];
    mj_solveM(m, d, d->qacc, peer->tau, 1);
}

static void mass(Peer *peer, long k)
{
    positions(peer, k);
    mj_makeM(peer->model, peer->data);
    mj_fullM(peer->model, peer->data, peer->M);
}

PUBLIC double peer_spent(void *opened, int function, long calls)
{
    Peer *peer = opened;
    const double start = now();
    switch (function) {
    case 0: CALLS(calls, inverse(peer, k))
    case 1: CALLS(calls, forward(peer, k))
    case 2: CALLS(calls, mass(peer, k))
    default: return -1;
    }
    return now() - start;
}

PUBLIC void peer_result(void *opened, int kind, double *result)
{
    const Peer *peer = opened;
    const size_t nv = (size_t)peer->model->nv;
    if (kind == 0) memcpy(result, peer->tau, nv * sizeof(double));
    if (kind == 1) memcpy(result, peer->data->qacc, nv * sizeof(double));
    if (kind == 2) memcpy(result, peer->M, nv * nv * sizeof(double));
}
