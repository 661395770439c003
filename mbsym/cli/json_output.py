"""What --json prints: one document, which begins with the version and the verb, and what stands in it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import typer

from mbsym.version import __version__

ENVELOPE: Final[Mapping[str, str]] = {
    "mbsym": "version of mbsym",
    "verb": "as it was typed",
    "name": "of the model",
    "files": "paths of the files that were written, in order",
}
"""What every document has."""

ERROR: Final[Mapping[str, str]] = {
    "mbsym": "version of mbsym",
    "verb": "as it was typed",
    "error": "what is wrong; where it is (FILE:LINE:COL, an option, or a name of the model) and remedy, what to do, "
    "which may be empty",
    "status": "the exit status: 1 a check failed, 2 the input or the usage is wrong, 3 the machine lacks something",
}
"""What is printed in place of a document where a verb ends with an error."""

_STATE: Final[Mapping[str, str]] = {
    "q": "coordinates by name, where it holds",
    "v": "speeds by name, likewise",
    "tau": "generalised forces by speed, likewise",
    "u": "control inputs by name, likewise",
    "x": "states of drives by name, likewise",
    "t": "time [s], likewise",
}

DOCUMENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "info": {
        "description": "of the model",
        "gravity": "in base axes [m/s^2]",
        "bodies": "name, label and mass [kg] of each body",
        "total_mass": "[kg]; null of topology alone",
        "joints": "name, type, label, predecessor and successor of each joint, and whether it is cut",
        "joint_types": "how many joints there are of each type",
        "added_joints": "virtual free joints of bodies that nothing connects to ground",
        "nq": "coordinates of the tree",
        "nv": "speeds of the tree",
        "degrees_of_freedom": "independent speeds with all loops closed; null where that is not known",
        "coordinate_order": '"file", "labels", or the joints that come first',
        "coordinates": "of each joint first entry and end in q and v, names of coordinates and speeds",
        "loops": "name, type, rows, dependent rows and tree joints with signs of each cut joint and constraint",
        "start": "what of the initial values closing the loops moved, a sentence each",
        "reasons": "why closure equations follow from others, a sentence each",
        "couplings": "joint, source, ratio and offset of each",
        "frames": "name, body and axes of each",
        "states": "names of named states",
        "shapes": "how many shapes there are of each form",
        "elements": "couplings, constraints and force elements: name, type, joints and bodies",
        "drives": "name, rate, initial value and unit of each",
        "motions": "name, joint and speed of each, and the law that it follows",
        "inputs": "name, unit and limits of each control input",
        "outputs": "name, expression and unit of each",
        "tables": "name, first and last point of each argument, number of points, and what is between and outside",
        "parameters": "name, value and unit of each, and whether it stays a run-time argument",
        "findings": "what does not fit, a sentence each",
        "models": "of a directory, in place of all others: file, name, bodies, joints, cut_joints, nv, "
        "degrees_of_freedom and findings of each model",
        "not_read": "likewise: file and reason of each that is not read",
    },
    "label": {
        "bodies": "label of each body",
        "joints": "label of each joint",
        "cut_joints": "in order of their labels",
        "flipped": "joints that the tree walks from successor to predecessor",
        "patterns": 'of the assembly, "a" to "d", by joint',
        "weights": "by joint",
        "inboard": "label of the inboard body of joint 1, 2, ...",
        "incidence_matrix": "S0 above S, rows of integers",
        "path_matrix": "T, rows of integers",
        "loops": "tree joints around the loop of each cut joint with the signs of their motion over it",
        "elements": "couplings, constraints and force elements: name, type, joints and bodies",
        "joint_matrices": "with --matrices: J as given, assembled, labelled and sorted, rows of integers",
        "history": "with --history: joint, pattern and connected bodies of each step of the assembly",
    },
    "derive": {
        "formulation": "that was used",
        "labelling": "as `mbsym label --json` has it",
        "q": "symbols of the coordinates",
        "v": "symbols of the speeds",
        "vdot": "symbols of the rates",
        "tau": "symbols of the generalised forces",
        "parameters": "name, value and unit of each",
        "equation": "of motion",
        "loops": "what was found out about the loops, a sentence each",
        "quantities": "description, shape, entries, steps and operations of each; of those that `--quantity` names "
        "alone",
        "own_quantities": "of the formulation: description, shape and source of each that `--quantity` may name",
        "sections": "what the formulation adds; not with `--quantity`",
        "operations": "of each generated function, by kind; not with `--quantity`",
    },
    "report": {"formulation": "that was used"},
    "generate": {
        "formulation": "that was used",
        "real": '"double" or "float"',
        "functions": "name of each and its operations by kind; with --prepare, as `operations_unprepared`, what it "
        "takes where nothing is prepared",
        "savings": "with --savings: operations of each function as derived and after each way to fewer",
        "left_out": "functions that nobody named and that would be too large, with the megabytes of each",
    },
    "export": {"consumer": "whose files these are", "notes": "what is not there, and why, a sentence each"},
    "verify": {
        "certificate": "the name again, as in the certificate",
        "schema": "of the certificate: 1; raised when a field changes its meaning or goes",
        "passed": "whether everything agrees",
        "model_sha256": "hash of the model",
        "formulation": "that was used",
        "states": "how many random states",
        "seed": "of these",
        "tools": "versions of what computed, by name",
        "compiler": "that compiled the C",
        "flags": "that it was given",
        "also_compiled": "with --compiler: as it was asked for, version and flags of each further compiler",
        "watched_with": "flags with which accesses to memory were watched; empty where the compiler has none",
        "condition_of_mass_matrix": "largest condition number; null where it was not computed",
        "closure_rows_apart_by": "smallest singular value of closure rows of length one; null of trees",
        "files": "what was verified: the hash of each file by its name",
        "changed_files": "what was changed since it was generated",
        "not_run": "files in languages that mbsym prints and does not run",
        "coverage": "branches and statuses that were reached, by function, and those that were not",
        "checks": "function, language, what it was compared with, error, tolerance and verdict of each",
        "exact": "with --exact: field, probability of error, what was shown of each function in each text; else null",
        "bounds": "what NAME.bounds.json says of these texts: terms, and box, bound, worst sample and dangers of each "
        "function; else null",
        "safety": "what NAME.safety.json says of these texts: guidelines by status, and stack by function; else null",
        "remarks": "on the states, a sentence each",
        "unchecked": "what is not shown, why, and the command that tells the same; with --check-certificate in place "
        "of all others: certificate, passed, done, faults and remarks",
    },
    "certify": {
        "certificate": "the name again",
        "kind": "rounding bounds",
        "passed": "whether all that could be read is bounded in the whole box; with --check, whether it is confirmed",
        "model_sha256": "hash of the model",
        "files": "hashes of the texts that are bounded",
        "real": "type of their numbers",
        "sine_units": "error that sines are taken to have at most [units in the last place]",
        "contraction": "whether products may be fused with sums",
        "samples": "states at which compiled code was run",
        "seed": "of these",
        "compiler": "that compiled it, and its flags",
        "functions": "inputs with their box, outputs with bound, range, worst sample and its state, largest number, "
        "divisors, dangers with line and box, and the parts of the box with their bounds",
        "not_bounded": "functions without bounds, and why",
    },
    "identify": {
        "standard": "how many parameters there are",
        "count": "how many base parameters",
        "proof": "that these are as many as can be told",
        "base": "of each base parameter name, unit and the relation to the model's; of data value and deviation too",
        "without_effect": "parameters that no motion tells",
        "samples": "of the data",
        "held_back": "samples that the estimate was tried on",
        "cutoff": "of the low-pass filters [Hz]",
        "condition": "of the regression, or of the motion that --excite found",
        "before": "with --excite: condition before the search",
        "remarks": "a sentence each",
        "noise": "standard deviation of each force",
        "errors": "of the predictions, for samples that were used and held back",
    },
    "simulate": {
        "method": "of integration",
        "language": "that computed the rates",
        "steps": "how many",
        "evaluations": "of the rates",
        "t_end": "[s]",
        "notes": "what the checks leave out, in sentences",
        "stiffness": "of steps that stability held short: method, when [s], how many, rate [1/s] and remedy; or null",
        "limits_exceeded": "name, kind, side, limit and unit of each, when first [s], how far beyond at most and when",
        "ended_by_event": "whether an event or a limit ended the motion",
        "events": "name and time [s] of each",
        "q": "coordinates at the end",
        "v": "speeds at the end",
        "x": "states of drives at the end",
        "energy_drift": "largest error of the energy balance [J]",
        "relative_energy_drift": "the same, by the largest energy",
        "momentum_drift": "largest change of the momentum, where none may change",
        "assembly": "of closed loops: what closing them moved",
        "correction": "that kept the loops closed",
        "closure_gap": "largest gap of the loops",
        "speed_gap": "largest rate of a gap",
        "singular_positions": "that the motion came through",
    },
    "linearise": {
        **_STATE,
        "equilibrium": "whether the state is one",
        "rates": "of the states there, by name",
        "states": "names",
        "inputs": "names",
        "outputs": "names",
        "state_units": "in the order of the states",
        "input_units": "in the order of the inputs",
        "A": "rows of numbers",
        "B": "likewise",
        "C": "likewise",
        "D": "likewise",
        "poles": "real and imaginary part of each [1/s]",
        "symbols": "with --symbols: A, B, C and D as rows of expressions",
        "method": "with --method transfer-matrix: its name; of the others states, inputs, outputs, A to D and poles",
    },
    "equilibrium": {
        "solved_for": "what was free",
        "solutions": "of each its name, state, stability, growing and drifting motions, and what it leaves open",
    },
    "modes": {
        "equilibrium": "whether the state is one",
        "increments": "names of the rows of the shapes",
        "modes": "name, eigenvalue [1/s], frequency [rad/s, Hz], damping ratio, behaviour and shape of each",
        "method": "with --method transfer-matrix: its name",
        "beams": "likewise: how beams are taken",
        "elements": "likewise: of the chain, in order",
        "points": "likewise: where shapes are told",
        "motions": "likewise: names of the rows of the shapes, in place of `increments`",
    },
    "response": {
        "method": "equations or transfer-matrix",
        "Hz": "the frequencies",
        "inputs": "names of forces",
        "outputs": "names of what answers",
        "response": "real and imaginary parts of outputs per input, by frequency, output and input",
    },
    "show": {},
    "convert": {"warnings": "what the reader noticed, a sentence each"},
    "new": {},
    "doctor": {
        "libraries": "name, version, purpose and remedy of what mbsym is made of; no version where one is missing",
        "compiler": "likewise: the C compiler that is taken, the vectors that it compiles for here, threads",
        "programs": "likewise: compilers and what else runs what is generated",
        "extras": "likewise: packages that are asked for where they are there",
    },
    "examples": {
        "examples": "name and first sentence of each bundled model, where none is copied out",
        "parts": "names of the parts that models include by them, where none is copied out",
    },
}
"""What the document of each verb has besides; a test holds the verbs to it."""


def print_json(verb: str, name: str, content: Mapping[str, object], files: Iterable[Path | str] = ()) -> None:
    """Prints the document of a verb on one line.

    Args:
        verb: a key of ``DOCUMENTS``.
        name: of the model, or of what the verb is about.
        content: the entries of the verb; numbers that are not finite become null, which is all that JSON has for them.
        files: that were written.
    """
    envelope = {"mbsym": __version__, "verb": verb, "name": name, "files": [str(path) for path in files]}
    typer.echo(json.dumps(_finite({**envelope, **content}), ensure_ascii=False, allow_nan=False))


def print_error(verb: str, what: str, where: str, remedy: str, status: int) -> None:
    """Prints an error on one line, with the entries of ``ERROR``."""
    error = {"what": what, "where": where, "remedy": remedy}
    document = {"mbsym": __version__, "verb": verb, "error": error, "status": status}
    typer.echo(json.dumps(document, ensure_ascii=False))


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    return value
