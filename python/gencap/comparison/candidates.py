"""What is compared: a model with a measure and, for cuts, a power."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from gencap._validation import check_choice
from gencap.annealing import Annealing
from gencap.models import (
    AdaptiveRatioCut,
    AnnealedClusterer,
    CentroidClustering,
    CorrelationClustering,
    DominantSets,
    GaussianMixture,
    GraphClusterer,
    MaxCut,
    NormalizedCut,
    PairwiseClustering,
)

__all__ = ["KEYS", "MEASURES", "Candidate", "make_candidates"]

KEYS: dict[str, type[Any]] = {
    "centroid": CentroidClustering,
    "gaussian": GaussianMixture,
    "pairwise": PairwiseClustering,
    "normalized_cut": NormalizedCut,
    "ratio_cut": AdaptiveRatioCut,
    "correlation": CorrelationClustering,
    "max_cut": MaxCut,
    "dominant_sets": DominantSets,
}
VECTOR_MODELS = ("centroid", "gaussian")
DEFAULT_GRAPH_MODELS = ("pairwise", "normalized_cut", "ratio_cut", "correlation", "dominant_sets")
DEFAULT_MODELS = ("centroid", *DEFAULT_GRAPH_MODELS)

MEASURES = ("euclidean", "sqeuclidean", "pearson", "cosine", "inner", "path", "precomputed")
DEFAULT_MEASURES = ("sqeuclidean", "pearson", "path")
# Ratio Cut proper, and the power that keeps single objects from being cut off.
DEFAULT_POWERS = (1.2, 2.0)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A model as it is compared, complete but for the number of clusters and the shift.

    Parameters
    ----------
    model : str
        Its name in the table.
    measure : str
        How objects are compared; empty for models of vectors.
    p : float
        Power of the cut; NaN where there is none.
    template : estimator
        Never fitted, only cloned.
    """

    model: str
    measure: str
    p: float
    template: Any

    @property
    def is_graph(self) -> bool:
        """Whether it is annealed on similarities."""
        return isinstance(self.template, GraphClusterer)

    @property
    def is_annealed(self) -> bool:
        """Whether it has a temperature."""
        sampled = getattr(self.template, "solver", "") == "simulated_annealing"
        return isinstance(self.template, AnnealedClusterer | GraphClusterer) and not sampled

    @property
    def needs_similarity(self) -> bool:
        """Whether it works on similarities."""
        return isinstance(self.template, GraphClusterer | DominantSets)

    @property
    def shift_rule(self) -> str:
        """How the shift of similarities is found: "", "given", "nonnegative" or "scan"."""
        if not self.needs_similarity or not hasattr(self.template, "shift"):
            return ""
        if isinstance(self.template.shift, str):
            return "scan" if isinstance(self.template, CorrelationClustering) else "nonnegative"
        return "given"

    @property
    def kind(self) -> tuple[str, str, str]:
        """Model, measure and power as words: what a timing belongs to."""
        return self.model, self.measure, f"{self.p:g}"

    def describe(self) -> str:
        """Return everything that decides about results, as text."""
        params = self.template.get_params(deep=False)
        hidden = {"n_clusters", "n_jobs", "random_state"} if self._is_ours() else {"n_jobs"}
        listed = ", ".join(f"{k}={params[k]!r}" for k in sorted(params) if k not in hidden)
        kind = type(self.template)
        return f"{kind.__module__}.{kind.__qualname__}({listed})"

    def estimator(self, n_clusters: int, shift: float | None, threads: int) -> Any:
        """Return the estimator for one number of clusters and, where it has one, a shift."""
        settings: dict[str, Any] = {"n_clusters": n_clusters}
        if self._is_ours():
            settings["n_jobs"] = threads
        if shift is not None:
            settings["shift"] = shift
        return clone(self.template).set_params(**settings)

    def _is_ours(self) -> bool:
        return isinstance(self.template, AnnealedClusterer | GraphClusterer | DominantSets)


def make_candidates(
    models: Iterable[Any] | None,
    measures: Iterable[str] | None,
    powers: Iterable[float] | None,
    *,
    n_init: int,
    annealing: Annealing | None,
    graphs: bool,
) -> list[Candidate]:
    """Combine models, measures and powers; estimators keep the measure and power they have.

    With `graphs` the data are similarities already.
    """
    if models is None:
        models = DEFAULT_GRAPH_MODELS if graphs else DEFAULT_MODELS
    chosen = [models] if isinstance(models, str) or hasattr(models, "get_params") else list(models)
    if not chosen:
        raise ValueError(f"models must name at least one model: got none; choose from {list(KEYS)}")
    compared = _measures(measures, graphs)
    cuts = [float(p) for p in (DEFAULT_POWERS if powers is None else powers)]
    if not cuts:
        raise ValueError(
            "powers must name at least one power: got none; leave it out for 1.2 and 2"
        )
    found: list[Candidate] = []
    for model in chosen:
        if isinstance(model, str):
            check_choice(model, "models", KEYS)
            found += _named(model, compared, cuts, n_init, annealing)
        else:
            found.append(_given(model, graphs))
    return _distinct(found)


def _measures(measures: Iterable[str] | None, graphs: bool) -> list[str]:
    if measures is None:
        return ["precomputed"] if graphs else list(DEFAULT_MEASURES)
    listed = [measures] if isinstance(measures, str) else list(measures)
    if not listed:
        raise ValueError(
            f"measures must name at least one measure: got none; choose from {MEASURES}"
        )
    for measure in listed:
        check_choice(measure, "measures", MEASURES)
        if graphs and measure != "precomputed":
            raise ValueError(
                f"measures is {measure!r}, but the data are similarities already: leave measures "
                "out, or pass the vectors they were made of"
            )
        if not graphs and measure == "precomputed":
            raise ValueError(
                "measures is 'precomputed', but the data are vectors: name a measure such as "
                "'pearson', or pass two matrices of similarities as gencap.Pair(S1, S2)"
            )
    return list(dict.fromkeys(listed))


def _named(
    key: str,
    measures: Sequence[str],
    powers: Sequence[float],
    n_init: int,
    annealing: Annealing | None,
) -> list[Candidate]:
    if key in VECTOR_MODELS:
        model = KEYS[key](n_init=n_init)
        return [Candidate(key, "", float("nan"), model)]
    settings: dict[str, Any] = {} if key == "dominant_sets" else {"n_init": n_init}
    if key != "dominant_sets" and annealing is not None:
        settings["annealing"] = annealing
    if key == "ratio_cut":
        # The cost is a cut: negative similarities would pay for tearing clusters apart.
        settings["shift"] = "auto"
        return [
            Candidate(key, measure, p, KEYS[key](p=p, measure=measure, **settings))
            for measure in measures
            for p in powers
        ]
    return [
        Candidate(key, measure, float("nan"), KEYS[key](measure=measure, **settings))
        for measure in measures
    ]


def _given(model: Any, graphs: bool) -> Candidate:
    """Take an estimator as it is."""
    if not (hasattr(model, "fit") and hasattr(model, "get_params")):
        raise TypeError(
            f"models must hold names or scikit-learn clusterers: got {type(model).__name__}; "
            f"names are {list(KEYS)}"
        )
    kind = type(model)
    key = next((name for name, known in KEYS.items() if known is kind), kind.__name__)
    if "n_clusters" not in model.get_params():
        raise ValueError(
            f"{kind.__name__} has no parameter n_clusters, so it cannot be compared over numbers "
            "of clusters; use gencap.capacity for a single fit"
        )
    measure = getattr(model, "measure", "") if key in KEYS else ""
    if measure and (measure == "precomputed") != graphs:
        raise ValueError(
            f"{kind.__name__} has measure={measure!r}, but the data are "
            + ("similarities: use measure='precomputed'" if graphs else "vectors: name a measure")
        )
    power = float(model.p) if key == "ratio_cut" else float("nan")
    return Candidate(key, measure, power, clone(model))


def _distinct(found: Sequence[Candidate]) -> list[Candidate]:
    """Give numbers to candidates that would share a row; drop exact repetitions."""
    seen: dict[tuple[str, str, str], list[str]] = {}
    out = []
    for candidate in found:
        described = candidate.describe()
        known = seen.setdefault(candidate.kind, [])
        if described in known:
            continue
        known.append(described)
        if len(known) > 1:
            name = f"{candidate.model} ({len(known)})"
            candidate = Candidate(name, candidate.measure, candidate.p, candidate.template)
        out.append(candidate)
    return out
