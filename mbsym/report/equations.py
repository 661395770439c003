"""Equations of motion in closed form, as SymPy matrices.

Values are simplified on the graph (trigonometric polynomials with s^2 + c^2 = 1, sums of angles, common factors), never
by a general simplifier. Above a size that nobody reads, an entry is kept as a list of named steps instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from mbsym import markup
from mbsym.doors import sympy
from mbsym.errors import DerivationError
from mbsym.formulations.applied_forces import applied_forces
from mbsym.formulations.catalogue import TREE_FUNCTIONS
from mbsym.formulations.contracts import Display, Entries, contract
from mbsym.formulations.quantity import LARGEST_CLOSED_FORM, Quantity, named_quantity
from mbsym.formulations.recursive.newton_euler import newton_euler, user_wrenches
from mbsym.kinematics.mechanism import Mechanism
from mbsym.kinematics.recursion import joint_speeds
from mbsym.kinematics.simplifications import SIMPLIFICATIONS
from mbsym.kinematics.simplified import simplified
from mbsym.loops.quantities import chosen_quantities
from mbsym.loops.redundancy import LoopAnalysis, analyse_loops
from mbsym.model.system import Model
from mbsym.registry import FORMULATIONS, Available, available_functions, contracts_of
from mbsym.report.closed_form import ClosedForm, simplified_values
from mbsym.report.formulas import FormulaWriter, entries_of
from mbsym.report.kane_sections import partial_velocities
from mbsym.report.latex import Latex
from mbsym.report.mathml import MathML
from mbsym.report.sections import NamedMatrix
from mbsym.report.steps import matrix_in_steps
from mbsym.report.symbols import short_names, shortened
from mbsym.report.vector_form import InVectors, in_vectors
from mbsym.report.velocity_products import VelocityProducts, velocity_products
from mbsym.symbolic.equality import compare
from mbsym.symbolic.graph import Reference
from mbsym.symbolic.printed_size import PrintedSizes
from mbsym.symbolic.program import OperationCount, Program, count_operations
from mbsym.symbolic.sympy_bridge import to_sympy
from mbsym.symbolic.trigonometry import unit_quaternions
from mbsym.topology.matrices import path_matrix
from mbsym.values.table_pieces import by_name

LARGEST_WRITTEN_OUT: Final = 200_000
"""Operations, counted likewise, above which a quantity of a formulation is not written out unasked: a megabyte of
text."""

LETTERS_OF_OPERATION: Final = 7
"""Of printed text: 5.8 to 7.7 for quantities of arms and of a free robot with two."""

IN_NOTEBOOKS: Final = ("mass_matrix", "bias_force")

NOTEBOOK_WIDTH: Final = 100
"""Letters of a matrix beyond which notebooks show its entries one by one."""


class Equations:
    """M(q) vdot + h(q, v) = tau of a model, with + G^T lambda and G vdot = gamma for closed loops, in closed form.

    Attributes:
        mechanism: labelled and expressed in a graph.
        formulation: that the functions were derived by.
        independent: names of the independent speeds of quantities that are in them; none for a good choice.
    """

    def __init__(self, mechanism: Mechanism, formulation: str, independent: Sequence[str] = ()) -> None:
        self.mechanism = mechanism
        # Closed forms name tables and do not say what they are made of.
        mechanism.graph.definitions = by_name(mechanism.model.tables)
        self.formulation = formulation
        self.independent = tuple(independent)
        self._own = chosen_quantities(FORMULATIONS.named(formulation).quantities, independent, self._analysed)
        # A formulation without equations of motion has matrices to look at beside those of the automatic choice.
        whole = FORMULATIONS.named(formulation).whole is not None
        self._available: Available = available_functions(mechanism, "auto" if whole else formulation)
        self._forms: dict[str, ClosedForm] = {}
        if independent:
            self.form("independent_speeds")

    @cached_property
    def coordinates(self) -> sympy.ImmutableMatrix:
        """q, a column of symbols."""
        return self._column(self.mechanism.q.symbols)

    @cached_property
    def speeds(self) -> sympy.ImmutableMatrix:
        """v, a column of symbols."""
        return self._column(self.mechanism.v.symbols)

    @cached_property
    def rates(self) -> sympy.ImmutableMatrix:
        """vdot, a column of symbols."""
        return self._column(self.mechanism.vdot.symbols)

    @cached_property
    def forces(self) -> sympy.ImmutableMatrix:
        """tau, a column of symbols."""
        return self._column(self.mechanism.tau.symbols)

    def __repr__(self) -> str:
        of = self.mechanism.model.name
        return f"<Equations of {of!r}: {self.mechanism.nv} speeds, formulation {self.formulation}>"

    def _repr_latex_(self) -> str:
        """For notebooks: mass matrix and bias forces; what is too large to read is named with its size."""
        parts = [f"{left} = {right}" for left, right in self._formulas(Latex())]
        parts += [rf"{letter}: \text{{{size}}}" for letter, size in self._too_large()]
        lines = r" \\ ".join(parts)
        return rf"$\displaystyle \begin{{array}}{{l}} {lines} \end{{array}}$"

    def _repr_html_(self) -> str:
        """For notebooks: a line about the equations, then the same formulas in MathML, which browsers set."""
        lines = [markup.paragraph(repr(self)[1:-1])]
        for left, right in self._formulas(MathML()):
            lines.append(f'<p><math display="block"><mrow>{left}<mo>=</mo>{right}</mrow></math></p>')
        lines += [markup.paragraph(f"{letter}: {size}") for letter, size in self._too_large()]
        return "".join(lines)

    def _formulas(self, writer: FormulaWriter) -> Iterator[tuple[str, str]]:
        for name in IN_NOTEBOOKS:
            form = self.form(name)
            if form.is_expanded:
                value = self.matrix(name)
                entries = entries_of(NamedMatrix(form.symbol, value), value, NOTEBOOK_WIDTH)
                for left, entry in entries or [(form.symbol, value)]:
                    yield writer.name(left), writer.expression(entry)

    def _too_large(self) -> Iterator[tuple[str, str]]:
        for name in IN_NOTEBOOKS:
            form = self.form(name)
            if not form.is_expanded:
                yield form.symbol, f"{form.operations.arithmetic} operations, as named steps"

    @property
    def mass_matrix(self) -> sympy.ImmutableMatrix:
        """M(q), nv x nv."""
        return self.matrix("mass_matrix")

    @property
    def bias_force(self) -> sympy.ImmutableMatrix:
        """h(q, v), nv x 1: velocity, gravity and force element terms."""
        return self.matrix("bias_force")

    @property
    def gravity_force(self) -> sympy.ImmutableMatrix:
        """g(q), nv x 1."""
        return self.matrix("gravity_force")

    @property
    def joint_wrenches(self) -> sympy.ImmutableMatrix:
        """[moment; force] of each tree joint as functions of q, v and vdot, nj x 6, in the joints' own frames."""
        return self.matrix("joint_wrenches")

    @property
    def constraint_jacobian(self) -> sympy.ImmutableMatrix:
        """G(q) of the independent closure equations."""
        return self.matrix("constraint_jacobian")

    @property
    def path_matrix(self) -> sympy.ImmutableMatrix:
        """T, nb x nb."""
        return sympy.ImmutableMatrix(path_matrix(self.mechanism.labelling.tree))

    @property
    def lagrangian(self) -> sympy.Expr:
        """T - V of the tree, as a function of q and v."""
        return self.matrix("kinetic_energy")[0] - self.matrix("potential_energy")[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Quantities that documents show; ``form``, ``matrix`` and ``reduced`` know all functions besides."""
        return tuple(self.shown)

    @property
    def functions(self) -> tuple[str, ...]:
        """What ``form``, ``matrix`` and ``reduced`` know of any mechanism: poses, velocities, energies and more."""
        return tuple(dict.fromkeys((*self.names, *self._available.every)))

    @cached_property
    def quantities(self) -> Mapping[str, Quantity]:
        """The formulation's own, as ``form``, ``matrix`` and ``reduced`` know them besides the functions.

        Such as A, B, C, W and X of ``cfa``, T and the partial velocities of ``kane``; each with its sentence, shape and
        source. What this mechanism does not have is left out, and ``matrix`` says why.
        """
        return {name: quantity for name, quantity in self._own.items() if self._why_not(quantity) is None}

    def told(self, name: str) -> tuple[str, ...]:
        """What is to be said about one of these for this mechanism, such as where it holds; nothing of a function."""
        own = self.quantity(name)
        return own.told(self.mechanism) if own is not None else ()

    def quantity(self, name: str) -> Quantity | None:
        """One of these, or a part of one, such as U(NAME); None for functions and what is not there.

        Raises:
            DerivationError: what stands in brackets is no part of this mechanism's.
        """
        return named_quantity(self.quantities, name, self.mechanism)

    def _analysed(self, mechanism: Mechanism) -> LoopAnalysis:
        return self._available.loops or analyse_loops(mechanism)

    def _why_not(self, quantity: Quantity) -> DerivationError | None:
        try:
            quantity.require(self.mechanism)
        except DerivationError as error:
            return error
        return None

    def require(self, name: str) -> None:
        """Checks that there is a quantity of that name; nothing is derived.

        Raises:
            DerivationError: there is none; the message says why, what there is, and where else it is.
        """
        found = self.quantity(name)
        if found is not None:
            found.require(self.mechanism)
            return
        if name in self.functions:
            return
        name = name.partition("(")[0].strip()
        own = ", ".join(self.quantities)
        there = f"{self.formulation} has {own} here" if own else f"{self.formulation} has none of its own here"
        missing = self._own.get(name)
        reason = self._why_not(missing) if missing is not None else None
        if reason is not None:
            raise DerivationError(
                f"there is no {name}: {reason.what}", where=reason.where, remedy=f"{reason.remedy}; {there}"
            )
        others = [each.name for each in FORMULATIONS.values() if name in each.quantities]
        if others:
            raise DerivationError(
                f"{self.formulation} has no quantity {name!r}, which belongs to {', '.join(others)}",
                where=self.mechanism.model.name,
                remedy=f"derive with formulation {others[0]}; {there}",
            )
        raise DerivationError(
            f"no quantity is called {name!r}", remedy=f"known: {', '.join((*self.quantities, *self.functions))}"
        )

    def display(self, name: str) -> Display:
        """How documents show a quantity.

        Raises:
            DerivationError: there is no such quantity.
        """
        self.require(name)
        own = self.quantity(name)
        if own is not None:
            return own.display
        if name in self.shown:
            return self.shown[name]
        contract = contracts_of(self.mechanism)[name]
        first = contract.results[0]
        return Display(first.name, name.replace("_", " ").capitalize(), f"{first.description or contract.description}.")

    def written_out(self, name: str) -> int:
        """Operations of a quantity if nothing were shared, as text in closed form has them.

        Raises:
            DerivationError: there is no such quantity.
        """
        form = self.form(name)
        return PrintedSizes(form.program.graph).of_all(form.references or form.program.outputs[0].values)

    def reduced(self, name: str) -> tuple[list[tuple[sympy.Symbol, sympy.Expr]], sympy.ImmutableMatrix]:
        """A quantity as ``sympy.cse`` has it: replacements in order, and the matrix in terms of them.

        Large quantities stay as small as the generated code: each step is used as often as it is needed.

        Raises:
            DerivationError: there is no such quantity.
        """
        return matrix_in_steps(self.form(name).shortest_program, self.symbols)

    def vectors(self, name: str) -> InVectors:
        """M or h of the tree, by its name, in dot and cross products of named vectors.

        Raises:
            DerivationError: there is no vector form of that.
        """
        self.mechanism.graph.forget_names()
        return in_vectors(self.mechanism, name, self.symbols)

    def velocity_products(self) -> VelocityProducts:
        """h of the tree in products of speeds, each coefficient in closed form.

        Raises:
            DerivationError: speeds are no rates of coordinates, or M or the coefficients would fill pages.
        """
        references = self.form("mass_matrix").references
        return velocity_products(self.mechanism, references, self.symbols, LARGEST_WRITTEN_OUT)

    @property
    def columns(self) -> dict[str, sympy.ImmutableMatrix]:
        """Symbols of coordinates, speeds, rates and forces by their letters."""
        return {"q": self.coordinates, "v": self.speeds, "vdot": self.rates, "tau": self.forces}

    @property
    def short_names(self) -> dict[sympy.Symbol, sympy.Symbol]:
        """q_1, v_1, vdot_1 and tau_1, and so on, for the model's names of coordinates, speeds, rates and forces."""
        return short_names(self.columns)

    def short(self, value: Any) -> Any:
        """An expression or matrix of this model in short symbols, with s_{12} for the sine of q_1 + q_2."""
        return shortened(value, self.short_names, list(self.coordinates))

    @cached_property
    def shown(self) -> Mapping[str, Display]:
        """How the quantities are shown, by name, in catalogue order."""
        contracts = {**contracts_of(self.mechanism), "joint_wrenches": INVERSE_JOINT_WRENCHES}
        found = {name: contracts[name].display for name in self._available.functions}
        return {name: display for name, display in found.items() if display is not None}

    @property
    def is_closed(self) -> bool:
        """True where closed loops hold the speeds."""
        return self._available.holding is not None

    @property
    def loop_sentences(self) -> tuple[str, ...]:
        """What was found out about the loops, in words."""
        return self._available.loops.sentences if self._available.loops else ()

    def form(self, name: str) -> ClosedForm:
        """A quantity in closed form.

        Raises:
            DerivationError: there is no such quantity.
        """
        if name not in self._forms:
            self.require(name)
            self._forms[name] = self._derive(name)
        return self._forms[name]

    def matrix(self, name: str, *, any_size: bool = False) -> sympy.ImmutableMatrix:
        """A quantity as a SymPy matrix; in its raw form where the closed form is too large to read.

        Args:
            name: of ``functions`` or ``quantities``.
            any_size: a formulation's own quantity too whose text would have more than a megabyte.

        Raises:
            DerivationError: there is no such quantity, or it is that large; the message says how large.
        """
        found = self.form(name)
        if self.quantity(name) is not None and not any_size and not found.is_expanded:
            operations = self.written_out(name)
            if operations > LARGEST_WRITTEN_OUT:
                raise DerivationError(
                    f"{name} written out has {size_in_words(operations)}",
                    where=self.mechanism.model.name,
                    remedy=f"take reduced({name!r}), {found.operations.arithmetic} operations in steps that are used "
                    f"as often as they are needed, or matrix({name!r}, any_size=True)",
                )
        refs = found.references or found.program.output_references
        rows = found.shape[0] if found.shape else 1
        columns = len(refs) // rows if rows else 0
        return sympy.ImmutableMatrix(rows, columns, to_sympy(found.program.graph, refs, self.symbols))

    @cached_property
    def partial_velocities(self) -> Mapping[tuple[str, str], tuple[sympy.Matrix, sympy.Matrix]]:
        """Kane's w_ij and v_ij by names of body and speed, 3 x 1 in base axes; zeros by the path matrix left out."""
        return partial_velocities(self.mechanism)

    def operation_counts(self) -> dict[str, OperationCount]:
        """Operations of each generated function, in the shortest way."""
        from mbsym.stages.simplify import shortest

        mechanism = simplified(self.mechanism.afresh(), SIMPLIFICATIONS)
        found = ((name, shortest(derive, mechanism)) for name, derive in self._available.functions.items())
        return {name: program.operation_count() for name, (program, _) in found}

    def _derive(self, name: str) -> ClosedForm:
        self.mechanism.graph.forget_names()
        own = self.quantity(name)
        if name == "joint_wrenches":
            program = INVERSE_JOINT_WRENCHES.program(self.mechanism, _inverse_joint_wrenches(self.mechanism))
        else:
            program = (own or self._available.every[name])(self.mechanism)
        output = program.outputs[0]
        longest = own.longest if own is not None else LARGEST_CLOSED_FORM
        references = _simplified(program, longest)
        of_recursion = False
        if not references and name in FORMULATIONS.named(self.formulation).functions and name in TREE_FUNCTIONS:
            recursive = TREE_FUNCTIONS[name](self.mechanism)
            shorter = _simplified(recursive)
            if shorter and compare(program, recursive):
                references, of_recursion = shorter, True
        graph = program.graph
        operations = count_operations(graph, graph.reachable(references)) if references else program.operation_count()
        symbol = self.shown[name].letter if name in self.shown else output.name
        return ClosedForm(name, output.shape, symbol, output.description, references, program, operations, of_recursion)

    @cached_property
    def symbols(self) -> dict[str, Any]:
        """SymPy symbols of rates and forces, which have indices in the graph, under names that print.

        They are called ``vdot_X`` and ``tau_X`` where the speed is ``v_X``.
        """
        table = {}
        for letter, item in (("vdot", self.mechanism.vdot), ("tau", self.mechanism.tau)):
            for ref, speed in zip(item.symbols, self.mechanism.v.symbols, strict=True):
                graph = self.mechanism.graph
                stem = str(graph.arguments[speed][0]).removeprefix("v_")
                table[str(graph.arguments[ref][0])] = sympy.Symbol(f"{letter}_{stem}")
        return table

    def _column(self, refs: Sequence[Reference]) -> Any:
        return sympy.ImmutableMatrix(len(refs), 1, to_sympy(self.mechanism.graph, refs, self.symbols))


def size_in_words(operations: int) -> str:
    """What so many operations are as printed text."""
    megabytes = operations * LETTERS_OF_OPERATION / 1e6
    return f"{operations} operations, about {megabytes:.2g} MB of text"


def _simplified(program: Program, longest: int = LARGEST_CLOSED_FORM) -> tuple[Reference, ...]:
    """The first result in closed form, nothing where that would fill pages."""
    units = unit_quaternions(program)
    return tuple(simplified_values(program.graph, program.outputs[0].values, units, longest) or ())


INVERSE_JOINT_WRENCHES: Final = contract(
    "joint_wrenches(q, v, vdot, t, u, x)",
    "[moment; force] on each joint's successor by its predecessor",
    "wrenches[nb, 6]",
    display=Display(
        "f",
        "Joint wrenches (constraint forces)",
        "[moment; force] on each joint's successor by its predecessor, at and in the joint frame on the successor; a "
        "row a joint, as functions of q, v and vdot.",
    ),
)
"""Joint wrenches of a known motion with the loops open, which have a closed form worth reading."""


def _inverse_joint_wrenches(mechanism: Mechanism) -> Entries:
    speeds = joint_speeds(mechanism)
    rates = mechanism.of_joints(mechanism.entries(mechanism.vdot))
    found = newton_euler(mechanism, speeds, rates, mechanism.gravity, applied_forces(mechanism, speeds))
    return user_wrenches(mechanism, found.wrenches)


def derive(
    model: Model | str,
    formulation: str = "auto",
    *,
    symbolic_parameters: str | tuple[str, ...] = "all",
    order: str = "weight",
    independent: Sequence[str] = (),
) -> Equations:
    """The equations of motion of a model in closed form.

    Args:
        model: a model, a model file, or the name of a bundled example.
        formulation: name from ``registry.FORMULATIONS``.
        symbolic_parameters: "all" (default), "none", "" as the model says, or names.
        order: of the assembly, a key of ``ASSEMBLY_ORDERS``.
        independent: speeds for the equations in independent speeds that ``kane`` has where closed loops or constraints
            hold the others, one for each freedom: names of entries of v, or "NAME=EXPRESSION" with an expression that
            is linear in speeds; default is a good choice.

    Raises:
        MbsymError: the model or the formulation is unusable.
    """
    from mbsym.options.generation import GenerationOptions
    from mbsym.pipeline import express, read

    FORMULATIONS.named(formulation)
    system = read(model)
    # People read equations of their own bodies.
    options = GenerationOptions(symbolic_parameters=symbolic_parameters, order=order, simplify="none")
    return Equations(express(system, options), formulation, independent)
