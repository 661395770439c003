"""mbsym: equations of multibody systems, labelled, derived in closed form, written as C and NumPy, verified.

The names below are imported when they are first used, so that ``import mbsym`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from mbsym.version import __version__ as __version__

if TYPE_CHECKING:
    # What editors and type checkers see, and what is looked up.
    from mbsym import examples as examples
    from mbsym.batches.compiled import compile as compile
    from mbsym.constraints import DistanceConstraint as DistanceConstraint
    from mbsym.constraints import ExpressionConstraint as ExpressionConstraint
    from mbsym.constraints import GearConstraint as GearConstraint
    from mbsym.constraints import LinearCoupling as LinearCoupling
    from mbsym.constraints import PointOnLineConstraint as PointOnLineConstraint
    from mbsym.constraints import RollingConstraint as RollingConstraint
    from mbsym.constraints import VelocityConstraint as VelocityConstraint
    from mbsym.consumers.export import export as export
    from mbsym.errors import MbsymError as MbsymError
    from mbsym.forces import Actuator as Actuator
    from mbsym.forces import AppliedWrench as AppliedWrench
    from mbsym.forces import Contact as Contact
    from mbsym.forces import JointDamper as JointDamper
    from mbsym.forces import JointForce as JointForce
    from mbsym.forces import JointFriction as JointFriction
    from mbsym.forces import JointSpring as JointSpring
    from mbsym.forces import JointStop as JointStop
    from mbsym.forces import PointSpringDamper as PointSpringDamper
    from mbsym.forces import Tyre as Tyre
    from mbsym.formats.registry import LoadOptions as LoadOptions
    from mbsym.formats.registry import load as load
    from mbsym.identification.excitation import excite as excite
    from mbsym.identification.identify import identify as identify
    from mbsym.identification.rows import base_parameters as base_parameters
    from mbsym.linear.analysis import equilibrium as equilibrium
    from mbsym.linear.analysis import linearise as linearise
    from mbsym.linear.analysis import modes as modes
    from mbsym.linear.modal_system import transfer_matrix_system as transfer_matrix_system
    from mbsym.linear.response import frequency_response as frequency_response
    from mbsym.linear.transfer_matrix_modes import transfer_matrix_modes as transfer_matrix_modes
    from mbsym.model.beam import Beam as Beam
    from mbsym.model.beams_of_models import with_beams as with_beams
    from mbsym.model.body import Body as Body
    from mbsym.model.body import Placement as Placement
    from mbsym.model.drive import DriveState as DriveState
    from mbsym.model.frame import Frame as Frame
    from mbsym.model.joint import Coupling as Coupling
    from mbsym.model.joint import Joint as Joint
    from mbsym.model.limit_stops import limit_stops as limit_stops
    from mbsym.model.motion import PrescribedMotion as PrescribedMotion
    from mbsym.model.named_state import NamedState as NamedState
    from mbsym.model.shape import Shape as Shape
    from mbsym.model.solid_body import solid_body as solid_body
    from mbsym.model.submodels import with_submodel as with_submodel
    from mbsym.model.system import Model as Model
    from mbsym.pipeline import generate as generate
    from mbsym.report.equations import derive as derive
    from mbsym.report.show import show as show
    from mbsym.rounding.certify import certify as certify
    from mbsym.shapes.forms import Box as Box
    from mbsym.shapes.forms import Capsule as Capsule
    from mbsym.shapes.forms import Cylinder as Cylinder
    from mbsym.shapes.forms import Ellipsoid as Ellipsoid
    from mbsym.shapes.forms import Mesh as Mesh
    from mbsym.shapes.forms import Sphere as Sphere
    from mbsym.simulation.integrate import simulate as simulate
    from mbsym.simulation.options import Accuracy as Accuracy
    from mbsym.simulation.options import Keeping as Keeping
    from mbsym.simulation.options import Loads as Loads
    from mbsym.simulation.options import Preparation as Preparation
    from mbsym.simulation.options import Stepping as Stepping
    from mbsym.sweeps.sweep import sweep as sweep
    from mbsym.sweeps.work import Simulations as Simulations
    from mbsym.transfer_matrix.stepper import Scheme as Scheme
    from mbsym.values.parameter import ControlInput as ControlInput
    from mbsym.values.parameter import NamedExpression as NamedExpression
    from mbsym.values.parameter import Parameter as Parameter
    from mbsym.values.table import Table as Table
    from mbsym.verification.certificate import verify as verify


def _homes() -> dict[str, str]:
    """The module of each name, as the imports above tell type checkers."""
    with open(__file__, encoding="utf-8") as text:
        told = [line.split() for line in text if line.startswith("    from mbsym")]
    return {name: f"mbsym.{name}" if home == "mbsym" else home for _, home, _, name, *_ in told}


_HOMES: Final = _homes()

__all__ = ["__version__", *sorted(_HOMES)]


def _found(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mbsym' has no attribute {name!r}")
    module = import_module(_HOMES[name])
    value = module if _HOMES[name] == f"mbsym.{name}" else getattr(module, name)
    globals()[name] = value
    return value


if not TYPE_CHECKING:
    # Type checkers would take any name for one of ours.
    __getattr__ = _found


def __dir__() -> list[str]:
    return sorted(__all__)
