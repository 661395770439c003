"""Stepping by the discrete time transfer matrix method, as a Riccati sweep over kernels of one element each.

Every body hangs by one hinge at its input end r on the body before it, towards ground; loops are cut. Unknown in one
iteration are the changes [phi; dr] of a body's attitude and of its input end, phi a small rotation in base axes, and dq
of its hinge's coordinates. The sweep from the tips to the root keeps for each body the loads that it and everything
outboard need at its input end,

    [M; Q] = W [phi; dr] + w,

eliminates the coordinates of the hinge one after the other, each by its axis h with [phi; dr] = [phi; dr]_before + h dq
and h . [M; Q] = force - stiffness dq, and adds what is left to the parent's loads. Where a motion prescribes a
coordinate dq is known, and the force that drives it follows. Moments are in axes that turn with the body.
Each right-hand side is a row of columns: first what is known, then one column for each unknown cut force. The sweep
from the root to the tips gives the changes; the cut forces are those that close every loop, which is the only system
of equations that grows with anything, the number of cuts. Time is discrete: the scheme makes velocity A z + B and
acceleration C z + D, so that one iteration to find z is one sweep there and back. Coordinates of hinges are integrated
besides, for what their dampers and rotors do.

A state holds for each body its attitude at the last time, six rows [rotation; centre of mass] of history, moment and
force at its input end and the history of its hinge's coordinates, and then the forces at the cuts. With the
accelerations of points in the place of the points themselves the same sweep finds accelerations, which start a motion:
the places marked bias.

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
COUNT, END, TURNED = 1, 2, 2 + POINT
SLOTS = TURNED + TRANSFER_TURNED
IS_SPRING, STIFFNESS, DAMPING, LENGTH, ENDS = 0, 3, 4, 5, 6

# A slot of a hinge's coordinate: kind, axis, law.
COORDINATES = TRANSFER_COORDINATES
SLOT = TRANSFER_SLOT
FRAME = TRANSFER_FRAME
MOTION = TRANSFER_MOTION
LAW = 1 + POINT
ROTOR, REST, DRIVEN = LAW + 2, LAW + 3, LAW + 4

# A body's part of the state: attitude, history rows x, v, a, s, x2, x3, load, history of each coordinate.
BASE = TRANSFER_BASE
STATE = TRANSFER_STATE
X = BASE
V = X + LOAD
ACCELERATION = V + LOAD
AUXILIARY = ACCELERATION + LOAD
X2 = AUXILIARY + LOAD
X3 = X2 + LOAD
WRENCH = X3 + LOAD
OWN = WRENCH + LOAD
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
along: array[BODIES, COORDINATES]
active: array[BODIES]

# The iterate: what a body's attitude contributes, rotation, input end, levers from the parent's to it and from it to
# the centre of mass, centre of mass.
motion: array[BODIES, MOTION]
z: array[BODIES, ANGLES]
r: array[BODIES, POINT]
lever: array[BODIES, POINT]
arm: array[BODIES, POINT]
center: array[BODIES, POINT]
velocity: array[BODIES, POINT]
B: array[BODIES, LOAD]
D: array[BODIES, LOAD]
B_past: array[BODIES, LOAD]
D_past: array[BODIES, LOAD]
wrench: array[BODIES, LOAD]
multipliers: array[UNKNOWNS]

# Hinges at the iterate: coordinates, parts of their rates that the past decides, axes, stiffness and force along these,
# 1 for those that motions prescribe, whose force is their missing change, and what attitudes differ by from them.
own: array[BODIES, COORDINATES]
own_rate: array[BODIES, COORDINATES]
own_rate2: array[BODIES, COORDINATES]
axis: array[BODIES, COORDINATES, LOAD]
giving: array[BODIES, COORDINATES]
pulling: array[BODIES, COORDINATES]
driven: array[BODIES, COORDINATES]
gap: array[BODIES, LOAD]

# From the tips to the root: loads, and what is kept of each coordinate and its right-hand sides.
W: array[BODIES, LOAD * LOAD]
w: array[BODIES, COLUMNS, LOAD]
elimination: array[BODIES, COORDINATES, TRANSFER_ELIMINATION]
side: array[BODIES, COLUMNS, COORDINATES]

# From the root to the tips: changes of bodies and of hinges.
change: array[BODIES, COLUMNS, LOAD]
own_change: array[BODIES, COORDINATES]

# Cut forces: their directions, springs between points, and rows [constant, F] of the closure.
cut_lever: array[CUTS, 2, POINT]
direction: array[UNKNOWNS, POINT]
stiffness: array[UNKNOWNS]
tension: array[UNKNOWNS]
F: array[UNKNOWNS, UNKNOWNS + 1]


# ---- the elements ----------------------------------------------------------------------------------------------------


def parent(i: int) -> int:
    """The body that body i hangs on, -1 for ground."""
    return int(joint[i][0]) - 1


def count(i: int) -> int:
    """Coordinates of the hinge of body i."""
    return int(joint[i][COUNT])


def is_spring(k: int) -> bool:
    """Whether cut k is a spring between points."""
    return cut[k][IS_SPRING] > 0.5


def cut_body(k: int, end: int) -> int:
    """The first (0) or second (1) body of cut k, -1 for ground."""
    return int(cut[k][1 + end]) - 1


def tables():
    """Reads the tables, and marks the bodies on paths from cuts to ground."""
    body[:], joint[:], cut[:], gravity[:] = transfer_matrix_system()
    if CUTS > 0:
        for i in range(BODIES):
            active[i] = 0.0
    for k in range(CUTS):
        for end in range(2):
            i = cut_body(k, end)
            while i >= 0 and active[i] < 0.5:
                active[i] = 1.0
                i = parent(i)


def load(loads: vector[BODIES, TRANSFER_LOADS]):
    """Forces with weight, forces along coordinates, and an iterate that nothing acts on yet."""
    for i in range(BODIES):
        force[i] = loads[i][:LOAD]
        force[i][:POINT] += body[i][0] * gravity
        along[i] = loads[i][LOAD:]
        wrench[i] = zeros(LOAD)
    multipliers[:] = zeros(UNKNOWNS)


# ---- the iterate -----------------------------------------------------------------------------------------------------


def turn_bodies(state: vector[SIZE], A: real, C: real):
    """What the rotations contribute at the iterate."""
    for i in range(BODIES):
        base = state[i * STATE : i * STATE + BASE]
        motion[i] = transfer_attitude(base, z[i], body[i], A, C, B[i], D[i], B_past[i], D_past[i])


def carrier(i: int) -> vector[MOTION]:
    """What the attitude of a body's parent contributes; ground is at rest."""
    p = parent(i)
    if p >= 0:
        return motion[p]
    still = zeros(MOTION)
    still[0] = 1.0
    if ANGLES == 1:
        still[3] = 1.0
    else:
        for k in range(3):
            still[4 * k] = 1.0
            still[18 + 4 * k] = 1.0
    return still


def place(i: int):
    """Input end and centre of mass of body i, axes of its hinge, and what its attitude differs by from it."""
    p = parent(i)
    before = carrier(i)
    zero = zeros(POINT)
    b = joint[i][END : END + POINT]
    frame = copy(before[:FRAME])
    lever[i] = transfer_point(before, b, zero)
    gap[i] = zeros(LOAD)
    follows = True
    for k in range(count(i)):
        own_slot = joint[i][SLOTS + k * SLOT : SLOTS + k * SLOT + SLOT]
        if own_slot[0] > 1.5:
            # About the base axes, to whatever attitude the body has.
            axis[i][k] = zeros(LOAD)
            axis[i][k][:ANGLES] = own_slot[1 : 1 + ANGLES]
            frame[:] = motion[i][:FRAME]
            follows = False
        else:
            h, shift = transfer_hinge_motion(own_slot, frame, own[i][k])
            axis[i][k] = h
            lever[i] += shift
            for j in range(k):
                moved = transfer_carried(axis[i][j], shift)
                axis[i][j] = moved
            if k + 1 < count(i):
                beyond = transfer_hinge_turn(own_slot, frame, own[i][k])
                frame[:] = beyond
    if follows:
        turned = joint[i][TURNED:SLOTS]
        last = count(i) - 1
        last_slot = joint[i][SLOTS + last * SLOT : SLOTS + last * SLOT + SLOT]
        gap[i][:ANGLES] = transfer_hinge_gap(turned, last_slot, frame, own[i][last], motion[i])
    r[i] = lever[i]
    if p >= 0:
        r[i] += r[p]
    arm[i] = transfer_point(motion[i], body[i][1 : 1 + POINT], zero)
    center[i] = r[i] + arm[i]


def place_bodies():
    """All of them."""
    for i in range(BODIES):
        place(i)


def accelerate():
    """Accelerations in the place of points, and of hinges in the place of gaps, but for the unknowns."""
    for i in range(BODIES):
        p = parent(i)
        before = carrier(i)
        frame = copy(before[:FRAME])
        omega = copy(before[MOTION - ANGLES :])
        bias = zeros(LOAD)
        for k in range(count(i)):
            own_slot = joint[i][SLOTS + k * SLOT : SLOTS + k * SLOT + SLOT]
            if own_slot[0] > 1.5:
                frame[:] = motion[i][:FRAME]
                omega[:] = motion[i][MOTION - ANGLES :]
            else:
                beyond = transfer_hinge_turn(own_slot, frame, own[i][k])
                spin, more = transfer_hinge_bias(own_slot, frame, omega, own[i][k], own_rate[i][k], bias)
                frame[:] = beyond
                omega[:] = spin
                bias[:] = more
        gap[i] = bias
        r[i] = zeros(POINT)
        if p >= 0:
            r[i] = transfer_point(motion[p], joint[i][END : END + POINT], r[p])
        center[i] = transfer_point(motion[i], body[i][1 : 1 + POINT], r[i])


def cut_point(k: int, end: int, bias: bool) -> vector[POINT]:
    """The point of cut k on its first (0) or second (1) body."""
    i = cut_body(k, end)
    b = cut[k][ENDS + end * POINT : ENDS + end * POINT + POINT]
    if i >= 0:
        return transfer_point(motion[i], b, r[i])
    if bias:
        return zeros(POINT)
    return b


def point_velocity(i: int, beta: vector[POINT]) -> vector[POINT]:
    """Velocity of a point of body i by its lever from the input end in base axes; ground (-1) is at rest."""
    if i < 0:
        return zeros(POINT)
    return transfer_point_velocity(body[i], motion[i], velocity[i], beta)


def hinges(A: real, C: real, spring: real):
    """Stiffness and force of hinges along their coordinates at the iterate; what driven ones lack."""
    for i in range(BODIES):
        for k in range(count(i)):
            own_slot = joint[i][SLOTS + k * SLOT : SLOTS + k * SLOT + SLOT]
            x = own[i][k]
            rate = A * x + own_rate[i][k]
            rate2 = spring * C * x + own_rate2[i][k]
            giving[i][k] = spring * own_slot[LAW] + A * own_slot[LAW + 1] + C * own_slot[ROTOR]
            resisting = own_slot[LAW] * (x - own_slot[REST]) + own_slot[LAW + 1] * rate + own_slot[ROTOR] * rate2
            pulling[i][k] = along[i][k] - resisting
            driven[i][k] = own_slot[DRIVEN]
            if driven[i][k] > 0.5:
                pulling[i][k] = along[i][k] - spring * x


def directions(A: real, spring: real):
    """Directions of cut forces; tension and stiffness of springs between points."""
    zero = zeros(POINT)
    first = 0
    for k in range(CUTS):
        for end in range(2):
            i = cut_body(k, end)
            b = cut[k][ENDS + end * POINT : ENDS + end * POINT + POINT]
            if i >= 0:
                cut_lever[k][end] = transfer_point(motion[i], b, zero)
            else:
                cut_lever[k][end] = b
        if is_spring(k):
            values = cut[k]
            here = cut_point(k, 0, False)
            there = cut_point(k, 1, False)
            apart = here - there
            length = sqrt(dot(apart, apart))
            direction[first] = apart / length
            outer = point_velocity(cut_body(k, 0), cut_lever[k][0])
            inner = point_velocity(cut_body(k, 1), cut_lever[k][1])
            drift = outer - inner
            rate = dot(direction[first], drift)
            tension[first] = values[STIFFNESS] * (length - values[LENGTH]) + values[DAMPING] * rate
            stiffness[first] = spring * values[STIFFNESS] + A * values[DAMPING]
            first += 1
        else:
            for m in range(POINT):
                direction[first + m] = zeros(POINT)
                direction[first + m][m] = 1.0
            first += POINT


# ---- one iteration ---------------------------------------------------------------------------------------------------


def cut_columns(geometric: real):
    """Cut forces as columns of right-hand sides on the bodies that they act on."""
    nothing = zeros(LOAD * LOAD)
    first = 0
    for k in range(CUTS):
        size = 1 if is_spring(k) else POINT
        for end in range(2):
            i = cut_body(k, end)
            if i >= 0:
                sign = 1.0 if end == 0 else -1.0
                total = zeros(POINT)
                for column in range(first, first + size):
                    interface = zeros(LOAD)
                    interface[ANGLES:] = sign * direction[column]
                    total += geometric * sign * multipliers[column] * direction[column]
                    w[i][1 + column] += transfer_end_column(cut_lever[k][end], interface)
                W[i] += transfer_end(cut_lever[k][end], nothing, total)
        first += size


def eliminate(i: int, columns: int, geometric: real):
    """The coordinates of the hinge of body i are eliminated from its loads."""
    for k in range(count(i) - 1, -1, -1):
        left, elimination[i][k] = transfer_hinge_coordinate(
            W[i], axis[i][k], wrench[i], geometric, giving[i][k], driven[i][k]
        )
        W[i] = left
        for c in range(columns):
            pull = pulling[i][k] if c == 0 else 0.0
            lacking, rest = transfer_hinge_column(axis[i][k], elimination[i][k], driven[i][k], pull, w[i][c])
            side[i][c][k] = lacking[0]
            w[i][c] = rest


def follow(i: int, c: int):
    """Changes of the coordinates of the hinge of body i in one column, and what they add to the body's change."""
    for k in range(count(i)):
        lacking = side[i][c][k : k + 1]
        moved, beyond = transfer_hinge_change(axis[i][k], elimination[i][k], lacking, change[i][c])
        own_change[i][k] = moved[0]
        change[i][c] = beyond


def backward(geometric: real):
    """From the tips to the root: every hinge is eliminated, what is left is handed to its parent."""
    for i in range(BODIES - 1, -1, -1):
        p = parent(i)
        columns = 1
        if UNKNOWNS > 0 and active[i] > 0.5:
            columns = COLUMNS
        eliminate(i, columns, geometric)
        known = transfer_load(W[i], w[i][0], gap[i])
        w[i][0] = known
        if p >= 0:
            pull = geometric * wrench[i][ANGLES:]
            W[p] += transfer_end(lever[i], W[i], pull)
            for c in range(columns):
                w[p][c] += transfer_end_column(lever[i], w[i][c])


def at_parent(i: int, c: int) -> vector[LOAD]:
    """Change of the parent's end of the hinge of body i in one column."""
    p = parent(i)
    if p >= 0:
        return transfer_point_change(lever[i], change[p][c])
    return zeros(LOAD)


def forward(c: int, paths_only: bool):
    """From the root to the tips: changes of one column, of all bodies or of those on paths to cuts."""
    for i in range(BODIES):
        if UNKNOWNS == 0 or not paths_only or active[i] > 0.5:
            change[i][c] = at_parent(i, c)
            if c == 0:
                change[i][c] += gap[i]
            follow(i, c)


def closure_rows(bias: bool):
    """What each column does to the gaps of the cuts: rows [constant, F]."""
    for c in range(COLUMNS):
        forward(c, True)
        first = 0
        for k in range(CUTS):
            apart = zeros(POINT)
            for end in range(2):
                i = cut_body(k, end)
                if i >= 0:
                    moved = transfer_point_change(cut_lever[k][end], change[i][c])
                    apart += (1.0 if end == 0 else -1.0) * moved[ANGLES:]
            if is_spring(k):
                value = stiffness[first] * dot(direction[first], apart)
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
                    apart += here - there
                for m in range(POINT):
                    F[first + m][c] = apart[m]
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
                w[i][0] += x * w[i][c]
                side[i][0] += x * side[i][c]


def solve(C: real, geometric: real, bias: bool) -> real:
    """One sweep there and back: the changes in column 0, loads; the smallest pivot of the closure."""
    for i in range(BODIES):
        for c in range(COLUMNS if UNKNOWNS > 0 and active[i] > 0.5 else 1):
            w[i][c] = zeros(LOAD)
        a = copy(center[i])
        if not bias:
            a = C * a + D[i][ANGLES:]
        W[i], w[i][0] = transfer_inertia(body[i], motion[i], C, geometric, a, force[i])
    if UNKNOWNS > 0:
        cut_columns(geometric)
    backward(geometric)
    least = 1.0
    if UNKNOWNS > 0:
        closure_rows(bias)
        least = solve_closure()
        add_cut_forces()
    forward(0, False)
    for i in range(BODIES):
        x = at_parent(i, 0)
        wrench[i] = transfer_load(W[i], w[i][0], x)
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
        wrench[i] = state[i * STATE + WRENCH : i * STATE + OWN]
        for k in range(COORDINATES):
            known = state[i * STATE + OWN + k * HISTORY : i * STATE + OWN + k * HISTORY + HISTORY]
            own[i][k] = dot(scheme[PREDICTOR : PREDICTOR + HISTORY], known)
            own_rate[i][k] = dot(scheme[RATES : RATES + HISTORY], known)
            own_rate2[i][k] = dot(scheme[ACCELERATIONS : ACCELERATIONS + HISTORY], known)
    multipliers[:] = state[BODIES * STATE :]


def larger(largest: real, size: real) -> real:
    """The larger one, and what is not a number before all."""
    if size > largest or size != size:
        return size
    return largest


def correct() -> real:
    """Adds the changes to the iterate; the largest one, of coordinates beside 1 and their own size."""
    largest = 0.0
    for i in range(BODIES):
        phi = change[i][0][:ANGLES]
        delta = transfer_rotation(motion[i], phi)
        z[i] += delta
        for k in range(ANGLES):
            largest = larger(largest, abs(delta[k]))
        for k in range(count(i)):
            own[i][k] += own_change[i][k]
            largest = larger(largest, abs(own_change[i][k]) / (1.0 + abs(own[i][k])))
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
        state[i * STATE + WRENCH : i * STATE + OWN] = wrench[i]
        for k in range(COORDINATES):
            first = i * STATE + OWN + k * HISTORY
            known = copy(state[first : first + HISTORY])
            for m in range(HISTORY):
                at = ROWS + m * (1 + HISTORY)
                state[first + m] = scheme[at] * own[i][k] + dot(scheme[at + 1 : at + 1 + HISTORY], known)
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
    status = NOT_CONVERGED
    iterations = 0
    last = 0.0
    before = -1.0
    least = 1.0
    while status == NOT_CONVERGED and iterations < settings[MOST]:
        iterations += 1
        place_bodies()
        for i in range(BODIES):
            velocity[i] = A * center[i] + B[i][ANGLES:]
        hinges(A, C, 1.0)
        if UNKNOWNS > 0:
            directions(A, 1.0)
        least = solve(C, settings[NEWTON], False)
        last = correct()
        if not isfinite(last):
            status = NOT_FINITE
        else:
            turn_bodies(state, A, C)
            # Changes that round-off keeps from shrinking have converged too.
            stalled = before >= 0.0 and last >= STALLED_RATIO * before
            if last <= tolerance or (stalled and last <= STALLED_CHANGE * tolerance):
                status = DONE
            before = last
    if status == NOT_CONVERGED and last <= settings[ACCEPTABLE]:
        status = LOOSE
    if status > DONE and chart_is_lost(state):
        status = CHART_LOST
    if status == NOT_FINITE and UNKNOWNS > 0 and not least > 0.0:
        status = SINGULAR
    if status <= DONE:
        place_bodies()
        finish(scheme, state)
    report[ITERATIONS] += iterations
    if iterations > report[MOST_ITERATIONS]:
        report[MOST_ITERATIONS] = iterations
    if last > report[LAST_CHANGE] or not isfinite(last):
        report[LAST_CHANGE] = last
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
        moved = transfer_point_change(arm[i], change[i][0])
        phi = change[i][0][:ANGLES]
        alpha = transfer_rotation(motion[i], phi)
        base, x, v, a = transfer_start_rotation(attitude[i], omega[i], alpha)
        state[i * STATE + ACCELERATION : i * STATE + ACCELERATION + ANGLES] = a
        state[i * STATE + ACCELERATION + ANGLES : i * STATE + AUXILIARY] = center[i] + moved[ANGLES:]
        # Nothing is known of earlier values; the acceleration is the auxiliary one too.
        latest = copy(state[i * STATE + X : i * STATE + X + LOAD])
        newest = copy(state[i * STATE + ACCELERATION : i * STATE + ACCELERATION + LOAD])
        state[i * STATE + AUXILIARY : i * STATE + AUXILIARY + LOAD] = newest
        state[i * STATE + X2 : i * STATE + X2 + LOAD] = latest
        state[i * STATE + X3 : i * STATE + X3 + LOAD] = latest
        state[i * STATE + WRENCH : i * STATE + OWN] = wrench[i]
        for k in range(count(i)):
            if joint[i][SLOTS + k * SLOT] < 1.5:
                first = i * STATE + OWN + k * HISTORY
                state[first] = own[i][k]
                state[first + 1] = own_rate[i][k]
                state[first + 2] = own_change[i][k]
                state[first + 3] = own_change[i][k]
                state[first + 4] = own[i][k]
                state[first + 5] = own[i][k]
    state[BODIES * STATE :] = multipliers
    report[PIVOT_RATIO] = least
    status = DONE
    if not least > SMALLEST_PIVOT:
        status = SINGULAR
    for k in range(SIZE):
        if not isfinite(state[k]):
            status = SINGULAR
    return status


def turns_by_attitude(i: int):
    """In the plane attitudes and angular velocities say what the last turn of a hinge lacks."""
    p = parent(i)
    rate = motion[i][MOTION - 1]
    if p >= 0:
        rate -= motion[p][MOTION - 1]
    last = -1
    for k in range(count(i)):
        if joint[i][SLOTS + k * SLOT] > 0.5:
            last = k
            rate -= own_rate[i][k]
    if last >= 0:
        own[i][last] -= gap[i][0]
        own_rate[i][last] += rate


def transfer_matrix_start(attitude, omega, coordinates, rates, loads, next_state, report) -> int:
    """State at the initial time, without a past."""
    zero = zeros(3)
    tables()
    load(loads)
    next_state[:] = zeros(SIZE)
    largest = 0.0
    for i in range(BODIES):
        p = parent(i)
        base, x, v, a = transfer_start_rotation(attitude[i], omega[i], zero)
        next_state[i * STATE : i * STATE + BASE] = base
        z[i] = x
        motion[i] = transfer_attitude(base, x, body[i], 0.0, 0.0, v, zero, zero, zero)
        own[i] = coordinates[i]
        own_rate[i] = rates[i]
        own_rate2[i] = zeros(COORDINATES)
        place(i)
        if ANGLES == 1:
            turns_by_attitude(i)
            place(i)
        for k in range(ANGLES):
            largest = larger(largest, abs(gap[i][k]))
        # The velocity of the input end is known; that of the centre of mass is its own plus the lever's.
        moving = point_velocity(p, lever[i])
        turning = copy(motion[i][MOTION - ANGLES :])
        if p >= 0:
            turning -= motion[p][MOTION - ANGLES :]
        for k in range(count(i)):
            rate = own_rate[i][k]
            if joint[i][SLOTS + k * SLOT] > 1.5:
                rate = dot(axis[i][k][:ANGLES], turning)
            moving += rate * axis[i][k][ANGLES:]
        velocity[i] = zeros(POINT)
        back = point_velocity(i, zero[:POINT])
        velocity[i] = moving - back
        next_state[i * STATE + X : i * STATE + X + ANGLES] = x
        next_state[i * STATE + X + ANGLES : i * STATE + X + LOAD] = center[i]
        next_state[i * STATE + V : i * STATE + V + ANGLES] = v
        next_state[i * STATE + V + ANGLES : i * STATE + V + LOAD] = velocity[i]
    hinges(0.0, 1.0, 0.0)
    if UNKNOWNS > 0:
        directions(0.0, 0.0)
    for i in range(BODIES):
        start = next_state[i * STATE : i * STATE + BASE]
        motion[i] = transfer_attitude_rate(start, z[i], body[i], omega[i])
    accelerate()
    report[:] = zeros(7)
    status = consistent(attitude, omega, next_state, report)
    given = 0.0
    for i in range(BODIES):
        given += dot(attitude[i], attitude[i]) + dot(omega[i], omega[i]) + dot(loads[i], loads[i])
        given += dot(coordinates[i], coordinates[i]) + dot(rates[i], rates[i])
    if not largest < LARGEST_GAP:
        status = SINGULAR
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
    coordinates,
    rates,
    driving_forces,
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
        forces[i] = state[i * STATE + WRENCH + ANGLES : i * STATE + OWN]
        for k in range(COORDINATES):
            own[i][k] = state[i * STATE + OWN + k * HISTORY]
            coordinates[i][k] = own[i][k]
            giving[i][k] = 0.0
            pulling[i][k] = 0.0
            driven[i][k] = 0.0
            rates[i][k] = 0.0
            driving_forces[i][k] = 0.0
        velocity[i] = v[ANGLES:]
        wrench[i] = zeros(LOAD)
        energy[0] += kinetic[0] - body[i][0] * dot(gravity, centers[i])
    place_bodies()
    nothing = zeros(POINT)
    for i in range(BODIES):
        p = parent(i)
        input_ends[i] = r[i]
        # Rates are those by which the axes make up the body's velocity against its parent's.
        twist = zeros(LOAD)
        twist[:ANGLES] = motion[i][MOTION - ANGLES :]
        if p >= 0:
            twist[:ANGLES] -= motion[p][MOTION - ANGLES :]
        outer = point_velocity(i, nothing)
        inner = point_velocity(p, lever[i])
        twist[ANGLES:] = outer - inner
        W[i] = zeros(LOAD * LOAD)
        for m in range(LOAD):
            W[i][m * LOAD + m] = 1.0
        w[i][0] = -1.0 * twist
        change[i][0] = zeros(LOAD)
        eliminate(i, 1, 0.0)
        follow(i, 0)
        for k in range(count(i)):
            own_slot = joint[i][SLOTS + k * SLOT : SLOTS + k * SLOT + SLOT]
            rates[i][k] = own_change[i][k]
            stretch = own[i][k] - own_slot[REST]
            energy[0] += 0.5 * (own_slot[LAW] * stretch * stretch + own_slot[ROTOR] * rates[i][k] * rates[i][k])
            if own_slot[DRIVEN] > 0.5:
                rate2 = state[i * STATE + OWN + k * HISTORY + 2]
                resisting = own_slot[LAW] * stretch + own_slot[LAW + 1] * rates[i][k] + own_slot[ROTOR] * rate2
                taken = state[i * STATE + WRENCH : i * STATE + OWN]
                driving_forces[i][k] = dot(axis[i][k], taken) + resisting
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
