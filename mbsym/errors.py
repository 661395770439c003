"""Errors that a user can meet: one class per stage, each saying what is wrong, where, and what to do."""

from __future__ import annotations


class MbsymError(Exception):
    """Base of every error that mbsym raises for something its user can mend.

    Attributes:
        what: what is wrong, one sentence without a full stop.
        where: the place (``FILE:LINE:COL``, or a body, joint or function name), may be empty.
        remedy: what to do about it, may be empty.
        exit_status: the command line's exit status for this error.
    """

    exit_status = 2

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{place}{self.what}{remedy}"


class TopologyError(MbsymError):
    """The joints do not connect the bodies to ground, or the demands on cut joints contradict each other."""


class SymbolicError(MbsymError):
    """An expression cannot be read, converted, differentiated or evaluated."""


class FormatError(MbsymError):
    """A model file cannot be read; ``where`` is ``FILE:LINE:COL``."""


class ModelError(MbsymError):
    """A model is read but is no mechanism (negative mass, unknown body, duplicate name, ...)."""


class DerivationError(MbsymError):
    """A formulation does not cover this mechanism."""


class OptionError(DerivationError):
    """Options exclude each other, or do not go with what the model is.

    Attributes:
        exclusion: name of the row in the table of what excludes what.
    """

    exclusion: str = ""


class CodegenError(MbsymError):
    """Code cannot be rendered or written."""


class TextError(MbsymError):
    """An emitted text cannot be read back: it holds what no emitted text does."""


class ProofError(MbsymError):
    """A derived function is not what another derivation gives: a defect of mbsym, found before anything was written.

    Attributes:
        function: its name.
    """

    exit_status = 1

    def __init__(self, what: str, *, where: str = "", remedy: str = "", function: str = "") -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.function = function


class ToolchainError(MbsymError):
    """Something that this machine lacks, such as a C compiler."""

    exit_status = 3


class VerificationError(MbsymError):
    """A check failed."""

    exit_status = 1


class SimulationError(MbsymError):
    """A simulation cannot start or cannot go on."""


class AnalysisError(MbsymError):
    """A linear analysis has no answer: an impossible or singular state, no equilibrium."""


class IdentificationError(MbsymError):
    """Measured data cannot be used, or tell too little of a model."""
