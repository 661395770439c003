"""Writes the exemplars in generated/ and their index anew, with the `mbsym` found first on the path.

Everything is generated in a scratch directory. Of a small exemplar the whole module is kept, of a large one only the
manifest, which holds the hashes of the files left out. A certificate stays as it is for as long as it is about the very
bytes that are generated; otherwise `mbsym verify` writes it anew.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

GENERATED = Path(__file__).resolve().parents[1] / "generated"
MODULE = ("c", "h", "py", "json")
CERTIFICATE = ("certificate.md", "certificate.json")
FUNCTIONS_OF_THE_INDEX = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "bias_force", "constraint_jacobian")


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A bundled example in ``generated/``.

    Attributes:
        name: The example's, and the directory's.
        worth: What to look at in it, for the index.
        options: Further options of ``mbsym generate``.
        whole: Whether code is kept, or only manifest and certificate.
    """

    name: str
    worth: str
    options: str = ""
    whole: bool = True

    @property
    def kept(self) -> tuple[str, ...]:
        """The names of the files in its directory."""
        suffixes = (*(MODULE if self.whole else ("json",)), *CERTIFICATE)
        return tuple(f"{self.name}.{suffix}" for suffix in suffixes)

    def command(self, directory: str) -> list[str]:
        """The command that generates it into ``directory``."""
        return ["mbsym", "generate", self.name, "-o", directory, *shlex.split(self.options)]


EXEMPLARS = (
    Exemplar(
        "double_pendulum",
        "Start here: a module that can be read in one sitting. All parameters are run-time arguments; the header opens"
        " with the roadmap; intermediate values say quantity and body (`w2_z`, `f2_x`); NumPy has the same functions.",
    ),
    Exemplar(
        "puma560",
        "A six-axis arm with all numbers folded in, as a controller would have it: straight-line C in sections, one a"
        " recursion.",
    ),
    Exemplar(
        "slider_crank",
        "A closed loop with run-time parameters: `closed_form_position` solves the loop, `actuated_inverse_dynamics`"
        " gives the motor's torque.",
    ),
    Exemplar(
        "four_bar",
        "A planar linkage of ordinary spatial joints, which nobody declares planar: the header says which three of the"
        " five closure equations follow from the others.",
    ),
    Exemplar(
        "five_bar",
        "Two motors on one loop: `project_position`, `project_velocity` and `constrained_dynamics` show what iterates"
        " and what is derived.",
    ),
    Exemplar(
        "rhombus_planar",
        "Six bars, four of them in a loop that passes through singular configurations: the planar case of the transfer"
        " matrix papers.",
        whole=False,
    ),
    Exemplar(
        "rhombus_spatial",
        "The same bars on spherical joints: the manifest names the quaternions in each argument.",
        whole=False,
    ),
    Exemplar(
        "space_robot",
        "The constraint force algorithm on its paper's free-floating robot with two arms: all joint wrenches at the"
        " cost of the motion.",
        options="--formulation cfa",
        whole=False,
    ),
    Exemplar(
        "stewart_platform",
        "Six legs, five loops: what the motion and all joint wrenches of a parallel robot cost.",
        options="--function constrained_dynamics --function joint_wrenches",
        whole=False,
    ),
    Exemplar(
        "driver_cab_motion",
        "The driver in his cab, six loops: mass matrix, bias forces and closure equations of a large system.",
        options="--function mass_matrix --function bias_force --function constraint_residual"
        " --function constraint_jacobian --function constraint_bias",
        whole=False,
    ),
)


def run(command: list[str]) -> None:
    """Runs a command; its failure ends the script."""
    print("+", shlex.join(command), flush=True)
    subprocess.run(command, check=True)


def is_about(certificate: Path, directory: Path, name: str) -> bool:
    """Whether a certificate is about the bytes of the module ``name`` in ``directory``."""
    if not certificate.is_file():
        return False
    hashes = {
        f"{name}.{suffix}": sha256((directory / f"{name}.{suffix}").read_bytes()).hexdigest() for suffix in MODULE
    }
    return json.loads(certificate.read_text(encoding="utf-8"))["files"] == hashes


def write(exemplar: Exemplar, scratch: Path) -> None:
    """Generates an exemplar in ``scratch`` and copies what is kept of it."""
    fresh, kept = scratch / exemplar.name, GENERATED / exemplar.name
    run([*exemplar.command(str(fresh)), "--force"])
    kept.mkdir(exist_ok=True)
    if is_about(kept / f"{exemplar.name}.certificate.json", fresh, exemplar.name):
        for suffix in CERTIFICATE:
            name = f"{exemplar.name}.{suffix}"
            (fresh / name).write_bytes((kept / name).read_bytes())
    else:
        run(["mbsym", "verify", str(fresh)])
    # What is no longer generated must not survive.
    for path in kept.iterdir():
        path.unlink()
    for name in exemplar.kept:
        (kept / name).write_bytes((fresh / name).read_bytes())


def operations(function: dict[str, dict[str, int]]) -> int:
    """The additions, subtractions, multiplications and divisions of a function in a manifest."""
    return sum(function["operations"][kind] for kind in ("add", "mul", "div"))


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def size_row(exemplar: Exemplar) -> str:
    """The row of the table of sizes, from the manifest."""
    manifest = json.loads((GENERATED / exemplar.name / f"{exemplar.name}.json").read_text(encoding="utf-8"))
    counts = {function["name"]: operations(function) for function in manifest["functions"]}
    cut = sum(joint["cut"] for joint in manifest["joints"])
    symbolic = sum(parameter["symbolic"] for parameter in manifest["parameters"])
    return row(
        [
            f"[{exemplar.name}]({exemplar.name})",
            manifest["formulation"],
            str(len(manifest["bodies"])),
            f"{len(manifest['joints'])} ({cut})",
            str(manifest["nq"]),
            str(manifest["nv"]),
            str(symbolic),
            str(len(counts)),
            *(str(counts.get(name, "")) for name in FUNCTIONS_OF_THE_INDEX),
        ]
    )


def link(exemplar: Exemplar, suffix: str, text: str) -> str:
    return f"[{text}]({exemplar.name}/{exemplar.name}.{suffix})"


def index() -> str:
    """The text of ``generated/README.md``, from the manifests that stand beside it."""
    headings = ["exemplar", "formulation", "bodies", "joints (cut)", "q", "v", "run-time parameters", "functions"]
    headings += [f"`{name}`" for name in FUNCTIONS_OF_THE_INDEX]
    lines = [
        "# Generated exemplars",
        "",
        "What `mbsym generate` writes for bundled examples, and the certificates that `mbsym verify` wrote about these",
        "bytes. Never edited by hand: `make generated` writes this directory and this page, and the continuous check",
        "requires that nothing changes by it.",
        "",
        "## What to look at",
        "",
    ]
    for exemplar in EXEMPLARS:
        files = [("c", "C"), ("h", "header"), ("py", "NumPy")] if exemplar.whole else []
        files += [("json", "manifest"), ("certificate.md", "certificate")]
        lines += [
            f"### {exemplar.name}",
            "",
            exemplar.worth,
            "",
            " · ".join(link(exemplar, suffix, text) for suffix, text in files),
            "",
        ]
    lines += [
        "## Sizes",
        "",
        "Operations are + - * / of single functions, as the manifests count them.",
        "",
        row(headings),
        row(["---"] * 2 + ["---:"] * (len(headings) - 2)),
        *(size_row(exemplar) for exemplar in EXEMPLARS),
        "",
        "## Left out",
        "",
        "Of the large ones only manifest and certificate stand here; both hold the hashes of the files left out, which",
        "these lines write:",
        "",
        "```sh",
        *(shlex.join(exemplar.command(f"build/{exemplar.name}")) for exemplar in EXEMPLARS if not exemplar.whole),
        "```",
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Writes all exemplars and the index; 1 if something else stands in ``generated/``."""
    known = {exemplar.name for exemplar in EXEMPLARS} | {"README.md"}
    strangers = sorted(path.name for path in GENERATED.iterdir() if path.name not in known)
    if strangers:
        print(f"no exemplars; remove them or list them in {__file__}: {', '.join(strangers)}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as scratch:
        for exemplar in EXEMPLARS:
            write(exemplar, Path(scratch))
    (GENERATED / "README.md").write_text(index(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
