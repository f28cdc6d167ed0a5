"""The minimum transfer cost principle."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from gencap._fitting import cluster_numbers, said_once, size_parameter
from gencap._opening import open_split
from gencap._parallel import parallel_map
from gencap._progress import Control, ProgressCallback, as_control
from gencap._validation import check_choice, check_n_jobs, check_positive, check_seed
from gencap.criteria._mixture import at_one
from gencap.holdout import as_holdouts
from gencap.transfer._result import TransferCosts
from gencap.transfer._ways import ALL, Priced, price, resolve, soft_beta, unit_of

__all__ = ["seed_of_split", "transfer_costs"]

MODES = ("mean", "critical")


def transfer_costs(
    model: Any,
    pair: Any,
    n_clusters: Iterable[int] = range(1, 11),
    mapping: str = "auto",
    *,
    cross: Any = None,
    mode: str = "mean",
    scale: float = 0.75,
    beta: float | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
) -> TransferCosts:
    """Cost of a second sample under the clusters of a first one, by number of clusters.

    Too few clusters fit neither sample; too many fit the noise of the first, which the second does
    not share. The number with the least transfer cost is chosen.

    Parameters
    ----------
    model : estimator
        Cloned, never changed. Mixtures (gencap's and scikit-learn's) are priced by their
        likelihood; `CentroidClustering`, k-means and any other clusterer of vectors by squared
        distances to the means of their clusters; models on similarities by their own cost.
    pair : Pair, Instances, Holdout, tuple (first, second), or list of such
        What is learned from and what it is tried on; `gencap.holdouts` splits one table. The
        samples may differ in size. Several give the spread.
    n_clusters : iterable of int
        Numbers of clusters to try.
    mapping : str
        How an object of the second sample takes its place in the first one's solution.

        - "identity": row i is the same object in both.
        - "nearest": the label of the nearest first object, at random among equals.
        - "centroid": the nearest cluster; on similarities the one with the most edges (Eqs. 9,
          10), which needs `cross`.
        - "soft": all clusters, with weights exp(-beta d) (Eq. 14).
        - "soft_objects": all first objects, with weights exp(-beta d) (Eq. 13).
        - "hungarian": the closest one-to-one matching of the objects.
        - "auto": likelihoods need none; "identity" for two measurements of the same objects; else
          "soft" for vectors and pairwise clustering, "centroid" for correlation clustering.
    cross : array-like or sparse matrix of shape (N1, N2), or list of such, optional
        Similarities between the samples. By default those of the pair, or computed from vectors.
    mode : {"mean", "critical"}
        Inverse temperature of the soft mappings: `scale` over the mean cost per object with one
        cluster, or `scale` times the value at which annealing splits the first cluster.
    scale : float
        The factor.
    beta : float, optional
        A given inverse temperature instead.
    random_state : None, int or Generator
        Seed; None takes the model's own `random_state`.
    n_jobs : int, optional
        Threads; None takes all cores. Results do not depend on it.
    progress : callable, optional
        Receives `gencap.Progress` values; raising from it cancels.

    Returns
    -------
    TransferCosts

    Notes
    -----
    R(K) = (1/N2) sum_i' R_i'(s1(psi(i')), x_i'), a mean over the second sample. Empty clusters do
    not take part. For squared distances "nearest", "centroid" and "hungarian" almost always fall
    up to the largest K; "soft" finds equally distant clusters of one size, but neither hierarchies
    nor the absence of clusters. With pairwise clustering and no edges between the samples, cluster
    means are those of the second sample, a bonus of (K / 2N) (1 - similarity within) per object.

    References
    ----------
    Frank, Chehreghani and Buhmann, The minimum transfer cost principle for model-order selection,
    ECML PKDD 2011.

    Examples
    --------
    >>> import gencap
    >>> data = gencap.datasets.gaussians(n_objects=300, variance=1.0, random_state=0)
    >>> t = gencap.transfer_costs(gencap.CentroidClustering(random_state=0), data.pair, range(1, 7))
    >>> t.mapping, t.best
    ('identity', 4)
    """
    check_choice(mapping, "mapping", ALL)
    check_choice(mode, "mode", MODES)
    scale = check_positive(scale, "scale")
    given = None if beta is None else check_positive(beta, "beta")
    size_parameter(model)
    control = as_control(progress)
    own = getattr(model, "random_state", None)
    seed = check_seed(own if random_state is None else random_state)
    splits = [open_split(at_one(model), one, control) for one in as_holdouts(pair, cross)]
    numbers = cluster_numbers(n_clusters, min(one.sizes[0] for one in splits))
    ways = {resolve(mapping, one) for one in splits}
    if len(ways) > 1:
        raise ValueError(
            f"samples must be of one kind: 'auto' would take {sorted(ways)}; name a mapping"
        )
    way = ways.pop()
    betas = [soft_beta(one, way, given, mode, scale) for one in splits]
    tasks = [(k, q) for k in numbers for q in range(len(splits))]

    def job(task: tuple[int, int], silent: Control) -> Priced:
        k, q = task
        return price(splits[q], k, way, betas[q], seed_of_split(seed, q), silent)

    with said_once():
        found = parallel_map(
            job, tasks, threads=check_n_jobs(n_jobs), control=control, message="transfer costs"
        )
    return TransferCosts(
        per_pair=_table(found, "test", numbers, len(splits)),
        train_per_pair=_table(found, "train", numbers, len(splits)),
        effective=_table(found, "clusters", numbers, len(splits)).mean(axis=1),
        mapping=way,
        unit=unit_of(model),
        beta=float(np.mean(betas)),
        seed=seed,
    )


def seed_of_split(seed: int, q: int) -> int:
    """Seed of the fits of split q; it does not depend on how many there are."""
    return int(np.random.SeedSequence([seed, q]).generate_state(1)[0])


def _table(found: list[Priced], name: str, numbers: list[int], splits: int) -> pd.DataFrame:
    values = np.array([getattr(one, name) for one in found], dtype=np.float64)
    index = pd.Index(numbers, name="n_clusters")
    return pd.DataFrame(values.reshape(len(numbers), splits), index=index)
