"""Transfer matrices of the elements in closed form, derived in SymPy from the equations of each element.

State vectors are [x, y, theta, M, Qx, Qy, 1] in the plane and [x, y, z, theta, M, Q, 1] with 13 entries in space,
equations (7) and (8) of the paper; moments and forces act on the outboard element. Velocities and accelerations are
A z + B and C z + D, equations (9) and (10). Equations are linearised about an iterate, whose values bear a star in
formulas and the suffix s in names: rho is from the input end to the centre of mass, beta to the output end, both
turned by the iterate's attitude, d = beta - rho.
"""

from __future__ import annotations

from dataclasses import dataclass

from mbsym.doors import sympy as sp


@dataclass(frozen=True, slots=True)
class TransferElement:
    """An element of the library.

    Attributes:
        name: of the element.
        state: names of the entries of the state vectors that it connects.
        matrix: Z_out = matrix Z_in; for a boundary the rows that vanish, boundary Z = 0.
        remark: what else holds, one line.
        is_boundary: True where ``matrix`` holds conditions on one state vector.
    """

    name: str
    state: tuple[str, ...]
    matrix: sp.Matrix
    remark: str = ""
    is_boundary: bool = False


PLANAR_STATE = ("x", "y", "theta", "M", "Qx", "Qy", "1")
REDUCED_STATE = ("x", "y", "Qx", "Qy", "1")
SPATIAL_STATE = (
    "x", "y", "z", "theta1", "theta2", "theta3", "Mx", "My", "Mz", "Qx", "Qy", "Qz", "1",
)  # fmt: skip


def planar_rigid_body(stretch: sp.Expr | int = 1) -> TransferElement:
    """One input and one output end: Newton and Euler, linearised about the iterate and solved for the output end.

    Args:
        stretch: share of levers in what their ends have of their own: 1 where the state holds positions, -omega^2 where
            it holds accelerations, with theta_s = 0, C = 1 and D = 0.
    """
    m, J, C = sp.symbols("m J C")
    x, y, theta, M, Qx, Qy = sp.symbols("x y theta M Qx Qy")
    theta_s = sp.Symbol("theta_s")
    moment, kappa = sp.symbols("m_ext kappa")
    D = sp.Matrix(sp.symbols("D_x D_y"))
    D_theta = sp.Symbol("D_theta")
    f = sp.Matrix(sp.symbols("f_x f_y"))
    rho, beta = sp.Matrix(sp.symbols("rho_x rho_y")), sp.Matrix(sp.symbols("beta_x beta_y"))
    out = sp.Matrix(sp.symbols("xO yO thetaO MO QxO QyO"))
    r, Q, Q_out = sp.Matrix([x, y]), sp.Matrix([Qx, Qy]), sp.Matrix(out[4:])

    def linear_lever(v: sp.Matrix) -> sp.Matrix:
        # A lever turned by theta - theta* from the iterate, to first order.
        turned = sp.Matrix(
            [
                sp.cos(theta - theta_s) * v[0] - sp.sin(theta - theta_s) * v[1],
                sp.sin(theta - theta_s) * v[0] + sp.cos(theta - theta_s) * v[1],
            ]
        )
        return stretch * turned.subs(theta, theta_s) + turned.diff(theta).subs(theta, theta_s) * (theta - theta_s)

    def cross(a: sp.Matrix, b: sp.Matrix) -> sp.Expr:
        return a[0] * b[1] - a[1] * b[0]

    center = r + linear_lever(rho)
    equations = [
        *(sp.Matrix(out[:2]) - r - linear_lever(beta)),
        out[2] - theta,
        *(Q - Q_out + f - m * (C * center + D)),
        # Levers at the iterate; the change of their moments is kappa (theta - theta*).
        M - out[3] - cross(rho, Q) - cross(beta - rho, Q_out) - J * (C * theta + D_theta)
        + moment + kappa * (theta - theta_s),
    ]  # fmt: skip
    solution = sp.solve(equations, list(out), dict=True)[0]
    state = [x, y, theta, M, Qx, Qy]
    rows = [[sp.expand(solution[entry]) for entry in out], state]
    matrix = sp.zeros(7, 7)
    for i, expression in enumerate(rows[0]):
        for k, variable in enumerate(state):
            matrix[i, k] = sp.collect(expression.coeff(variable), m * C)
        matrix[i, 6] = expression.subs(dict.fromkeys(state, 0))
    matrix[6, 6] = 1
    return TransferElement(
        "rigid body (plane)",
        PLANAR_STATE,
        matrix,
        "kappa = rho.Q_in* + d.Q_out* (Newton's iteration) or 0 (the paper's); D_x, D_y belong to the centre of mass",
    )


def reduced_rigid_body(body: sp.Matrix) -> TransferElement:
    """Body between smooth hinges: M vanishes at both ends, which gives theta and leaves [x, y, Qx, Qy, 1].

    Args:
        body: the 7 x 7 matrix.
    """
    keep = [0, 1, 4, 5, 6]
    angle = smooth_hinge(body).matrix
    reduced = body.extract(keep, keep) + body.extract(keep, [2]) * angle.extract([2], keep)
    return TransferElement(
        "rigid body between smooth hinges (plane)",
        REDUCED_STATE,
        reduced,
        "does not exist for u_43 = 0: a body hinged at its centre of percussion, J = m c.(b - c)",
    )


def smooth_hinge(outboard: sp.Matrix | None = None) -> TransferElement:
    """Position and force pass, no moment; the angle behind it is the outboard body's, from M = 0 at its other end.

    Args:
        outboard: 7 x 7 matrix of the outboard body; default symbols u_ij.
    """
    u = sp.Matrix(7, 7, lambda i, k: sp.Symbol(f"u_{i + 1}{k + 1}")) if outboard is None else outboard
    matrix = sp.eye(7)
    matrix[2, :] = -sp.Matrix([[u[3, 0], u[3, 1], 0, 0, u[3, 4], u[3, 5], u[3, 6]]]) / u[3, 2]
    matrix[3, :] = sp.zeros(1, 7)
    return TransferElement("smooth hinge (plane)", PLANAR_STATE, matrix, "u_ij: matrix of the outboard body")


def bushing() -> TransferElement:
    """Massless spring and damper between two points: Q = -k (r_O - r_I - l0) - c (r_O' - r_I')."""
    k, c, A = sp.symbols("k c A")
    matrix = sp.eye(7)
    for row, axis in enumerate("xy"):
        inner, outer, length = sp.symbols(f"B_I{axis} B_O{axis} l0_{axis}")
        matrix[row, 4 + row] = -1 / (k + c * A)
        matrix[row, 6] = (k * length - c * (outer - inner)) / (k + c * A)
    return TransferElement("spring and damper (plane)", PLANAR_STATE, matrix, "B_I, B_O: of its two ends")


def torsion_spring() -> TransferElement:
    """Pin with spring and damper of rotation: M = -k (theta_O - theta_I - theta0) - c (theta_O' - theta_I')."""
    k, c, A, inner, outer, angle = sp.symbols("k c A B_I B_O theta0")
    matrix = sp.eye(7)
    matrix[2, 3] = -1 / (k + c * A)
    matrix[2, 6] = (k * angle - c * (outer - inner)) / (k + c * A)
    return TransferElement("torsion spring and damper (plane)", PLANAR_STATE, matrix)


def elastic_coordinate() -> TransferElement:
    """A coordinate of a hinge in space with spring, damper and rotor: the end moves by h dq, and h.[M; Q] acts on it.

    Hinges of several coordinates, beams' among them, are products of these; what no coordinate moves is held.
    """
    stiffness, force = sp.symbols("K tau")
    axis = sp.Matrix(sp.symbols("a_x a_y a_z b_x b_y b_z"))
    matrix = sp.eye(13)
    # State vectors have displacements first and moments before forces.
    moved, loads = sp.Matrix([*axis[3:], *axis[:3]]), axis.T
    matrix[:6, 6:12] = -moved * loads / stiffness
    matrix[:6, 12] = moved * force / stiffness
    remark = (
        "changes from an iterate, theta small rotations in base axes; the coordinate turns about a or slides along b, "
        "tau is its force at the iterate, K = k + c A + J C of spring, damper and rotor; h.[M; Q] = 0 where none acts"
    )
    return TransferElement("coordinate of a hinge (space)", SPATIAL_STATE, matrix, remark)


def _boundary(name: str, state: tuple[str, ...], rows: list[int], remark: str) -> TransferElement:
    matrix = sp.zeros(len(rows), len(state))
    for place, row in enumerate(rows):
        matrix[place, row] = 1
    return TransferElement(name, state, matrix, remark, is_boundary=True)


def boundaries() -> tuple[TransferElement, ...]:
    """Ends of chains: conditions on the state vector there."""
    cut = sp.zeros(2, 10)
    cut[0, 0] = cut[1, 1] = 1
    cut[0, 5] = cut[1, 6] = -1
    both = tuple(f"{entry}_{side}" for side in "ab" for entry in REDUCED_STATE)
    return (
        _boundary("fixed end (plane)", PLANAR_STATE, [0, 1, 2], "at the origin, unturned; elsewhere less its place"),
        _boundary("pinned end (plane)", PLANAR_STATE, [0, 1, 3], "at the origin; elsewhere less its place"),
        _boundary("free end (plane)", PLANAR_STATE, [3, 4, 5], "no moment, no force"),
        TransferElement(
            "cut joint (plane)",
            both,
            cut,
            "the two ends meet; forces on them are opposite and unknown: columns +1 and -1 of the recursion",
            is_boundary=True,
        ),
        _boundary("pinned end (space)", SPATIAL_STATE, [0, 1, 2, 6, 7, 8], "at the origin; elsewhere less its place"),
        _boundary("free end (space)", SPATIAL_STATE, [6, 7, 8, 9, 10, 11], "no moment, no force"),
    )


def spatial_rigid_body(turning: sp.Matrix | None = None) -> TransferElement:
    """One input and one output end in space, 13 x 13; G, R, tau and E of the rotation variable stay symbols.

    Args:
        turning: takes levers to what their ends have of their own: by default the unit matrix, the state holding
            positions; omega~^2 where it holds accelerations, with G = 1, theta_s = 0, C = 1 and D = 0.
    """
    m, C = sp.symbols("m C")

    def vector(name: str) -> sp.Matrix:
        return sp.Matrix(sp.symbols(f"{name}_x {name}_y {name}_z"))

    def square(name: str) -> sp.Matrix:
        return sp.Matrix(3, 3, lambda i, k: sp.Symbol(f"{name}_{i + 1}{k + 1}"))

    rho, beta, D, f, moment = (vector(name) for name in ("rho", "beta", "D", "f", "m_ext"))
    torque, theta_s = vector("tau"), sp.Matrix(sp.symbols("theta1_s theta2_s theta3_s"))
    G, E, K = square("G"), square("E"), square("kappa")
    d = beta - rho
    one, none = sp.eye(3), sp.zeros(3, 3)
    own = one if turning is None else turning
    # Q_O = Q_I - m (C (r + rho + G delta x rho) + D) + f with delta = theta - theta*.
    q_r, q_theta = -m * C * one, m * C * tilde(rho) * G
    q_1 = f - m * (C * own * rho + D) - q_theta * theta_s
    # M_O = M_I - rho x Q_I - d x Q_O - tau - E delta + kappa delta + moment, torques in base axes.
    m_r, m_q = -tilde(d) * q_r, -tilde(rho) - tilde(d)
    m_theta = -tilde(d) * q_theta - E + K
    m_1 = -tilde(d) * q_1 - torque + (E - K) * theta_s + moment
    rows = [
        [one, -tilde(beta) * G, none, none, own * beta + tilde(beta) * G * theta_s],
        [none, one, none, none, sp.zeros(3, 1)],
        [m_r, m_theta, one, m_q, m_1],
        [q_r, q_theta, none, one, q_1],
        [sp.zeros(1, 3), sp.zeros(1, 3), sp.zeros(1, 3), sp.zeros(1, 3), sp.ones(1, 1)],
    ]
    matrix = sp.Matrix(sp.BlockMatrix(rows))
    return TransferElement(
        "rigid body (space)",
        SPATIAL_STATE,
        matrix,
        "tau: J omega' + omega x J omega in base axes, E: its derivative by theta, phi = G (theta - theta*), "
        "kappa = -(rho~ Q_in*~ + d~ Q_out*~) G (Newton's iteration) or 0 (the paper's)",
    )


def ball_hinge(outboard: sp.Matrix | None = None) -> TransferElement:
    """Position and force pass, no moment; three angles behind it from M = 0 at the outboard body's other end.

    Args:
        outboard: 13 x 13 matrix of the outboard body; default blocks of symbols.
    """
    if outboard is None:
        inverse = sp.Matrix(3, 3, lambda i, k: sp.Symbol(f"V_{i + 1}{k + 1}"))
        rest = sp.Matrix(3, 13, lambda i, k: 0 if 3 <= k < 9 else sp.Symbol(f"u_{i + 7},{k + 1}"))
        remark = "V: inverse of rows 7 to 9, columns 4 to 6 of the outboard body's matrix u"
    else:
        inverse = outboard.extract([6, 7, 8], [3, 4, 5]).inv()
        rest = outboard.extract([6, 7, 8], list(range(13)))
        rest[:, 3:9] = sp.zeros(3, 6)
        remark = ""
    matrix = sp.eye(13)
    matrix[3:6, :] = -inverse * rest
    matrix[6:9, :] = sp.zeros(3, 13)
    return TransferElement("ball hinge (space)", SPATIAL_STATE, matrix, remark)


def cardan_rotation() -> tuple[sp.Matrix, sp.Matrix]:
    """R = Rx(alpha) Ry(beta) Rz(gamma), and H with omega = H (alpha, beta, gamma)' in body axes; G = R H."""
    a, b, c = sp.symbols("alpha beta gamma")
    R = (
        sp.Matrix([[1, 0, 0], [0, sp.cos(a), -sp.sin(a)], [0, sp.sin(a), sp.cos(a)]])
        * sp.Matrix([[sp.cos(b), 0, sp.sin(b)], [0, 1, 0], [-sp.sin(b), 0, sp.cos(b)]])
        * sp.Matrix([[sp.cos(c), -sp.sin(c), 0], [sp.sin(c), sp.cos(c), 0], [0, 0, 1]])
    )
    H = sp.Matrix([[sp.cos(b) * sp.cos(c), sp.sin(c), 0], [-sp.cos(b) * sp.sin(c), sp.cos(c), 0], [sp.sin(b), 0, 1]])
    return R, H


def incremental_rotation() -> sp.Matrix:
    """T with G = R_0 exp(psi~) T: T = 1 - (1 - cos q)/q^2 psi~ + (q - sin q)/q^3 psi~^2, q = |psi|."""
    psi = sp.Matrix(sp.symbols("psi_x psi_y psi_z"))
    q = sp.Symbol("q", positive=True)
    return sp.eye(3) - (1 - sp.cos(q)) / q**2 * tilde(psi) + (q - sp.sin(q)) / q**3 * tilde(psi) ** 2


def tilde(a: sp.Matrix) -> sp.Matrix:
    """The matrix of a x."""
    return sp.Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
