/*
 * Calls the functions of an export to acados as acados does, and checks them against each other and against differences.
 *
 *     mbsym export acados double_pendulum -o build
 *     cc -DMODEL=double_pendulum examples/acados/check.c build/double_pendulum_acados.c build/double_pendulum.c -lm -o check
 *     ./check
 *
 * With -DIMPLICIT=0 for models with closed loops, which have no implicit dynamics.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef IMPLICIT
#define IMPLICIT 1
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define DECLARED(name) \
    int JOIN(MODEL, name)(const double **, double **, int *, double *, void *); \
    int JOIN(MODEL, JOIN(name, _work))(int *, int *, int *, int *); \
    const int *JOIN(MODEL, JOIN(name, _sparsity_in))(int); \
    const int *JOIN(MODEL, JOIN(name, _sparsity_out))(int); \
    int JOIN(MODEL, JOIN(name, _n_in))(void); \
    int JOIN(MODEL, JOIN(name, _n_out))(void);
#define FUNCTION(name) \
    { JOIN(MODEL, name), JOIN(MODEL, JOIN(name, _work)), JOIN(MODEL, JOIN(name, _sparsity_in)), \
        JOIN(MODEL, JOIN(name, _sparsity_out)), JOIN(MODEL, JOIN(name, _n_in)), JOIN(MODEL, JOIN(name, _n_out)) }

/* What acados keeps of a function that CasADi generated. */
typedef struct {
    int (*function)(const double **, double **, int *, double *, void *);
    int (*work)(int *, int *, int *, int *);
    const int *(*sparsity_in)(int);
    const int *(*sparsity_out)(int);
    int (*n_in)(void);
    int (*n_out)(void);
} External;

DECLARED(_expl_ode_fun)
DECLARED(_expl_vde_forw)
DECLARED(_expl_vde_adj)
DECLARED(_dyn_disc_phi_fun)
DECLARED(_dyn_disc_phi_fun_jac)
#if IMPLICIT
DECLARED(_impl_dae_fun)
DECLARED(_impl_dae_fun_jac_x_xdot_u)
#endif

static double *numbers(size_t count)
{
    double *const found = calloc(count > 0 ? count : 1, sizeof *found);
    if (found == NULL) { exit(2); }
    return found;
}

static void call(External external, const double **arg, double **res)
{
    int args, results, integers, reals;
    external.work(&args, &results, &integers, &reals);
    double *const w = numbers((size_t)reals);
    if (args != external.n_in() || results != external.n_out() || external.function(arg, res, NULL, w, NULL) != 0) {
        printf("a call failed\n");
        exit(1);
    }
    free(w);
}

static double largest, tolerance = 1e-6;

static void compare(const char *what, const double *a, const double *b, int count)
{
    double worst = 0.0, size = 1.0;
    for (int k = 0; k < count; ++k) {
        worst = fmax(worst, fabs(a[k] - b[k]));
        size = fmax(size, fabs(b[k]));
    }
    printf("%-44s %.1e\n", what, worst / size);
    largest = fmax(largest, worst / size);
}

int main(void)
{
    const External ode = FUNCTION(_expl_ode_fun), forward = FUNCTION(_expl_vde_forw), adjoint = FUNCTION(_expl_vde_adj);
    const External step = FUNCTION(_dyn_disc_phi_fun), step_jacobian = FUNCTION(_dyn_disc_phi_fun_jac);
    const int nx = ode.sparsity_in(0)[0], nu = ode.sparsity_in(1)[0], np = ode.sparsity_in(2)[0], all = nx + nu;
    const double h = 1e-5;
    double *const xu = numbers((size_t)all), *const p = numbers((size_t)np), *const f = numbers((size_t)nx);
    double *const sx = numbers((size_t)(nx * nx)), *const su = numbers((size_t)(nx * nu));
    double *const jx = numbers((size_t)(nx * nx)), *const ju = numbers((size_t)(nx * nu));
    double *const differences = numbers((size_t)(nx * all)), *const steps = numbers((size_t)(nx * all));
    double *const a = numbers((size_t)nx), *const b = numbers((size_t)nx), *const phi = numbers((size_t)nx);
    double *const jacobian = numbers((size_t)(nx * all)), *const turned = numbers((size_t)(nx * all));
    double *const lambda = numbers((size_t)nx), *const adj = numbers((size_t)all), *const known = numbers((size_t)all);
    for (int k = 0; k < all; ++k) { xu[k] = 0.3 + 0.6 * sin(1.0 + 2.0 * k); }
    for (int k = 0; k < np; ++k) { p[k] = 0.7 + 0.1 * k; }
    for (int k = 0; k < nx; ++k) {
        sx[k * nx + k] = 1.0;
        lambda[k] = cos(3.0 * k);
    }
    for (int k = 0; k < all; ++k) {
        double *const ends[2] = {a, b};
        double *const next[2] = {phi, f};
        for (int side = 0; side < 2; ++side) {
            xu[k] += side == 0 ? h : -2.0 * h;
            call(ode, (const double *[]){xu, xu + nx, p}, (double *[]){ends[side]});
            call(step, (const double *[]){xu, xu + nx, p}, (double *[]){next[side]});
        }
        xu[k] += h;
        for (int row = 0; row < nx; ++row) {
            differences[k * nx + row] = (a[row] - b[row]) / (2.0 * h);
            steps[k * nx + row] = (phi[row] - f[row]) / (2.0 * h);
        }
    }
    call(forward, (const double *[]){xu, sx, su, xu + nx, p}, (double *[]){f, jx, ju});
    call(ode, (const double *[]){xu, xu + nx, p}, (double *[]){a});
    compare("rates with and without sensitivities", a, f, nx);
    compare("sensitivities by x and differences", jx, differences, nx * nx);
    compare("sensitivities by u and differences", ju, differences + nx * nx, nx * nu);
    for (int k = 0; k < all; ++k) {
        for (int row = 0; row < nx; ++row) { known[k] += lambda[row] * differences[k * nx + row]; }
    }
    call(adjoint, (const double *[]){xu, lambda, xu + nx, p}, (double *[]){adj});
    compare("adjoint and differences", adj, known, all);
    call(step_jacobian, (const double *[]){xu, xu + nx, p}, (double *[]){phi, jacobian});
    for (int row = 0; row < nx; ++row) {
        for (int k = 0; k < all; ++k) {
            turned[k * nx + row] = jacobian[row * all + (k < nx ? nu + k : k - nx)];
        }
    }
    compare("Jacobian of a step and differences", turned, steps, nx * all);
#if IMPLICIT
    {
        const External dae = FUNCTION(_impl_dae_fun), dae_jacobians = FUNCTION(_impl_dae_fun_jac_x_xdot_u);
        double *const gap = numbers((size_t)nx), *const zero = numbers((size_t)(nx * all));
        double *const by_x = numbers((size_t)(nx * nx)), *const by_xdot = numbers((size_t)(nx * nx));
        double *const by_u = numbers((size_t)(nx * nu)), *const sum = numbers((size_t)(nx * all));
        const double t = 0.0;
        call(dae, (const double *[]){xu, f, xu + nx, NULL, &t, p}, (double *[]){gap});
        compare("residual of the implicit dynamics", gap, zero, nx);
        call(dae_jacobians, (const double *[]){xu, f, xu + nx, NULL, &t, p}, (double *[]){gap, by_x, by_xdot, by_u});
        for (int column = 0; column < all; ++column) {
            for (int row = 0; row < nx; ++row) {
                double *const entry = &sum[column * nx + row];
                *entry = column < nx ? by_x[column * nx + row] : by_u[(column - nx) * nx + row];
                for (int k = 0; k < nx; ++k) {
                    *entry += by_xdot[k * nx + row] * (column < nx ? jx[column * nx + k] : ju[(column - nx) * nx + k]);
                }
            }
        }
        compare("implicit function theorem", sum, zero, nx * all);
    }
#endif
    return largest < tolerance ? 0 : 1;
}
