"""A comparison in one file: a zip of JSON and npy, read with care."""

from __future__ import annotations

import io
import json
import math
import os
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gencap._validation import ObjectArray
from gencap.comparison.forecast import Timing
from gencap.comparison.result import Comparison, Solution
from gencap.comparison.table import as_table
from gencap.io import InputError
from gencap.results import VERDICTS, Curve, NullResult

__all__ = ["load", "save"]

FORMAT = "gencap comparison"
VERSION = 1
TEXT = "comparison.json"
NAMES = re.compile(r"comparison\.json|arrays/[0-9]{1,6}\.npy")
# Files come from anywhere: what they may unpack to is bounded.
MOST_BYTES = 2 * 2**30
MOST_TEXT = 256 * 2**20
CURVE = ("beta", "bits", "entropy", "agreement", "n_clusters")
# The same date in every file: equal results are equal bytes.
DATE = (1980, 1, 1, 0, 0, 0)


def save(comparison: Comparison, path: str | os.PathLike[str]) -> Path:
    """Write a comparison to one file, all at once or not at all."""
    path = Path(path)
    arrays: list[Any] = []
    text = json.dumps(_described(comparison, arrays), allow_nan=False, indent=1)
    scratch = path.with_name(path.name + ".part")
    try:
        with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(_entry(TEXT), text)
            for number, array in enumerate(arrays):
                raw = io.BytesIO()
                np.save(raw, array, allow_pickle=False)
                file.writestr(_entry(f"arrays/{number}.npy"), raw.getvalue())
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)
    return path


def load(path: str | os.PathLike[str]) -> Comparison:
    """Read a comparison that was written by `Comparison.save`.

    Parameters
    ----------
    path : path-like
        The file. It may come from anywhere: nothing in it is executed.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        Where the file is missing, damaged, or something else.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=40, variance=1.0, random_state=0)
    >>> found = gencap.compare(data.pair, "centroid", n_clusters=[2, 3, 4], final_draws=0)
    >>> file = found.save(pathlib.Path(tempfile.mkdtemp()) / "study.gencap")
    >>> gencap.load(file).table.equals(found.table)
    True
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path.name} is not a file: name one that Comparison.save has written")
    try:
        with zipfile.ZipFile(path) as file:
            described, arrays = _unpacked(file, path.name)
        return _comparison(described, arrays)
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error):
        raise InputError(
            f"{path.name} is no file of gencap or is damaged: it is not a whole zip archive"
        ) from None
    except (ArithmeticError, EOFError, LookupError, OSError, TypeError, ValueError) as error:
        raise InputError(f"{path.name} is damaged: {type(error).__name__}: {error}") from error
    except RuntimeError as error:  # encrypted, or packed in a foreign way
        raise InputError(f"{path.name} is no file of gencap: {error}") from error


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _unpacked(file: zipfile.ZipFile, name: str) -> tuple[dict[str, Any], list[Any]]:
    entries = file.infolist()
    found = [entry.filename for entry in entries]
    strange = [entry for entry in found if not NAMES.fullmatch(entry)]
    if TEXT not in found or strange or len(set(found)) != len(found):
        what = f"it holds {strange[0]!r}" if strange else f"it has no {TEXT}"
        raise InputError(f"{name} is a zip archive, but no file of gencap: {what}")
    size = sum(entry.file_size for entry in entries)
    if size > MOST_BYTES or file.getinfo(TEXT).file_size > MOST_TEXT:
        raise InputError(
            f"{name} would unpack to {size / 2**30:.1f} GiB, more than gencap reads from a file"
        )
    described = json.loads(file.read(TEXT))
    if not isinstance(described, dict) or described.get("format") != FORMAT:
        raise InputError(f"{name} is a zip archive, but no file of gencap")
    if described.get("format_version") != VERSION:
        raise InputError(
            f"{name} has format version {described.get('format_version')!r}, this gencap reads "
            f"{VERSION}: update gencap"
        )
    arrays = [
        np.load(io.BytesIO(file.read(f"arrays/{number}.npy")), allow_pickle=False)
        for number in range(len(entries) - 1)
    ]
    return described, arrays


def _described(c: Comparison, arrays: list[Any]) -> dict[str, Any]:
    def keep(array: Any) -> int:
        arrays.append(np.asarray(array))
        return len(arrays) - 1

    return {
        "format": FORMAT,
        "format_version": VERSION,
        "versions": c.versions,
        "seed": c.seed,
        "settings": c.settings,
        "verdict": c.verdict,
        "notes": list(c.notes),
        "winner": None if c.winner is None else [_plain(value) for value in c.winner],
        "table": _columns(c.table),
        "split_bits": _columns(c.split_bits),
        "scans": [{"key": list(key), "table": _columns(t)} for key, t in c.scans.items()],
        "curves": [
            {"key": [_plain(part) for part in key], "curve": keep(_stacked(curve))}
            for key, curve in c.curves.items()
        ],
        "solutions": [
            {"key": list(key), **_solution(solution, keep)} for key, solution in c.solutions.items()
        ],
        "null": [
            {"kind": kind, "draws": keep(null.draws), "p_value": null.p_value}
            for kind, null in c.null.items()
        ],
        "corrected": c.corrected,
        "timings": [asdict(timing) for timing in c.timings],
        "names": _listed(c.names),
    }


def _solution(solution: Solution, keep: Any) -> dict[str, Any]:
    return {
        "labels": keep(solution.labels),
        "probabilities": keep(solution.probabilities),
        "confidence": keep(solution.confidence),
        "index": keep(solution.index),
        "n_clusters": solution.n_clusters,
        "shift": _plain(solution.shift),
        "p": _plain(solution.p),
        "beta": _plain(solution.beta),
        "names": _listed(solution.names),
    }


def _stacked(curve: Curve) -> Any:
    return np.stack([getattr(curve, name) for name in CURVE])


def _columns(table: pd.DataFrame) -> dict[str, list[Any]]:
    return {str(name): [_plain(value) for value in table[name]] for name in table}


def _plain(value: Any) -> Any:
    """Return a value that JSON has; NaN becomes null."""
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _listed(names: ObjectArray | None) -> list[Any] | None:
    if names is None:
        return None
    plain = [_plain(name) for name in names]
    return [name if isinstance(name, str | int | float) else str(name) for name in plain]


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _key(parts: list[Any]) -> tuple[str, str, float, int]:
    model, measure, p, k = parts
    return str(model), str(measure), _number(p), int(k)


def _objects(names: list[Any] | None) -> ObjectArray | None:
    if names is None:
        return None
    out = np.empty(len(names), dtype=object)
    out[:] = names
    return out


def _table(columns: Mapping[str, list[Any]]) -> pd.DataFrame:
    """Return a table of text and numbers; numbers that are missing are NaN."""
    frame = pd.DataFrame(dict(columns))
    for name in frame:
        if frame[name].isna().any():
            frame[name] = frame[name].astype(np.float64)
    return frame


def _comparison(described: Mapping[str, Any], arrays: list[Any]) -> Comparison:
    if described["verdict"] not in VERDICTS:
        raise InputError(f"the verdict {described['verdict']!r} is unknown: update gencap")
    winner = described["winner"]
    return Comparison(
        table=as_table(described["table"]),
        split_bits=_table(described["split_bits"]).astype({"p": np.float64}),
        scans={(a, b): _table(s["table"]) for s in described["scans"] for a, b in [s["key"]]},
        curves={_key(item["key"]): Curve(*arrays[item["curve"]]) for item in described["curves"]},
        solutions={
            (a, b): _read_solution(item, arrays)
            for item in described["solutions"]
            for a, b in [item["key"]]
        },
        winner=None if winner is None else _key(winner),
        null={
            item["kind"]: NullResult(item["kind"], arrays[item["draws"]], float(item["p_value"]))
            for item in described["null"]
        },
        corrected={str(kind): float(p) for kind, p in described["corrected"].items()},
        verdict=described["verdict"],
        settings=dict(described["settings"]),
        versions=dict(described["versions"]),
        seed=int(described["seed"]),
        notes=tuple(str(note) for note in described["notes"]),
        timings=tuple(_timing(item) for item in described["timings"]),
        names=_objects(described["names"]),
    )


def _timing(item: Mapping[str, Any]) -> Timing:
    model, measure, p = item["kind"]
    return Timing(
        (str(model), str(measure), str(p)),
        str(item["role"]),
        float(item["seconds"]),
        float(item["units"]),
        int(item["tasks"]),
    )


def _read_solution(item: Mapping[str, Any], arrays: list[Any]) -> Solution:
    return Solution(
        labels=arrays[item["labels"]],
        probabilities=arrays[item["probabilities"]],
        confidence=arrays[item["confidence"]],
        n_clusters=int(item["n_clusters"]),
        shift=_number(item["shift"]),
        p=_number(item["p"]),
        names=_objects(item["names"]),
        index=arrays[item["index"]],
        beta=_number(item["beta"]),
    )
