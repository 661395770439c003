"""Which functions are asked for, before anything is derived; refused where they cannot be had."""

from __future__ import annotations

from dataclasses import replace

from mbsym.formulations.massless_motion import require_inertia
from mbsym.kinematics.mechanism import Mechanism
from mbsym.loops.code_size import require_moderate
from mbsym.options.exclusions import facts_of, require_compatible
from mbsym.options.generation import GenerationOptions
from mbsym.registry import available_functions, require_known
from mbsym.stages.derivation import Derivation, Progress
from mbsym.stages.share import may_be_shared, size_of_code


def asked_for(mechanism: Mechanism, options: GenerationOptions, tell: Progress) -> Derivation:
    """A derivation with nothing derived: names of functions, and what is known of them.

    Raises:
        OptionError: options exclude each other, or do not go with the mechanism.
        DerivationError: a function or formulation does not exist or does not cover the mechanism, or accelerations are
            asked for where some motion moves no inertia, or the code would be too large whatever is done.
    """
    if mechanism.cut_joints or mechanism.model.constraints:
        tell("analyse the loops", 0, 1)
    found = available_functions(mechanism, options.formulation)
    facts = facts_of(found, options)
    require_compatible(options, facts)
    available = found.with_derivatives(options.derivatives)
    known = (*found.functions, *(found.fixed.names if found.fixed is not None else ()))
    on_request = (*found.on_request, *(function.name for function in found.fixed_on_request))
    require_known(options.functions, found, (*known, *on_request))
    wanted = set(options.functions or known).union(request.name for request in options.derivatives)
    if found.solves(wanted.union(request.function for request in options.derivatives)):
        require_inertia(mechanism)
    fixed = found.fixed_for(wanted)
    if fixed is not None:
        wanted = wanted.union(fixed.kernels).difference(fixed.replaced)
    names = tuple(name for name in available if name in wanted)
    return _moderate(Derivation(mechanism, options, found, facts, names, fixed=fixed))


def _moderate(derivation: Derivation) -> Derivation:
    """The derivation without functions that nobody named and that would be too large at the least that they can be."""
    options, mechanism = derivation.options, derivation.mechanism
    least = size_of_code(derivation, may_be_shared(derivation))
    named = (*options.functions, *options.derivatives, *options.frames, *options.batch)
    free = options.may_leave_out and not named and derivation.fixed is None
    left_out = least.beyond(options.largest) if free else {}
    require_moderate(least.without(left_out), options.largest, mechanism.model.name)
    wanted = tuple(name for name in derivation.wanted if name not in left_out)
    return replace(derivation, wanted=wanted, left_out=left_out)
