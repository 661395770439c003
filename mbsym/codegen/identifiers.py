"""Identifiers for generated code: whatever name comes in, what goes out is harmless in C, C++ and Python alike.

An identifier consists of ASCII letters, digits and single underscores, begins with a letter, is no keyword and no
name of the mathematical library, and is unique in its scope. One spelling serves all languages.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from mbsym.errors import CodegenError

MAXIMUM_LENGTH: Final = 60

_PLAIN: Final = re.compile(r"[A-Za-z](?:_?[A-Za-z0-9])*_?")

_C_KEYWORDS: Final = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    alignas alignof atomic bool complex imaginary noreturn thread_local static_assert generic constexpr nullptr typeof
    typeof_unqual true false asm fortran main near far huge pascal cdecl interrupt
"""
_CPP_KEYWORDS: Final = """
    and and_eq bitand bitor catch char8_t char16_t char32_t class compl concept consteval constinit const_cast co_await
    co_return co_yield decltype delete dynamic_cast explicit export friend mutable namespace new noexcept not not_eq
    operator or or_eq private protected public reflexpr reinterpret_cast requires static_cast template this throw try
    typeid typename using virtual wchar_t xor xor_eq
"""
_PYTHON_KEYWORDS: Final = """
    False None True and as assert async await break class continue def del elif else except finally for from global if
    import in is lambda nonlocal not or pass raise return try while with yield
"""
_MATHEMATICS: Final = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax
    fmin fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint
    nextafter nexttoward pow remainder remquo rint round scalbln scalbn sin sinh sqrt tan tanh tgamma trunc
    j0 j1 jn y0 y1 yn gamma drem significand scalb finite isinf isnan isnormal isfinite signbit isgreater
    isgreaterequal isless islessequal islessgreater isunordered fpclassify signgam sincos exp10 pow10
"""
_GENERATED: Final = """
    abs min max sign select sum float np math numpy dataclass NamedTuple ArrayLike NDArray Parameters parameters
    function failures sys enum I INFINITY NAN HUGE_VAL HUGE_VALF HUGE_VALL NULL EOF errno size_t unix linux self cls
    print
"""
RESERVED: Final = frozenset(
    f"{_C_KEYWORDS} {_CPP_KEYWORDS} {_PYTHON_KEYWORDS} {_GENERATED} {_MATHEMATICS}".split()
) | frozenset(f"{name}{suffix}" for name in _MATHEMATICS.split() for suffix in "fl")

_GREEK: Final = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho",
    "ς": "sigma", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi",
    "Ψ": "Psi", "Ω": "Omega", "ß": "ss", "æ": "ae", "Æ": "AE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
}  # fmt: skip


def spelled(name: str) -> str:
    """The name as an ASCII identifier, neither reserved words nor other names considered.

    Accents are dropped, Greek letters written out, other letters escaped by their code point; anything else becomes
    an underscore.
    """
    if len(name) <= MAXIMUM_LENGTH and _PLAIN.fullmatch(name):
        return name
    characters: list[str] = []
    for character in unicodedata.normalize("NFKD", name[: 4 * MAXIMUM_LENGTH]):
        if character in _GREEK:
            characters.append(_GREEK[character])
        elif character.isascii():
            characters.append(character if character.isalnum() else "_")
        elif character.isalnum():
            characters.append(f"u{ord(character):04x}")
        elif not unicodedata.combining(character):
            characters.append("_")
    text = re.sub("__+", "_", "".join(characters)).lstrip("_")[:MAXIMUM_LENGTH]
    if not text:
        return "unnamed"
    return text if text[0].isalpha() else f"n{text}"


class Scope:
    """Identifiers of one scope; equal demands get different identifiers, in the order they are made."""

    __slots__ = ("_foreign", "_taken")

    def __init__(self, taken: Iterable[str] = (), foreign: tuple[str, ...] = ()) -> None:
        """Starts a scope.

        Args:
            taken: identifiers that are given away already.
            foreign: beginnings of names that belong to somebody else, such as the module's own in a C file.
        """
        self._taken = set(taken)
        self._foreign = foreign

    def __contains__(self, identifier: str) -> bool:
        return identifier in self._taken

    def claim(self, name: str) -> str:
        """A free identifier that resembles the name as closely as the rules allow."""
        stem = spelled(name)
        if stem.startswith(self._foreign):
            stem = f"own_{stem}" if not f"own_{stem}".startswith(self._foreign) else f"local_{stem}"
        identifier = stem
        if identifier in RESERVED:
            identifier = f"{stem}_"
        number = 1
        stem = stem.rstrip("_")
        while identifier in self._taken or identifier in RESERVED:
            number += 1
            identifier = f"{stem}_{number}"
        self._taken.add(identifier)
        return identifier

    def inside(self, taken: Iterable[str] = ()) -> Scope:
        """A scope within this one: what is given away here, or belongs to others, is not free there."""
        return Scope({*self._taken, *taken}, self._foreign)

    def numbered(self, letter: str, first: int) -> tuple[str, int]:
        """A free identifier made of the letter and a number not below ``first``, and that number."""
        while (identifier := f"{letter}{first}") in self._taken:
            first += 1
        self._taken.add(identifier)
        return identifier, first


def identifier_map(names: Iterable[str], scope: Scope, what: str) -> dict[str, str]:
    """Identifiers of distinct names claimed in order.

    Raises:
        CodegenError: a name occurs twice.
    """
    identifiers: dict[str, str] = {}
    for name in names:
        if name in identifiers:
            raise CodegenError(f"two {what} are named {name!r}", remedy="give each its own name")
        identifiers[name] = scope.claim(name)
    return identifiers
