"""Frozen values to JSON and back; what comes in is untrusted and checked field by field."""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

__all__ = ["BadValueError", "decode", "encode"]

T = TypeVar("T")
MOST_ITEMS = 1_000_000
MOST_TEXT = 100_000


class BadValueError(ValueError):
    """A value from a file that does not have the form it should have."""


def encode(value: Any) -> Any:
    """Turn a frozen value into what JSON can hold; dataclasses become objects."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, frozenset | set):
        return sorted(encode(one) for one in value)
    if isinstance(value, tuple | list):
        return [encode(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(value)}
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"cannot save a {type(value).__name__}")


def decode(kind: type[T], data: Any, where: str = "value") -> T:
    """Build a value of type `kind` from JSON data, or raise `BadValueError` saying where."""
    return typing.cast(T, _decode(kind, data, where))


def _decode(kind: Any, data: Any, where: str) -> Any:
    origin = get_origin(kind)
    if origin is Literal:
        if data not in get_args(kind) or isinstance(data, list | dict):
            raise BadValueError(f"{where} must be one of {get_args(kind)}: got {_short(data)}")
        return data
    if origin in (Union, types.UnionType):
        return _decode_union(kind, data, where)
    if origin in (tuple, frozenset):
        return _decode_sequence(kind, origin, data, where)
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, data, where)
    return _decode_scalar(kind, data, where)


def _decode_union(kind: Any, data: Any, where: str) -> Any:
    options = [one for one in get_args(kind) if one is not type(None)]
    if data is None:
        if len(options) == len(get_args(kind)):
            raise BadValueError(f"{where} is missing")
        return None
    reasons = []
    for option in options:
        try:
            return _decode(option, data, where)
        except BadValueError as error:
            reasons.append(str(error))
    raise BadValueError("; ".join(reasons))


def _decode_sequence(kind: Any, origin: Any, data: Any, where: str) -> Any:
    if not isinstance(data, list):
        raise BadValueError(f"{where} must be a list: got {_short(data)}")
    if len(data) > MOST_ITEMS:
        raise BadValueError(f"{where} has {len(data):,} items; at most {MOST_ITEMS:,}")
    parts = get_args(kind)
    if origin is frozenset or (len(parts) == 2 and parts[1] is Ellipsis):
        return origin(_decode(parts[0], one, f"{where}[{i}]") for i, one in enumerate(data))
    if len(data) != len(parts):
        raise BadValueError(f"{where} must have {len(parts)} items: got {len(data)}")
    return tuple(
        _decode(part, one, f"{where}[{i}]")
        for i, (part, one) in enumerate(zip(parts, data, strict=True))
    )


def _decode_dataclass(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, Mapping):
        raise BadValueError(f"{where} must be an object: got {_short(data)}")
    hints = get_type_hints(kind)
    fields = {f.name: f for f in dataclasses.fields(kind)}
    unknown = set(data) - set(fields)
    if unknown:
        raise BadValueError(f"{where} has the unknown field {sorted(unknown)[0]!r}")
    values = {}
    for name, one in fields.items():
        if name in data:
            values[name] = _decode(hints[name], data[name], f"{where}.{name}")
        elif one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING:
            raise BadValueError(f"{where} lacks the field {name!r}")
    try:
        return kind(**values)
    except ValueError as error:
        raise BadValueError(f"{where}: {error}") from None


def _decode_scalar(kind: Any, data: Any, where: str) -> Any:
    if kind is float:
        if isinstance(data, Mapping) and data.get("float") in ("nan", "inf", "-inf"):
            return float(data["float"])
        if isinstance(data, int | float) and not isinstance(data, bool):
            return float(data)
    elif kind is int:
        if isinstance(data, int) and not isinstance(data, bool) and abs(data) < 2**63:
            return data
    elif kind is bool:
        if isinstance(data, bool):
            return data
    elif kind is str:
        if isinstance(data, str) and len(data) <= MOST_TEXT:
            return data
    else:
        raise TypeError(f"no rule to read a {kind!r}")
    raise BadValueError(f"{where} must be of type {kind.__name__}: got {_short(data)}")


def _short(data: Any) -> str:
    text = repr(data)
    return text if len(text) <= 40 else text[:37] + "..."
