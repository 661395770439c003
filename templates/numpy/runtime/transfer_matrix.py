"""Stepping by the discrete time transfer matrix method: Riccati sweeps over the kernels of a generated module."""

# ruff: noqa: F821
from __future__ import annotations

import math

import numpy as np

# mbsym: copied from here


class _TransferSweep:
    """One system in one iteration: tables, iterate, and what the sweeps leave for each body."""

    def __init__(self, loads, keywords):
        tables = transfer_matrix_system(**keywords)
        bodies, joints, cuts, gravity = (np.asarray(table).ravel().tolist() for table in tables)
        n, d = TRANSFER_BODIES, TRANSFER_DIMENSION
        self.gravity = gravity
        self.body = _transfer_rows(bodies, n)
        self.joint = _transfer_rows(joints, n)
        self.cut = _transfer_rows(cuts, TRANSFER_CUTS)
        self.parent = [int(row[0]) - 1 for row in self.joint]
        self.elastic = [row[1] > 0.5 for row in self.joint]
        self.b = [row[8 : 8 + d] for row in self.joint]
        self.free = [row[8 + d :] for row in self.joint]
        self.c = [row[1 : 1 + d] for row in self.body]
        self.force = []
        for body, load in zip(self.body, _transfer_rows(list(loads), n), strict=True):
            force = [load[k] + (body[0] * gravity[k] if k < d else 0.0) for k in range(TRANSFER_ANGLES + d)]
            self.force.append(force)
        self.active = [False] * n
        self.columns = []
        for row in self.cut:
            for place in (1, 2):
                body = int(row[place]) - 1
                while body >= 0 and not self.active[body]:
                    self.active[body] = True
                    body = self.parent[body]
        self.law = [[0.0, 0.0] for _ in range(n)]
        self.hinge_force = [[0.0] * d for _ in range(n)]
        self.hinge_stiffness = [0.0] * n
        self.r = [[0.0] * d for _ in range(n)]
        self.center = [[0.0] * d for _ in range(n)]
        self.velocity = [[0.0] * d for _ in range(n)]
        self.inboard = [[0.0] * d for _ in range(n)]
        self.Q = [[0.0] * d for _ in range(n)]
        self.multipliers = [0.0] * TRANSFER_UNKNOWNS
        self.motion = [[0.0] * TRANSFER_MOTION for _ in range(n)]
        self.ground = [0.0] * TRANSFER_MOTION
        self.bias = False
        self.pivot_ratio = 1.0

    def place(self):
        """Positions at the iterate; input ends at elastic hinges are given."""
        for i, p in enumerate(self.parent):
            inboard = self.b[i] if p < 0 else _transfer_point(_Floats, self.motion[p], self.b[i], self.r[p])[0]
            self.inboard[i] = inboard
            if not self.elastic[i]:
                self.r[i] = inboard
            self.center[i] = _transfer_point(_Floats, self.motion[i], self.c[i], self.r[i])[0]

    def place_bias(self):
        """Accelerations of input ends and centres of mass but for the angular accelerations."""
        self.bias = True
        for i, p in enumerate(self.parent):
            zero = [0.0] * TRANSFER_DIMENSION
            inboard = zero if p < 0 else _transfer_point(_Floats, self.motion[p], self.b[i], self.r[p])[0]
            self.r[i] = zero if self.elastic[i] else inboard
            self.center[i] = _transfer_point(_Floats, self.motion[i], self.c[i], self.r[i])[0]

    def cut_point(self, row, place):
        """Point of a cut joint on its first (0) or second (1) body, or its acceleration but for the unknowns."""
        d = TRANSFER_DIMENSION
        body, b = int(row[1 + place]) - 1, row[6 + place * d : 6 + (place + 1) * d]
        if body < 0:
            return [0.0] * d if self.bias else b
        return _transfer_point(_Floats, self.motion[body], b, self.r[body])[0]

    def body_point_velocity(self, body, b):
        if body < 0:
            return [0.0] * TRANSFER_DIMENSION
        return _transfer_point_velocity(_Floats, self.body[body], self.motion[body], self.velocity[body], b)[0]

    def springs(self, angles, A, C, static):
        """Hinge laws, forces of elastic hinges, and the columns of cut forces at the iterate."""
        d = TRANSFER_DIMENSION
        for i, p in enumerate(self.parent):
            joint = self.joint[i]
            if TRANSFER_ANGLES == 1:
                parent_motion, parent_angle = (self.ground, [0.0]) if p < 0 else (self.motion[p], angles[p])
                self.law[i] = _transfer_hinge_law(
                    _Floats, joint, static, A, C, self.motion[i], parent_motion, angles[i], parent_angle
                )[0]
            if self.elastic[i]:
                outer = self.body_point_velocity(i, [0.0] * d)
                inner = self.body_point_velocity(p, self.b[i])
                stiffness, damping = joint[6], joint[7]
                self.hinge_stiffness[i] = static * stiffness + A * damping
                self.hinge_force[i] = [
                    -stiffness * (self.r[i][k] - self.inboard[i][k] - self.free[i][k]) - damping * (outer[k] - inner[k])
                    for k in range(d)
                ]
        self.columns = []
        for row in self.cut:
            if row[0] < 0.5:
                for axis in range(d):
                    self.columns.append(([float(k == axis) for k in range(d)], 0.0, 0.0))
                continue
            first, second = self.cut_point(row, 0), self.cut_point(row, 1)
            ends = [int(row[1]) - 1, int(row[2]) - 1]
            rates = [self.body_point_velocity(ends[e], row[6 + e * d : 6 + (e + 1) * d]) for e in (0, 1)]
            length = math.sqrt(sum((second[k] - first[k]) ** 2 for k in range(d)))
            u = [(first[k] - second[k]) / length for k in range(d)]
            rate = sum(u[k] * (rates[0][k] - rates[1][k]) for k in range(d))
            tension = row[3] * (length - row[5]) + row[4] * rate
            self.columns.append((u, static * row[3] + A * row[4], tension))

    def solve(self, C, D, geometric):
        """One linear solution: changes delta and dr of all bodies, forces and multipliers.

        D None asks for accelerations, which are then in ``center`` at the iterate.
        """
        n, d, load, unknowns = (
            TRANSFER_BODIES,
            TRANSFER_DIMENSION,
            TRANSFER_ANGLES + TRANSFER_DIMENSION,
            TRANSFER_UNKNOWNS,
        )
        W, w = [], []
        for i in range(n):
            a = self.center[i] if D is None else [C * self.center[i][k] + D[i][k] for k in range(d)]
            own, rest = _transfer_inertia(_Floats, self.body[i], self.motion[i], C, geometric, a, self.force[i])
            W.append(list(own))
            w.append([list(rest)] + ([[0.0] * load for _ in range(unknowns)] if self.active[i] else []))
        self._add_cut_columns(W, w, geometric)
        interface, elimination, elastic, rest, gap = [None] * n, [None] * n, [None] * n, [None] * n, [None] * n
        for i in range(n - 1, -1, -1):
            if TRANSFER_ANGLES == 1:
                w[i][0][0] -= self.law[i][1]
            S, elimination[i] = _transfer_hinge(_Floats, W[i], self.motion[i], self.law[i])
            solved = [_transfer_hinge_column(_Floats, elimination[i], column) for column in w[i]]
            rest[i] = [column[0] for column in solved]
            s = [list(column[1]) for column in solved]
            if TRANSFER_ANGLES == 1:
                s[0][0] += self.law[i][1]
            interface[i] = (S, s)
            if self.elastic[i]:
                S, recovery, turn = _transfer_elastic_hinge(_Floats, S, self.hinge_stiffness[i])
                elastic[i] = (recovery, turn)
                zero = [0.0] * d
                through = [
                    _transfer_elastic_hinge_column(_Floats, recovery, zero if place else self.hinge_force[i], column)
                    for place, column in enumerate(s)
                ]
                s = [column[0] for column in through]
                gap[i] = [column[1] for column in through]
            p = self.parent[i]
            if p >= 0:
                force = [geometric * x for x in self.Q[i]]
                _transfer_add(W[p], _transfer_end(_Floats, self.motion[p], self.b[i], S, force)[0])
                for place, column in enumerate(s):
                    _transfer_add(w[p][place], _transfer_end_column(_Floats, self.motion[p], self.b[i], column)[0])
        parts = (elimination, elastic, rest, gap)
        if unknowns:
            self.multipliers = self._close(parts)
            for i in range(n):
                if self.active[i]:
                    rest[i] = [_transfer_combined(rest[i], self.multipliers)]
                    gap[i] = None if gap[i] is None else [_transfer_combined(gap[i], self.multipliers)]
                    interface[i] = (interface[i][0], [_transfer_combined(interface[i][1], self.multipliers)])
        delta, dr = self._forward(parts, 0, range(n))
        for i, p in enumerate(self.parent):
            S, s = interface[i]
            known = dr[i] if TRANSFER_ANGLES == 3 else [0.0 if p < 0 else delta[p][0], *dr[i]]
            rows = range(3 - d, 3)
            self.Q[i] = [s[0][k] + sum(S[3 * k + j] * known[j] for j in range(3)) for k in rows]
        return delta, dr

    def _add_cut_columns(self, W, w, geometric):
        d = TRANSFER_DIMENSION
        first = 0
        for row in self.cut:
            size = 1 if row[0] > 0.5 else d
            for place, sign in ((0, 1.0), (1, -1.0)):
                body, b = int(row[1 + place]) - 1, row[6 + place * d : 6 + (place + 1) * d]
                if body < 0:
                    continue
                total = [0.0] * d
                for column in range(first, first + size):
                    direction = [sign * x for x in self.columns[column][0]]
                    s = direction if d == 3 else [0.0, *direction]
                    _transfer_add(w[body][1 + column], _transfer_end_column(_Floats, self.motion[body], b, s)[0])
                    for k in range(d):
                        total[k] += geometric * direction[k] * self.multipliers[column]
                _transfer_add(W[body], _transfer_end(_Floats, self.motion[body], b, [0.0] * 9, total)[0])
            first += size

    def _forward(self, parts, place, bodies):
        """Changes of one column, from the root outward, of the given bodies (closed under parents)."""
        elimination, elastic, rest, gap = parts
        delta, dr = [None] * TRANSFER_BODIES, [None] * TRANSFER_BODIES
        for i in bodies:
            p = self.parent[i]
            if p < 0:
                turned, moved = [0.0] * TRANSFER_ANGLES, [0.0] * TRANSFER_DIMENSION
            else:
                turned = delta[p]
                moved = _transfer_point_change(_Floats, self.motion[p], self.b[i], dr[p], turned)[0]
            if self.elastic[i]:
                recovery, turn = elastic[i]
                moved = _transfer_elastic_point(_Floats, recovery, turn, turned, moved, gap[i][place])[0]
            dr[i] = moved
            delta[i] = _transfer_rotation(_Floats, elimination[i], turned, moved, rest[i][place])[0]
        return delta, dr

    def _close(self, parts):
        """Cut forces: the only dense system, of as many unknowns as the cuts have."""
        d, unknowns = TRANSFER_DIMENSION, TRANSFER_UNKNOWNS
        on_path = [i for i in range(TRANSFER_BODIES) if self.active[i]]
        rows = [[0.0] * (unknowns + 1) for _ in range(unknowns)]
        for place in range(unknowns + 1):
            delta, dr = self._forward(parts, place, on_path)
            first = 0
            for row in self.cut:
                change = [0.0] * d
                for end, sign in ((0, 1.0), (1, -1.0)):
                    body, b = int(row[1 + end]) - 1, row[6 + end * d : 6 + (end + 1) * d]
                    if body >= 0:
                        moved = _transfer_point_change(_Floats, self.motion[body], b, dr[body], delta[body])[0]
                        change = [change[k] + sign * moved[k] for k in range(d)]
                if row[0] > 0.5:
                    u, stiffness, tension = self.columns[first]
                    rows[first][place] = stiffness * sum(u[k] * change[k] for k in range(d))
                    rows[first][place] += tension if place == 0 else -1.0 if place == first + 1 else 0.0
                    first += 1
                    continue
                if place == 0:
                    here, there = self.cut_point(row, 0), self.cut_point(row, 1)
                    change = [change[k] + here[k] - there[k] for k in range(d)]
                for k in range(d):
                    rows[first + k][place] = change[k]
                first += d
        return self._dense(rows)

    def _dense(self, rows):
        """Solves constant + F x = 0, rows [constant, F], scaled, with row pivots."""
        n = len(rows)
        least = 1.0
        for row in rows:
            largest = max(abs(x) for x in row[1:])
            row[:] = [x / largest for x in row]
        for k in range(n):
            best = max(range(k, n), key=lambda i: abs(rows[i][k + 1]))
            rows[k], rows[best] = rows[best], rows[k]
            pivot = rows[k][k + 1]
            least = min(least, abs(pivot))
            for i in range(k + 1, n):
                factor = rows[i][k + 1] / pivot
                for j in (0, *range(k + 1, n + 1)):
                    rows[i][j] -= factor * rows[k][j]
        x = [0.0] * n
        for k in range(n - 1, -1, -1):
            x[k] = -(rows[k][0] + sum(rows[k][j + 1] * x[j] for j in range(k + 1, n))) / rows[k][k + 1]
        self.pivot_ratio = least
        return x


def _transfer_rows(entries, count):
    width = len(entries) // count if count else 0
    return [list(entries[k * width : (k + 1) * width]) for k in range(count)]


def _transfer_add(total, share):
    for k, value in enumerate(share):
        total[k] += value


def _transfer_combined(columns, factors):
    """The first column plus the others by their factors."""
    total = list(columns[0])
    for factor, column in zip(factors, columns[1:], strict=True):
        for k, value in enumerate(column):
            total[k] += factor * value
    return total


def _transfer_history(scheme, first, history, length):
    """A combination of the history rows, its coefficients at ``first``; rows x2, x3 alone as the second result."""
    total = [sum(scheme[first + k] * history[k][j] for k in range(6)) for j in range(length)]
    past = [sum(scheme[first + k] * history[k][j] for k in (4, 5)) for j in range(length)]
    return total, past


def _transfer_unpack(state):
    """State entries by body: attitude, six history rows, force; and the multipliers."""
    load, d = TRANSFER_ANGLES + TRANSFER_DIMENSION, TRANSFER_DIMENSION
    bases, histories, forces = [], [], []
    size = TRANSFER_STATE * TRANSFER_BODIES
    for row in _transfer_rows(list(state[:size]), TRANSFER_BODIES):
        bases.append(row[:TRANSFER_BASE])
        histories.append(_transfer_rows(row[TRANSFER_BASE : TRANSFER_BASE + 6 * load], 6))
        forces.append(row[TRANSFER_STATE - d :])
    return bases, histories, forces, list(state[size:])


def _transfer_pack(bases, histories, forces, multipliers):
    state = []
    for base, history, force in zip(bases, histories, forces, strict=True):
        state += [*base, *(x for row in history for x in row), *force]
    return state + list(multipliers)


def _transfer_angles(base, z):
    return [base[0] + z[0]] if TRANSFER_ANGLES == 1 else z


def _transfer_step(sweep, state, scheme, settings):
    """One step: (new state, iterations, last change, status)."""
    tolerance, acceptable, most, geometric = settings
    n, d, angles = TRANSFER_BODIES, TRANSFER_DIMENSION, TRANSFER_ANGLES
    load = angles + d
    bases, histories, sweep.Q, sweep.multipliers = _transfer_unpack(state)
    A, C = scheme[0], scheme[1]
    z, B, D, B_past, D_past, center_D, center_B = [], [], [], [], [], [], []
    for i in range(n):
        rate, rate_past = _transfer_history(scheme, 2, histories[i], load)
        acceleration, acceleration_past = _transfer_history(scheme, 8, histories[i], load)
        predicted, _ = _transfer_history(scheme, 14, histories[i], load)
        z.append(predicted[:angles])
        B.append(rate[:angles])
        D.append(acceleration[:angles])
        B_past.append(rate_past[:angles])
        D_past.append(acceleration_past[:angles])
        center_B.append(rate[angles:])
        center_D.append(acceleration[angles:])
        if sweep.elastic[i]:
            sweep.center[i] = predicted[angles:]

    def turn():
        for i in range(n):
            sweep.motion[i] = _transfer_attitude(
                _Floats, bases[i], z[i], sweep.body[i], A, C, B[i], D[i], B_past[i], D_past[i]
            )[0]

    turn()
    for i in range(n):
        if sweep.elastic[i]:
            lever = _transfer_point(_Floats, sweep.motion[i], sweep.c[i], [0.0] * d)[0]
            sweep.r[i] = [sweep.center[i][k] - lever[k] for k in range(d)]
    change, before, iterations, status = math.inf, math.inf, 0, 1
    while iterations < most:
        iterations += 1
        sweep.place()
        for i in range(n):
            sweep.velocity[i] = [A * sweep.center[i][k] + center_B[i][k] for k in range(d)]
        sweep.springs([_transfer_angles(bases[i], z[i]) for i in range(n)], A, C, 1.0)
        delta, dr = sweep.solve(C, center_D, geometric)
        change = 0.0
        for i in range(n):
            for k in range(angles):
                z[i][k] += delta[i][k]
                change = max(change, abs(delta[i][k]))
            if sweep.elastic[i]:
                for k in range(d):
                    sweep.r[i][k] += dr[i][k]
                    change = max(change, abs(dr[i][k]) / (1.0 + abs(sweep.r[i][k])))
        if not change < math.inf:
            return state, iterations, change, 2
        turn()
        if change <= tolerance or (change <= 1e4 * tolerance and change >= 0.25 * before):
            status = 0
            break
        before = change
    sweep.place()
    if status and change <= acceptable:
        status = -1
    if status > 0:
        # A step that fails next to the singular attitude of Cardan angles has lost their chart.
        if TRANSFER_CARDAN and any(abs(math.cos(past[0][1])) < 0.1 for past in histories):
            status = 4
        return state, iterations, change, status
    for i in range(n):
        value = [*z[i], *sweep.center[i]]
        past = histories[i]
        bent = [list(row) for row in past]
        for place in (4, 5):
            bent[place][:angles] = _transfer_past(_Floats, z[i], past[place][:angles])[0]
        new = []
        for row in range(6):
            source = bent if row in (1, 2, 3) else past
            weights = scheme[20 + 7 * row : 27 + 7 * row]
            new.append(
                [weights[0] * value[j] + sum(weights[1 + k] * source[k][j] for k in range(6)) for j in range(load)]
            )
        turned = _transfer_rebase(_Floats, bases[i], new[0][:angles], new[4][:angles], new[5][:angles])
        bases[i] = list(turned[0])
        for place, entries in zip((0, 4, 5), turned[1:], strict=True):
            new[place][:angles] = entries
        histories[i] = new
    return _transfer_pack(bases, histories, sweep.Q, sweep.multipliers), iterations, change, status


def _transfer_single(arguments):
    """Arguments flattened for each state of the batch, and the batch shape."""
    arrays = [np.asarray(value, dtype=_REAL) for value, _ in arguments]
    batch = np.broadcast_shapes(
        *(array.shape[: array.ndim - len(shape)] for array, (_, shape) in zip(arrays, arguments, strict=True))
    )
    rows = []
    for array, (_, shape) in zip(arrays, arguments, strict=True):
        if array.shape[array.ndim - len(shape) :] != shape:
            raise ValueError(f"an argument has the shape {array.shape}; expected are batch axes and then {shape}")
        rows.append(np.broadcast_to(array, batch + shape).reshape(-1, math.prod(shape)).tolist())
    return batch, list(zip(*rows, strict=True))


def _transfer_start(attitude, omega, displacement, displacement_rate, loads, keywords):
    """State at rest of the history, accelerations consistent, and the status."""
    sweep = _TransferSweep(loads, keywords)
    n, d, angles = TRANSFER_BODIES, TRANSFER_DIMENSION, TRANSFER_ANGLES
    attitude, omega = _transfer_rows(attitude, n), _transfer_rows(omega, n)
    displacement, displacement_rate = _transfer_rows(displacement, n), _transfer_rows(displacement_rate, n)
    zero = [0.0] * angles
    started = [_transfer_start_rotation(_Floats, attitude[i], omega[i], zero) for i in range(n)]
    for i, p in enumerate(sweep.parent):
        base, z = started[i][0], started[i][1]
        sweep.motion[i] = _transfer_attitude(
            _Floats, base, z, sweep.body[i], 0.0, 0.0, started[i][2], zero, zero, zero
        )[0]
        inboard, moving = sweep.b[i], [0.0] * d
        if p >= 0:
            inboard = _transfer_point(_Floats, sweep.motion[p], sweep.b[i], sweep.r[p])[0]
            moving = sweep.body_point_velocity(p, sweep.b[i])
        offset, rate = (displacement[i], displacement_rate[i]) if sweep.elastic[i] else ([0.0] * d, [0.0] * d)
        sweep.inboard[i] = inboard
        sweep.r[i] = [inboard[k] + offset[k] for k in range(d)]
        sweep.center[i] = _transfer_point(_Floats, sweep.motion[i], sweep.c[i], sweep.r[i])[0]
        # The velocity of the input end is known, so that of the centre of mass is its own plus the lever's.
        sweep.velocity[i] = [0.0] * d
        back = sweep.body_point_velocity(i, [0.0] * d)
        sweep.velocity[i] = [moving[k] + rate[k] - back[k] for k in range(d)]
    positions = [list(center) for center in sweep.center]
    sweep.springs([_transfer_angles(started[i][0], started[i][1]) for i in range(n)], 0.0, 1.0, 0.0)
    for i in range(n):
        sweep.motion[i] = _transfer_attitude_rate(_Floats, started[i][0], started[i][1], sweep.body[i], omega[i])[0]
    sweep.place_bias()
    try:
        delta, dr = sweep.solve(1.0, None, 0.0)
    except ZeroDivisionError:
        delta, dr, sweep.pivot_ratio = [[math.nan] * angles] * n, [[math.nan] * d] * n, 0.0
    bases, histories = [], []
    for i in range(n):
        change = _transfer_point_change(_Floats, sweep.motion[i], sweep.c[i], dr[i], delta[i])[0]
        acceleration = [sweep.center[i][k] + change[k] for k in range(d)]
        base, x, v, a = _transfer_start_rotation(_Floats, attitude[i], omega[i], delta[i])
        rows = [[*x, *positions[i]], [*v, *sweep.velocity[i]], [*a, *acceleration]]
        # Nothing is known of earlier values; a is the auxiliary acceleration too.
        histories.append([*rows, rows[2], rows[0], rows[0]])
        bases.append(base)
    state = _transfer_pack(bases, histories, sweep.Q, sweep.multipliers)
    status = 0 if sweep.pivot_ratio > 1e-13 and all(math.isfinite(x) for x in state) else 3
    return state, [float(status), 0.0, 0.0, 0.0, 0.0, 0.0, sweep.pivot_ratio]


def _transfer_advance(state, scheme, steps, loads, settings, keywords):
    """State after a number of steps, and the report."""
    sweep = _TransferSweep(loads, keywords)
    if not (scheme[1] > 0.0 and all(math.isfinite(x) for x in scheme)):
        return state, [5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    done, total, most, largest, loose, status, ratio = 0, 0, 0, 0.0, 0, 0, 1.0
    while done < steps and status <= 0:
        try:
            state, iterations, change, status = _transfer_step(sweep, state, scheme, settings)
        except ZeroDivisionError:
            iterations, change, status = 0, math.inf, 3
        total += iterations
        most = max(most, iterations)
        largest = max(largest, change)
        loose += status < 0
        ratio = min(ratio, sweep.pivot_ratio)
        done += status <= 0
    report = [float(max(status, 0)), float(done), float(total), float(most), largest, float(loose), ratio]
    return state, report


def _transfer_views(state, keywords):
    """What can be seen in a state, as flat lists in the order of ``transfer_matrix_observe``."""
    sweep = _TransferSweep([0.0] * ((TRANSFER_ANGLES + TRANSFER_DIMENSION) * TRANSFER_BODIES), keywords)
    gravity = sweep.gravity
    n, d, angles = TRANSFER_BODIES, TRANSFER_DIMENSION, TRANSFER_ANGLES
    bases, histories, forces, multipliers = _transfer_unpack(state)
    attitudes, rates, energy = [], [], 0.0
    zero = [0.0] * angles
    for i in range(n):
        x, v = histories[i][0], histories[i][1]
        attitude, omega, kinetic = _transfer_observe(
            _Floats, sweep.body[i], bases[i], x[:angles], v[:angles], v[angles:]
        )
        attitudes.append(attitude)
        rates.append(omega)
        energy += kinetic[0] - sweep.body[i][0] * sum(gravity[k] * x[angles + k] for k in range(d))
        sweep.motion[i] = _transfer_attitude(
            _Floats, bases[i], x[:angles], sweep.body[i], 0.0, 0.0, v[:angles], zero, zero, zero
        )[0]
        sweep.velocity[i] = v[angles:]
        sweep.center[i] = x[angles:]
        if sweep.elastic[i]:
            lever = _transfer_point(_Floats, sweep.motion[i], sweep.c[i], [0.0] * d)[0]
            sweep.r[i] = [x[angles + k] - lever[k] for k in range(d)]
    centers = [list(center) for center in sweep.center]
    sweep.place()
    closure = 0.0
    for i, p in enumerate(sweep.parent):
        joint = sweep.joint[i]
        if angles == 1:
            turn = attitudes[i][0] - (0.0 if p < 0 else attitudes[p][0]) - joint[5]
            spin = rates[i][0] - (0.0 if p < 0 else rates[p][0])
            energy += 0.5 * joint[2] * turn**2 + 0.5 * joint[4] * spin**2
        if sweep.elastic[i]:
            gap = [sweep.r[i][k] - sweep.inboard[i][k] - sweep.free[i][k] for k in range(d)]
            energy += 0.5 * joint[6] * sum(x * x for x in gap)
    for row in sweep.cut:
        here, there = sweep.cut_point(row, 0), sweep.cut_point(row, 1)
        length = math.sqrt(sum((here[k] - there[k]) ** 2 for k in range(d)))
        if row[0] > 0.5:
            energy += 0.5 * row[3] * (length - row[5]) ** 2
        else:
            closure = max(closure, length)
    flat = [[x for row in rows for x in row] for rows in (attitudes, rates, centers)]
    velocities = [x for row in histories for x in row[1][angles:]]
    accelerations = [x for row in histories for x in row[2][angles:]]
    points = [x for row in sweep.r for x in row]
    return [
        *flat,
        velocities,
        accelerations,
        points,
        [x for row in forces for x in row],
        multipliers or [0.0],
        [energy],
        [closure],
    ]


def _transfer_batched(function, arguments, shapes):
    """Results of a function of flat lists for every state of a batch."""
    batch, rows = _transfer_single(arguments)
    results = [function(*row) for row in rows]
    return tuple(
        np.array([result[place] for result in results], dtype=_REAL).reshape((*batch, *shape))[()]
        for place, shape in enumerate(shapes)
    )


def _transfer_sizes():
    n, load = TRANSFER_BODIES, TRANSFER_ANGLES + TRANSFER_DIMENSION
    return (TRANSFER_STATE * n + TRANSFER_UNKNOWNS,), (n, load)


def transfer_matrix_start(attitude, omega, displacement, displacement_rate, loads, **keywords):
    """State at the initial time and report, accelerations and forces consistent with attitudes and angular velocities.

    Args:
        attitude: per body, angle in the plane or quaternion in space.
        omega: angular velocities, in space in body axes.
        displacement: input end less the parent's end at elastic hinges, base axes; not read at others.
        displacement_rate: its rate.
        loads: force and moment at each centre of mass besides gravity, base axes.
    """
    size, load = _transfer_sizes()
    d = TRANSFER_DIMENSION
    attitude_size = 1 if d == 2 else 4
    arguments = (
        (attitude, (TRANSFER_BODIES, attitude_size)), (omega, (TRANSFER_BODIES, TRANSFER_ANGLES)),
        (displacement, (TRANSFER_BODIES, d)), (displacement_rate, (TRANSFER_BODIES, d)), (loads, load),
    )  # fmt: skip

    def function(*row):
        return _transfer_start(*row, keywords)

    return (*_transfer_batched(function, arguments, (size, (7,))), np.zeros(TRANSFER_WORK))


def transfer_matrix_advance(state, scheme, steps, loads, settings, **keywords):
    """State after a number of steps and report.

    Args:
        state: from ``transfer_matrix_start`` or an earlier call.
        scheme: constants of one step, from one of the scheme functions.
        steps: how many.
        loads: force and moment at each centre of mass besides gravity, base axes, constant meanwhile.
        settings: tolerance, largest last change that is still accepted, iterations allowed, 1 for Newton's iteration.
    """
    size, load = _transfer_sizes()
    arguments = ((state, size), (scheme, (TRANSFER_SCHEME,)), (steps, ()), (loads, load), (settings, (4,)))

    def function(state, scheme, steps, loads, settings):
        return _transfer_advance(state, scheme, steps[0], loads, settings, keywords)

    return (*_transfer_batched(function, arguments, (size, (7,))), np.zeros(TRANSFER_WORK))


def step(state, h, spectral_radius, loads, **keywords):
    """State after one step h of generalised-alpha, and report."""
    size, load = _transfer_sizes()
    arguments = ((state, size), (h, ()), (spectral_radius, ()), (loads, load))

    def function(state, h, spectral_radius, loads):
        if not h[0] > 0.0:
            return state, [5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        scheme = _generalised_alpha(_Floats, h[0], spectral_radius[0])[0]
        settings = (1e-12 * math.sqrt(TRANSFER_BODIES), 1e-6, 20, 1.0)
        return _transfer_advance(state, scheme, 1, loads, settings, keywords)

    return (*_transfer_batched(function, arguments, (size, (7,))), np.zeros(TRANSFER_WORK))


def transfer_matrix_observe(state, **keywords):
    """What can be seen in a state.

    Returns:
        attitudes, angular velocities (space: body axes), centres of mass, their velocities and accelerations, input
        ends, forces on the bodies at their input ends, cut forces on the second bodies, energy, and the largest
        distance between the two points of a cut joint.
    """
    size, _ = _transfer_sizes()
    n, d = TRANSFER_BODIES, TRANSFER_DIMENSION
    attitude_size = 1 if d == 2 else 4
    shapes = (
        (n, attitude_size), (n, TRANSFER_ANGLES), *((n, d),) * 5, (TRANSFER_CUT_FORCES,), (), (),
    )  # fmt: skip

    def function(row):
        return _transfer_views(row, keywords)

    return (*_transfer_batched(function, ((state, size),), shapes), np.zeros(TRANSFER_WORK))
