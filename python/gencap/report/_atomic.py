"""Write a set of files so that a failure leaves none of them half done."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

__all__ = ["write_files"]


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` (relative path to content) below `folder`.

    Everything goes to a hidden folder beside the target first; only complete files are moved in.
    """
    made = _missing_parents(folder)
    folder.mkdir(parents=True, exist_ok=True)
    staging: Path | None = None
    try:
        staging = Path(tempfile.mkdtemp(prefix=".gencap-", dir=folder))
        for name, content in files.items():
            target = staging / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        for name in files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(staging / name, folder / name)
    except BaseException:
        if staging is not None:
            shutil.rmtree(staging, ignore_errors=True)
        for parent in made:
            _remove_if_empty(parent)
        raise
    shutil.rmtree(staging, ignore_errors=True)


def _missing_parents(folder: Path) -> list[Path]:
    """Return the folders that have to be made, innermost first."""
    return [path for path in (folder, *folder.parents) if not path.exists()]


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        pass
