"""What a generation is asked for: all options in one table, which is the dataclass that holds their values.

From a field follow the option of every verb that generates, help, the checks of its value, the manifest's entry, its
place among all combinations, and the rows of what excludes what. What an option does to functions is a stage in
``pipeline``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from mbsym.conventions import LARGEST_CODE
from mbsym.errors import CodegenError, DerivationError, MbsymError
from mbsym.option import FILES, NUMBERS, READ, SPEED, WHAT, as_typed, made, option, options_of
from mbsym.options import tried
from mbsym.options.exclusion import Exclusion, Facts, of_c
from mbsym.options.texts import pairs_in
from mbsym.records import Registry, listed
from mbsym.topology.spanning_tree import ASSEMBLY_ORDERS, assembly_order

if TYPE_CHECKING:
    from mbsym.codegen.interface import Real, Trigonometry
    from mbsym.derivatives.of_functions import DerivativeRequest
    from mbsym.model.frame import FrameAxes

Style: TypeAlias = Literal["straight", "limbs", "shared", "auto"]
"""Every operation written out, equal limbs side by side, or steps that bodies share; auto decides by their number."""

MOST_THREADS: Final = 1024
"""More are a slip of the pen."""


def _named(kind: tried.Kind, names: str | tuple[str, ...], where: str) -> None:
    for name in () if isinstance(names, str) else names:
        tried.registered(kind).named(name, where=where)


def _requests(pairs: Any) -> tuple[DerivativeRequest, ...]:
    from mbsym.derivatives.of_functions import DerivativeRequest

    return tuple(dict.fromkeys(DerivativeRequest(function, tuple(names)) for function, names in pairs))


def _divisible(threads: object) -> None:
    # Callers without a type checker give text and fractions too.
    if type(threads) is not int or threads < 0 or threads == 1 or threads > MOST_THREADS:
        raise DerivationError(
            f"work cannot be divided for {threads!r} threads",
            where="`threads`",
            remedy=f"give a whole number from 2 to {MOST_THREADS}, or leave it out",
        )


def _called_without_sines(name: str) -> Exclusion:
    """An option by which functions would be called that have no sines yet."""
    return Exclusion(
        f"given sines and {name}",
        ("trigonometry argument", name),
        lambda options, facts: options.takes_sines and options.asks(name),
        f"`{name}` would call the functions without sines",
        "use auto, libm or inline, or leave that out",
    )


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """What to generate; each field says in its own words what it is for.

    ``may_leave_out`` is none of the user's options: where no functions are named, those that would be too large are
    left out and not refused.
    """

    languages: tuple[str, ...] = option(
        (),
        lambda: (
            f"Languages, {' and '.join(tried.usual())} by default: {listed(tried.registered('language'))} Repeatable."
        ),
        "language",
        heading=FILES,
        check=lambda names: _named("language", names, "`languages`"),
        tried=tried.languages,
        error=CodegenError,
    )
    functions: tuple[str, ...] = option(
        (),
        "Only these functions: NAME,...; repeatable.",
        "function",
        heading=WHAT,
        tried=lambda: {"default": (), "three": ("inverse_dynamics", "mass_matrix", "momentum")},
        of_model={"on request": tried.on_request, "derivatives": tried.derivatives},
        says_what=True,
    )
    formulation: str = option(
        "auto",
        lambda: f"How equations are derived: {listed(tried.registered('formulation'))}",
        "formulation",
        heading=SPEED,
        tried=tried.formulations,
        excludes=(
            Exclusion(
                "constraint forces and couplings",
                ("formulation",),
                lambda options, facts: facts.is_coupled and not facts.is_closed and facts.takes_no_couplings,
                "the formulation {formulation} does not cover couplings",
                "use the formulation kane or newton-euler",
                "couplings of trees, by the constraint force algorithm",
            ),
        ),
    )
    real: Real = option(
        "double",
        "Floating-point type: double or float.",
        "real",
        heading=NUMBERS,
        choices=("double", "float"),
        refused="no type is called {}",
        error=CodegenError,
    )
    symbolic_parameters: str | tuple[str, ...] = option(
        "",
        "Run-time arguments instead of numbers: all, none, or NAME,...; BODY.inertial stands for mass, first moment "
        "and inertia of a body; repeatable.",
        "symbolic-parameters",
        heading=NUMBERS,
        words=("", "all", "none"),
        tried=lambda: {"as the model": "", "all": "all", "none": "none"},
        of_model={
            "one": lambda mechanism: tuple(item.name for item in mechanism.model.parameters)[:1] or None,
            "inertial": lambda mechanism: tuple(f"{body.name}.inertial" for body in mechanism.model.bodies),
        },
        says_what=True,
    )
    order: str = option(
        "weight",
        "Order of assembly, which decides on the cut joints: by 'weight', as in the 'input', 'type-only', "
        "'ground-first', 'depth-first' or 'breadth-first'.",
        "order",
        heading=READ,
        check=lambda name: assembly_order(name, "`order`"),
        tried=lambda: {name: name for name in ASSEMBLY_ORDERS},
        says_what=True,
    )
    prefix: str = option(
        "",
        "Prefix of C symbols and name of the files; default is the model's name.",
        "prefix",
        heading=FILES,
        tried=lambda: {"default": "", "its own": "own", "an argument's": "q", "a result's": "poses"},
    )
    frames: tuple[str, ...] = option(
        (),
        "Functions of frames: NAME,... of frames, bodies or joints, or all; repeatable.",
        "frame",
        heading=WHAT,
        words=("all",),
        tried=lambda: {"none": ()},
        of_model={
            "a body": lambda mechanism: (mechanism.model.bodies[-1].name,),
            "a joint": lambda mechanism: (mechanism.model.joints[0].name,),
        },
        says_what=True,
        excludes=(
            Exclusion(
                "frames of steps",
                ("frames", "formulation transfer-matrix"),
                lambda options, facts: facts.steps and facts.has_frames,
                "the formulation {formulation} has no functions of frames",
                "generate them with another formulation, into another directory",
            ),
        ),
    )
    frame_axes: FrameAxes | Literal[""] = option(
        "",
        "Axes of frames: local, aligned (base axes at the frame) or base (spatial); default as the model says, else "
        "local.",
        "frame-axes",
        heading=WHAT,
        choices=("local", "aligned", "base"),
        refused="there are no axes {}",
        error=CodegenError,
        says_what=True,
    )
    largest: float = option(
        LARGEST_CODE,
        "Largest code that is made, estimated [MB].",
        "largest",
        heading=SPEED,
        least=0,
        tried=lambda: {"default": LARGEST_CODE, "any": float("inf")},
    )
    derivatives: tuple[DerivativeRequest, ...] = option(
        (),
        (
            "Derivatives of a function, by what `with_respect_to` names; repeatable.",
            "What derivatives are by: NAME,... of arguments (q along the speeds) and run-time parameters.",
        ),
        "derivative-of",
        "with-respect-to",
        heading=WHAT,
        keyword="(FUNCTION, (NAME, ...)) for FUNCTION_by_NAME: its derivatives by arguments or run-time parameters.",
        typed=pairs_in,
        taken=_requests,
        tried=lambda: {"none": (), "by q and v": (("bias_force", ("q", "v")), ("potential_energy", ("q",)))},
        of_model={"by a parameter": tried.by_parameter},
        says_what=True,
        told=lambda requests: [item.as_manifest() for item in requests],
        excludes=(
            Exclusion(
                "derivatives of steps",
                ("derivatives", "formulation transfer-matrix"),
                lambda options, facts: facts.steps and bool(options.derivatives),
                "the formulation {formulation} has no derivatives",
                "generate them with another formulation, into another directory",
            ),
            Exclusion(
                "derivatives by numbers",
                ("with_respect_to", "symbolic_parameters"),
                lambda options, facts: bool(facts.number),
                "{number} is a number in this module",
                "keep it as an argument, with `symbolic_parameters {number}`",
            ),
        ),
    )
    compressed: bool = option(
        False,
        "Matrices without zeros: functions on request and derivatives return only what is not zero by structure.",
        "compressed",
        heading=WHAT,
        told=bool,
    )
    trigonometry: Trigonometry = option(
        "auto",
        "Sines and cosines in C: 'libm' calls the library, 'inline' computes those of a function's angles in vectors, "
        "'auto' does so where the compiler has vectors (no microcontroller), 'argument' takes them (generate).",
        "trigonometry",
        heading=SPEED,
        choices=("auto", "libm", "inline", "argument"),
        refused="sines and cosines cannot be had from {} here",
        error=CodegenError,
        told=str,
        excludes=(
            of_c("trigonometry inline"),
            Exclusion(
                "given sines of loops",
                ("trigonometry argument", "formulation transfer-matrix"),
                lambda options, facts: options.takes_sines and (facts.is_closed or facts.steps),
                "{name} has functions with fixed text, which iterate and need sines of their own",
                "use auto, libm or inline: sines and cosines as an argument are for trees",
                "closed loops",
            ),
            Exclusion(
                "given sines of steps",
                ("trigonometry argument", "style shared"),
                lambda options, facts: options.takes_sines and options.is_shared,
                "steps that bodies share compute the sines of one body each",
                "use auto, libm or inline, or leave out `threads` and `style shared`",
            ),
            _called_without_sines("self_test"),
            _called_without_sines("prepare"),
            Exclusion(
                "no angles",
                ("trigonometry argument",),
                lambda options, facts: options.takes_sines and facts.has_angles is False,
                "in these functions there is no sine or cosine of coordinates",
                "use auto, libm or inline",
                "functions without angles",
            ),
        ),
    )
    batch: tuple[str, ...] = option(
        (),
        "Functions for many states at once too: NAME,..., or all; repeatable.",
        "batch",
        heading=WHAT,
        words=("all",),
        tried=lambda: {"none": (), "all": ("all",)},
        excludes=(of_c("batch"),),
    )
    simplify: Literal["all", "none"] | tuple[str, ...] = option(
        "all",
        lambda: f"Ways to fewer operations, all, none, or NAME,...: {listed(tried.registered('simplification'))}",
        "simplify",
        heading=SPEED,
        words=("all", "none"),
        check=lambda names: _named("simplification", names, "`simplify`"),
        tried=tried.simplifications,
    )
    self_test: bool = option(
        False,
        "NAME_selftest.c too; it runs the C on its target and compares with frozen results.",
        "self-test",
        heading=FILES,
        tried=lambda: {"no": False, "self-test": True},
        excludes=(
            of_c("self_test"),
            Exclusion(
                "self-test of steps",
                ("self_test", "formulation transfer-matrix"),
                lambda options, facts: facts.steps and options.self_test,
                "stepping code has no self-test: its functions take states that only its own steps make",
                "generate another formulation, or check the steps with mbsym verify",
            ),
        ),
    )
    safety_report: bool = option(
        False,
        "NAME.safety.json and .md too: MISRA C by rule, stack, complexity and calls.",
        "safety-report",
        heading=FILES,
        excludes=(of_c("safety_report"),),
    )
    prepare: bool = option(
        False,
        "A function computes what depends on parameters alone; the others take that.",
        "prepare",
        heading=SPEED,
        excludes=(
            Exclusion(
                "nothing to prepare",
                ("prepare",),
                lambda options, facts: options.prepare and not facts.has_parameters,
                "{name} has no parameters at run time, so there is nothing to prepare",
                "leave it out, or keep parameters with `symbolic_parameters`",
                "a model without parameters at run time",
            ),
            Exclusion(
                "prepared loops",
                ("prepare", "formulation transfer-matrix"),
                lambda options, facts: options.prepare and (facts.is_closed or facts.steps),
                "{name} has functions with fixed text, which take the parameters themselves",
                "leave it out; it is there for trees",
                "closed loops",
            ),
            Exclusion(
                "prepared batches",
                ("prepare", "batch", "languages batch", "self_test"),
                lambda options, facts: (
                    options.prepare and (bool(options.batch) or "batch" in options.languages or options.self_test)
                ),
                "there are no batches of prepared functions, and no self-test",
                "leave out `batch` and what is asked for beside the code",
            ),
        ),
    )
    style: Style = option(
        "auto",
        "Steps of bodies: straight (every operation is written out), limbs (in C equal limbs stand side by side), "
        "shared (bodies of one kind share steps that loops call) or auto (shared for long mechanisms).",
        "style",
        heading=SPEED,
        choices=("straight", "limbs", "shared", "auto"),
        refused="there is no style {}",
        excludes=(
            of_c("style limbs"),
            Exclusion(
                "given sines of limbs",
                ("style limbs", "trigonometry argument"),
                lambda options, facts: options.asks("style limbs") and options.takes_sines,
                "limbs side by side compute the sines of all limbs at once",
                "use auto, libm or inline, or take `style straight`",
            ),
            Exclusion(
                "limbs and threads",
                ("style limbs", "threads"),
                lambda options, facts: options.asks("style limbs") and bool(options.threads),
                "threads take loops over steps, which limbs side by side do not have",
                "leave out `style limbs`, or `threads`",
            ),
            Exclusion(
                "no equal limbs",
                ("style limbs",),
                lambda options, facts: options.asks("style limbs") and facts.beside == (),
                "no function that is asked for is shorter with equal limbs side by side",
                "it is there for the equations of motion, by formulation auto or articulated-body, of trees whose "
                "values are numbers, without couplings and force elements; take `style straight`",
                "functions and models without equal limbs",
            ),
            Exclusion(
                "prepared steps",
                ("style shared", "prepare"),
                lambda options, facts: options.is_shared and options.prepare,
                "functions whose bodies share steps have no use for what is prepared",
                "leave `prepare` out, or take `style straight`",
            ),
            Exclusion(
                "steps that fail",
                ("style shared",),
                lambda options, facts: options.fails_to_share(facts) and bool(facts.failing),
                "no function that is asked for can be made of steps that bodies share: {failing}",
                "what can fail is written out, for steps have no status; take `style straight`",
                "functions that can fail",
            ),
            Exclusion(
                "nothing to share",
                ("style shared",),
                lambda options, facts: options.fails_to_share(facts),
                "no function that is asked for can be made of steps that bodies share",
                "it is there for {shareable} of trees without couplings, closed loops and motions, whose bodies have "
                "inertia, potential_energy where gravity is a number, center_of_mass and momentum where masses are; "
                "take `style straight`",
                "functions and models without such steps",
            ),
        ),
    )
    threads: int = option(
        0,
        "Threads that share the work of a state: 2 to 1024, in C with OpenMP, with `formulation cfa-parallel`; "
        "compiled without OpenMP one does it all, with the same results.",
        "threads",
        heading=SPEED,
        check=_divisible,
        tried=lambda: {"none": 0, "two": 2},
        excludes=(
            of_c("threads"),
            Exclusion(
                "threads of straight functions",
                ("threads", "style straight"),
                lambda options, facts: bool(options.threads) and options.style == "straight",
                "threads take loops over steps, which functions written out do not have",
                "leave out `style straight`, or `threads`",
            ),
            Exclusion(
                "threads without parts",
                ("threads", "formulation"),
                lambda options, facts: bool(options.threads) and not facts.has_parts,
                "the formulation {formulation} has no parts that threads could take",
                "take `formulation {parting}`, or leave `threads` out",
            ),
            Exclusion(
                "no part for threads",
                ("threads",),
                lambda options, facts: bool(options.threads) and facts.shared is not None and not facts.parted,
                "no function that is asked for falls into parts that threads can take",
                "forward_dynamics does, of trees of several bodies without force elements and couplings, whose "
                "values are numbers and whose bodies have inertia; leave `threads` out",
                "functions without such parts",
            ),
        ),
    )
    may_leave_out: bool = False

    def __post_init__(self) -> None:
        for item in OPTIONS.values():
            item.require(getattr(self, item.name))

    def asks(self, what: str) -> bool:
        """True where an option has a value, as in "style shared", or where one that is named alone says anything."""
        name, _, value = what.partition(" ")
        given = getattr(self, name)
        return bool(given == value if value else given)

    @property
    def has_c(self) -> bool:
        """True where C is among the languages."""
        return not self.languages or not {"c", "batch"}.isdisjoint(self.languages)

    @property
    def takes_sines(self) -> bool:
        """True where sines and cosines are an argument."""
        return self.asks("trigonometry argument")

    @property
    def is_shared(self) -> bool:
        """True where steps that bodies share are asked for, by name or by asking for threads, which take loops."""
        return self.style == "shared" or (self.style == "auto" and self.threads > 0)

    def fails_to_share(self, facts: Facts) -> bool:
        """True where no function can be made of shared steps, which were asked for by their name."""
        return self.style == "shared" and facts.shared == () and not self.threads

    @property
    def told(self) -> dict[str, object]:
        """For the manifest: options that are not as they are by default, where it tells them."""
        values = ((item, getattr(self, item.name)) for item in OPTIONS.values())
        return {item.name: item.told(value) for item, value in values if item.told and value != item.default}


OPTIONS: Final = Registry("option", options_of(GenerationOptions), MbsymError)
"""All options that say what is generated."""


DEFAULTS: Final = GenerationOptions()
"""Nothing asked for."""


def chosen(given: Mapping[str, Any]) -> GenerationOptions:
    """The options that a caller gives by name, lists of any kind among them; other names are left alone.

    Raises:
        MbsymError: a value cannot be meant.
    """
    found: GenerationOptions = made(GenerationOptions, given)
    return found


def typed(text: str) -> str:
    """A text that speaks of options as the command line has them: `frames all` is --frame all."""
    return as_typed(text, OPTIONS.values())
