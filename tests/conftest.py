"""Fixtures that every test may use."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from hypothesis import settings

# Shared machines stall; a slow example is no failure.
settings.register_profile("gencap", deadline=None, max_examples=50)
settings.load_profile("gencap")


# A shell that starts the tests in the background makes them deaf to Ctrl-C, and Python then leaves
# it so; tests that send one need ears.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rng() -> np.random.Generator:
    """A fresh generator with a fixed seed."""
    return np.random.default_rng(20130529)
