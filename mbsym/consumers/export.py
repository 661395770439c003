"""From a model to the files of a consumer: the module in C, its manifest, and what stands around it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Unpack

from mbsym.codegen.interface import GeneratedFile, print_files
from mbsym.codegen.manifest import BOUNDS_SUFFIXES, CERTIFICATE_SUFFIXES, SAFETY_SUFFIXES, manifest_file
from mbsym.codegen.write import write_files
from mbsym.consumers.consumer import Exported, ExportOptions, require_free
from mbsym.consumers.registry import CONSUMERS
from mbsym.errors import CodegenError
from mbsym.option import takes
from mbsym.options.exclusions import facts_of, require_compatible
from mbsym.options.generation import GenerationOptions, chosen
from mbsym.options.keywords import OfModules
from mbsym.pipeline import derive, describe, express, proven, read
from mbsym.registry import available_functions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbsym.model.system import Model
    from mbsym.pipeline import Progress

FIELD: Final = "export"
"""Of the manifest: for whom the module was generated."""


@dataclass(frozen=True, slots=True)
class Export:
    """Files that were written for a consumer.

    Attributes:
        paths: in the order in which they were written.
        notes: what is not there, and why.
    """

    paths: tuple[Path, ...]
    notes: tuple[str, ...]


def export_files(
    source: Model | str | Path, consumer: str, options: ExportOptions, progress: Progress | None = None
) -> tuple[Exported, tuple[GeneratedFile, ...]]:
    """The texts of an export, the manifest last; nothing is written.

    Raises:
        MbsymError: the model or a name is unusable, or the consumer cannot express what is asked for.
    """
    record = CONSUMERS.named(consumer)
    options = record.accepted(options)
    mechanism = express(read(source), options.generation)
    facts = facts_of(available_functions(mechanism, options.generation.formulation), options.generation)
    require_compatible(options.generation, facts, record.excludes)
    request = record.request(mechanism, options)
    # What stands around a module calls functions that are written out.
    generation = replace(
        options.generation,
        languages=("c",),
        style="straight",
        functions=request.functions,
        derivatives=request.derivatives,
        compressed=request.compressed,
        batch=request.batch,
    )
    derivation = derive(mechanism, generation, progress)
    description = describe(derivation, generation)
    description = replace(description, manifest={**description.manifest, FIELD: record.name})
    exported = Exported(proven(derivation, description, generation), derivation, options, request.plans)
    # The last one is the manifest of the module without what stands around it.
    files = [*print_files(exported.module, generation.languages)[:-1], *record.files(exported)]
    return exported, (*files, manifest_file(exported.module, files))


@takes(GenerationOptions, OfModules)
def export(
    source: Model | str | Path,
    consumer: str,
    directory: str | Path = ".",
    *,
    settings: Mapping[str, str] | None = None,
    force: bool = False,
    progress: Progress | None = None,
    **options: Unpack[OfModules],
) -> Export:
    """Generates C for a model with what a consumer needs around it, whole or not at all.

    Args:
        source: a model, a model file, or the name of a bundled example.
        consumer: name from ``consumers.registry.CONSUMERS``.
        directory: where the files go; it may hold no module that was generated for something else.
        **options: see below.
        settings: of the consumer.
        force: overwrite files that mbsym did not write, and modules of other purposes.
        progress: told of each step.

    No functions stand for those that the consumer asks for.

    Raises:
        MbsymError: the model, a name or the directory is unusable, or the consumer cannot express what is asked for;
            nothing is written then.
    """
    asked = ExportOptions(chosen(options), dict(settings or {}))
    return export_as(source, consumer, directory, asked, force=force, progress=progress)


def export_as(
    source: Model | str | Path,
    consumer: str,
    directory: str | Path,
    options: ExportOptions,
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> Export:
    """What ``export`` does, with its options in one.

    Raises:
        MbsymError: see there.
    """
    exported, files = export_files(source, consumer, options, progress)
    if not force:
        _require_own(Path(directory), f"{exported.name}.json", consumer)
    record = CONSUMERS[consumer]
    archive = record.archive(exported, files) if record.archive is not None else None
    if archive is not None:
        require_free(Path(directory) / archive.name, force)
    suffixes = (*CERTIFICATE_SUFFIXES, *BOUNDS_SUFFIXES, *SAFETY_SUFFIXES)
    outdated = [f"{exported.name}{suffix}" for suffix in suffixes]
    binary = {} if archive is None else {archive.name: archive.content}
    paths = write_files(directory, files, force=force, outdated=outdated, binary=binary)
    return Export(paths, tuple(record.notes(exported)))


def _require_own(directory: Path, manifest: str, consumer: str) -> None:
    """Requires that no module of the name was generated there for something else.

    Raises:
        CodegenError: one was: its files would be overwritten, and what was written around it would not link any more.
    """
    file = directory / manifest
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    if not isinstance(content, dict) or content.get(FIELD) == consumer:
        return
    purpose = f"for {content[FIELD]}" if FIELD in content else "by mbsym generate"
    raise CodegenError(
        f"here stands a module of this name that was generated {purpose}",
        where=str(file),
        remedy="export into a directory of its own, or give it another `prefix`; `force` overwrites it",
    )
