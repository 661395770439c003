"""Adaptive steps: embedded Runge-Kutta pairs, which choose the lengths of their steps, and the states in between.

The rows of ``tableau`` are the weights of the stages, the last of which stands at the end of the step; then a row each
for the parts of the step at which they are evaluated, for two estimates of the error, for the terms of the polynomial
between the ends, and for counts. ``control`` holds what goes on from call to call: time, end, length of the next step,
and so on in the order of its indices below. What is held for ``rates`` goes there as it came.

The error is e^2 / sqrt(e^2 + 0.01 f^2), with root mean squares e and f of both estimates beside what is allowed; a pair
with one estimate has zeros for the other. Lengths change by the root of the error, within bounds, and do not grow after
a step that was taken again.

Where a motion is stiff, stability and not the error holds steps short. The two last stages stand at the end of the
step, with states that differ by little: the difference of their rates beside theirs estimates the largest eigenvalue
that the motion feels, and times the length of the step it is at the edge of the region of stability then.

Sources: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd edition (1993), sections
II.4 (lengths), II.6 (polynomials between the ends) and II.10 (the two estimates); E. Hairer, G. Wanner, II, 2nd edition
(1996), section IV.2 (stiffness).
"""

# ruff: noqa: F821
from __future__ import annotations

STATES, HELD, QUATERNIONS = ADAPTIVE_STATES, ADAPTIVE_HELD, ADAPTIVE_QUATERNIONS
STAGES, TERMS = 16, 4

# Rows of the tableau below the weights, and entries of the last one: the last stage, stages for the polynomial alone,
# terms of the polynomial, 1 where their number is odd, and the root by which lengths change.
NODES, ERROR, OTHER_ERROR, POLYNOMIAL, COUNTS = STAGES, STAGES + 1, STAGES + 2, STAGES + 3, STAGES + 3 + TERMS
ROWS = COUNTS + 1
LAST, EXTRA, USED, IS_ODD, DEGREE, EDGE = 0, 1, 2, 3, 4, 5

# Entries of control: those given, those kept, and those told.
END, RELATIVE, LONGEST, MOST, COUNT, IDLE_LENGTH = 0, 1, 2, 3, 4, 5
TIME, LENGTH, FRESH, DUE, START, TAKEN, IS_PREPARED, IDLE = 6, 7, 8, 9, 10, 11, 12, 13
STATUS, STEPS, EVALUATIONS = 14, 15, 16
# Coordinates, and states that the rates depend on; steps at the edge of stability in a row, and others since; all steps
# of such rows, when the first one began, the largest eigenvalue in them, and 1 once their number was told.
COORDINATES, FELT, ROW, CALM, HELD_STEPS, SINCE, FASTEST, IS_TOLD = 17, 18, 19, 20, 21, 22, 23, 24
CONTROL = 25

# What stays.
table: array[ROWS, STAGES]
first: array[QUATERNIONS]
allowed: array[STATES]

# The step: its start, its end, the rates of its stages and those at its end, and the polynomial.
old: array[STATES]
reached: array[STATES]
beside: array[STATES]
slope: array[STATES]
k: array[STAGES, STATES]
f: array[TERMS + 3, STATES]
y: array[STATES]


def keep(tableau: vector[ROWS, STAGES], quaternions: vector[QUATERNIONS], allowances: vector[STATES]):
    """Keeps the tableau, where quaternions begin, and the errors that are allowed."""
    table[:] = tableau
    first[:] = quaternions
    allowed[:] = allowances


def normalise(x: array[STATES]) -> bool:
    """Gives quaternions unit length, those of length zero that of no rotation; true where that changed any."""
    changed = False
    for n in range(QUATERNIONS):
        i = int(first[n])
        size = sqrt(dot(x[i : i + 4], x[i : i + 4]))
        if size == 0.0:
            x[i] = 1.0
        elif size != 1.0:
            x[i : i + 4] = x[i : i + 4] / size
        changed = changed or size != 1.0
    return changed


# ---- one step --------------------------------------------------------------------------------------------------------


def stage(held: vector[HELD], s: int, t: real, h: real, x: vector[STATES]):
    """Rates of a stage of the step from x."""
    y[:] = table[s][0] * k[0]
    for r in range(1, s):
        if table[s][r] != 0.0:
            y[:] += table[s][r] * k[r]
    y[:] = x + h * y
    k[s] = rates(held, t + table[NODES][s] * h, y)


def error(h: real, relative: real, x: vector[STATES]) -> real:
    """The error of the step from x to y beside what is allowed."""
    total = 0.0
    other = 0.0
    for i in range(STATES):
        a = 0.0
        b = 0.0
        for s in range(int(table[COUNTS][LAST]) + 1):
            a += table[ERROR][s] * k[s][i]
            b += table[OTHER_ERROR][s] * k[s][i]
        size = abs(x[i]) if abs(x[i]) > abs(y[i]) else abs(y[i])
        scale = allowed[i] + relative * size
        total += a / scale * (a / scale)
        other += b / scale * (b / scale)
    if total == 0.0 and other == 0.0:
        return 0.0
    return h * total / sqrt((total + 0.01 * other) * STATES)


def quotient(start: int, end: int) -> real:
    """How much the rates of some states differ in both last stages, beside the states themselves."""
    rate = 0.0
    way = 0.0
    last = int(table[COUNTS][LAST])
    for i in range(start, end):
        rate += (k[last][i] - k[last - 1][i]) * (k[last][i] - k[last - 1][i])
        way += (y[i] - beside[i]) * (y[i] - beside[i])
    return sqrt(rate / way) if way > 0.0 else 0.0


def feel(t: real, h: real, control: array[CONTROL]):
    """Counts the step if it is at the edge of stability."""
    # Coordinates and speeds apart: they have other units, and the smaller of both is below any frequency of vibration.
    fast = quotient(int(control[COORDINATES]), int(control[FELT]))
    if control[COORDINATES] > 0.0:
        slower = quotient(0, int(control[COORDINATES]))
        fast = slower if slower < fast else fast
    if h * fast <= table[COUNTS][EDGE]:
        control[CALM] += 1.0
        if control[CALM] >= CALM_STEPS:
            control[ROW] = 0.0
        return
    control[CALM] = 0.0
    control[ROW] += 1.0
    if control[ROW] < STIFF_ROW:
        return
    if control[HELD_STEPS] == 0.0:
        control[SINCE] = t
    control[HELD_STEPS] += STIFF_ROW if control[ROW] == STIFF_ROW else 1.0
    if fast > control[FASTEST]:
        control[FASTEST] = fast


def root(value: real, degree: int) -> real:
    """A root below SAFETY / LEAST_GROWTH, by Newton's steps from there."""
    found = SAFETY / LEAST_GROWTH
    for _n in range(ROOT_STEPS):
        power = 1.0
        for _m in range(degree - 1):
            power = power * found
        less = (found - value / power) / degree
        if less <= ROOT_ENOUGH * found:
            return found
        found = found - less
    return found


def growth(wrong: real, degree: int) -> real:
    """The factor between the length of a step with that error and the length to take."""
    smallest = 1.0
    largest = 1.0
    for _n in range(degree):
        smallest = smallest * SAFETY / MOST_GROWTH
        largest = largest * SAFETY / LEAST_GROWTH
    if wrong <= smallest:
        return MOST_GROWTH
    # What is no number is not smaller than anything.
    if wrong < largest:
        return SAFETY / root(wrong, degree)
    return LEAST_GROWTH


def advance(held: vector[HELD], x: array[STATES], control: array[CONTROL]) -> int:
    """One step, taken again shorter until its error is allowed."""
    t = control[TIME]
    if control[FRESH] != 0.0:
        slope[:] = rates(held, t, x)
        control[FRESH] = 0.0
    k[0] = slope
    least = SPACING * abs(t)
    if least < LEAST_LENGTH:
        least = LEAST_LENGTH
    length = control[LENGTH]
    if length > control[LONGEST]:
        length = control[LONGEST]
    if length < least:
        length = least
    again = False
    last = int(table[COUNTS][LAST])
    while length >= least:
        end = t + length
        if end > control[END]:
            end = control[END]
        length = end - t
        for s in range(1, last + 1):
            stage(held, s, t, length, x)
            if s == last - 1:
                beside[:] = y
        control[EVALUATIONS] += last
        wrong = error(length, control[RELATIVE], x)
        factor = growth(wrong, int(table[COUNTS][DEGREE]))
        if wrong < 1.0:
            for i in range(STATES):
                if not isfinite(y[i]):
                    return NOT_FINITE
            feel(t, length, control)
            old[:] = x
            reached[:] = y
            x[:] = y
            slope[:] = k[last]
            control[START] = t
            control[TAKEN] = length
            control[TIME] = end
            control[LENGTH] = length if again and factor > 1.0 else factor * length
            control[IS_PREPARED] = 0.0
            return DONE
        length = factor * length
        again = True
    return TOO_SHORT


# ---- between the ends of a step --------------------------------------------------------------------------------------


def polynomial(held: vector[HELD], control: array[CONTROL]):
    """Its terms, once a step."""
    if control[IS_PREPARED] != 0.0:
        return
    control[IS_PREPARED] = 1.0
    h = control[TAKEN]
    last = int(table[COUNTS][LAST])
    stages = last + 1 + int(table[COUNTS][EXTRA])
    for s in range(last + 1, stages):
        stage(held, s, control[START], h, old)
        control[EVALUATIONS] += 1.0
    f[0] = reached - old
    f[1] = h * k[0] - f[0]
    f[2] = 2.0 * f[0] - h * (k[last] + k[0])
    for n in range(int(table[COUNTS][USED]) - 3):
        f[3 + n] = zeros(STATES)
        for s in range(stages):
            f[3 + n] += h * table[POLYNOMIAL + n][s] * k[s]


def look(time: real, control: array[CONTROL]):
    """The state at a time, in y."""
    part = (time - control[START]) / control[TAKEN]
    factor = part if table[COUNTS][IS_ODD] != 0.0 else 1.0 - part
    y[:] = zeros(STATES)
    used = int(table[COUNTS][USED])
    for n in range(used):
        y[:] = factor * (y + f[used - 1 - n])
        factor = 1.0 - factor
    y[:] += old
    normalise(y)


def between(
    held: vector[HELD],
    tableau: vector[ROWS, STAGES],
    quaternions: vector[QUATERNIONS],
    allowances: vector[STATES],
    time: real,
    x: array[STATES],
    control: array[CONTROL],
):
    """The state at a time within the last step."""
    keep(tableau, quaternions, allowances)
    polynomial(held, control)
    look(time, control)
    x[:] = y


# ---- many steps ------------------------------------------------------------------------------------------------------


def adaptive(
    held: vector[HELD],
    tableau: vector[ROWS, STAGES],
    quaternions: vector[QUATERNIONS],
    allowances: vector[STATES],
    grid: vector[0],
    samples: array[0],
    x: array[STATES],
    control: array[CONTROL],
):
    """Steps until as many as asked for are done or the end is reached, and the states at the times passed."""
    keep(tableau, quaternions, allowances)
    control[STEPS] = 0.0
    control[STATUS] = DONE
    while control[STEPS] < control[MOST] and control[TIME] < control[END]:
        status = advance(held, x, control)
        if status != DONE:
            control[STATUS] = status
            return
        control[STEPS] += 1.0
        due = int(control[DUE])
        count = int(control[COUNT])
        now = control[TIME]
        while due < count and grid[due] < now:
            polynomial(held, control)
            look(grid[due], control)
            samples[due * STATES : due * STATES + STATES] = y
            due += 1
        if normalise(x):
            control[FRESH] = 1.0
        if due < count and grid[due] <= now:
            samples[due * STATES : due * STATES + STATES] = x
            due += 1
        control[DUE] = due
        control[IDLE] = control[IDLE] + 1.0 if control[TAKEN] < control[IDLE_LENGTH] else 0.0
        if control[IDLE] > MOST_IDLE:
            control[STATUS] = STUCK
            return
        if control[HELD_STEPS] >= STIFF_STEPS and control[IS_TOLD] == 0.0:
            control[IS_TOLD] = 1.0
            return
