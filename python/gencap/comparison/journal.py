"""Every finished task is written down at once, so that an interrupted run can go on."""

from __future__ import annotations

import base64
import io
import json
import os
import threading
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from gencap.comparison.tasks import Outcome
from gencap.io import InputError

__all__ = ["FILE", "Journal"]

FILE = "journal.jsonl"
FORMAT = 1
# What follows the checksum of the first line.
BEGINNING = b'{"gencap journal"'


class Journal:
    """Outcomes of tasks by key, kept in memory and, with a folder, in a file.

    The file has one line per record: a checksum, a blank, a JSON value. A line that was cut off
    when the process died does not fit its checksum and is dropped, with all that follows.

    Parameters
    ----------
    folder : Path or None
        Where ``journal.jsonl`` lies; None keeps everything in memory only.
    plan : mapping
        What decides about outcomes. A journal of another plan is refused.
    """

    def __init__(self, folder: Path | None, plan: Mapping[str, Any]) -> None:
        self._known: dict[str, Outcome] = {}
        self._lock = threading.Lock()
        self._file: IO[bytes] | None = None
        self.resumed = 0
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        self._open(folder / FILE, json.loads(json.dumps(plan, sort_keys=True)))

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def __getitem__(self, key: str) -> Outcome:
        return self._known[key]

    def __len__(self) -> int:
        return len(self._known)

    def add(self, outcome: Outcome) -> None:
        """Write an outcome down; when this returns it is on the disk."""
        with self._lock:
            self._known[outcome.key] = outcome
            if self._file is not None:
                self._write(_as_json(outcome))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _open(self, path: Path, plan: dict[str, Any]) -> None:
        whole = 0
        if path.exists():
            records, whole = _read(path)
            if records:
                _check_plan(path, records[0], plan)
                for record in records[1:]:
                    outcome = _from_json(record)
                    self._known[outcome.key] = outcome
        self.resumed = len(self._known)
        self._file = path.open("ab")
        # What was cut off must not stand before the next record.
        self._file.truncate(whole)
        self._file.seek(whole)
        if whole == 0:
            self._write({"gencap journal": FORMAT, "plan": plan})

    def _write(self, record: Mapping[str, Any]) -> None:
        assert self._file is not None
        text = json.dumps(record).encode()
        self._file.write(b"%08x %s\n" % (zlib.crc32(text), text))
        self._file.flush()
        os.fsync(self._file.fileno())


def _read(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the whole records of a journal and where they end."""
    records: list[dict[str, Any]] = []
    end = 0
    with path.open("rb") as file:
        for line in file:
            check, _, text = line.rstrip(b"\n").partition(b" ")
            if not line.endswith(b"\n") or check != b"%08x" % zlib.crc32(text):
                break
            records.append(json.loads(text))
            end += len(line)
    if end == 0 and path.stat().st_size > 0 and not _began(path):
        raise InputError(
            f"{path.name} in the output folder is no journal of gencap: move it away or choose "
            "another folder"
        )
    return records, end


def _began(path: Path) -> bool:
    """Whether a file could be a journal whose first line was cut off."""
    raw = path.read_bytes()
    start = raw[9 : 9 + len(BEGINNING)]
    return b"\n" not in raw and start == BEGINNING[: len(start)]


def _check_plan(path: Path, header: Mapping[str, Any], plan: Mapping[str, Any]) -> None:
    if header.get("gencap journal") != FORMAT:
        raise InputError(
            f"{path.name} was written by another version of gencap: move it away or choose another "
            "output folder"
        )
    old = header["plan"]
    differing = [name for name in plan if old.get(name) != plan[name]]
    differing += [name for name in old if name not in plan]
    if differing:
        raise InputError(
            f"{path.name} in the output folder belongs to another comparison: "
            + "; ".join(_difference(name, old, plan) for name in differing)
            + ". Use the same settings to go on with it, remove it to begin anew, or choose "
            "another output folder"
        )


def _difference(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    if name == "data":
        return "the data differ"
    one, two = (json.dumps(plan.get(name)) for plan in (old, new))
    if max(len(one), len(two)) > 80:
        return f"{name} differ"
    return f"{name} was {one}, now it is {two}"


def _as_json(outcome: Outcome) -> dict[str, Any]:
    return {
        "key": outcome.key,
        "seconds": outcome.seconds,
        "shift": outcome.shift,
        "runs": outcome.runs,
        "arrays": {name: _packed(array) for name, array in outcome.arrays.items()},
    }


def _from_json(record: Mapping[str, Any]) -> Outcome:
    arrays = {name: _unpacked(text) for name, text in record["arrays"].items()}
    return Outcome(record["key"], record["seconds"], record["shift"], record["runs"], arrays)


def _packed(array: Any) -> str:
    raw = io.BytesIO()
    np.save(raw, array, allow_pickle=False)
    return base64.b64encode(zlib.compress(raw.getvalue(), 1)).decode("ascii")


def _unpacked(text: str) -> Any:
    raw = zlib.decompress(base64.b64decode(text))
    return np.load(io.BytesIO(raw), allow_pickle=False)
