"""The desktop application of gencap: it shows and asks, the library computes."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
