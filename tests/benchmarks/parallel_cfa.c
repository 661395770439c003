/* Trees of bodies on revolute joints (about z of the body's frame), of any size, from tables: the constraint force
 * algorithm in any order of elimination, by one thread or several, and the recursion by articulated bodies.
 *
 * A table row holds of each body the placement of its joint in the parent (rotation by rows, place), mass, centre of
 * mass, central inertia and its inverse. Unknown in each joint are five components of the wrench: all but the moment
 * about z. See parallel_cfa.py, which makes the tables and the orders.
 */
#include <math.h>
#include <string.h>

enum { TURN = 0, PLACE = 9, MASS = 12, CENTER = 13, INERTIA = 16, INVERSE = 25, ROW = 34, S = 5, SS = 25 };
enum { NOTHING, PARENT, CHILD, SIBLING };

static const int HELD[S] = {0, 1, 3, 4, 5};

/* An order of elimination: stages one after the other, tasks of a stage at the same time, joints of a task in turn. */
typedef struct {
    int stages;
    const int *tasks;          /* first task of each stage */
    const int *joints;         /* first place in order of each task */
    const int *order;
    const int *neighbours;     /* first neighbour of each joint */
    const int *neighbour;
    const int *kind;           /* what A has between joint and neighbour to begin with */
    const int *gathered;       /* first entry of gather of each block: the joint's own one, then its neighbours' */
    const int *gather;         /* 2*place in left + whether it is to be transposed */
    const int *gathered_right; /* first entry of gather_right of each joint */
    const int *gather_right;
    const int *left;           /* first place of what each joint leaves to others, in left */
    const int *kept;           /* first place of what each joint keeps */
} Order;

typedef struct {
    int bodies;
    const int *parent; /* -1: ground */
    const int *children;
    const int *child;
    const double *table;
    double gravity[3];
} Tree;

typedef struct {
    double *turn, *omega, *alpha, *center, *known, *right, *wrench, *left, *kept;
} Work;

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void apply(const double *R, const double *x, double *y)
{
    for (int i = 0; i < 3; ++i) {
        y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
    }
}

static void apply_back(const double *R, const double *x, double *y)
{
    for (int i = 0; i < 3; ++i) {
        y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
    }
}

static void times(const double *A, const double *B, double *C)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
        }
    }
}

static void transposed_times(const double *A, const double *B, double *C)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
        }
    }
}

static void turned(const Tree *tree, const double *q, int i, double *turn)
{
    const double *R = tree->table + ROW * i + TURN;
    const double c = cos(q[i]), s = sin(q[i]);
    for (int k = 0; k < 3; ++k) {
        turn[3 * k] = R[3 * k] * c + R[3 * k + 1] * s;
        turn[3 * k + 1] = R[3 * k + 1] * c - R[3 * k] * s;
        turn[3 * k + 2] = R[3 * k + 2];
    }
}

static void turning(const Tree *tree, const double *v, int i, const double *turns, double *omegas)
{
    const int parent = tree->parent[i];
    double *omega = omegas + 3 * i;
    omega[0] = omega[1] = omega[2] = 0;
    if (parent >= 0) {
        apply_back(turns + 9 * i, omegas + 3 * parent, omega);
    }
    omega[2] += v[i];
}

/* ---- constraint forces ------------------------------------------------------------------------------------------ */

/* Accelerations of a body less gravity's under the wrenches in the joints that it touches. */
static void accelerate(const Tree *tree, const Work *work, const double *wrench, int i)
{
    const double *row = tree->table + ROW * i;
    double moment[3], force[3], spin[3], term[3];
    memcpy(moment, wrench + 6 * i, sizeof moment);
    memcpy(force, wrench + 6 * i + 3, sizeof force);
    for (int k = tree->children[i]; k < tree->children[i + 1]; ++k) {
        const int o = tree->child[k];
        double n[3], f[3];
        apply(work->turn + 9 * o, wrench + 6 * o, n);
        apply(work->turn + 9 * o, wrench + 6 * o + 3, f);
        cross(tree->table + ROW * o + PLACE, f, term);
        for (int j = 0; j < 3; ++j) {
            moment[j] -= n[j] + term[j];
            force[j] -= f[j];
        }
    }
    cross(row + CENTER, force, term);
    apply(row + INERTIA, work->omega + 3 * i, spin);
    double gyroscopic[3];
    cross(work->omega + 3 * i, spin, gyroscopic);
    for (int j = 0; j < 3; ++j) {
        moment[j] -= term[j] + gyroscopic[j];
        work->center[3 * i + j] = force[j] / row[MASS];
    }
    apply(row + INVERSE, moment, work->alpha + 3 * i);
}

static void point(const double *center, const double *alpha, const double *omega, const double *arm, double *a)
{
    double once[3], twice[3];
    cross(omega, arm, once);
    cross(omega, once, twice);
    cross(alpha, arm, once);
    for (int j = 0; j < 3; ++j) {
        a[j] = center[j] + once[j] + twice[j];
    }
}

/* What the joint sees of the accelerations of its two bodies. */
static void gap(const Tree *tree, const Work *work, const double *v, int i, double *found)
{
    const double *row = tree->table + ROW * i, *turn = work->turn + 9 * i, *omega = work->omega + 3 * i;
    const int parent = tree->parent[i];
    const double arm[3] = {-row[CENTER], -row[CENTER + 1], -row[CENTER + 2]};
    double own[3], carried[3], at[3], alpha[3] = {0, 0, 0};
    point(work->center + 3 * i, work->alpha + 3 * i, omega, arm, own);
    if (parent >= 0) {
        const double *above = tree->table + ROW * parent;
        double outer[3];
        for (int j = 0; j < 3; ++j) {
            outer[j] = row[PLACE + j] - above[CENTER + j];
        }
        point(work->center + 3 * parent, work->alpha + 3 * parent, work->omega + 3 * parent, outer, at);
        apply_back(turn, work->alpha + 3 * parent, alpha);
    } else {
        for (int j = 0; j < 3; ++j) {
            at[j] = -tree->gravity[j];
        }
    }
    apply_back(turn, at, carried);
    const double bias[3] = {omega[1] * v[i], -omega[0] * v[i], 0};
    for (int j = 0; j < 3; ++j) {
        found[j] = work->alpha[3 * i + j] - alpha[j] - bias[j];
        found[3 + j] = own[j] - carried[j];
    }
}

/* Adds factor*[Q, -Q y~; x~ Q, T/m - x~ Q y~] on the held directions. */
static void add_block(double factor, const double *Q, const double *T, double mass, const double *x, const double *y,
                      double *block)
{
    double K[36];
    for (int i = 0; i < 3; ++i) {
        const double *w = Q + 3 * i;
        K[6 * i] = w[0];
        K[6 * i + 1] = w[1];
        K[6 * i + 2] = w[2];
        K[6 * i + 3] = w[2] * y[1] - w[1] * y[2];
        K[6 * i + 4] = w[0] * y[2] - w[2] * y[0];
        K[6 * i + 5] = w[1] * y[0] - w[0] * y[1];
    }
    for (int j = 0; j < 6; ++j) {
        const double a = K[j], b = K[6 + j], c = K[12 + j];
        K[18 + j] = x[1] * c - x[2] * b;
        K[24 + j] = x[2] * a - x[0] * c;
        K[30 + j] = x[0] * b - x[1] * a;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            K[6 * (3 + i) + 3 + j] += T[3 * i + j] / mass;
        }
    }
    for (int i = 0; i < S; ++i) {
        for (int j = 0; j < S; ++j) {
            block[S * i + j] += factor * K[6 * HELD[i] + HELD[j]];
        }
    }
}

static const double UNIT[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* From the joint's place on its parent to the parent's centre of mass, in the joint's frame. */
static void outward(const Tree *tree, const double *turns, int i, double *r)
{
    const double *row = tree->table + ROW * i, *above = tree->table + ROW * tree->parent[i];
    double arm[3];
    for (int j = 0; j < 3; ++j) {
        arm[j] = above[CENTER + j] - row[PLACE + j];
    }
    apply_back(turns + 9 * i, arm, r);
}

static void diagonal(const Tree *tree, const double *turns, int i, double *block)
{
    const double *row = tree->table + ROW * i;
    memset(block, 0, SS * sizeof *block);
    add_block(1, row + INVERSE, UNIT, row[MASS], row + CENTER, row + CENTER, block);
    if (tree->parent[i] >= 0) {
        const double *above = tree->table + ROW * tree->parent[i];
        double half[9], Q[9], r[3];
        times(above + INVERSE, turns + 9 * i, half);
        transposed_times(turns + 9 * i, half, Q);
        outward(tree, turns, i, r);
        add_block(1, Q, UNIT, above[MASS], r, r, block);
    }
}

/* The block in the rows of the parent joint and the columns of the child's. */
static void coupling(const Tree *tree, const double *turns, int child, double *block)
{
    const double *above = tree->table + ROW * tree->parent[child];
    double Q[9], r[3];
    memset(block, 0, SS * sizeof *block);
    times(above + INVERSE, turns + 9 * child, Q);
    outward(tree, turns, child, r);
    add_block(-1, Q, turns + 9 * child, above[MASS], above + CENTER, r, block);
}

static void between_siblings(const Tree *tree, const double *turns, int a, int b, double *block)
{
    const double *above = tree->table + ROW * tree->parent[a];
    double half[9], Q[9], T[9], x[3], y[3];
    memset(block, 0, SS * sizeof *block);
    times(above + INVERSE, turns + 9 * b, half);
    transposed_times(turns + 9 * a, half, Q);
    transposed_times(turns + 9 * a, turns + 9 * b, T);
    outward(tree, turns, a, x);
    outward(tree, turns, b, y);
    add_block(1, Q, T, above[MASS], x, y, block);
}

static void transpose(double *A)
{
    for (int i = 0; i < S; ++i) {
        for (int j = 0; j < i; ++j) {
            const double kept = A[S * i + j];
            A[S * i + j] = A[S * j + i];
            A[S * j + i] = kept;
        }
    }
}

static void gather(const Order *order, const double *left, int block, double *A)
{
    for (int k = order->gathered[block]; k < order->gathered[block + 1]; ++k) {
        const double *added = left + order->gather[k] / 2;
        if (order->gather[k] % 2) {
            for (int i = 0; i < S; ++i) {
                for (int j = 0; j < S; ++j) {
                    A[S * i + j] -= added[S * j + i];
                }
            }
        } else {
            for (int i = 0; i < SS; ++i) {
                A[i] -= added[i];
            }
        }
    }
}

/* A = L D L^T in place: D's inverses on the diagonal. */
static void factor(double *A)
{
    for (int k = 0; k < S; ++k) {
        const double inverse = 1 / A[S * k + k];
        for (int i = k + 1; i < S; ++i) {
            const double l = A[S * i + k] * inverse;
            for (int j = k + 1; j <= i; ++j) {
                A[S * i + j] -= l * A[S * j + k];
            }
        }
        for (int i = k + 1; i < S; ++i) {
            A[S * i + k] *= inverse;
        }
        A[S * k + k] = inverse;
    }
}

/* Solves for columns beside each other, entries of a row `columns` apart. */
static void solve(const double *L, double *x, int columns)
{
    for (int i = 1; i < S; ++i) {
        for (int k = 0; k < i; ++k) {
            for (int c = 0; c < columns; ++c) {
                x[columns * i + c] -= L[S * i + k] * x[columns * k + c];
            }
        }
    }
    for (int i = S - 1; i >= 0; --i) {
        for (int c = 0; c < columns; ++c) {
            x[columns * i + c] *= L[S * i + i];
        }
        for (int k = i + 1; k < S; ++k) {
            for (int c = 0; c < columns; ++c) {
                x[columns * i + c] -= L[S * k + i] * x[columns * k + c];
            }
        }
    }
}

static void eliminate(const Tree *tree, const Order *order, const Work *work, int joint)
{
    const int first = order->neighbours[joint], count = order->neighbours[joint + 1] - first;
    double pivot[SS], *kept = work->kept + order->kept[joint], *left = work->left + order->left[joint];
    double rows[SS];
    diagonal(tree, work->turn, joint, pivot);
    gather(order, work->left, first + joint, pivot);
    factor(pivot);
    double *right = work->right + S * joint, before[S];
    for (int k = order->gathered_right[joint]; k < order->gathered_right[joint + 1]; ++k) {
        for (int i = 0; i < S; ++i) {
            right[i] -= work->left[order->gather_right[k] + i];
        }
    }
    memcpy(before, right, sizeof before);
    solve(pivot, right, 1);
    double *vectors = left + SS * (count * (count + 1) / 2), *leaving = left;
    for (int a = 0; a < count; ++a) {
        const int other = order->neighbour[first + a];
        switch (order->kind[first + a]) {
        case PARENT:
            coupling(tree, work->turn, joint, rows);
            transpose(rows);
            break;
        case CHILD:
            coupling(tree, work->turn, other, rows);
            break;
        case SIBLING:
            between_siblings(tree, work->turn, joint, other, rows);
            break;
        default:
            memset(rows, 0, sizeof rows);
        }
        gather(order, work->left, first + joint + 1 + a, rows);
        memcpy(kept + SS * a, rows, sizeof rows);
        solve(pivot, kept + SS * a, S);
        for (int j = 0; j < S; ++j) {
            double sum = 0;
            for (int i = 0; i < S; ++i) {
                sum += rows[S * i + j] * right[i];
            }
            vectors[S * a + j] = sum;
        }
        /* Blocks between this neighbour and those before it, in the rows of the one with the smaller label. */
        for (int b = 0; b <= a; ++b, leaving += SS) {
            const double *solved = kept + SS * b;
            for (int i = 0; i < S; ++i) {
                for (int j = 0; j < S; ++j) {
                    double sum = 0;
                    for (int k = 0; k < S; ++k) {
                        sum += solved[S * k + i] * rows[S * k + j];
                    }
                    leaving[S * i + j] = sum;
                }
            }
        }
    }
}

static void substitute(const Order *order, const Work *work, int joint)
{
    const double *kept = work->kept + order->kept[joint];
    double *x = work->right + S * joint;
    for (int k = order->neighbours[joint]; k < order->neighbours[joint + 1]; ++k, kept += SS) {
        const double *other = work->right + S * order->neighbour[k];
        for (int i = 0; i < S; ++i) {
            for (int j = 0; j < S; ++j) {
                x[i] -= kept[S * i + j] * other[j];
            }
        }
    }
}

void constraint_forces(const Tree *tree, const Order *order, const Work *work, int threads, const double *q,
                       const double *v, const double *tau, double *vdot)
{
    const int n = tree->bodies;
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < n; ++i) {
            turned(tree, q, i, work->turn + 9 * i);
            memset(work->wrench + 6 * i, 0, 6 * sizeof(double));
            work->wrench[6 * i + 2] = tau[i];
        }
#pragma omp single
        for (int i = 0; i < n; ++i) {
            turning(tree, v, i, work->turn, work->omega);
        }
#pragma omp for schedule(static)
        for (int i = 0; i < n; ++i) {
            accelerate(tree, work, work->wrench, i);
        }
#pragma omp for schedule(static)
        for (int i = 0; i < n; ++i) {
            double found[6];
            gap(tree, work, v, i, found);
            for (int k = 0; k < S; ++k) {
                work->right[S * i + k] = -found[HELD[k]];
            }
        }
        for (int stage = 0; stage < order->stages; ++stage) {
#pragma omp for schedule(static)
            for (int task = order->tasks[stage]; task < order->tasks[stage + 1]; ++task) {
                for (int k = order->joints[task]; k < order->joints[task + 1]; ++k) {
                    eliminate(tree, order, work, order->order[k]);
                }
            }
        }
        for (int stage = order->stages - 1; stage >= 0; --stage) {
#pragma omp for schedule(static)
            for (int task = order->tasks[stage]; task < order->tasks[stage + 1]; ++task) {
                for (int k = order->joints[task + 1] - 1; k >= order->joints[task]; --k) {
                    substitute(order, work, order->order[k]);
                }
            }
        }
#pragma omp for schedule(static)
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < S; ++k) {
                work->wrench[6 * i + HELD[k]] = work->right[S * i + k];
            }
        }
#pragma omp for schedule(static)
        for (int i = 0; i < n; ++i) {
            accelerate(tree, work, work->wrench, i);
        }
#pragma omp for schedule(static)
        for (int i = 0; i < n; ++i) {
            double found[6];
            gap(tree, work, v, i, found);
            vdot[i] = found[2];
        }
    }
}

/* ---- recursion -------------------------------------------------------------------------------------------------- */

/* Articulated inertia [A, B; B^T, C] and bias of each body in its own frame, 33 numbers; what is kept, 14. */
enum { A = 0, B = 9, C = 18, BIAS = 27, ARTICULATED = 33, U = 0, D = 6, LOAD = 7, KEEP = 8 };

void recursion(const Tree *tree, const Work *work, double *articulated, double *keep, const double *q,
               const double *v, const double *tau, double *vdot)
{
    const int n = tree->bodies;
    for (int i = 0; i < n; ++i) {
        const double *row = tree->table + ROW * i, *c = row + CENTER, m = row[MASS];
        double *own = articulated + ARTICULATED * i, *omega = work->omega + 3 * i;
        turned(tree, q, i, work->turn + 9 * i);
        turning(tree, v, i, work->turn, work->omega);
        const double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 3; ++j) {
                own[A + 3 * k + j] = row[INERTIA + 3 * k + j] + m * ((k == j ? square : 0) - c[k] * c[j]);
                own[B + 3 * k + j] = 0;
                own[C + 3 * k + j] = k == j ? m : 0;
            }
        }
        own[B + 1] = -m * c[2];
        own[B + 2] = m * c[1];
        own[B + 3] = m * c[2];
        own[B + 5] = -m * c[0];
        own[B + 6] = -m * c[1];
        own[B + 7] = m * c[0];
        /* Bias: the wrench of centripetal accelerations at the body's origin. */
        double spin[3], once[3], twice[3];
        apply(own + A, omega, spin);
        cross(omega, spin, own + BIAS);
        cross(omega, c, once);
        cross(omega, once, twice);
        for (int j = 0; j < 3; ++j) {
            own[BIAS + 3 + j] = m * twice[j];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        const double *row = tree->table + ROW * i, *R = work->turn + 9 * i, *p = row + PLACE;
        const double *omega = work->omega + 3 * i;
        double *own = articulated + ARTICULATED * i, *kept = keep + KEEP * i;
        const int parent = tree->parent[i];
        double *u = kept + U;
        for (int j = 0; j < 3; ++j) {
            u[j] = own[A + 3 * j + 2];
            u[3 + j] = own[B + 6 + j];
        }
        kept[D] = 1 / u[2];
        kept[LOAD] = tau[i] - own[BIAS + 2];
        if (parent < 0) {
            continue;
        }
        double *above = articulated + ARTICULATED * parent;
        const double *over = work->omega + 3 * parent;
        double a[9], b[9], c[9], bias[6], half[9], turned_b[9];
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 3; ++j) {
                a[3 * k + j] = own[A + 3 * k + j] - u[k] * u[j] * kept[D];
                b[3 * k + j] = own[B + 3 * k + j] - u[k] * u[3 + j] * kept[D];
                c[3 * k + j] = own[C + 3 * k + j] - u[3 + k] * u[3 + j] * kept[D];
            }
        }
        /* Acceleration that the speeds cause: omega x e v, and the parent's centripetal one at the joint's place. */
        const double angular[3] = {omega[1] * v[i], -omega[0] * v[i], 0};
        double once[3], twice[3], linear[3], term[3];
        cross(over, p, once);
        cross(over, once, twice);
        apply_back(R, twice, linear);
        const double rest = kept[LOAD] * kept[D];
        for (int k = 0; k < 3; ++k) {
            bias[k] = own[BIAS + k] + u[k] * rest;
            bias[3 + k] = own[BIAS + 3 + k] + u[3 + k] * rest;
            for (int j = 0; j < 3; ++j) {
                bias[k] += a[3 * k + j] * angular[j] + b[3 * k + j] * linear[j];
                bias[3 + k] += b[3 * j + k] * angular[j] + c[3 * k + j] * linear[j];
            }
        }
        double n3[3], f3[3];
        apply(R, bias, n3);
        apply(R, bias + 3, f3);
        cross(p, f3, term);
        for (int j = 0; j < 3; ++j) {
            above[BIAS + j] += n3[j] + term[j];
            above[BIAS + 3 + j] += f3[j];
        }
        /* R a R^T and so on, then to the parent's origin: B + p~ C, A + p~ B^T - (B + p~ C) p~. */
        double turned_a[9], turned_c[9], Rt[9];
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 3; ++j) {
                Rt[3 * k + j] = R[3 * j + k];
            }
        }
        times(R, a, half);
        times(half, Rt, turned_a);
        times(R, b, half);
        times(half, Rt, turned_b);
        times(R, c, half);
        times(half, Rt, turned_c);
        double moved[9];
        for (int j = 0; j < 3; ++j) {
            moved[j] = turned_b[j] + p[1] * turned_c[6 + j] - p[2] * turned_c[3 + j];
            moved[3 + j] = turned_b[3 + j] + p[2] * turned_c[j] - p[0] * turned_c[6 + j];
            moved[6 + j] = turned_b[6 + j] + p[0] * turned_c[3 + j] - p[1] * turned_c[j];
        }
        for (int k = 0; k < 3; ++k) {
            const double *w = moved + 3 * k;
            const double wp[3] = {w[1] * p[2] - w[2] * p[1], w[2] * p[0] - w[0] * p[2], w[0] * p[1] - w[1] * p[0]};
            const int x = (k + 1) % 3, y = (k + 2) % 3;
            for (int j = 0; j < 3; ++j) {
                above[A + 3 * k + j] += turned_a[3 * k + j] + p[x] * turned_b[3 * j + y] - p[y] * turned_b[3 * j + x]
                                        - wp[j];
                above[B + 3 * k + j] += w[j];
                above[C + 3 * k + j] += turned_c[3 * k + j];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        const double *row = tree->table + ROW * i, *R = work->turn + 9 * i, *u = keep + KEEP * i;
        const double *omega = work->omega + 3 * i;
        const int parent = tree->parent[i];
        double at[3], *alpha = work->alpha + 3 * i, *origin = work->center + 3 * i;
        alpha[0] = alpha[1] = alpha[2] = 0;
        if (parent >= 0) {
            const double *over = work->omega + 3 * parent;
            point(work->center + 3 * parent, work->alpha + 3 * parent, over, row + PLACE, at);
            apply_back(R, work->alpha + 3 * parent, alpha);
        } else {
            for (int j = 0; j < 3; ++j) {
                at[j] = -tree->gravity[j];
            }
        }
        apply_back(R, at, origin);
        alpha[0] += omega[1] * v[i];
        alpha[1] -= omega[0] * v[i];
        double sum = u[LOAD];
        for (int j = 0; j < 3; ++j) {
            sum -= u[U + j] * alpha[j] + u[U + 3 + j] * origin[j];
        }
        vdot[i] = sum * u[D];
        alpha[2] += vdot[i];
    }
}

/* States of one mechanism shared among threads, each by the recursion. */
void many(const Tree *tree, const Work *work, double *articulated, double *keep, int threads, int states,
          const double *q, const double *v, const double *tau, double *vdot)
{
    const long n = tree->bodies;
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int k = 0; k < states; ++k) {
        const Work own = {work->turn + 9 * n * k, work->omega + 3 * n * k, work->alpha + 3 * n * k,
                          work->center + 3 * n * k, 0, 0, 0, 0, 0};
        recursion(tree, &own, articulated + ARTICULATED * n * k, keep + KEEP * n * k, q + n * k, v + n * k,
                  tau + n * k, vdot + n * k);
    }
}
