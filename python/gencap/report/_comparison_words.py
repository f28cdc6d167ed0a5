"""A comparison in words: the verdict, how far ahead the winner is, what to be careful about."""

from __future__ import annotations

import math

from gencap.report._canvas import NULL_NAMES
from gencap.report._compared import ComparisonLike, candidate_title, row_title
from gencap.report.words import amount, p_value

__all__ = ["comparison_sentence", "comparison_warnings", "lead_sentence"]

# Below this a paired difference over splits counts as more than noise.
LEVEL = 0.05


def comparison_sentence(comparison: ComparisonLike) -> str:
    """Return one sentence that answers the question, with every number it rests on."""
    if comparison.winner is None:
        return "No model could be measured on these data; the notes say why."
    ranked = comparison.ranking("candidate")
    model, measure, p, k = comparison.winner
    row = comparison.table
    row = row[(row["model"] == model) & (row["measure"] == measure) & (row["n_clusters"] == k)]
    mine = row[row["p"].isna()] if math.isnan(p) else row[row["p"] == p]
    best = mine.iloc[0] if len(mine) else ranked.iloc[0]
    found = amount(float(best["bits"]), float(best["bits_sd"]))
    nulls = "; ".join(
        f"{NULL_NAMES.get(kind, kind)}: {amount(n.bits, n.bits_sd)}, {p_value(n)}"
        for kind, n in comparison.null.items()
    )
    after = f" (without such structure: {nulls})" if nulls else ""
    name = candidate_title(model, measure, p)
    head = f"{name} with {int(k)} clusters carries {found} per object"
    match comparison.verdict:
        case "clusters":
            return f"{head}, more than any structureless twin of the data explains{after}."
        case "continuum":
            return (
                f"{head}, but a smooth gradient without any clusters would look as good{after}; "
                "read the groups as sections of a continuum."
            )
        case "structure":
            return f"{head}, more than the same edges in random places give{after}."
        case "uncalibrated":
            return f"{head}; draw the nulls before calling them real{after}."
        case _:
            return (
                f"The most that any model and measure reached is {found} per object "
                f"({name}, K = {int(k)}){after}: no more than chance gives."
            )


def lead_sentence(comparison: ComparisonLike) -> str:
    """Return how far the best candidate is ahead of the next, and whether that is more than noise.

    Both are compared on the same splits, each at its chosen number of clusters.
    """
    ranked = comparison.ranking("candidate")
    if len(ranked) < 2:
        return ""
    names = ranked["candidate"].tolist()
    pairs = comparison.differences()
    mine = pairs[(pairs["first"] == names[0]) & (pairs["second"] == names[1])]
    if not len(mine):
        return ""
    row = mine.iloc[0]
    second = row_title(ranked.iloc[1])
    gap, n = float(row["difference"]), int(row["n"])
    if n < 2 or not math.isfinite(float(row["p_value"])):
        return (
            f"It is {gap:.2f} bits ahead of {second}; with a single split nobody can say whether "
            "that is more than noise."
        )
    sure = float(row["p_value"]) < LEVEL
    verdict = (
        "more than the noise of the splits"
        if sure
        else "within the noise of the splits, so read the two as equally good"
    )
    return (
        f"It is {gap:.2f} ± {float(row['se']):.2f} bits ahead of {second} (paired over {n} splits, "
        f"p = {float(row['p_value']):.2g}): {verdict}."
    )


def comparison_warnings(comparison: ComparisonLike) -> list[str]:
    """Return everything a reader should know before trusting the numbers."""
    found = list(comparison.notes)
    words = " ".join(found).lower()
    table = comparison.table
    if len(table) and bool(table["optimistic"].any()) and "optimistic" not in words:
        found.append(
            "Optimistic pairing: the two measurements were paired by proximity, not by identity. "
            "This inflates the bits; treat them as an upper bound."
        )
    if comparison.winner is not None and comparison.verdict != "none":
        largest = int(table["n_clusters"].max())
        if int(comparison.winner[3]) == largest and largest > 1 and "largest" not in words:
            found.append(
                f"The winner's K = {largest} is the largest number of clusters tried; try more "
                "to see where the capacity stops rising."
            )
    if comparison.verdict == "uncalibrated" and "null" not in words:
        found.append("No null distribution was drawn: structure and chance were not compared.")
    return found
