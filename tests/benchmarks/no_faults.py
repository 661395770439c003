"""Faults that mutations.py puts in and that change no result, each with the reason.

Rules are about lines of any file; the others are told by file and line, so that they stand when lines move. What the
fault replaces is marked, since a line has several places for faults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

RULES: Final = (
    (r"\bstrict=«True»", "what is paired has equal lengths; strict would tell"),
    (r"^@dataclass\(.*\b(frozen|slots)=«True»", "nothing assigns to a record once it is made"),
)
"""Pattern of the marked line, and the reason."""

TURNED: Final = "both are added, in either order"
LIMIT: Final = "a limit, on both sides of which the result is right"
LOOK: Final = "where it stands or breaks, not what it says"
SAMPLE: Final = "which mechanisms or states are drawn, or how many, not what must hold for them"

LINES: Final = {
    "mbsym/symbolic/field_matrix.py": {
        "while newer «>» _SHORT:": LIMIT,
    },
    "mbsym/cli/progress.py": {
        '«TextColumn("{task.description}"), BarColumn()», TimeElapsedColumn(), console=Console(stderr=True), '
        "transient=True": LOOK,
    },
    "mbsym/codegen/c/batches.py": {
        "lanes_avx512=lanes[«0»],": "how many states are computed at once there, not what",
    },
    "mbsym/codegen/c/lanes.py": {
        "if factor.flexible is not None and factor.cost «<» cost:": "of equal costs any may take a sign",
        "return «2» if isinstance(expression, (Constant, Variable, Element)) else 1": (
            "places in an order of three, the last of them"
        ),
    },
    "mbsym/codegen/c/parts.py": {
        "size, place, best = 0, cuts[-1], (max(crossing) + «1», 0)": "more than all that is compared with it, both",
    },
    "mbsym/codegen/expressions.py": {
        "if terms[0][«0»]:": "of terms of which the first is added it is the first that is",
    },
    "mbsym/codegen/load_batch.py": {
        "flat = array.reshape((count, item.size)) if count and item.size else np.zeros((1, «1»), dtype=array.dtype)": (
            "a place for an argument without entries, which nobody reads"
        ),
    },
    "mbsym/codegen/lower.py": {
        "LONGEST_EXPRESSION: Final = «100»": LIMIT,
        "digits = len(str(value.numerator)) + 2 if value.denominator «==» 1 else 18": LOOK,
    },
    "mbsym/consumers/acados.py": {
        '("dyn_disc_phi_fun", "step", (x, u, p), (phi,), «4» * nx),': (
            "room to work in, which may be more than is needed"
        ),
    },
    "mbsym/embedded/c_source.py": {
        "return len(tokens) «-» 1": "never reached: what is read closes what it opens",
    },
    "mbsym/embedded/misra.py": {
        "if any(len(file.text) «>» LARGEST_CHECKED for file in sources):": LIMIT,
    },
    "mbsym/embedded/states.py": {
        "self._generator = np.random.default_rng(«20»)": SAMPLE,
    },
    "mbsym/formats/mesh_copies.py": {
        "copy.parent.mkdir(parents=«True», exist_ok=True)": "folders are made from the outer to the inner",
    },
    "mbsym/formats/mjcf/reader.py": {
        "damping = stiffness = «1»  # sized when all bodies are read": "a mark, as long as it is not 0",
    },
    "mbsym/formulations/recursive/articulated_body.py": {
        "biases[parent] = [x + y for x, y in zip(«biases[parent], push», strict=True)]": TURNED,
    },
    "mbsym/formulations/recursive/sparse_factor.py": {
        "for place in range(n - 1, -«1», -1):": "the last pivot's inverse is made twice, the same",
    },
    "mbsym/formulations/shared/kinds.py": {
        "_IDENTITY: Final = (1, 0, 0, 0, 1, 0, 0, «0», 1)": "products with a unit matrix fold away",
        "if place «<» _TURNED:": "what is remembered of the place after the rotation nobody asks for",
    },
    "mbsym/formulations/shared/roles.py": {
        'called = f"{name}_out" if whose «==» "own" else f"{whose}_{name}_out"': (
            "names of values inside a step, different either way"
        ),
    },
    "mbsym/identification/consistent.py": {
        "length, before = «1.0», problem.cost(x)": "where a line search begins, which halves until the cost falls",
        "hessian[place, place] += _PRIOR / self._sizes[place] ** «2»": (
            "other steps to the same minimum, which the gradient decides"
        ),
    },
    "mbsym/kinematics/recursion.py": {
        "alpha = add(add(«body.rotation.to_child(carrier.angular), bias[0]»), push_angular)": TURNED,
    },
    "mbsym/kinematics/sliding.py": {
        "MOST_BITS: Final = «512»": LIMIT,
    },
    "mbsym/linear/vibration/roots.py": {
        "points = [1j «*» omega * (1.0 + 1e-3), (-1e-3 + 1j) * omega, 1j * omega * (1.0 + 1e-7)]": (
            "the oldest of three points that a search begins with, which the first step drops"
        ),
        "root = np.sqrt(slope**2 - «4.0» * fc * bend)": (
            "other steps to the same root: what is subtracted vanishes there"
        ),
        "fewer = tree.count_below(high / «4.0»)": "a wider bracket about the same roots",
    },
    "mbsym/linear/vibration/tree.py": {
        "for k in range(len(self.elements) - 1, -«1», -1):": (
            "in _felt, freedoms of the last element count twice, of which no row becomes dependent or independent"
        ),
        "kept = left[:, : len(sizes)][:, sizes «>» HELD * scale]": LIMIT,
        "return np.asarray(left[:, : len(sizes)][:, sizes > HELD * max(«1.0», float(sizes.max()))].T @ held)": LIMIT,
    },
    "mbsym/loops/closing.py": {
        "columns: Array | float = «1.0»": "a unit that all motions have in common",
        "if factor > «1e9»:": LIMIT,
    },
    "mbsym/loops/code_size.py": {
        "axes |= dict.fromkeys(_OF_PARAMETERS, _OF_A_BODY «*» mechanism.nb)": (
            "an estimate that is promised within a factor of four, and is with either"
        ),
    },
    "mbsym/loops/redundancy.py": {
        "wrenches = wrenches «/» np.linalg.norm(wrenches, axis=1)[:, None]": (
            "the space that wrenches span, whatever their sizes"
        ),
    },
    "mbsym/model/value_checks.py": {
        "elif abs(dot(axis, second)) «>» PERPENDICULAR * norm(axis) * norm(second):": LIMIT,
    },
    "mbsym/reference/constraint_elements.py": {
        "turning: bool = «False»": "of a rod, which has it so, what it adds is a product of parallel vectors",
    },
    "mbsym/regressors/base_parameters.py": {
        "point += «1»": "other random points, as good as these",
        "exact: bool = «True»": "a default that every call overrides",
        "label.get(columns[place].owner, «0»),": "what is no body's comes first anyway, in one place among its like",
    },
    "mbsym/regressors/relations_text.py": {
        "long = {each: sympy.Float(each, _DIGITS) for each in value.atoms(sympy.Rational) if each.q «>» _LONG}": LIMIT,
    },
    "mbsym/report/html.py": {
        "MOST_OPEN: Final = «60»": LIMIT,
    },
    "mbsym/report/reader_symbols.py": {
        "symbols=(0, «1», 2),": LOOK,
    },
    "mbsym/report/rows.py": {
        'found.append(Piece("close", "", None, depth, «1»))': LOOK,
    },
    "mbsym/simulation/singular_positions.py": {
        "if zone.worst.measure «<» SINGULAR:": LIMIT,
    },
    "mbsym/simulation/trajectory.py": {
        "idle = _IDLE * float(times[-1] «-» times[0])": "a motion begins at time 0",
    },
    "mbsym/symbolic/differentiate.py": {
        "total = graph.add(total, graph.mul(«partial, _signed(tangents, operand)»))": "a product, in either order",
        "return graph.add(«ONE, graph.mul(node, node)»)": TURNED,
    },
    "mbsym/symbolic/equality.py": {
        "if below is not doubt «and» below:": "a union with the same, or with nothing",
    },
    "mbsym/symbolic/graph.py": {
        "if x «<» 0:": "no reference is 0, which has no sign",
    },
    "mbsym/symbolic/nested_form.py": {
        "return (self._product(«kernel, quotient», scale), *self.plan(rest, scale))": "a product, in either order",
    },
    "mbsym/transfer_matrix/closed_form.py": {
        'q = sp.Symbol("q", positive=«True»)': "what simplification may assume, and nothing is simplified",
    },
    "mbsym/transfer_matrix/elements.py": {
        "return self._heights[number] + dot(«self._plane[2], times(self._neutral[number], "
        "self._parts.triple(point))»)": "a scalar product",
    },
    "mbsym/transfer_matrix/spatial_matrices.py": {
        "return add(«a[0], b[0]»), add(a[1], b[1]), add(a[2], b[2])": TURNED,
    },
    "mbsym/transfer_matrix/spatial_rotation.py": {
        "for factor in (Fraction(1, 362880 * «110»), Fraction(-1, 362880), Fraction(1, 5040), Fraction(-1, 120)):": (
            "below round-off where the series is used, for squares below 1/100"
        ),
    },
    "mbsym/verification/apart.py": {
        "receiver, sender = Pipe(duplex=«False»)": (
            "one end sends and the other receives, whether they could do both or not"
        ),
    },
    "mbsym/verification/derivative_identities.py": {
        "found: Array = np.cos(1.0 «+» np.arange(np.prod(shape, dtype=int))).reshape(shape)": SAMPLE,
    },
    "mbsym/verification/edge_states.py": {
        "FINE: Final = «24»": SAMPLE,
    },
    "mbsym/verification/loop_checks.py": {
        "STARTS: Final = «8»": SAMPLE,
        "TRIALS: Final = «6»": SAMPLE,
        "for positions, factors in ((closed, SCALED), (near, (1.0,)), (singular, («0.0»,))):": SAMPLE,
    },
    "mbsym/verification/loop_identities.py": {
        "return np.zeros((«0», matrix.shape[1]))": "a row of zeros spans nothing",
    },
    "mbsym/verification/text_checks.py": {
        "UNDERFLOW: Final = «1e3»": LIMIT,
    },
    "mbsym/visualisation/surfaces.py": {
        "MOST_FACES: Final = «40_000»": LIMIT,
    },
    "mbsym/visualisation/topology_diagram.py": {
        "y += self.strips[row] if row else «0»": LOOK,
        "column_width[column] = max(column_width[column], texts[body] + «12», self.body_width[body])": LOOK,
    },
    "runtime/adaptive_steps.py": {
        "if control[IDLE] «>» MOST_IDLE:": LIMIT,
    },
    "runtime/javascript/view.js": {
        "text(`${Number((length*factor).toPrecision(3))} ${unit}`, x «+» 6, y - 7);": LOOK,
    },
    "runtime/transfer_matrix.py": {
        "if not abs(cos(state[i * STATE + X + 1])) «>=» SMALLEST_CARDAN_COSINE:": LIMIT,
        "settings = zeros(«4»)": "an entry more that nobody reads",
    },
    "mbsym/cli/application.py": {
        "return «0»": "never reached: the application ends in SystemExit or another exception every time",
    },
    "mbsym/codegen/c/expressions.py": {
        "if abs(float(text)) «<» 1.2e-38:": LIMIT,
    },
    "mbsym/codegen/load.py": {
        "else np.empty((1, «1»), dtype=real)": "a place for an argument without entries, which nobody reads",
    },
    "mbsym/constraints/point_on_line.py": {
        "shift = draw.along(-0.5, «0.5»)": SAMPLE,
    },
    "mbsym/linear/tables.py": {
        'sign = "+" if imaginary «>» 0.0 else "-"': "an imaginary part of zero is told before",
    },
    "mbsym/formulations/catalogue.py": {
        "return user_wrenches(mechanism, superposed(«bias.wrenches, motion.wrenches»))": TURNED,
    },
    "mbsym/formulations/constraint_force/kkt.py": {
        "entry = dot(«direction, moved»)": "a scalar product",
    },
    "mbsym/loops/generic_rank.py": {
        "radius = _AROUND / (1 + attempt // «4») ** 2": SAMPLE,
    },
    "mbsym/passes/factor.py": {
        "count[key] += «1»": "of n terms 2 n - 1 is counted for n: the order of what is shared stays",
    },
    "mbsym/spatial/inertia.py": {
        "add(«turned, symmetric_multiply(self.linear, linear)»),": TURNED,
    },
    "mbsym/simulation/adaptive_steps.py": {
        "most = max(«second, third»)": "the larger of two, in either order",
    },
    "mbsym/verification/closed_states.py": {
        "SURVEYED: Final = «6»": SAMPLE,
    },
    "mbsym/visualisation/still.py": {
        "def still_svg(shape: Skeleton, poses: Array, width: float = «420.0», height: float = 280.0) -> str:": LOOK,
    },
    "runtime/loops.py": {
        "if rows.rank «<» NR:": "where no row depends on others nothing is left open, and zeros are taken away",
    },
}
"""Reasons by file and marked line."""


def marked(source: str, start: int, end: int) -> str:
    """The line of a fault, with marks about what it replaces."""
    first, last = source.rfind("\n", 0, start) + 1, source.find("\n", end)
    return f"{source[first:start]}«{source[start:end]}»{source[end : last if last >= 0 else len(source)]}".strip()


def by_rule(line: str) -> str:
    """Why the fault of a marked line changes nothing wherever it stands, or ""."""
    return next((why for pattern, why in RULES if re.search(pattern, line)), "")


def reason(path: str, line: str) -> str:
    """Why the fault of a marked line of a file changes nothing, or "" where it is not known to."""
    return by_rule(line) or LINES.get(path, {}).get(line, "")


def out_of_date(sources: Mapping[str, str]) -> Iterator[str]:
    """Entries whose line is in its file no longer."""
    for path, known in LINES.items():
        lines = {line.strip() for line in sources.get(path, "").splitlines()}
        yield from (f"{path}: {line}" for line in known if line.translate({0xAB: None, 0xBB: None}) not in lines)
