"""K-ary codes: the generalization capacity is Shannon's capacity (section 4.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import rel_entr

from gencap._parallel import parallel_map
from gencap._progress import Control
from gencap._validation import FloatArray
from gencap.channel import kary_capacity, kary_information, kary_optimal_beta
from gencap.reproduction._result import Experiment, Findings, Row, Setting, Tables, verdict

__all__ = ["EXPERIMENT", "best_information", "shannon_capacity"]

SYMBOLS = range(2, 27)
# Closed forms and smooth maxima in double precision: 1e-9 leaves room for rounding only.
TOLERANCE = 1e-9
# J of a code is below 1e-12 of its limit well before this inverse temperature.
LARGEST_BETA = 60.0


def shannon_capacity(n_symbols: int, error_rate: float) -> float:
    """Capacity of the K-ary symmetric channel from its transition matrix, in bits.

    At the uniform input the divergences D(p(y|x) || p(y)) of all symbols bracket the capacity
    (Blahut and Arimoto): their mean from below, their maximum from above. Both are computed and
    must be one number.
    """
    channel = np.full((n_symbols, n_symbols), error_rate / (n_symbols - 1))
    np.fill_diagonal(channel, 1.0 - error_rate)
    divergences = rel_entr(channel, channel.mean(axis=0)).sum(axis=1) / np.log(2.0)
    if np.ptp(divergences) > TOLERANCE:
        raise ArithmeticError("the uniform input does not maximize the mutual information")
    return float(divergences.mean())


def best_information(n_symbols: int, error_rate: float) -> tuple[float, float]:
    """Return the maximum of J(beta) over beta >= 0 and its place, by search alone (Eq. 54)."""
    betas = np.linspace(0.0, LARGEST_BETA, 601)
    coarse = kary_information(betas, n_symbols, error_rate)
    top = int(np.argmax(coarse))
    if top == 0:
        # The slope at 0 vanishes; a maximum between 0 and the first step would show there.
        inside = kary_information(np.linspace(0.0, betas[1], 101), n_symbols, error_rate)
        if inside.max() <= 0.0:
            return 0.0, 0.0
    found = minimize_scalar(
        lambda beta: -kary_information(float(beta), n_symbols, error_rate),
        bounds=(betas[max(0, top - 1)], betas[min(600, top + 1)]),
        method="bounded",
        options={"xatol": 1e-10},
    )
    return float(-found.fun), float(found.x)


def _error_rates(quick: bool) -> FloatArray:
    """From .001 to .95: logarithmic below .05, even above."""
    n_small, n_large = (7, 19) if quick else (40, 181)
    small = np.geomspace(0.001, 0.05, n_small)
    return np.concatenate([small[:-1], np.linspace(0.05, 0.95, n_large)])


def _compare(n_symbols: int, rates: FloatArray) -> list[dict[str, float]]:
    """All routes to the capacity of one alphabet."""
    rows = []
    for rate in rates.tolist():
        searched, beta = best_information(n_symbols, rate)
        closed_beta = kary_optimal_beta(n_symbols, rate)
        rows.append(
            {
                "n_symbols": n_symbols,
                "error_rate": rate,
                "shannon": shannon_capacity(n_symbols, rate),
                "searched": searched,
                "searched_beta": beta,
                "closed_form": kary_capacity(n_symbols, rate),
                "closed_form_beta": closed_beta,
                "at_closed_form_beta": kary_information(closed_beta, n_symbols, rate),
            }
        )
    return rows


def measure(setting: Setting) -> Findings:
    """Compare search, closed form and Shannon's capacity for every alphabet and error rate."""
    rates = _error_rates(setting.quick)

    def job(n_symbols: int, control: Control) -> list[dict[str, float]]:
        return _compare(n_symbols, rates)

    found = parallel_map(job, SYMBOLS, threads=1, control=setting.control, message="K-ary codes")
    table = pd.DataFrame([row for rows in found for row in rows])
    table["useful"] = table["error_rate"] < 1.0 - 1.0 / table["n_symbols"]
    return Findings(_rows(table), {"capacities": table})


def _rows(table: pd.DataFrame) -> tuple[Row, ...]:
    useful, useless = table[table["useful"]], table[~table["useful"]]
    searched = float((useful["searched"] - useful["shannon"]).abs().max())
    closed = float((useful["closed_form"] - useful["shannon"]).abs().max())
    place = float((useful["at_closed_form_beta"] - useful["searched"]).abs().max())
    above = float(useless[["searched", "closed_form"]].abs().max().max())
    formula = float(useless["shannon"].max())
    return (
        Row(
            "largest |GC - Shannon|, GC by search over beta, delta < 1 - 1/K",
            "0 (Eqs. 55 and 57 are equal)",
            f"{searched:.1e} bits ({len(useful)} channels)",
            verdict(searched < TOLERANCE),
        ),
        Row(
            "largest |GC - Shannon|, GC in closed form, delta < 1 - 1/K",
            "0 (Eqs. 55 and 57 are equal)",
            f"{closed:.1e} bits",
            verdict(closed < TOLERANCE),
        ),
        Row(
            "largest |J(beta*) - maximum of J|, beta* in closed form",
            "beta* maximizes Eq. 54",
            f"{place:.1e} bits",
            verdict(place < TOLERANCE),
        ),
        Row(
            "largest GC for delta >= 1 - 1/K (only beta >= 0 is a temperature)",
            f"Eq. 55 as written, up to {formula:.3f} bits",
            f"{above:.3g} bits ({len(useless)} channels)",
            verdict(above < TOLERANCE, corrected=True),
        ),
    )


def draw(tables: Tables) -> dict[str, Any]:
    """Capacity against error rate for some alphabets."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0, 3.6), layout="constrained")
    axes = figure.subplots()
    table = tables["capacities"]
    for n_symbols in (2, 4, 8, 16, 26):
        rows = table[table["n_symbols"] == n_symbols]
        if len(rows):
            line = axes.plot(rows["error_rate"], rows["searched"], label=f"K = {n_symbols}")[0]
            axes.plot(rows["error_rate"], rows["shannon"], ":", color=line.get_color())
    axes.set(xlabel="error rate", ylabel="bits per symbol")
    axes.legend(title="dotted: Shannon")
    return {"capacities": figure}


EXPERIMENT = Experiment(
    name="kary",
    title="K-ary codes reach Shannon's capacity",
    source="Haghir Chehreghani, PhD thesis, ETH Zurich, 2013, section 4.3 (Eqs. 54 to 57)",
    description=(
        "Two strings over K symbols that differ in a share delta of their places, K = 2 to 26, "
        "delta = .001 to .95. The maximum of J over beta is found by search, compared with its "
        "closed form and with the capacity of the symmetric channel from its transition matrix."
    ),
    measure=measure,
    draw=draw,
)
