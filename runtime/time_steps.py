"""Time steps: rates of the state, classical Runge-Kutta steps, and steps of the variational midpoint rule.

A state is q, v, the states z of drives and, where WORK is 1, the work done by tau and by all modelled forces but
springs and gravity. The rows of ``runs`` are stretches of coordinates: kind (0 rates are speeds, 1 spherical joint, 2
free joint), first coordinate, first speed, number of speeds. A report holds a status and the number of steps before the
one that failed.

The discrete Lagrangian of the variational rule is h L(q exp(h v/2), v); tau and modelled forces act in the middle of
the step. That is the implicit midpoint rule in q and momenta where rates are speeds, and its form on the group
elsewhere. It is symplectic and symmetric, so that the energy of a conservative mechanism swings about its value and
does not drift.

Sources: J. E. Marsden, M. West, Discrete mechanics and variational integrators, Acta Numerica 10 (2001) 357, section
2.6; N. Bou-Rabee, J. E. Marsden, Hamilton-Pontryagin integrators on Lie groups, Found. Comput. Math. 9 (2009) 197,
section 4.
"""

# ruff: noqa: F821
from __future__ import annotations

NQ, NV, DRIVES, INPUTS = STEPS_NQ, STEPS_NV, STEPS_DRIVES, STEPS_INPUTS
WORK, TIMED, POWERED, STAGED, DRIVEN = STEPS_WORK, STEPS_TIMED, STEPS_POWERED, STEPS_STAGED, STEPS_DRIVEN
MOVING = NQ + NV
STATES = MOVING + DRIVES + WORK
RUNS, SERIES = STEPS_RUNS, STEPS_SERIES

# Entries of a run and its kinds, rows of coefficients, entries of a report.
KIND, FIRST_Q, FIRST_V, SPEEDS = 0, 1, 2, 3
SUMS, FREE = 0, 2
TANGENT, INVERSE_TANGENT = 0, 1
STATUS, TAKEN = 0, 1

# What stays.
tau: array[NV]
u: array[INPUTS]
run: array[RUNS, 4]
coefficient: array[2, SERIES]

# A state, and what the stages of a Runge-Kutta step find.
q: array[NQ]
v: array[NV]
z: array[DRIVES]
first: array[STATES]
second: array[STATES]
third: array[STATES]
fourth: array[STATES]
y: array[STATES]

# A variational step: momenta at its start, the middle, the change of v; parts of one joint.
p: array[NV]
middle: array[NQ]
momentum: array[NV]
force: array[NV]
pushed: array[NV]
end: array[NV]
change: array[NV]
angular: array[3]
linear: array[3]
once: array[3]
twice: array[3]
moment: array[3]
push: array[3]


def keep(loads: vector[NV + INPUTS], runs: vector[RUNS, 4]):
    """Keeps what acts, and the runs."""
    tau[:] = loads[:NV]
    u[:] = loads[NV:]
    run[:] = runs


def is_finite(x: vector[0], size: int) -> bool:
    """Whether entries are finite."""
    total = 0.0
    for k in range(size):
        total += 0.0 * x[k]
    return total == 0.0


def length(x: vector[NQ], i: int) -> real:
    """Of the quaternion that begins at i."""
    return sqrt(dot(x[i : i + 4], x[i : i + 4]))


@otherwise(NOT_FINITE)
def normalise(x: array[NQ]) -> int:
    """Gives quaternions unit length."""
    for r in range(RUNS):
        if int(run[r][KIND]) != SUMS:
            i = int(run[r][FIRST_Q])
            size = length(x, i)
            x[i : i + 4] = x[i : i + 4] / size
    return DONE


def power(t: real, at: vector[NQ]) -> real:
    """Of external forces, and of those that drive motions."""
    if POWERED and DRIVES:
        own = external_power(at, v, t, u, z)
    elif POWERED and TIMED:
        own = external_power(at, v, t, u)
    elif POWERED:
        own = external_power(at, v)
    else:
        own = zeros(1)
    if DRIVEN and DRIVES:
        driving = driving_forces(at, v, tau, t, u, z)
    elif DRIVEN and TIMED:
        driving = driving_forces(at, v, tau, t, u)
    elif DRIVEN:
        driving = driving_forces(at, v, tau)
    else:
        driving = zeros(NV)
    return own[0] + dot(v, tau) + dot(v, driving)


def evaluate(t: real, x: vector[STATES], rates: array[STATES]) -> int:
    """Rates. They do not depend on the lengths of quaternions, which only scale the rates of these quaternions."""
    q[:] = x[:NQ]
    v[:] = x[NQ:MOVING]
    z[:] = x[MOVING : MOVING + DRIVES]
    if normalise(q) != DONE:
        return NOT_FINITE
    if DRIVEN and DRIVES:
        q[:], v[:] = driven_state(q, v, t, u, z)
    elif DRIVEN and TIMED:
        q[:], v[:] = driven_state(q, v, t, u)
    elif DRIVEN:
        q[:], v[:] = driven_state(q, v)
    if STAGED:
        q[:], v[:] = stage(q, v)
    rates[:NQ] = position_rate(q, v)
    for r in range(RUNS):
        if int(run[r][KIND]) != SUMS:
            i = int(run[r][FIRST_Q])
            rates[i : i + 4] = length(x, i) * rates[i : i + 4]
    if DRIVES:
        rates[NQ:MOVING] = forward_dynamics(q, v, tau, t, u, z)
        rates[MOVING : MOVING + DRIVES] = drive_rates(q, v, t, u, z)
    elif TIMED:
        rates[NQ:MOVING] = forward_dynamics(q, v, tau, t, u)
    else:
        rates[NQ:MOVING] = forward_dynamics(q, v, tau)
    if WORK:
        rates[STATES - 1] = power(t, q)
    if not is_finite(rates, STATES):
        return NOT_FINITE
    return DONE


def state_rates(
    loads: vector[NV + INPUTS], runs: vector[RUNS, 4], t: real, x: array[STATES], rates: array[STATES], report: array[2]
):
    """Rates of a state."""
    keep(loads, runs)
    report[STATUS] = evaluate(t, x, rates)


# ---- Runge and Kutta -------------------------------------------------------------------------------------------------


def classical(t: real, h: real, x: array[STATES]) -> int:
    """One step of the classical method of order four."""
    if evaluate(t, x, first) != DONE:
        return NOT_FINITE
    y[:] = x + 0.5 * h * first
    if evaluate(t + 0.5 * h, y, second) != DONE:
        return NOT_FINITE
    y[:] = x + 0.5 * h * second
    if evaluate(t + 0.5 * h, y, third) != DONE:
        return NOT_FINITE
    y[:] = x + h * third
    if evaluate(t + h, y, fourth) != DONE:
        return NOT_FINITE
    y[:] = x + h / 6.0 * (first + 2.0 * (second + third) + fourth)
    if not is_finite(y, STATES) or normalise(y) != DONE:
        return NOT_FINITE
    x[:] = y
    return DONE


def runge_kutta(
    loads: vector[NV + INPUTS], runs: vector[RUNS, 4], t: real, h: real, steps: int, x: array[STATES], report: array[2]
):
    """Steps of the classical method."""
    keep(loads, runs)
    report[STATUS] = DONE
    for k in range(steps):
        report[TAKEN] = k
        status = classical(t + k * h, h, x)
        if status != DONE:
            report[STATUS] = status
            return
    report[TAKEN] = steps


# ---- the variational midpoint rule -----------------------------------------------------------------------------------


def cross(a: vector[3], b: vector[3], c: array[3]):
    """The vector product."""
    c[0] = a[1] * b[2] - a[2] * b[1]
    c[1] = a[2] * b[0] - a[0] * b[2]
    c[2] = a[0] * b[1] - a[1] * b[0]


@otherwise(NOT_FINITE)
def move(h: real, moved: array[NQ]) -> int:
    """q exp(h v): rotation about a fixed axis, and the screw motion of a free joint."""
    for r in range(RUNS):
        kind = int(run[r][KIND])
        i = int(run[r][FIRST_Q])
        j = int(run[r][FIRST_V])
        if kind == SUMS:
            for k in range(int(run[r][SPEEDS])):
                moved[i + k] = q[i + k] + h * v[j + k]
        else:
            angular[:] = h * v[j : j + 3]
            square = dot(angular, angular)
            angle = sqrt(square)
            half = 0.5 - square * (1.0 / 48.0 - square / 3840.0) if square < SMALL else sin(0.5 * angle) / angle
            c = cos(0.5 * angle)
            a = q[i]
            b = q[i + 1 : i + 4]
            if kind == FREE:
                # V = 1 + (1 - cos)/angle^2 w~ + (angle - sin)/angle^3 w~ w~ takes h v_O to the screw's translation.
                f = 2.0 * half * half
                g = (
                    1.0 / 6.0 - square * (1.0 / 120.0 - square / 5040.0)
                    if square < SMALL
                    else (angle - sin(angle)) / (angle * square)
                )
                cross(angular, v[j + 3 : j + 6], once)
                cross(angular, once, twice)
                linear[:] = h * (v[j + 3 : j + 6] + f * once + g * twice)
                cross(b, linear, once)
                cross(b, once, twice)
                moved[i + 4 : i + 7] = q[i + 4 : i + 7] + linear + 2.0 * (a * once + twice)
            angular[:] = half * angular
            cross(b, angular, once)
            moved[i] = a * c - dot(b, angular)
            moved[i + 1 : i + 4] = a * angular + c * b + once
    return normalise(moved)


def series(row: int, h: real, f: vector[NV], total: array[NV]):
    """Sum of coefficient[row][n] (ad(h v)^T)^n f, joint by joint; f where rates are speeds.

    ad(h v)^T f of angular speeds w and forces n is n x w; a free joint adds the part of its origin.
    """
    total[:] = f
    for r in range(RUNS):
        kind = int(run[r][KIND])
        if kind != SUMS:
            j = int(run[r][FIRST_V])
            angular[:] = h * v[j : j + 3]
            moment[:] = f[j : j + 3]
            if kind == FREE:
                linear[:] = h * v[j + 3 : j + 6]
                push[:] = f[j + 3 : j + 6]
            for n in range(1, SERIES):
                cross(moment, angular, once)
                if kind == FREE:
                    cross(push, linear, twice)
                    once[:] += twice
                    cross(push, angular, twice)
                    push[:] = twice
                    total[j + 3 : j + 6] += coefficient[row][n] * push
                moment[:] = once
                total[j : j + 3] += coefficient[row][n] * moment


def half_step(h: real, after: array[NV]):
    """Momenta at the end h of half a step whose middle has the momentum and force kept."""
    series(TANGENT, 0.5 * h, force, pushed)
    pushed[:] = momentum + 0.5 * h * pushed
    series(INVERSE_TANGENT, h, pushed, after)


def terms(t: real, at: vector[NQ]):
    """Momenta and forces."""
    if TIMED:
        momentum[:], force[:] = variational_terms(at, v, t, u)
    else:
        momentum[:], force[:] = variational_terms(at, v)
    force[:] += tau


def largest(x: vector[NV]) -> real:
    """The largest size of an entry."""
    found = 0.0
    for k in range(NV):
        if abs(x[k]) > found:
            found = abs(x[k])
    return found


def solve(t: real, h: real) -> int:
    """Finds v of the step that starts with q and p, and what its middle has."""
    last = 0.0
    scale = 0.0
    for n in range(ITERATIONS):
        if move(0.5 * h, middle) != DONE:
            return NOT_FINITE
        terms(t, middle)
        half_step(-h, end)
        end[:] = p - end
        change[:] = speeds_of_momentum(middle, end)
        v[:] += change
        if not is_finite(v, NV):
            return NOT_FINITE
        size = largest(change)
        speed = largest(v)
        scale = size if size > scale else scale
        scale = speed if speed > scale else scale
        # Changes that have stopped to shrink are round-off.
        if size <= LEAST_CHANGE + RELATIVE_CHANGE * speed:
            return DONE
        if n > 0 and size <= LOOSE_CHANGE + LOOSE_RELATIVE_CHANGE * scale and size >= SHRINKING * last:
            return DONE
        last = size
    return NOT_SOLVED


def midpoint(t: real, h: real, x: array[STATES]) -> int:
    """One step from q and p."""
    status = solve(t + 0.5 * h, h)
    if status != DONE:
        return status
    if WORK:
        x[STATES - 1] += h * power(t + 0.5 * h, middle)
    half_step(h, p)
    if move(h, middle) != DONE:
        return NOT_FINITE
    q[:] = middle
    change[:] = speeds_of_momentum(q, p)
    if not is_finite(change, NV) or not is_finite(q, NQ):
        return NOT_FINITE
    x[:NQ] = q
    x[NQ:MOVING] = change
    return DONE


def variational(
    loads: vector[NV + INPUTS],
    runs: vector[RUNS, 4],
    coefficients: vector[2, SERIES],
    t: real,
    h: real,
    steps: int,
    x: array[STATES],
    report: array[2],
):
    """Steps of the variational midpoint rule."""
    keep(loads, runs)
    coefficient[:] = coefficients
    q[:] = x[:NQ]
    v[:] = x[NQ:MOVING]
    terms(t, q)
    p[:] = momentum
    report[STATUS] = DONE
    for k in range(steps):
        report[TAKEN] = k
        status = midpoint(t + k * h, h, x)
        if status != DONE:
            report[STATUS] = status
            return
    report[TAKEN] = steps
