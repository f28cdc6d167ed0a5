"""Session files: a zip of one JSON document and plain arrays; no pickle, nothing trusted.

``session.json`` holds the record of commands and the small parts of results, ``arrays/N.npy`` the
arrays it refers to by number. Names, sizes, types and shapes are checked before anything is used.
"""

from __future__ import annotations

import io
import json
import os
import re
import secrets
import struct
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from gencap_gui.codec import BadValueError, decode, encode
from gencap_gui.commands import decode_command, encode_command
from gencap_gui.history import History
from gencap_gui.results import CenterPaths, CurveData, LabelPath, RunKey, RunResult, SplitMark
from gencap_gui.session import Document
from gencap_gui.settings import DataSource, RunTask
from gencap_gui.tasks.data import Loaded

__all__ = ["SUFFIX", "SavedSession", "SessionFileError", "read_session", "write_session"]

SUFFIX = ".gencap"
FORMAT = "gencap-session"
VERSION = 1
MOST_ENTRIES = 20_000
MOST_JSON = 64 * 2**20
MOST_BYTES = 4 * 2**30
# Real numbers compress a few times, repeated ones some hundred times; bombs a thousand times.
MOST_RATIO = 1200
# What unpacking a damaged archive raises.
DAMAGED = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error)
ARRAY_NAME = re.compile(r"arrays/\d{1,6}\.npy")
DTYPES = ("float64", "float32", "int64", "int32", "int16", "uint8", "bool")


class SessionFileError(ValueError):
    """A session file that cannot be read; the message says why."""


@dataclass(frozen=True, eq=False)
class SavedSession:
    """What a session file holds."""

    history: History
    results: list[tuple[RunTask, RunResult]]
    tables: list[Loaded]


# Writing.


class _Shelf:
    """Collects arrays; the JSON document refers to them by number."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray[Any, Any]] = []

    def put(self, array: Any) -> dict[str, int] | None:
        if array is None:
            return None
        self.arrays.append(np.asarray(array))
        return {"array": len(self.arrays) - 1}


def write_session(path: str | os.PathLike[str], saved: SavedSession, *, paths: bool = True) -> None:
    """Write a session file; it appears complete or not at all.

    Without `paths`, the assignments at all temperatures are left out (for quick autosaves).
    """
    shelf = _Shelf()
    document = {
        "format": FORMAT,
        "version": VERSION,
        "start": encode(saved.history.start),
        "commands": [
            {"time": entry.time, "command": encode_command(entry.command)}
            for entry in saved.history.entries
        ],
        "position": saved.history.position,
        "tables": [_table_out(table, shelf) for table in saved.tables],
        "results": [
            {"task": encode(task), "result": _result_out(result, shelf, paths)}
            for task, result in saved.results
        ],
    }
    target = Path(path)
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr("session.json", json.dumps(document))
            for number, array in enumerate(shelf.arrays):
                with archive.open(f"arrays/{number}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _table_out(table: Loaded, shelf: _Shelf) -> dict[str, Any]:
    first, second = (None, None) if table.own is None else table.own
    return {
        "source": encode(table.source),
        "values": shelf.put(table.values),
        "first": shelf.put(first),
        "second": shelf.put(second),
        "names": None if table.names is None else [str(name) for name in table.names],
        "columns": None if table.columns is None else [str(name) for name in table.columns],
        "known": shelf.put(table.known),
        "known_names": list(table.known_names),
        "description": table.description,
        "notes": list(table.notes),
    }


_SCALARS = ("bits", "raw_bits", "bits_sd", "beta", "effective", "seconds")
_VECTORS = ("labels", "second_labels", "confidence", "second_choice")


def _result_out(result: RunResult, shelf: _Shelf, paths: bool) -> dict[str, Any]:
    out: dict[str, Any] = {name: encode(getattr(result, name)) for name in _SCALARS}
    out |= {name: shelf.put(getattr(result, name)) for name in _VECTORS}
    out |= {
        "best_step": result.best_step,
        "optimistic": result.optimistic,
        "plateau": result.plateau,
        "note": result.note,
        "splits": encode(result.splits),
    }
    for name in ("curve", "paths"):
        part = getattr(result, name)
        out[name] = (
            None
            if part is None
            else {f.name: shelf.put(getattr(part, f.name)) for f in fields(part)}
        )
    out["label_path"] = None
    if paths and result.label_path is not None:
        path = result.label_path
        out["label_path"] = {
            "labels": shelf.put(path.labels),
            "confidence": shelf.put(np.round(path.confidence * 255).astype(np.uint8)),
        }
    return out


# Reading.


class _Arrays:
    """The arrays of a file that is being read, each checked for type and shape."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def take(self, data: Any, where: str, kinds: str, shape: tuple[int | None, ...]) -> Any:
        if data is None:
            return None
        number = data.get("array") if isinstance(data, dict) else None
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise BadValueError(f"{where} does not refer to an array")
        name = f"arrays/{number}.npy"
        try:
            raw = self._archive.read(name)
        except KeyError:
            raise BadValueError(f"{where} refers to {name}, which is missing") from None
        array = _parse_array(raw, where)
        if array.dtype.kind not in kinds:
            raise BadValueError(f"{where} has the type {array.dtype}")
        fits = len(array.shape) == len(shape) and all(
            want is None or want == got for want, got in zip(shape, array.shape, strict=True)
        )
        if not fits:
            raise BadValueError(f"{where} has the shape {array.shape}")
        return array


def _parse_array(raw: bytes, where: str) -> np.ndarray[Any, Any]:
    try:
        array = np.lib.format.read_array(io.BytesIO(raw), allow_pickle=False, max_header_size=4096)
    except (ValueError, EOFError, TypeError, SyntaxError, MemoryError, OverflowError) as error:
        raise BadValueError(f"{where} is no plain array ({str(error)[:80]})") from None
    if array.dtype.name not in DTYPES:
        raise BadValueError(f"{where} has the type {array.dtype}")
    return np.ascontiguousarray(array)


def read_session(path: str | os.PathLike[str]) -> SavedSession:
    """Read a session file.

    Raises
    ------
    SessionFileError
        Where the file is missing, damaged, too large, or not what it claims to be.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check_archive(archive)
            return _parse(archive)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise SessionFileError(f"{Path(path).name} is not a readable session: bad JSON") from None
    except (ValueError, EOFError, RuntimeError, *DAMAGED) as error:
        raise SessionFileError(f"{Path(path).name} is not a readable session: {error}") from None
    except OSError as error:
        reason = error.strerror or error
        raise SessionFileError(f"cannot read {Path(path).name}: {reason}") from None


def _check_archive(archive: zipfile.ZipFile) -> None:
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        raise BadValueError(f"it has {len(entries):,} parts; at most {MOST_ENTRIES:,}")
    names = [entry.filename for entry in entries]
    if len(set(names)) != len(names):
        raise BadValueError("it holds two parts of one name")
    total = 0
    for entry in entries:
        if entry.filename != "session.json" and not ARRAY_NAME.fullmatch(entry.filename):
            raise BadValueError(f"it holds an unexpected part {entry.filename[:60]!r}")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BadValueError("it is packed in an unknown way")
        if entry.flag_bits & 1:
            raise BadValueError("it is encrypted")
        if entry.file_size > MOST_RATIO * max(entry.compress_size, 1) + 4096:
            raise BadValueError(f"the part {entry.filename} would blow up when unpacked")
        total += entry.file_size
    if total > MOST_BYTES:
        raise BadValueError(f"it would take {total / 2**30:.1f} GB; at most {MOST_BYTES >> 30} GB")
    if "session.json" not in names:
        raise BadValueError("it has no session.json")
    if archive.getinfo("session.json").file_size > MOST_JSON:
        raise BadValueError("its session.json is too large")


def _parse(archive: zipfile.ZipFile) -> SavedSession:
    document = json.loads(archive.read("session.json"))
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadValueError("it does not say that it is a gencap session")
    if document.get("version") != VERSION:
        raise BadValueError(
            f"it has the version {document.get('version')!r}; this program reads {VERSION}"
        )
    arrays = _Arrays(archive)
    commands = []
    for entry in _list(document, "commands"):
        if not isinstance(entry, dict) or not isinstance(entry.get("time"), str):
            raise BadValueError("a recorded action has no time")
        commands.append((decode_command(entry.get("command")), entry["time"][:40]))
    position = decode(int, document.get("position"), "position")
    start = decode(Document, document.get("start"), "start")
    try:
        history = History.replay(commands, min(position, len(commands)), start)
    except ValueError as error:
        raise BadValueError(f"its record cannot be repeated: {error}") from None
    tables = [_table_in(one, arrays) for one in _list(document, "tables")]
    results = []
    for one in _list(document, "results"):
        if not isinstance(one, dict) or not isinstance(one.get("result"), dict):
            raise BadValueError("a result is no object")
        task = decode(RunTask, one.get("task"), "task")
        results.append((task, _result_in(task.key, one["result"], arrays)))
    return SavedSession(history, results, tables)


def _list(document: dict[str, Any], name: str) -> list[Any]:
    found = document.get(name)
    if not isinstance(found, list):
        raise BadValueError(f"{name} must be a list")
    return found


def _texts(data: Any, where: str, count: int | None) -> Any:
    if data is None:
        return None
    words = decode(tuple[str, ...], data, where)
    if count is not None and len(words) != count:
        raise BadValueError(f"{where} has {len(words)} entries for {count} rows")
    out = np.empty(len(words), dtype=object)
    out[:] = words
    return out


def _table_in(data: Any, arrays: _Arrays) -> Loaded:
    if not isinstance(data, dict):
        raise BadValueError("a table is no object")
    source = decode(DataSource, data.get("source"), "source")
    values = arrays.take(data.get("values"), "values", "f", (None, None))
    first = arrays.take(data.get("first"), "first", "f", (None, None))
    second = arrays.take(data.get("second"), "second", "f", (None, None))
    main = values if values is not None else first
    if main is None or (first is None) != (second is None):
        raise BadValueError("a table has no numbers")
    for part in (values, first, second):
        if part is not None and not (part.size and np.isfinite(part).all()):
            raise BadValueError("a table has missing or infinite numbers")
    rows, columns = main.shape
    if second is not None and len(second) != rows:
        raise BadValueError("the two measurements have different objects")
    known = arrays.take(data.get("known"), "known", "i", (rows,))
    words = decode(tuple[str, ...], data.get("known_names"), "known_names")
    if known is not None and not (-1 <= known.min() and known.max() < len(words)):
        raise BadValueError("known labels have no words")
    return Loaded(
        source,
        values,
        _texts(data.get("names"), "names", rows),
        _texts(data.get("columns"), "columns", columns if values is not None else None),
        known,
        words,
        decode(str, data.get("description"), "description"),
        decode(tuple[str, ...], data.get("notes"), "notes"),
        None if first is None else (first, second),
    )


def _result_in(key: RunKey, data: dict[str, Any], arrays: _Arrays) -> RunResult:
    values: dict[str, Any] = {name: decode(float, data.get(name), name) for name in _SCALARS}
    count: int | None = None
    for name in _VECTORS:
        kinds = "f" if name == "confidence" else "i"
        values[name] = arrays.take(data.get(name), name, kinds, (count,))
        count = count if values[name] is None else len(values[name])
    curve = _arrays_in(data.get("curve"), CurveData, arrays, {})
    steps = None if curve is None else len(curve.beta)
    shapes: dict[str, Any] = {
        "coordinates": (steps, None, 2),
        "groups": (steps, None),
        "masses": (steps, None),
    }
    step = data.get("best_step")
    best = None if step is None else decode(int, step, "best_step")
    if best is not None and not 0 <= best < (steps or 0):
        raise BadValueError("best_step lies outside the curve")
    return RunResult(
        key=key,
        finished=True,
        curve=curve,
        best_step=best,
        paths=_arrays_in(data.get("paths"), CenterPaths, arrays, shapes),
        label_path=_label_path_in(data.get("label_path"), arrays, curve, count),
        splits=decode(tuple[SplitMark, ...], data.get("splits"), "splits"),
        optimistic=decode(bool, data.get("optimistic"), "optimistic"),
        plateau=decode(bool, data.get("plateau"), "plateau"),
        note=decode(str, data.get("note"), "note"),
        **values,
    )


def _arrays_in(data: Any, kind: Any, arrays: _Arrays, shapes: dict[str, Any]) -> Any:
    if data is None:
        return None
    if not isinstance(data, dict):
        raise BadValueError(f"{kind.__name__} is no object")
    parts: dict[str, Any] = {}
    for one in fields(kind):
        shape = shapes.get(one.name, (None if not parts else len(next(iter(parts.values()))),))
        kinds = "i" if one.name == "groups" else "f"
        parts[one.name] = arrays.take(data.get(one.name), one.name, kinds, shape)
        if parts[one.name] is None:
            raise BadValueError(f"{kind.__name__} lacks {one.name}")
    return kind(**parts)


def _label_path_in(
    data: Any, arrays: _Arrays, curve: CurveData | None, count: int | None
) -> LabelPath | None:
    if data is None:
        return None
    if not isinstance(data, dict) or curve is None or count is None:
        raise BadValueError("label_path belongs to no curve")
    shape = (len(curve.beta), count)
    labels = arrays.take(data.get("labels"), "label_path.labels", "i", shape)
    confidence = arrays.take(data.get("confidence"), "label_path.confidence", "u", shape)
    if labels is None or confidence is None:
        raise BadValueError("label_path is incomplete")
    shares = (confidence / np.float32(255)).astype(np.float32)
    return LabelPath(curve.beta, labels.astype(np.int16), shares)


def collect(
    history: History, results: Sequence[tuple[RunTask, RunResult]], tables: Sequence[Loaded]
) -> SavedSession:
    """Freeze what is to be saved, so that it can be written while the session goes on."""
    frozen = History.replay(
        [(entry.command, entry.time) for entry in history.entries],
        history.position,
        history.start,
    )
    return SavedSession(frozen, list(results), list(tables))
