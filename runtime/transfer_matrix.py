"""Stepping by the discrete time transfer matrix method, as a Riccati sweep over kernels of one element each.

Every body hangs by one hinge at its input end r on the body before it, towards ground; loops are cut. Unknown in one
iteration are the changes delta of a body's rotation z and dr of its input end. The sweep from the tips to the root
keeps for each body the loads that it and everything outboard need at its input end,

    [M; Q] = W [delta; dr] + w,

eliminates delta by the hinge, which leaves S and s of the interface to the parent, and adds those at the parent's end.
Each right-hand side is a row of columns: first what is known, then one column for each unknown cut force. The sweep
from the root to the tips gives the changes; the cut forces are those that close every loop, which is the only system
of equations that grows with anything, the number of cuts. Time is discrete: the scheme makes velocity A z + B and
acceleration C z + D, so that one iteration to find z is one sweep there and back.

A state holds for each body its attitude at the last time, six rows [rotation; centre of mass] of history and the force
at its input end, and then the forces at the cuts. With the accelerations of points in the place of the points
themselves the same sweep finds accelerations, which start a motion: the places marked bias.

Source: Li Chunming, Rui Xiaoting, Validating on the transfer matrix method of multibody system without considering
constraint violation correction, 2005, equations (4) to (10) and steps 1 to 10 of section 2.
"""

# ruff: noqa: F821, RUF059
from __future__ import annotations

BODIES = TRANSFER_BODIES
CUTS = TRANSFER_CUTS
UNKNOWNS = TRANSFER_UNKNOWNS
COLUMNS = 1 + UNKNOWNS
POINT = TRANSFER_DIMENSION
ANGLES = TRANSFER_ANGLES
LOAD = ANGLES + POINT
CARDAN = TRANSFER_CARDAN

# Rows of the tables.
BODY = TRANSFER_BODY
JOINT = TRANSFER_JOINT
CUT = TRANSFER_CUT
ELASTIC, SPRING, DAMPER, END, FREE = 1, 6, 7, 8, 8 + POINT
IS_SPRING, STIFFNESS, DAMPING, LENGTH, ENDS = 0, 3, 4, 5, 6

# A body's part of the state: attitude, history rows x, v, a, s, x2, x3, force.
BASE = TRANSFER_BASE
STATE = TRANSFER_STATE
X = BASE
V = X + LOAD
ACCELERATION = V + LOAD
AUXILIARY = ACCELERATION + LOAD
X2 = AUXILIARY + LOAD
X3 = X2 + LOAD
FORCE = X3 + LOAD
HISTORY = 6
SIZE = TRANSFER_SIZE

# A scheme: A, C, the combinations for B, D and the predictor, and one for each row of the new history.
SCHEME = TRANSFER_SCHEME
RATES, ACCELERATIONS, PREDICTOR, ROWS = 2, 2 + HISTORY, 2 + 2 * HISTORY, 2 + 3 * HISTORY

# The elements: tables, forces with weight, and 1 for bodies on a path from a cut to ground.
body: array[BODIES, BODY]
joint: array[BODIES, JOINT]
cut: array[CUTS, CUT]
gravity: array[POINT]
force: array[BODIES, LOAD]
active: array[BODIES]

# The iterate: what a body's attitude contributes, rotation, input end, the parent's end, centre of mass.
motion: array[BODIES, TRANSFER_MOTION]
z: array[BODIES, ANGLES]
r: array[BODIES, POINT]
inboard: array[BODIES, POINT]
center: array[BODIES, POINT]
velocity: array[BODIES, POINT]
B: array[BODIES, LOAD]
D: array[BODIES, LOAD]
B_past: array[BODIES, LOAD]
D_past: array[BODIES, LOAD]
law: array[BODIES, 2]
hinge_force: array[BODIES, POINT]
hinge_stiffness: array[BODIES]
Q: array[BODIES, POINT]
multipliers: array[UNKNOWNS]

# From the tips to the root.
W: array[BODIES, LOAD * LOAD]
w: array[BODIES, COLUMNS, LOAD]
S: array[BODIES, 9]
s: array[BODIES, COLUMNS, 3]
elimination: array[BODIES, TRANSFER_ELIMINATION]
elastic: array[BODIES, TRANSFER_ELASTIC]
turn: array[BODIES, 3]

# From the root to the tips.
rest: array[BODIES, COLUMNS, ANGLES]
gap: array[BODIES, COLUMNS, POINT]
delta: array[BODIES, COLUMNS, ANGLES]
dr: array[BODIES, COLUMNS, POINT]

# Cut forces: their directions, springs between points, and rows [constant, F] of the closure.
direction: array[UNKNOWNS, POINT]
stiffness: array[UNKNOWNS]
tension: array[UNKNOWNS]
F: array[UNKNOWNS, UNKNOWNS + 1]


# ---- the elements ----------------------------------------------------------------------------------------------------


def parent(i: int) -> int:
    """The body that body i hangs on, -1 for ground."""
    return int(joint[i][0]) - 1


def is_elastic(i: int) -> bool:
    """Whether body i hangs on a hinge of finite stiffness."""
    return joint[i][ELASTIC] > 0.5


def is_spring(k: int) -> bool:
    """Whether cut k is a spring between points."""
    return cut[k][IS_SPRING] > 0.5


def cut_body(k: int, end: int) -> int:
    """The first (0) or second (1) body of cut k, -1 for ground."""
    return int(cut[k][1 + end]) - 1


def tables():
    """Reads the tables, and marks the bodies on paths from cuts to ground."""
    body[:], joint[:], cut[:], gravity[:] = transfer_matrix_system()
    for i in range(BODIES):
        active[i] = 0.0
    for k in range(CUTS):
        for end in range(2):
            i = cut_body(k, end)
            while i >= 0 and active[i] < 0.5:
                active[i] = 1.0
                i = parent(i)


def load(loads: vector[BODIES, LOAD]):
    """Forces with weight, and an iterate that nothing acts on yet."""
    for i in range(BODIES):
        force[i] = loads[i]
        force[i][:POINT] += body[i][0] * gravity
        law[i] = zeros(2)
        hinge_stiffness[i] = 0.0
        Q[i] = zeros(POINT)
    multipliers[:] = zeros(UNKNOWNS)


# ---- the iterate -----------------------------------------------------------------------------------------------------


def turn_bodies(state: vector[SIZE], A: real, C: real):
    """What the rotations contribute at the iterate."""
    for i in range(BODIES):
        base = state[i * STATE : i * STATE + BASE]
        motion[i] = transfer_attitude(base, z[i], body[i], A, C, B[i], D[i], B_past[i], D_past[i])


def place(bias: bool):
    """Points at the iterate, input ends at elastic hinges being given; in bias accelerations but for the unknowns."""
    for i in range(BODIES):
        p = parent(i)
        b = joint[i][END : END + POINT]
        if p >= 0:
            inboard[i] = transfer_point(motion[p], b, r[p])
        elif bias:
            inboard[i] = zeros(POINT)
        else:
            inboard[i] = b
        if not is_elastic(i):
            r[i] = inboard[i]
        elif bias:
            r[i] = zeros(POINT)
        center[i] = transfer_point(motion[i], body[i][1 : 1 + POINT], r[i])


def free_ends():
    """Input ends at elastic hinges from the centres of mass."""
    zero = zeros(POINT)
    for i in range(BODIES):
        if is_elastic(i):
            lever = transfer_point(motion[i], body[i][1 : 1 + POINT], zero)
            r[i] = center[i] - lever


def cut_point(k: int, end: int, bias: bool) -> vector[POINT]:
    """The point of cut k on its first (0) or second (1) body."""
    i = cut_body(k, end)
    b = cut[k][ENDS + end * POINT : ENDS + end * POINT + POINT]
    if i >= 0:
        return transfer_point(motion[i], b, r[i])
    if bias:
        return zeros(POINT)
    return b


def point_velocity(i: int, b: vector[POINT]) -> vector[POINT]:
    """Velocity of a point of body i; ground (-1) is at rest."""
    if i < 0:
        return zeros(POINT)
    return transfer_point_velocity(body[i], motion[i], velocity[i], b)


def hinges(state: vector[SIZE], A: real, C: real, spring: real):
    """Laws of hinges and forces of elastic hinges at the iterate."""
    zero = zeros(POINT)
    ground = zeros(TRANSFER_MOTION)
    for i in range(BODIES):
        p = parent(i)
        row = joint[i]
        if ANGLES == 1:
            angle = state[i * STATE : i * STATE + 1] + z[i]
            inner_angle = zeros(1)
            if p >= 0:
                inner_angle = state[p * STATE : p * STATE + 1] + z[p]
            inner_motion = motion[p] if p >= 0 else ground
            law[i] = transfer_hinge_law(row, spring, A, C, motion[i], inner_motion, angle, inner_angle)
        if is_elastic(i):
            outer = point_velocity(i, zero)
            inner = point_velocity(p, row[END : END + POINT])
            stretch = r[i] - inboard[i] - row[FREE : FREE + POINT]
            hinge_stiffness[i] = spring * row[SPRING] + A * row[DAMPER]
            hinge_force[i] = -row[SPRING] * stretch - row[DAMPER] * (outer - inner)


def directions(A: real, spring: real):
    """Directions of cut forces; tension and stiffness of springs between points."""
    first = 0
    for k in range(CUTS):
        if is_spring(k):
            row = cut[k]
            here = cut_point(k, 0, False)
            there = cut_point(k, 1, False)
            apart = here - there
            length = sqrt(dot(apart, apart))
            direction[first] = apart / length
            outer = point_velocity(cut_body(k, 0), row[ENDS : ENDS + POINT])
            inner = point_velocity(cut_body(k, 1), row[ENDS + POINT : ENDS + POINT + POINT])
            drift = outer - inner
            rate = dot(direction[first], drift)
            tension[first] = row[STIFFNESS] * (length - row[LENGTH]) + row[DAMPING] * rate
            stiffness[first] = spring * row[STIFFNESS] + A * row[DAMPING]
            first += 1
        else:
            for axis in range(POINT):
                direction[first + axis] = zeros(POINT)
                direction[first + axis][axis] = 1.0
            first += POINT


# ---- one iteration ---------------------------------------------------------------------------------------------------


def cut_columns(geometric: real):
    """Cut forces as columns of right-hand sides on the bodies that they act on."""
    nothing = zeros(9)
    first = 0
    for k in range(CUTS):
        size = 1 if is_spring(k) else POINT
        for end in range(2):
            i = cut_body(k, end)
            if i >= 0:
                b = cut[k][ENDS + end * POINT : ENDS + end * POINT + POINT]
                sign = 1.0 if end == 0 else -1.0
                total = zeros(POINT)
                for column in range(first, first + size):
                    interface = zeros(3)
                    interface[3 - POINT :] = sign * direction[column]
                    total += geometric * sign * multipliers[column] * direction[column]
                    w[i][1 + column] += transfer_end_column(motion[i], b, interface)
                W[i] += transfer_end(motion[i], b, nothing, total)
        first += size


def backward(geometric: real):
    """From the tips to the root: every body's rotation is eliminated, what is left is handed to its parent."""
    zero = zeros(POINT)
    for i in range(BODIES - 1, -1, -1):
        p = parent(i)
        b = joint[i][END : END + POINT]
        lever = geometric * Q[i]
        if ANGLES == 1:
            w[i][0][0] -= law[i][1]
        S[i], elimination[i] = transfer_hinge(W[i], motion[i], law[i])
        if is_elastic(i):
            through, elastic[i], turn[i] = transfer_elastic_hinge(S[i], hinge_stiffness[i])
            if p >= 0:
                W[p] += transfer_end(motion[p], b, through, lever)
        elif p >= 0:
            W[p] += transfer_end(motion[p], b, S[i], lever)
        for c in range(COLUMNS if active[i] > 0.5 else 1):
            rest[i][c], s[i][c] = transfer_hinge_column(elimination[i], w[i][c])
            if ANGLES == 1 and c == 0:
                s[i][0][0] += law[i][1]
            if is_elastic(i):
                q = hinge_force[i] if c == 0 else zero
                column, gap[i][c] = transfer_elastic_hinge_column(elastic[i], q, s[i][c])
                if p >= 0:
                    w[p][c] += transfer_end_column(motion[p], b, column)
            elif p >= 0:
                w[p][c] += transfer_end_column(motion[p], b, s[i][c])


def forward(c: int, paths_only: bool):
    """From the root to the tips: changes of one column, of all bodies or of those on paths to cuts."""
    zero = zeros(ANGLES)
    for i in range(BODIES):
        if not paths_only or active[i] > 0.5:
            p = parent(i)
            turned = delta[p][c] if p >= 0 else zero
            if p >= 0:
                dr[i][c] = transfer_point_change(motion[p], joint[i][END : END + POINT], dr[p][c], turned)
            else:
                dr[i][c] = zeros(POINT)
            if is_elastic(i):
                moved = copy(dr[i][c])
                dr[i][c] = transfer_elastic_point(elastic[i], turn[i], turned, moved, gap[i][c])
            delta[i][c] = transfer_rotation(elimination[i], turned, dr[i][c], rest[i][c])


def closure_rows(bias: bool):
    """What each column does to the gaps of the cuts: rows [constant, F]."""
    for c in range(COLUMNS):
        forward(c, True)
        first = 0
        for k in range(CUTS):
            change = zeros(POINT)
            for end in range(2):
                i = cut_body(k, end)
                if i >= 0:
                    b = cut[k][ENDS + end * POINT : ENDS + end * POINT + POINT]
                    moved = transfer_point_change(motion[i], b, dr[i][c], delta[i][c])
                    change += (1.0 if end == 0 else -1.0) * moved
            if is_spring(k):
                value = stiffness[first] * dot(direction[first], change)
                if c == 0:
                    value += tension[first]
                if c == first + 1:
                    value -= 1.0
                F[first][c] = value
                first += 1
            else:
                if c == 0:
                    here = cut_point(k, 0, bias)
                    there = cut_point(k, 1, bias)
                    change += here - there
                for axis in range(POINT):
                    F[first + axis][c] = change[axis]
                first += POINT


def solve_closure() -> real:
    """Cut forces x with constant + F x = 0, by elimination with scaled rows and row pivots; the smallest pivot."""
    least = 1.0
    for i in range(UNKNOWNS):
        largest = 0.0
        for j in range(1, COLUMNS):
            if abs(F[i][j]) > largest:
                largest = abs(F[i][j])
        F[i] = F[i] / largest
    for k in range(UNKNOWNS):
        best = k
        for i in range(k + 1, UNKNOWNS):
            if abs(F[i][k + 1]) > abs(F[best][k + 1]):
                best = i
        if best != k:
            kept = copy(F[k])
            F[k] = F[best]
            F[best] = kept
        pivot = F[k][k + 1]
        if abs(pivot) < least or pivot != pivot:
            least = abs(pivot)
        for i in range(k + 1, UNKNOWNS):
            factor = F[i][k + 1] / pivot
            F[i][0] -= factor * F[k][0]
            F[i][k + 1 :] -= factor * F[k][k + 1 :]
    for k in range(UNKNOWNS - 1, -1, -1):
        total = F[k][0] + dot(F[k][k + 2 :], multipliers[k + 1 :])
        multipliers[k] = -total / F[k][k + 1]
    return least


def add_cut_forces():
    """The share of the cut forces in all right-hand sides."""
    for i in range(BODIES):
        if active[i] > 0.5:
            for c in range(1, COLUMNS):
                x = multipliers[c - 1]
                s[i][0] += x * s[i][c]
                rest[i][0] += x * rest[i][c]
                if is_elastic(i):
                    gap[i][0] += x * gap[i][c]


def solve(C: real, geometric: real, bias: bool) -> real:
    """One sweep there and back: the changes in column 0 of delta and dr, forces; the smallest pivot of the closure."""
    for i in range(BODIES):
        for c in range(COLUMNS if active[i] > 0.5 else 1):
            w[i][c] = zeros(LOAD)
        a = copy(center[i])
        if not bias:
            a = C * a + D[i][ANGLES:]
        W[i], w[i][0] = transfer_inertia(body[i], motion[i], C, geometric, a, force[i])
    cut_columns(geometric)
    backward(geometric)
    least = 1.0
    if UNKNOWNS > 0:
        closure_rows(bias)
        least = solve_closure()
        add_cut_forces()
    forward(0, False)
    for i in range(BODIES):
        p = parent(i)
        interface = zeros(3)
        if ANGLES == 1 and p >= 0:
            interface[0] = delta[p][0][0]
        interface[3 - POINT :] = dr[i][0]
        for k in range(3 - POINT, 3):
            Q[i][k + POINT - 3] = s[i][0][k] + dot(S[i][3 * k : 3 * k + 3], interface)
    return least


# ---- one step --------------------------------------------------------------------------------------------------------


def combination(weights: vector[HISTORY], past: vector[HISTORY * LOAD]) -> vector[LOAD]:
    """A sum of the rows of a history by their weights."""
    return (
        weights[0] * past[:LOAD]
        + weights[1] * past[LOAD : 2 * LOAD]
        + weights[2] * past[2 * LOAD : 3 * LOAD]
        + weights[3] * past[3 * LOAD : 4 * LOAD]
        + weights[4] * past[4 * LOAD : 5 * LOAD]
        + weights[5] * past[5 * LOAD :]
    )


def predict(scheme: vector[SCHEME], state: vector[SIZE]):
    """B and D of the step, and where its iteration begins."""
    for i in range(BODIES):
        past = state[i * STATE + X : i * STATE + X + HISTORY * LOAD]
        x2 = state[i * STATE + X2 : i * STATE + X2 + LOAD]
        x3 = state[i * STATE + X3 : i * STATE + X3 + LOAD]
        B[i] = combination(scheme[RATES : RATES + HISTORY], past)
        D[i] = combination(scheme[ACCELERATIONS : ACCELERATIONS + HISTORY], past)
        B_past[i] = scheme[RATES + 4] * x2 + scheme[RATES + 5] * x3
        D_past[i] = scheme[ACCELERATIONS + 4] * x2 + scheme[ACCELERATIONS + 5] * x3
        predicted = combination(scheme[PREDICTOR : PREDICTOR + HISTORY], past)
        z[i] = predicted[:ANGLES]
        center[i] = predicted[ANGLES:]
        Q[i] = state[i * STATE + FORCE : i * STATE + FORCE + POINT]
    multipliers[:] = state[BODIES * STATE :]


def correct() -> real:
    """Adds the changes to the iterate; the largest one, of displacements beside 1 m and their own size."""
    largest = 0.0
    for i in range(BODIES):
        z[i] += delta[i][0]
        for k in range(ANGLES):
            size = abs(delta[i][0][k])
            if size > largest or size != size:
                largest = size
        if is_elastic(i):
            r[i] += dr[i][0]
            for k in range(POINT):
                size = abs(dr[i][0][k]) / (1.0 + abs(r[i][k]))
                if size > largest or size != size:
                    largest = size
    return largest


def finish(scheme: vector[SCHEME], state: array[SIZE]):
    """The history after the step from the collocated values; increments count from the new attitude."""
    for i in range(BODIES):
        base = state[i * STATE : i * STATE + BASE]
        past = state[i * STATE + X : i * STATE + X + HISTORY * LOAD]
        value = zeros(LOAD)
        value[:ANGLES] = z[i]
        value[ANGLES:] = center[i]
        # The formulas of the scheme take past rotations as seen from the iterate.
        bent = copy(past)
        bent[4 * LOAD : 4 * LOAD + ANGLES] = transfer_past(z[i], past[4 * LOAD : 4 * LOAD + ANGLES])
        bent[5 * LOAD : 5 * LOAD + ANGLES] = transfer_past(z[i], past[5 * LOAD : 5 * LOAD + ANGLES])
        new = zeros(HISTORY * LOAD)
        for row in range(HISTORY):
            at = ROWS + row * (1 + HISTORY)
            told = combination(scheme[at + 1 : at + 1 + HISTORY], bent if row >= 1 and row <= 3 else past)
            new[row * LOAD : row * LOAD + LOAD] = scheme[at] * value + told
        new_base, x, x2, x3 = transfer_rebase(base, new, new[4 * LOAD :], new[5 * LOAD :])
        new[:ANGLES] = x
        new[4 * LOAD : 4 * LOAD + ANGLES] = x2
        new[5 * LOAD : 5 * LOAD + ANGLES] = x3
        state[i * STATE : i * STATE + BASE] = new_base
        state[i * STATE + X : i * STATE + X + HISTORY * LOAD] = new
        state[i * STATE + FORCE : i * STATE + FORCE + POINT] = Q[i]
    state[BODIES * STATE :] = multipliers


def chart_is_lost(state: vector[SIZE]) -> bool:
    """Whether a step that failed began next to the singular attitude of Cardan angles."""
    if CARDAN:
        for i in range(BODIES):
            if not abs(cos(state[i * STATE + X + 1])) >= SMALLEST_CARDAN_COSINE:
                return True
    return False


@otherwise(SINGULAR)
def one_step(scheme: vector[SCHEME], settings: vector[4], state: array[SIZE], report: array[7]) -> int:
    """One step in place; the state is untouched unless the status is DONE or LOOSE."""
    A = scheme[0]
    C = scheme[1]
    tolerance = settings[TOLERANCE]
    predict(scheme, state)
    turn_bodies(state, A, C)
    free_ends()
    status = NOT_CONVERGED
    iterations = 0
    change = 0.0
    before = -1.0
    least = 1.0
    while status == NOT_CONVERGED and iterations < settings[MOST]:
        iterations += 1
        place(False)
        for i in range(BODIES):
            velocity[i] = A * center[i] + B[i][ANGLES:]
        hinges(state, A, C, 1.0)
        directions(A, 1.0)
        least = solve(C, settings[NEWTON], False)
        change = correct()
        if not isfinite(change):
            status = NOT_FINITE
        else:
            turn_bodies(state, A, C)
            # Changes that round-off keeps from shrinking have converged too.
            stalled = before >= 0.0 and change >= STALLED_RATIO * before
            if change <= tolerance or (stalled and change <= STALLED_CHANGE * tolerance):
                status = DONE
            before = change
    if status == NOT_CONVERGED and change <= settings[ACCEPTABLE]:
        status = LOOSE
    if status > DONE and chart_is_lost(state):
        status = CHART_LOST
    if status == NOT_FINITE and UNKNOWNS > 0 and not least > 0.0:
        status = SINGULAR
    if status <= DONE:
        place(False)
        finish(scheme, state)
    report[ITERATIONS] += iterations
    if iterations > report[MOST_ITERATIONS]:
        report[MOST_ITERATIONS] = iterations
    if change > report[LAST_CHANGE] or not isfinite(change):
        report[LAST_CHANGE] = change
    if least < report[PIVOT_RATIO]:
        report[PIVOT_RATIO] = least
    return status


def refuse(state: vector[SIZE], next_state: array[SIZE], report: array[7], status: int) -> int:
    """The state as it is, and a report of steps that cannot be, before anything is done."""
    next_state[:] = state
    report[:] = zeros(7)
    report[PIVOT_RATIO] = 1.0
    report[STATUS] = status
    return status


# ---- what a module offers --------------------------------------------------------------------------------------------


@otherwise(SINGULAR)
def consistent(
    attitude: vector[BODIES, BASE], omega: vector[BODIES, ANGLES], state: array[SIZE], report: array[7]
) -> int:
    """Accelerations and forces that fit attitudes and angular velocities."""
    least = solve(1.0, 0.0, True)
    for i in range(BODIES):
        c = body[i][1 : 1 + POINT]
        change = transfer_point_change(motion[i], c, dr[i][0], delta[i][0])
        base, x, v, a = transfer_start_rotation(attitude[i], omega[i], delta[i][0])
        state[i * STATE + ACCELERATION : i * STATE + ACCELERATION + ANGLES] = a
        state[i * STATE + ACCELERATION + ANGLES : i * STATE + AUXILIARY] = center[i] + change
        # Nothing is known of earlier values; the acceleration is the auxiliary one too.
        latest = copy(state[i * STATE + X : i * STATE + X + LOAD])
        newest = copy(state[i * STATE + ACCELERATION : i * STATE + ACCELERATION + LOAD])
        state[i * STATE + AUXILIARY : i * STATE + AUXILIARY + LOAD] = newest
        state[i * STATE + X2 : i * STATE + X2 + LOAD] = latest
        state[i * STATE + X3 : i * STATE + X3 + LOAD] = latest
        state[i * STATE + FORCE : i * STATE + FORCE + POINT] = Q[i]
    state[BODIES * STATE :] = multipliers
    report[PIVOT_RATIO] = least
    status = DONE
    if not least > SMALLEST_PIVOT:
        status = SINGULAR
    for k in range(SIZE):
        if not isfinite(state[k]):
            status = SINGULAR
    return status


def transfer_matrix_start(attitude, omega, displacement, displacement_rate, loads, next_state, report) -> int:
    """State at the initial time, without a past."""
    zero = zeros(3)
    tables()
    load(loads)
    next_state[:] = zeros(SIZE)
    for i in range(BODIES):
        p = parent(i)
        b = joint[i][END : END + POINT]
        base, x, v, a = transfer_start_rotation(attitude[i], omega[i], zero)
        next_state[i * STATE : i * STATE + BASE] = base
        z[i] = x
        motion[i] = transfer_attitude(base, x, body[i], 0.0, 0.0, v, zero, zero, zero)
        if p >= 0:
            inboard[i] = transfer_point(motion[p], b, r[p])
        else:
            inboard[i] = b
        r[i] = inboard[i]
        moving = point_velocity(p, b)
        if is_elastic(i):
            r[i] += displacement[i]
            moving += displacement_rate[i]
        center[i] = transfer_point(motion[i], body[i][1 : 1 + POINT], r[i])
        # The velocity of the input end is known; that of the centre of mass is its own plus the lever's.
        velocity[i] = zeros(POINT)
        back = point_velocity(i, zero)
        velocity[i] = moving - back
        next_state[i * STATE + X : i * STATE + X + ANGLES] = x
        next_state[i * STATE + X + ANGLES : i * STATE + X + LOAD] = center[i]
        next_state[i * STATE + V : i * STATE + V + ANGLES] = v
        next_state[i * STATE + V + ANGLES : i * STATE + V + LOAD] = velocity[i]
    hinges(next_state, 0.0, 1.0, 0.0)
    directions(0.0, 0.0)
    for i in range(BODIES):
        start = next_state[i * STATE : i * STATE + BASE]
        motion[i] = transfer_attitude_rate(start, z[i], body[i], omega[i])
    place(True)
    report[:] = zeros(7)
    status = consistent(attitude, omega, next_state, report)
    given = 0.0
    for i in range(BODIES):
        given += dot(attitude[i], attitude[i]) + dot(omega[i], omega[i]) + dot(loads[i], loads[i])
        given += dot(displacement[i], displacement[i]) + dot(displacement_rate[i], displacement_rate[i])
    if not isfinite(given):
        status = NOT_FINITE
    report[STATUS] = status
    return status


def transfer_matrix_advance(state, scheme, steps, loads, settings, next_state, report) -> int:
    """State after a number of steps; a step that fails leaves the state before it."""
    possible = scheme[1] > 0.0 and steps <= MOST_STEPS
    for k in range(SCHEME):
        if not isfinite(scheme[k]):
            possible = False
    if not possible:
        return refuse(state, next_state, report, IMPOSSIBLE_STEP)
    for k in range(SIZE):
        if not isfinite(state[k]):
            return refuse(state, next_state, report, NOT_FINITE)
    next_state[:] = state
    report[:] = zeros(7)
    report[PIVOT_RATIO] = 1.0
    tables()
    load(loads)
    status = DONE
    while status <= DONE and report[STEPS] < steps:
        status = one_step(scheme, settings, next_state, report)
        if status <= DONE:
            report[STEPS] += 1.0
        if status < DONE:
            report[LOOSE_STEPS] += 1.0
    if status < DONE:
        status = DONE
    report[STATUS] = status
    return status


def step(state, h, spectral_radius, loads, next_state, report) -> int:
    """State after one step of generalised-alpha, iterated to round-off."""
    if not h > 0.0:
        return refuse(state, next_state, report, IMPOSSIBLE_STEP)
    settings = zeros(4)
    settings[TOLERANCE] = (DEFAULT_TOLERANCE if IS_DOUBLE else FLOAT_TOLERANCE) * sqrt(BODIES)
    settings[ACCEPTABLE] = DEFAULT_ACCEPTABLE if IS_DOUBLE else FLOAT_ACCEPTABLE
    settings[MOST] = DEFAULT_MOST
    settings[NEWTON] = 1.0
    scheme = generalised_alpha(h, spectral_radius)
    return transfer_matrix_advance(state, scheme, 1.0, loads, settings, next_state, report)


def transfer_matrix_observe(
    state,
    attitudes,
    angular_velocities,
    centers,
    velocities,
    accelerations,
    input_ends,
    forces,
    cut_forces,
    energy,
    closure,
):
    """What can be seen in a state."""
    zero = zeros(3)
    tables()
    energy[0] = 0.0
    closure[0] = 0.0
    for i in range(BODIES):
        base = state[i * STATE : i * STATE + BASE]
        x = state[i * STATE + X : i * STATE + X + LOAD]
        v = state[i * STATE + V : i * STATE + V + LOAD]
        attitudes[i], angular_velocities[i], kinetic = transfer_observe(body[i], base, x, v, v[ANGLES:])
        motion[i] = transfer_attitude(base, x, body[i], 0.0, 0.0, v, zero, zero, zero)
        center[i] = x[ANGLES:]
        centers[i] = x[ANGLES:]
        velocities[i] = v[ANGLES:]
        accelerations[i] = state[i * STATE + ACCELERATION + ANGLES : i * STATE + AUXILIARY]
        forces[i] = state[i * STATE + FORCE : i * STATE + FORCE + POINT]
        energy[0] += kinetic[0] - body[i][0] * dot(gravity, centers[i])
    free_ends()
    place(False)
    for i in range(BODIES):
        p = parent(i)
        row = joint[i]
        input_ends[i] = r[i]
        if ANGLES == 1:
            angle = attitudes[i][0] - row[5]
            spin = angular_velocities[i][0]
            if p >= 0:
                angle -= attitudes[p][0]
                spin -= angular_velocities[p][0]
            energy[0] += 0.5 * (row[2] * angle * angle + row[4] * spin * spin)
        if is_elastic(i):
            stretch = r[i] - inboard[i] - row[FREE : FREE + POINT]
            energy[0] += 0.5 * row[SPRING] * dot(stretch, stretch)
    cut_forces[0] = 0.0
    cut_forces[:UNKNOWNS] = state[BODIES * STATE :]
    for k in range(CUTS):
        here = cut_point(k, 0, False)
        there = cut_point(k, 1, False)
        apart = here - there
        length = sqrt(dot(apart, apart))
        if is_spring(k):
            stretched = length - cut[k][LENGTH]
            energy[0] += 0.5 * cut[k][STIFFNESS] * stretched * stretched
        elif length > closure[0]:
            closure[0] = length
