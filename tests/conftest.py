"""Fixtures that every test may use."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import settings

# Shared machines stall; a slow example is no failure.
settings.register_profile("gencap", deadline=None, max_examples=50)
settings.load_profile("gencap")


@pytest.fixture
def rng() -> np.random.Generator:
    """A fresh generator with a fixed seed."""
    return np.random.default_rng(20130529)
