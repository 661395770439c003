"""The one scope of names of a module: what files, functions, macros, arguments and local variables may be called.

Whatever stands outside of functions in C begins with the module's name, and what stands inside does not: scopes of
functions come from ``ModuleNames.inside``. So a module may be called like an argument, ``q`` for one, and none hides
the other. Behind the module's name, no function, constant or table is called like what the fixed texts define.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from mbsym.codegen.description import GUARDED, VANISHES, ModuleDescription, Real, arguments_of
from mbsym.codegen.identifiers import RESERVED, Scope, identifier_map, spelled
from mbsym.codegen.limb_programs import WIDTHS
from mbsym.codegen.statuses import Status
from mbsym.errors import CodegenError

# Modules that a generated Python file, or NumPy, imports, and which it would hide from them under the same name.
_IMPORTED = """
    numpy mbsym abc argparse array ast base64 binascii bisect builtins bz2 codecs collections contextlib contextvars
    copy copyreg csv ctypes dataclasses datetime decimal difflib dis encodings enum errno fnmatch fractions
    functools gc genericpath getpass gettext glob gzip hashlib heapq hmac importlib inspect io ipaddress itertools
    json keyword linecache locale logging lzma marshal math ntpath numbers opcode operator os pathlib pickle
    platform posixpath pprint queue random re reprlib secrets select selectors shutil signal site socket stat string
    struct subprocess sys sysconfig tempfile textwrap threading time timeit token tokenize traceback types typing
    unittest urllib warnings weakref zipfile zipimport zlib
"""
IMPORTED_MODULES = frozenset(_IMPORTED.split())
# Names that printers give behind the prefix, beside those of the fixed texts.
PRINTED_NAMES = (
    "real", "parameters", "default_parameters", "WRENCHES", "interface", "restrict", "status", "lanes_parameters",
    "ALL", "LANES", "lanes_sincos", "LIMBS", *(f"limbs{width}" for width in WIDTHS),
    "SELFTEST_NO_MAIN", "selftest", *(status.name for status in Status),
)  # fmt: skip
# Names that NumPy modules give to what can fail.
PYTHON_NAMES = ("Status", "StatusError")
# Names that functions which can fail give to what is their own.
INNER_NAMES = (GUARDED, "status")

_IN_C = re.compile(
    r"^(?:#define MODEL_(\w+)|(?:static|typedef)\b[^\n;(]*\bMODEL_(\w+)(?: \{|;|\(| __attribute__)|\} MODEL_(\w+);)",
    re.MULTILINE,
)
_IN_PYTHON = re.compile(r"^(?:def|class) _(\w+)|^_(\w+) = ", re.MULTILINE)


@cache
def fixed_names() -> frozenset[str]:
    """What fixed texts call what is theirs outside of functions, behind the prefix of C and the underscore of NumPy."""
    from mbsym.codegen.environment import runtime_directory  # with templates, which names do not need

    directory = runtime_directory()
    texts = [(_IN_C, path) for path in directory.glob("c/*.c")]
    texts += [(_IN_PYTHON, path) for path in directory.glob("numpy/*.py")]
    found = (match for pattern, path in texts for match in pattern.finditer(path.read_text(encoding="utf-8")))
    return frozenset(name for match in found for name in match.groups() if name)


@dataclass(frozen=True, slots=True)
class ModuleNames:
    """Identifiers by the names they stand for.

    Attributes:
        module: of files, and before every symbol of C.
        functions, arguments, parameters, constants, index_arrays: as sources write them.
        linked: C symbols of the functions in object files.
        inner: local variables of functions that can fail.
        indices: what stands behind the prefix and the name of a table, by table and by name.
        reserved: what no name inside of functions may be, besides words of C, C++ and Python.
    """

    module: str
    functions: Mapping[str, str]
    linked: Mapping[str, str]
    arguments: Mapping[str, str]
    parameters: Mapping[str, str]
    constants: Mapping[str, str]
    index_arrays: Mapping[str, str]
    inner: Mapping[str, str]
    indices: Mapping[str, Mapping[str, str]]
    reserved: frozenset[str] = frozenset()

    def c_symbol(self, function: str) -> str:
        """What C sources call a function."""
        return f"{self.module}_{self.functions[function]}"

    def batch_symbol(self, function: str) -> str:
        """What objects call a function for many states."""
        own = self.c_symbol(function)
        return f"{own}_batch{self.linked[function].removeprefix(own)}"

    def inside(self, taken: Iterable[str] = ()) -> Scope:
        """A scope for local variables: no name of theirs may be one of the module's.

        Args:
            taken: arguments, for one.
        """
        return _inside(self.module, (*taken, *self.functions.values(), *self.reserved))

    def outside(self) -> Scope:
        """A scope for C functions that are no other's: symbols of the module's functions are taken."""
        return Scope((*map(self.c_symbol, self.functions), *self.linked.values()))


def module_names(
    description: ModuleDescription, parameters: Sequence[str], reserved: Collection[str] = ()
) -> ModuleNames:
    """All names of a module.

    Args:
        description: of the module.
        parameters: names of its run-time parameters.
        reserved: what none may be, besides words of C, C++ and Python.

    Raises:
        CodegenError: two functions, arguments of one function or parameters share a name, or the prefix is no name.
    """
    module = _module_name(description)
    functions = [program.name for program in description.programs] + [fixed.name for fixed in description.runtime]
    tables = [*description.limits, *(item.name for item in description.indices)]
    top = Scope((*fixed_names(), *PRINTED_NAMES, *PYTHON_NAMES, *tolerance_names(description), *tables, *reserved))
    function_names = identifier_map(functions, top, "functions")
    constants = identifier_map(description.constants, top, "constants")
    inside = _inside(module, reserved)
    arguments = dict.fromkeys(
        item.name for program in description.programs for item in arguments_of(program)
    ) | dict.fromkeys(item.name for fixed in description.runtime for item in fixed.arguments)
    return ModuleNames(
        module,
        function_names,
        _linked(module, function_names, description.real),
        identifier_map(arguments, inside, "arguments"),
        identifier_map(parameters, inside, "parameters"),
        constants,
        identifier_map(description.index_arrays, top, "arrays"),
        identifier_map(INNER_NAMES, inside, "inner names"),
        {item.name: identifier_map(item.places, Scope(), "names") for item in description.indices},
        frozenset(reserved),
    )


def _inside(module: str, taken: Iterable[str] = ()) -> Scope:
    # What begins like the module's symbols may be one of them: arm_real in the module arm is its floating-point type.
    return Scope((*taken, "parameters"), foreign=(f"{module}_", f"MBSYM_{module}_"))


def tolerance_names(description: ModuleDescription) -> tuple[str, ...]:
    """What stands behind the prefix in macros of the runtime's tolerances."""
    return (*(item.name for item in description.tolerances), VANISHES.name)


def _module_name(description: ModuleDescription) -> str:
    """The prefix if one is given, else the model's name made an identifier.

    Raises:
        CodegenError: the prefix is no free identifier.
    """
    name = spelled(description.prefix or description.name)
    is_free = name not in RESERVED | IMPORTED_MODULES
    if not description.prefix:
        # Two underscores in a row, which C++ keeps for itself, would stand in the symbols of a name that ends in one.
        return name.rstrip("_") if is_free and name.rstrip("_") not in RESERVED else f"{name.rstrip('_')}_model"
    if not is_free or name != description.prefix or name.endswith("_"):
        raise CodegenError(
            f"{description.prefix!r} cannot be a prefix",
            where=description.name,
            remedy="use letters, digits and single underscores between them, a letter first, no reserved word, and no "
            "module of Python's library",
        )
    return description.prefix


def _linked(module: str, functions: Mapping[str, str], real: Real) -> dict[str, str]:
    """Symbols in object files: in single precision they say so, lest a header of double precision link with them."""
    symbols = {name: f"{module}_{identifier}" for name, identifier in functions.items()}
    if real == "double":
        return symbols
    scope = Scope(symbols.values())
    return {name: scope.claim(f"{symbol}_{real}") for name, symbol in symbols.items()}
