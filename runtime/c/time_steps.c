/* Time steps of a tree: rates of the state, Runge-Kutta steps, and steps of the variational midpoint rule. */

/* Stand-ins that let this file compile alone. */
#include <math.h>

enum { MODEL_NQ = 4, MODEL_NV = 3 };
enum { MODEL_WORK = 1, MODEL_RUNS = 1 };
#define MODEL_TIMED
static const int MODEL_runs[MODEL_RUNS][4] = {{1, 0, 0, 3}};
void MODEL_forward_dynamics(const double q[], const double v[], const double tau[], double vdot[]);
void MODEL_position_rate(const double q[], const double v[], double qdot[]);
void MODEL_external_power(const double q[], const double v[], double power[]);
void MODEL_variational_terms(const double q[], const double v[], double momentum[], double force[]);
void MODEL_speeds_of_momentum(const double q[], const double momentum[], double v[]);
#define MODEL_VARIATIONAL 1
#define MODEL_POWERED 1
/* mbsym: copied from here */

/*
 * The state is q, v and, where MODEL_WORK is 1, the work done by tau and by all modelled forces but springs and gravity.
 * MODEL_runs lists stretches of coordinates: kind (0 rates are speeds, 1 spherical joint, 2 free joint), first
 * coordinate, first speed, number of speeds. Functions that step return 0, or 1 where the state is no longer finite,
 * or 2 where the implicit equation of a step was not solved; *done counts the steps before that.
 */
enum { MODEL_STATES = MODEL_NQ + MODEL_NV + MODEL_WORK };

int MODEL_state_rates(const double *tau, const double *u, double t, const double *x, double *rates);
int MODEL_runge_kutta(const double *tau, const double *u, double t, double h, long steps, double *x, long *done);
int MODEL_variational(const double *tau, const double *u, double t, double h, long steps, double *x, long *done);

static int MODEL_is_finite(const double *x, int n)
{
    double sum = 0.0;
    int k;
    for (k = 0; k < n; ++k) {
        sum += 0.0*x[k];
    }
    return sum == 0.0;
}

static double MODEL_length(const double *quaternion)
{
    return sqrt(quaternion[0]*quaternion[0] + quaternion[1]*quaternion[1] + quaternion[2]*quaternion[2]
                + quaternion[3]*quaternion[3]);
}

static void MODEL_normalise(double *q)
{
    int r, k;
    for (r = 0; r < MODEL_RUNS; ++r) {
        if (MODEL_runs[r][0] > 0) {
            double *quaternion = q + MODEL_runs[r][1];
            const double length = MODEL_length(quaternion);
            for (k = 0; k < 4; ++k) {
                quaternion[k] /= length;
            }
        }
    }
}

static void MODEL_power(const double *tau, const double *u, double t, const double *q, const double *v, double *power)
{
    int k;
    (void)t;
    (void)u;
#if MODEL_POWERED
    MODEL_external_power(q, v, MODEL_TIMED power);
#else
    (void)q;
    *power = 0.0;
#endif
    for (k = 0; k < MODEL_NV; ++k) {
        *power += v[k]*tau[k];
    }
}

/* Rates do not depend on the lengths of quaternions, which only scale the rates of these quaternions. */
int MODEL_state_rates(const double *tau, const double *u, double t, const double *x, double *rates)
{
    double q[MODEL_NQ];
    const double *v = x + MODEL_NQ;
    int r, k;
    (void)t;
    (void)u;
    for (k = 0; k < MODEL_NQ; ++k) {
        q[k] = x[k];
    }
    MODEL_normalise(q);
    MODEL_position_rate(q, v, rates);
    for (r = 0; r < MODEL_RUNS; ++r) {
        if (MODEL_runs[r][0] > 0) {
            const int first = MODEL_runs[r][1];
            const double length = MODEL_length(x + first);
            for (k = first; k < first + 4; ++k) {
                rates[k] *= length;
            }
        }
    }
    MODEL_forward_dynamics(q, v, tau, MODEL_TIMED rates + MODEL_NQ);
    if (MODEL_WORK) {
        MODEL_power(tau, u, t, q, v, rates + MODEL_STATES - 1);
    }
    return MODEL_is_finite(rates, MODEL_STATES) ? 0 : 1;
}

/* The classical method of order four. */
int MODEL_runge_kutta(const double *tau, const double *u, double t, double h, long steps, double *x, long *done)
{
    double first[MODEL_STATES], second[MODEL_STATES], third[MODEL_STATES], fourth[MODEL_STATES], y[MODEL_STATES];
    int k;
    for (*done = 0; *done < steps; ++*done) {
        const double now = t + (double)*done*h;
        MODEL_state_rates(tau, u, now, x, first);
        for (k = 0; k < MODEL_STATES; ++k) {
            y[k] = x[k] + 0.5*h*first[k];
        }
        MODEL_state_rates(tau, u, now + 0.5*h, y, second);
        for (k = 0; k < MODEL_STATES; ++k) {
            y[k] = x[k] + 0.5*h*second[k];
        }
        MODEL_state_rates(tau, u, now + 0.5*h, y, third);
        for (k = 0; k < MODEL_STATES; ++k) {
            y[k] = x[k] + h*third[k];
        }
        MODEL_state_rates(tau, u, now + h, y, fourth);
        for (k = 0; k < MODEL_STATES; ++k) {
            y[k] = x[k] + h/6.0*(first[k] + 2.0*(second[k] + third[k]) + fourth[k]);
        }
        if (!MODEL_is_finite(y, MODEL_STATES)) {
            return 1;
        }
        MODEL_normalise(y);
        for (k = 0; k < MODEL_STATES; ++k) {
            x[k] = y[k];
        }
    }
    return 0;
}

#if MODEL_VARIATIONAL
static void MODEL_cross(const double *a, const double *b, double *result)
{
    result[0] = a[1]*b[2] - a[2]*b[1];
    result[1] = a[2]*b[0] - a[0]*b[2];
    result[2] = a[0]*b[1] - a[1]*b[0];
}

/* q exp(h v): rotation about a fixed axis, and the screw motion of a free joint. */
static void MODEL_move(const double *q, const double *v, double h, double *moved)
{
    int r, k;
    for (r = 0; r < MODEL_RUNS; ++r) {
        const int *run = MODEL_runs[r];
        const double *a = q + run[1];
        const double *w = v + run[2];
        double *b = moved + run[1];
        if (run[0] == 0) {
            for (k = 0; k < run[3]; ++k) {
                b[k] = a[k] + h*w[k];
            }
        } else {
            const double square = h*h*(w[0]*w[0] + w[1]*w[1] + w[2]*w[2]);
            const double angle = sqrt(square);
            const int small = square < 1e-4;
            const double half = small ? 0.5 - square*(1.0/48.0 - square/3840.0) : sin(0.5*angle)/angle;
            const double c = cos(0.5*angle), x = h*half*w[0], y = h*half*w[1], z = h*half*w[2];
            if (run[0] == 2) {
                /* V = 1 + (1 - cos)/angle^2 w~ + (angle - sin)/angle^3 w~ w~ takes h v_O to the screw's translation. */
                const double f = 2.0*half*half;
                const double g =
                    small ? 1.0/6.0 - square*(1.0/120.0 - square/5040.0) : (angle - sin(angle))/(angle*square);
                double turn[3], once[3], twice[3], d[3], n[3], m[3];
                for (k = 0; k < 3; ++k) {
                    turn[k] = h*w[k];
                }
                MODEL_cross(turn, w + 3, once);
                MODEL_cross(turn, once, twice);
                for (k = 0; k < 3; ++k) {
                    d[k] = h*(w[3 + k] + f*once[k] + g*twice[k]);
                }
                MODEL_cross(a + 1, d, n);
                MODEL_cross(a + 1, n, m);
                for (k = 0; k < 3; ++k) {
                    b[4 + k] = a[4 + k] + d[k] + 2.0*(a[0]*n[k] + m[k]);
                }
            }
            b[0] = a[0]*c - a[1]*x - a[2]*y - a[3]*z;
            b[1] = a[0]*x + a[1]*c + a[2]*z - a[3]*y;
            b[2] = a[0]*y + a[2]*c + a[3]*x - a[1]*z;
            b[3] = a[0]*z + a[3]*c + a[1]*y - a[2]*x;
        }
    }
    MODEL_normalise(moved);
}

/* ad(h v)^T f of one joint: of angular speeds w and forces n, n x w; a free joint adds the part of its origin. */
static void MODEL_coadjoint(int kind, const double *v, double h, const double *f, double *result)
{
    double part[3];
    int k;
    MODEL_cross(f, v, result);
    if (kind == 2) {
        MODEL_cross(f + 3, v + 3, part);
        for (k = 0; k < 3; ++k) {
            result[k] += part[k];
        }
        MODEL_cross(f + 3, v, result + 3);
    }
    for (k = 0; k < (kind == 2 ? 6 : 3); ++k) {
        result[k] *= h;
    }
}

/* Sum of coefficient[n] (ad(h v)^T)^n f, joint by joint; f where rates are speeds. */
static void MODEL_series(const double *coefficients, const double *v, double h, const double *f, double *result)
{
    int r, k, n;
    for (k = 0; k < MODEL_NV; ++k) {
        result[k] = f[k];
    }
    for (r = 0; r < MODEL_RUNS; ++r) {
        const int *run = MODEL_runs[r];
        if (run[0] > 0) {
            const int speeds = run[0] == 2 ? 6 : 3;
            double power[6], next[6];
            for (k = 0; k < speeds; ++k) {
                power[k] = f[run[2] + k];
            }
            for (n = 1; n < 13; ++n) {
                MODEL_coadjoint(run[0], v + run[2], h, power, next);
                for (k = 0; k < speeds; ++k) {
                    power[k] = next[k];
                    result[run[2] + k] += coefficients[n]*next[k];
                }
            }
        }
    }
}

/* (1 - exp(-X))/X and X/(1 - exp(-X)) to the power 12. */
static const double MODEL_tangent[13] = {
    1.0, -1.0/2.0, 1.0/6.0, -1.0/24.0, 1.0/120.0, -1.0/720.0, 1.0/5040.0, -1.0/40320.0, 1.0/362880.0, -1.0/3628800.0,
    1.0/39916800.0, -1.0/479001600.0, 1.0/6227020800.0
};
static const double MODEL_inverse_tangent[13] = {
    1.0, 1.0/2.0, 1.0/12.0, 0.0, -1.0/720.0, 0.0, 1.0/30240.0, 0.0, -1.0/1209600.0, 0.0, 1.0/47900160.0, 0.0,
    -691.0/1307674368000.0
};

/* Momentum at the end h of half a step whose middle has the momentum and force given. */
static void MODEL_half_step(const double *v, double h, const double *momentum, const double *force, double *end)
{
    double pushed[MODEL_NV];
    int k;
    MODEL_series(MODEL_tangent, v, 0.5*h, force, end);
    for (k = 0; k < MODEL_NV; ++k) {
        pushed[k] = momentum[k] + 0.5*h*end[k];
    }
    MODEL_series(MODEL_inverse_tangent, v, h, pushed, end);
}

/*
 * The discrete Lagrangian is h L(q exp(h v/2), v); tau and modelled forces act in the middle of the step. That is the
 * implicit midpoint rule in q and momenta where rates are speeds, and its form on the group elsewhere.
 * J. E. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001) 357, section 2.6;
 * N. Bou-Rabee, J. E. Marsden, Found. Comput. Math. 9 (2009) 197, section 4.
 */
int MODEL_variational(const double *tau, const double *u, double t, double h, long steps, double *x, long *done)
{
    double p[MODEL_NV], v[MODEL_NV], q[MODEL_NQ], middle[MODEL_NQ];
    double momentum[MODEL_NV], force[MODEL_NV], end[MODEL_NV], change[MODEL_NV];
    const double start = t;
    int k;
    (void)u;
    for (k = 0; k < MODEL_NQ; ++k) {
        q[k] = x[k];
    }
    for (k = 0; k < MODEL_NV; ++k) {
        v[k] = x[MODEL_NQ + k];
    }
    MODEL_variational_terms(q, v, MODEL_TIMED p, force);
    for (*done = 0; *done < steps; ++*done) {
        double last = HUGE_VAL, scale = 0.0;
        int iteration;
        t = start + ((double)*done + 0.5)*h;
        for (iteration = 0; iteration < 100; ++iteration) {
            double largest = 0.0, speed = 0.0;
            MODEL_move(q, v, 0.5*h, middle);
            MODEL_variational_terms(middle, v, MODEL_TIMED momentum, force);
            for (k = 0; k < MODEL_NV; ++k) {
                force[k] += tau[k];
            }
            MODEL_half_step(v, -h, momentum, force, end);
            for (k = 0; k < MODEL_NV; ++k) {
                end[k] = p[k] - end[k];
            }
            MODEL_speeds_of_momentum(middle, end, change);
            for (k = 0; k < MODEL_NV; ++k) {
                v[k] += change[k];
                largest = fabs(change[k]) > largest ? fabs(change[k]) : largest;
                speed = fabs(v[k]) > speed ? fabs(v[k]) : speed;
            }
            if (!MODEL_is_finite(v, MODEL_NV)) {
                return 1;
            }
            scale = largest > scale ? largest : scale;
            scale = speed > scale ? speed : scale;
            /* Changes that have stopped to shrink are round-off. */
            if (largest <= 1e-18 + 1e-15*speed || (largest <= 1e-14 + 1e-12*scale && largest >= 0.5*last)) {
                break;
            }
            last = largest;
        }
        if (iteration == 100) {
            return 2;
        }
        if (MODEL_WORK) {
            double power;
            MODEL_power(tau, u, t, middle, v, &power);
            x[MODEL_STATES - 1] += h*power;
        }
        MODEL_half_step(v, h, momentum, force, p);
        MODEL_move(q, v, h, middle);
        for (k = 0; k < MODEL_NQ; ++k) {
            q[k] = middle[k];
        }
        MODEL_speeds_of_momentum(q, p, change);
        if (!MODEL_is_finite(change, MODEL_NV) || !MODEL_is_finite(q, MODEL_NQ)) {
            return 1;
        }
        for (k = 0; k < MODEL_NQ; ++k) {
            x[k] = q[k];
        }
        for (k = 0; k < MODEL_NV; ++k) {
            x[MODEL_NQ + k] = change[k];
        }
    }
    return 0;
}
#endif
