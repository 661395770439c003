"""Equality constraints of MJCF: joints that close loops, and couplings of two joints or more."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction

from mbsym.constraints import LinearCoupling
from mbsym.formats.mjcf.defaults import MAIN, Defaults
from mbsym.formats.rigid_frames import compose, exact, inverse, text
from mbsym.formats.text_source import FilePlace
from mbsym.formats.xml_document import Element
from mbsym.joints.fixed import FIXED
from mbsym.joints.spherical import SPHERICAL
from mbsym.model.body import COINCIDENT, Placement
from mbsym.model.frame import Frame
from mbsym.model.joint import Coupling, Joint
from mbsym.model.names import free_name
from mbsym.values.diagnostic import nearest
from mbsym.values.numbers import evaluate
from mbsym.values.parameter import Value


@dataclass(frozen=True, slots=True)
class Closures:
    """What equality constraints stand for: joints that are cut, joints that follow others, relations of several."""

    loops: list[Joint] = field(default_factory=list)
    couplings: list[Coupling] = field(default_factory=list)
    relations: list[LinearCoupling] = field(default_factory=list)


def closures(
    classes: Defaults,
    root: Element,
    joints: dict[str, Joint],
    poses: dict[str, Placement],
    sites: dict[str, Frame],
    references: dict[str, Value],
    places: dict[tuple[str, ...], FilePlace],
) -> Closures:
    """What the elements <equality> stand for.

    Args:
        classes: default classes of the file.
        root: the model.
        joints: by name.
        poses: of each body in the world at the reference position, where loops are closed.
        sites: by name, on their bodies.
        references: the value of each joint's coordinate there.
        places: line and column of what is read are added.

    Raises:
        FormatError: a constraint refers to what does not exist, or is not covered.
    """
    found = Closures()
    given = {item.attributes.get("name", "") for item in root.within("equality")}
    taken = {*joints}
    for element in root.within("equality"):
        # What is not active is read all the same, so that mistakes in it are found before somebody switches it on.
        # Constraints of all types have their defaults under one tag.
        usual = classes.applied(replace(element, tag="equality"), MAIN)
        active = usual.attributes.get("active", "true") != "false"
        if element.tag in ("joint", "tendon"):
            coupling = (
                _coupling(element, joints, references)
                if element.tag == "joint"
                else _tendon_coupling(root, element, joints, references)
            )
            if not active:
                continue
            if isinstance(coupling, Coupling):
                found.couplings.append(coupling)
                places["couplings", coupling.joint] = element.place
            else:
                coupling = replace(coupling, name=free_name(coupling.name, {item.name for item in found.relations}))
                found.relations.append(coupling)
                places["constraints", coupling.name] = element.place
        elif element.tag in ("connect", "weld"):
            name = element.attributes.get("name", "")
            if not name:
                name = free_name(f"{element.tag}_{len(found.loops) + 1}", taken | given)
            while name in taken:
                name += "_"
            taken.add(name)
            loop = _loop_joint(element, name, poses, sites)
            if active:
                found.loops.append(loop)
                places["joints", name] = element.place
        elif active:
            raise element.error(f"the constraint <{element.tag}> is not covered", "use connect, weld, joint or tendon")
    return found


def _loop_joint(element: Element, name: str, poses: dict[str, Placement], sites: dict[str, Frame]) -> Joint:
    if "site1" in element.attributes or "site2" in element.attributes:
        return _between_sites(element, name, sites)
    first = _named(element, "body1", poses)
    second = _named(element, "body2", poses) if "body2" in element.attributes else next(iter(poses))
    if element.tag == "connect":
        if "anchor" not in element.attributes:
            raise element.error("<connect> has no anchor", 'add anchor="0 0 0"')
        on_first = Placement(element.triple("anchor"))
        return Joint(
            name,
            SPHERICAL.name,
            first,
            second,
            predecessor_placement=on_first,
            successor_placement=_relative(poses[second], _on(poses[first], on_first)),
            cut="cut",
        )
    placement = _weld_pose(element, first, second, poses)
    # The tree is that of the bodies, so that coordinates are those of the file.
    return Joint(name, FIXED.name, first, second, predecessor_placement=placement, cut="cut")


def _between_sites(element: Element, name: str, sites: dict[str, Frame]) -> Joint:
    """The origins of two sites, or their frames, stay one, wherever they are at the reference position."""
    mixed = [key for key in ("body1", "body2", "anchor", "relpose") if key in element.attributes]
    if mixed:
        raise element.error(f"{mixed[0]} beside sites", "name two sites, or bodies")
    first, second = (sites[_named(element, key, sites)] for key in ("site1", "site2"))
    ends = [first.placement, second.placement]
    if element.tag == "connect":
        ends = [Placement(end.translation) for end in ends]
    kind = SPHERICAL if element.tag == "connect" else FIXED
    return Joint(
        name,
        kind.name,
        first.body,
        second.body,
        predecessor_placement=ends[0],
        successor_placement=ends[1],
        cut="cut",
    )


def _weld_pose(element: Element, first: str, second: str, poses: dict[str, Placement]) -> Placement:
    """The frame of the second body in that of the first."""
    if "relpose" in element.attributes:
        values = element.numbers("relpose", 7)
        if any(evaluate(value) != 0 for value in values[3:]):
            x, y, z, a, b, c, d = values
            return Placement((x, y, z), quaternion=(a, b, c, d))
    return _relative(poses[first], poses[second])


def _on(outer: Placement, inner: Placement) -> Placement:
    return inner if outer == COINCIDENT else compose(outer, inner, 1e-13)


def _relative(first: Placement, second: Placement) -> Placement:
    """The frame ``second`` in the frame ``first``, both given in the world."""
    if first == COINCIDENT:
        return second
    if first == second:
        return COINCIDENT
    return compose(inverse(first), second, 1e-13)


def _coupling(element: Element, joints: dict[str, Joint], references: dict[str, Value]) -> Coupling | LinearCoupling:
    """y - y0 = a0 + a1 (x - x0): higher powers are not covered. Without a second joint y keeps a value."""
    first = _named(element, "joint1", joints)
    second = _named(element, "joint2", joints) if "joint2" in element.attributes else ""
    constant, ratio = _polynomial(element, needs_slope=bool(second))
    y0, x0 = references.get(first, 0), references.get(second, 0)
    if not second:
        value: Value = f"{constant} + ({y0})" if evaluate(y0) else constant
        return LinearCoupling(element.attributes.get("name") or f"{first}_held", (first,), (1,), value)
    if evaluate(y0) == 0 and evaluate(x0) == 0:
        return Coupling(first, second, ratio, constant)
    return Coupling(first, second, ratio, f"{constant} + ({y0}) - ({ratio})*({x0})")


def _polynomial(element: Element, *, needs_slope: bool) -> tuple[Value, Value]:
    """The constant and the slope of a coupling, whose higher powers count only where there is something to follow."""
    constant, *powers = element.numbers("polycoef", 1, 2, 3, 4, 5, default=(0, 1))
    if needs_slope and any(evaluate(value) != 0 for value in powers[1:]):
        raise element.error("a coupling that is not linear is not covered", "keep two coefficients")
    return constant, powers[0] if powers else 0


def _tendon_coupling(
    root: Element, element: Element, joints: dict[str, Joint], references: dict[str, Value]
) -> Coupling | LinearCoupling:
    """L1 - L1_0 = a0 + a1 (L2 - L2_0) of fixed tendons, L a sum of coefficients times coordinates.

    Of two joints the second follows the first; more keep a relation.
    """
    tendons = [_fixed_tendon(root, element, "tendon1")]
    if "tendon2" in element.attributes:
        tendons.append(_fixed_tendon(root, element, "tendon2"))
    constant, slope = _polynomial(element, needs_slope=len(tendons) == 2)
    factors: dict[str, Fraction] = {}
    for tendon, scale in zip(tendons, (Fraction(1), -exact(slope)), strict=False):
        for part in tendon.all("joint"):
            name = _named(part, "joint", joints)
            factors[name] = factors.get(name, Fraction(0)) + scale * exact(part.number("coef"))
    factors = {name: factor for name, factor in factors.items() if factor}
    if len(factors) < 2:
        raise element.error("a tendon that holds one joint or none is not covered", "name two joints")
    total = constant
    for name, factor in factors.items():
        if evaluate(references.get(name, 0)) != 0:
            total = f"{total} + ({factor})*({references[name]})"
    if len(factors) == 2:
        (leader, a), (follower, b) = factors.items()
        return Coupling(follower, leader, text(-a / b), f"({total})/({b})" if evaluate(total) else 0)
    name = element.attributes.get("name") or element.attributes["tendon1"]
    return LinearCoupling(name, tuple(factors), tuple(map(text, factors.values())), total)


def _fixed_tendon(root: Element, element: Element, key: str) -> Element:
    tendons = {tendon.attributes.get("name", ""): tendon for tendon in root.within("tendon")}
    name = _named(element, key, tendons)
    if tendons[name].tag != "fixed":
        raise element.error(f"tendon {name!r} is spatial, which is not covered", "use fixed tendons")
    return tendons[name]


def _named(element: Element, key: str, known: Collection[str]) -> str:
    name = element.attributes.get(key, "")
    if name not in known:
        remedy = nearest(name, known, f"there are {', '.join(sorted(known)[:12])}")
        raise element.error(f"{key}={name!r} does not exist", remedy)
    return name
