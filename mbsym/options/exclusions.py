"""What excludes what: the one table of options that do not go together, or not with what a model is.

It is asked before anything is derived, and again as soon as more is known: which functions can be made of shared steps,
and whether angles occur, shows while functions are derived. Nothing is written by then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Final

from mbsym.codegen.languages import BATCH
from mbsym.errors import MbsymError, OptionError
from mbsym.formulations.shared.functions import SHARED_FUNCTIONS
from mbsym.options.generation import GenerationOptions
from mbsym.records import Registry
from mbsym.registry import FORMULATIONS, Available


@dataclass(frozen=True, slots=True)
class Facts:
    """What decides besides the options.

    Attributes:
        name: of the model.
        formulation: name of the formulation.
        has_parameters: there are parameters at run time.
        is_closed: joints are cut, or constraints close loops.
        is_coupled: a coupling joins two joints.
        has_frames: functions of frames are asked for.
        steps: the formulation gives steps in place of equations.
        has_parts: it has functions whose parts threads can take.
        takes_no_couplings: it derives a function that is asked for in a way that covers no couplings.
        number: name of a parameter by which something is to be differentiated and which is a number; "" for none.
        shared: names of functions made of steps that bodies share; None as long as that is not known.
        parted: some of these fall into parts that threads can take.
        failing: why functions that could fail are not made of steps, each with its names.
        has_angles: sines or cosines of coordinates occur; None as long as that is not known.
    """

    name: str
    formulation: str
    has_parameters: bool
    is_closed: bool
    is_coupled: bool
    has_frames: bool
    steps: bool
    has_parts: bool
    takes_no_couplings: bool
    number: str = ""
    shared: tuple[str, ...] | None = None
    parted: bool = False
    failing: str = ""
    has_angles: bool | None = None


def facts_of(found: Available, options: GenerationOptions) -> Facts:
    """What is known of a mechanism before anything is derived."""
    mechanism, formulation = found.mechanism, found.formulation
    asked = (*options.functions, *(request.function for request in options.derivatives))
    kept = {item.name for item in mechanism.parameters}
    numbers = {item.name for item in mechanism.model.parameters} - kept
    by = (name for request in options.derivatives for name in request.names)
    return Facts(
        mechanism.model.name,
        formulation.name,
        has_parameters=bool(mechanism.parameters),
        is_closed=bool(mechanism.cut_joints or mechanism.model.constraints),
        is_coupled=mechanism.is_coupled,
        has_frames=bool(mechanism.frames),
        steps=formulation.whole is not None,
        has_parts=bool(formulation.parted),
        takes_no_couplings=not formulation.uncoupled.isdisjoint(
            asked if options.functions else (*asked, *formulation.uncoupled)
        ),
        number=next((name for name in by if name in numbers), ""),
    )


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Something that cannot be had together.

    Attributes:
        name: of the exclusion.
        options: those that take part, as the command line has them; the first is where it is told.
        holds: whether it is so; facts that are not known yet decide nothing.
        sentence: what is wrong; {name} and others are facts.
        remedy: what to do about it, with facts likewise.
        against: what of the model takes part, for the table.
    """

    name: str
    options: tuple[str, ...]
    holds: Callable[[GenerationOptions, Facts], bool]
    sentence: str
    remedy: str
    against: str = ""

    def error(self, facts: Facts) -> OptionError:
        """What is told."""
        known = {field.name: getattr(facts, field.name) for field in fields(facts)}
        error = OptionError(self.sentence.format(**known), where=self.options[0], remedy=self.remedy.format(**known))
        error.exclusion = self.name
        return error


def require_compatible(options: GenerationOptions, facts: Facts) -> None:
    """Checks that what is asked for goes together, and with the model.

    Raises:
        OptionError: it does not.
    """
    for exclusion in EXCLUSIONS.values():
        if exclusion.holds(options, facts):
            raise exclusion.error(facts)


def table() -> str:
    """All exclusions as rows of a page."""
    rows = ["| these | do not go with | because |", "|---|---|---|"]
    for item in EXCLUSIONS.values():
        first, *others = item.options
        against = [*(f"`{other}`" for other in others), *([item.against] if item.against else [])]
        names = {"name": "MODEL", "formulation": "FORMULATION", "failing": "FUNCTION REASON", "number": "PARAMETER"}
        rows.append(f"| `{first}` | {', '.join(against)} | {item.sentence.format(**names)} |")
    return "\n".join(rows)


def _has_no_c(options: GenerationOptions) -> bool:
    return bool(options.languages) and {"c", BATCH}.isdisjoint(options.languages)


def _of_c(option: str, asked: Callable[[GenerationOptions], object]) -> Exclusion:
    """An option that is about C alone."""
    return Exclusion(
        f"{option} without C",
        (option, "--language numpy"),
        lambda options, facts: bool(asked(options)) and _has_no_c(options),
        "this is about C, which is not generated",
        "add --language c, or leave it out",
    )


def _argument(options: GenerationOptions) -> bool:
    return options.trigonometry == "argument"


def _called_without_sines(option: str, asked: Callable[[GenerationOptions], object]) -> Exclusion:
    """An option by which functions would be called that have no sines yet."""
    return Exclusion(
        f"given sines and {option}",
        ("--trigonometry argument", option),
        lambda options, facts: _argument(options) and bool(asked(options)),
        f"{option} would call the functions without sines",
        "use libm or inline, or leave that out",
    )


def _self_test(options: GenerationOptions) -> bool:
    return "self-test" in options.beside


def _taken_by_threads() -> str:
    return " or ".join(item.name for item in FORMULATIONS.values() if item.parted)


EXCLUSIONS: Final = Registry(
    "exclusion",
    (
        _of_c("--batch", lambda options: options.batch),
        _of_c("--trigonometry inline", lambda options: options.trigonometry == "inline"),
        _of_c("--self-test", _self_test),
        _of_c("--safety-report", lambda options: "safety-report" in options.beside),
        _of_c("--threads", lambda options: options.threads),
        Exclusion(
            "threads of straight functions",
            ("--threads", "--style straight"),
            lambda options, facts: bool(options.threads) and options.style == "straight",
            "threads take loops over steps, which functions written out do not have",
            "leave out --style straight, or --threads",
        ),
        Exclusion(
            "threads without parts",
            ("--threads", "--formulation"),
            lambda options, facts: bool(options.threads) and not facts.has_parts,
            "the formulation {formulation} has no parts that threads could take",
            f"take --formulation {_taken_by_threads()}, or leave --threads out",
        ),
        Exclusion(
            "frames of steps",
            ("--frame", "--formulation transfer-matrix"),
            lambda options, facts: facts.steps and facts.has_frames,
            "the formulation {formulation} has no functions of frames",
            "generate them with another formulation, into another directory",
        ),
        Exclusion(
            "derivatives of steps",
            ("--derivative-of", "--formulation transfer-matrix"),
            lambda options, facts: facts.steps and bool(options.derivatives),
            "the formulation {formulation} has no derivatives",
            "generate them with another formulation, into another directory",
        ),
        Exclusion(
            "derivatives by numbers",
            ("--with-respect-to", "--symbolic-parameters"),
            lambda options, facts: bool(facts.number),
            "{number} is a number in this module",
            "keep it as an argument, with --symbolic-parameters {number}",
        ),
        Exclusion(
            "self-test of steps",
            ("--self-test", "--formulation transfer-matrix"),
            lambda options, facts: facts.steps and _self_test(options),
            "stepping code has no self-test: its functions take states that only its own steps make",
            "generate another formulation, or check the steps with mbsym verify",
        ),
        Exclusion(
            "constraint forces and couplings",
            ("--formulation",),
            lambda options, facts: facts.is_coupled and not facts.is_closed and facts.takes_no_couplings,
            "the formulation {formulation} does not cover couplings",
            "use the formulation kane or newton-euler",
            "couplings of trees, by the constraint force algorithm",
        ),
        Exclusion(
            "nothing to prepare",
            ("--prepare",),
            lambda options, facts: options.prepare and not facts.has_parameters,
            "{name} has no parameters at run time, so there is nothing to prepare",
            "leave it out, or keep parameters with --symbolic-parameters",
            "a model without parameters at run time",
        ),
        Exclusion(
            "prepared loops",
            ("--prepare", "--formulation transfer-matrix"),
            lambda options, facts: options.prepare and (facts.is_closed or facts.steps),
            "{name} has functions with fixed text, which take the parameters themselves",
            "leave it out; it is there for trees",
            "closed loops",
        ),
        Exclusion(
            "prepared batches",
            ("--prepare", "--batch", "--language batch", "--self-test"),
            lambda options, facts: (
                options.prepare and (bool(options.batch) or BATCH in options.languages or _self_test(options))
            ),
            "there are no batches of prepared functions, and no self-test",
            "leave out --batch and what is asked for beside the code",
        ),
        Exclusion(
            "prepared steps",
            ("--style shared", "--prepare"),
            lambda options, facts: options.style == "shared" and options.prepare,
            "functions whose bodies share steps have no use for what is prepared",
            "leave --prepare out, or take --style straight",
        ),
        Exclusion(
            "given sines of loops",
            ("--trigonometry argument", "--formulation transfer-matrix"),
            lambda options, facts: _argument(options) and (facts.is_closed or facts.steps),
            "{name} has functions with fixed text, which iterate and need sines of their own",
            "use libm or inline: sines and cosines as an argument are for trees",
            "closed loops",
        ),
        Exclusion(
            "given sines of steps",
            ("--trigonometry argument", "--style shared"),
            lambda options, facts: _argument(options) and options.style == "shared",
            "steps that bodies share compute the sines of one body each",
            "use libm or inline, or leave out --threads and --style shared",
        ),
        _called_without_sines("--self-test", _self_test),
        _called_without_sines("--prepare", lambda options: options.prepare),
        Exclusion(
            "no part for threads",
            ("--threads",),
            lambda options, facts: bool(options.threads) and facts.shared is not None and not facts.parted,
            "no function that is asked for falls into parts that threads can take",
            "forward_dynamics does, of trees of several bodies without force elements and couplings, whose values are "
            "numbers and whose bodies have inertia; leave --threads out",
            "functions without such parts",
        ),
        Exclusion(
            "steps that fail",
            ("--style shared",),
            lambda options, facts: options.style == "shared" and facts.shared == () and bool(facts.failing),
            "no function that is asked for can be made of steps that bodies share: {failing}",
            "what can fail is written out, for steps have no status; take --style straight",
            "functions that can fail",
        ),
        Exclusion(
            "nothing to share",
            ("--style shared",),
            lambda options, facts: options.style == "shared" and facts.shared == (),
            "no function that is asked for can be made of steps that bodies share",
            f"it is there for {', '.join(SHARED_FUNCTIONS)} of trees without couplings and closed loops, "
            "whose bodies have inertia, potential_energy where gravity is a number, center_of_mass and momentum where "
            "masses are; take --style straight",
            "functions and models without such steps",
        ),
        Exclusion(
            "no angles",
            ("--trigonometry argument",),
            lambda options, facts: _argument(options) and facts.has_angles is False,
            "in these functions there is no sine or cosine of coordinates",
            "use libm or inline",
            "functions without angles",
        ),
    ),
    MbsymError,
)
"""In the order in which they are asked; the first that holds is told."""
