"""Closure equations that a model writes as expressions of coordinates, speeds and quantities of frames.

With z the coordinates and quantities that an expression phi names, phi' = sum of (d phi / d z) z', which is a row of G
times v; phi'' follows with the rates of the partial derivatives. An expression psi that is linear in rates w is held as
the sum of (d psi / d w) w in the same way; it closes nothing, so its residual is zero everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from mbsym.errors import DerivationError, SymbolicError
from mbsym.joints.motion import Motion
from mbsym.kinematics.mechanism import Mechanism, TreeBody
from mbsym.loops.closure_row import Closure, ClosureRow
from mbsym.loops.frame_rates import Rate, frame_rate
from mbsym.loops.motion import sum_of
from mbsym.loops.scale import SHARE, RowScale
from mbsym.model.clock import CLOCK
from mbsym.model.names import expression_names
from mbsym.spatial.vector import scale
from mbsym.symbolic.compose import substitute
from mbsym.symbolic.differentiate import forward, gradient
from mbsym.symbolic.frame_quantities import quantity_of
from mbsym.symbolic.graph import Reference
from mbsym.symbolic.scalar import Scalar, constant, symbol
from mbsym.values.numbers import to_scalar, value_names
from mbsym.values.parameter import Value


def expression_closure(
    mechanism: Mechanism, name: str, kind: str, held: Value, unit: str, *, of_speeds: bool = False
) -> Closure:
    """The closure equation of an expression that stays zero.

    Args:
        mechanism: whose coordinates and frames it names.
        name, kind: of the closure.
        held: the expression; of coordinates and places, or linear in speeds.
        unit: of it.
        of_speeds: whether it is linear in speeds.

    Raises:
        DerivationError: it is no such expression, or holds nothing.
    """
    try:
        return _Expression(mechanism, name, held).closure(kind, unit, of_speeds)
    except SymbolicError as error:
        raise DerivationError(error.what, where=name, remedy=error.remedy) from None


class _Expression:
    """An expression over marks: symbols for what moves and for its rates."""

    def __init__(self, mechanism: Mechanism, name: str, held: Value) -> None:
        self._mechanism, self._name, self._held = mechanism, name, held
        self._graph = graph = mechanism.graph
        known = {parameter.name for parameter in mechanism.model.parameters}
        self._rates = {each: self._rate(each) for each in value_names(held) if each not in known}
        self._marks = {each: symbol(graph, f"{name}: {each}").ref for each in self._rates}
        self._rate_marks = {each: symbol(graph, f"{name}: rate of {each}").ref for each in self._rates}
        stands = {each: Scalar(graph, mark) for each, mark in self._marks.items()}
        self._value = to_scalar(held, graph, {**mechanism.names, **stands}).ref

    def closure(self, kind: str, unit: str, of_speeds: bool) -> Closure:
        """The closure with its one equation."""
        graph = self._graph
        held = {each: rate for each, rate in self._rates.items() if rate.is_speed or not of_speeds}
        partials = gradient(graph, self._value, [self._marks[each] for each in held])
        seeds = {self._marks[each]: self._rate_marks[each] for each in self._rates}
        factors, rates = self._written_out(partials), self._written_out(forward(graph, partials, seeds))
        zero = Scalar(graph, 0)
        bias, sizes, rounding, row, loads = zero, list[Scalar](), zero, dict[int, Scalar](), dict[int, Motion]()
        for factor, change, rate in zip(factors, rates, held.values(), strict=True):
            bias = bias - factor * rate.change - change * rate.speed
            sizes.append(factor.apply("abs") * rate.scale.size)
            rounding = rounding + factor.apply("abs") * rate.scale.rounding
            for column, entry in rate.row.items():
                row[column] = row.get(column, zero) + factor * entry
            for label, (moment, force) in rate.loads.items():
                loads[label] = sum_of(loads.get(label), (scale(moment, factor), scale(force, factor)))
        entries = {column: entry for column, entry in sorted(row.items()) if entry}
        if not {*entries} - self._of_clock():
            remedy = "name coordinates or frames that move against each other"
            raise DerivationError(f"{self._held} stays as it is in every motion", where=self._name, remedy=remedy)
        made = ClosureRow(
            closure=self._name,
            number=1,
            quantity=str(self._held),
            unit=unit,
            residual=zero if of_speeds else self._residual(),
            scale=RowScale.of_speeds(self._mechanism, unit) if of_speeds else self._scale(unit, sizes, rounding),
            residual_jacobian={} if of_speeds else entries,
            jacobian=entries,
            bias=bias,
            wrench=None,
            source=0,
            target=0,
            frame=None,
            point=None,
            target_frame=None,
            loads=loads,
            of_speeds=of_speeds,
        )
        joints = dict.fromkeys(label for rate in held.values() for label in rate.joints)
        return Closure(self._name, kind, (made,), tuple(joints), {})

    def _scale(self, unit: str, sizes: Sequence[Scalar], rounding: Scalar) -> RowScale:
        """Sizes of what is summed, at least a share of the mechanism's own: on a level piece of a cam they vanish."""
        size = sum(sizes, Scalar(self._graph, 0))
        least = RowScale.of_speeds(self._mechanism, f"{unit}/s").size * SHARE
        return RowScale(size.apply("max", least) if size else rounding, rounding)

    def _of_clock(self) -> set[int]:
        """The column of v of the clock, which moves in every motion alike."""
        clocks = (body for body in self._mechanism.bodies if body.joint.name == CLOCK)
        return {column for body in clocks for column in range(*body.v_range)}

    def _residual(self) -> Scalar:
        """The expression; where it holds an angle of frames times a number, up to whole turns of that.

        Raises:
            DerivationError: it would jump where an angle does, from pi to -pi.
        """
        graph, (value,) = self._graph, self._written_out([self._value])
        angles = [name for name in self._rates if (quantity := quantity_of(name)) and quantity.word == "angle"]
        bare = [name for name in angles if not self._is_turned(self._marks[name])]
        if not bare:
            return value
        factors = gradient(graph, self._value, [self._marks[name] for name in bare])
        if len({abs(factor) for factor in factors}) > 1 or self._marks_below(factors):
            raise DerivationError(
                f"{self._held} jumps where {bare[0]} does, from pi to -pi",
                where=self._name,
                remedy="hold it times a number, inside sin or cos, or hold the coordinate of a joint",
            )
        factor = Scalar(graph, factors[0])
        turned = value / factor
        return factor * turned.apply("sin").apply("atan2", turned.apply("cos"))

    def _is_turned(self, mark: Reference) -> bool:
        """Whether a mark stands inside of sines and cosines alone, or is all that there is."""
        kinds = self._graph.kinds
        above = (node for node in self._graph.reachable([self._value]) if mark in map(abs, self._graph.operands(node)))
        return all(kinds[node] in ("sin", "cos") for node in above)

    def _marks_below(self, values: Sequence[Reference]) -> set[str]:
        """What values name."""
        below = set(self._graph.reachable(values))
        return {name for name, mark in self._marks.items() if mark in below}

    def _written_out(self, values: Sequence[Reference]) -> list[Scalar]:
        """Values of marks as values of the state."""
        stands = {self._marks[each]: rate.value.ref for each, rate in self._rates.items()}
        stands |= {self._rate_marks[each]: rate.speed.ref for each, rate in self._rates.items()}
        return [Scalar(self._graph, ref) for ref in substitute(self._graph, values, stands)]

    # ---- what moves --------------------------------------------------------------------------------------------------

    def _rate(self, name: str) -> Rate:
        quantity = quantity_of(name)
        if quantity is not None:
            return frame_rate(self._mechanism, quantity)
        names = expression_names(self._mechanism.model)
        for joint, coordinates in names.coordinates.items():
            if name in coordinates:
                return self._of_coordinate(self._outboard(joint, name), coordinates.index(name))
        joint, place = next((joint, each.index(name)) for joint, each in names.speeds.items() if name in each)
        return self._of_speed(self._outboard(joint, name), place)

    def _outboard(self, joint: str, name: str) -> TreeBody:
        body = next((body for body in self._mechanism.bodies if body.joint.name == joint), None)
        if body is None:
            raise DerivationError(
                f"joint {joint} is cut, so that there is no {name}",
                where=self._name,
                remedy=f"keep joint {joint} in the tree (cut: tree)",
            )
        return body

    def _of_coordinate(self, body: TreeBody, place: int) -> Rate:
        graph, (rate, own) = self._graph, (body.motion.position_rate[place], body.q[place])
        factors = [Scalar(graph, ref) for ref in gradient(graph, rate.ref, [x.ref for x in body.v])]
        seeds = {abs(x.ref): y.ref for x, y in zip(body.q, body.motion.position_rate, strict=True)}
        (change,) = forward(graph, [rate.ref], seeds)
        size = constant(graph, int(body.joint.shape.coordinate_units[place] != "m"))
        scale = RowScale(size, own.apply("abs") * SHARE)
        return self._along(body, own, rate, Scalar(graph, change), factors, scale)

    def _of_speed(self, body: TreeBody, place: int) -> Rate:
        graph, own = self._graph, body.v[place]
        factors = [constant(graph, int(k == place)) for k in range(len(body.v))]
        zero = Scalar(graph, 0)
        return self._along(body, own, own, zero, factors, RowScale(zero, zero), is_speed=True)

    def _along(
        self,
        body: TreeBody,
        value: Scalar,
        speed: Scalar,
        change: Scalar,
        factors: Sequence[Scalar],
        scale: RowScale,
        *,
        is_speed: bool = False,
    ) -> Rate:
        """The rate that is a sum of factors times the speeds of a joint."""
        row = dict[int, Scalar]()
        for (column, ratio), factor in zip(self._mechanism.speed_of[body.label - 1], factors, strict=True):
            row[column] = row.get(column, Scalar(self._graph, 0)) + factor * ratio
        return Rate(value, speed, change, row, {}, (body.label,), scale, is_speed)
