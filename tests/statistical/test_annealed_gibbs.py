"""Annealed Gibbs sampling against laws computed by enumeration, and against a plain rewrite."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linear_sum_assignment

import gencap
from gencap import Annealing, CentroidClustering, _core

X = np.array([[-1.3], [-0.4], [0.1], [0.9], [2.2]])
BETA = 0.8
# A correct sampler falls below with probability 1e-4; seeds are fixed.
LEAST_P = 1e-4


def softmax(x, means, beta):
    weights = np.exp(-beta * (x - means[None]) ** 2)
    return weights / weights.sum(axis=1, keepdims=True)


def means_of(labels, before):
    """Members' means; an empty cluster stays where it was."""
    x = X[:, 0]
    return np.array(
        [x[labels == k].mean() if (labels == k).any() else before[k] for k in range(len(before))]
    )


def exact_law(sweeps, beta, k=2):
    """Law of the centroids after `sweeps` sweeps from all centroids at the mean."""
    law = {tuple([X.mean()] * k): 1.0}
    codes = np.array(list(itertools.product(range(k), repeat=len(X))))
    for _ in range(sweeps):
        after = Counter()
        for means, weight in law.items():
            p = softmax(X, np.array(means), beta)
            chances = p[np.arange(len(X)), codes].prod(axis=1)
            for labels, chance in zip(codes, chances, strict=True):
                key = tuple(np.round(means_of(labels, np.array(means)), 9))
                after[key] += weight * chance
        law = after
    return law


def draw(sweeps, n, k=2, **settings):
    """Centroids of `n` independent runs, `sweeps` sweeps each at one temperature."""
    params = _core.AnnealParams(
        n_clusters=k, solver="gibbs", burn_in=sweeps - 1, keep=1, n_steps=1, **settings
    )
    betas = np.array([BETA])
    runs = (_core.anneal(X, params, betas, seed, 1, 1)[0] for seed in range(n))
    return np.array([run["centroids"][0, :, 0] for run in runs])


def p_value(drawn, law):
    """Chi-squared test of the visited centroids; rare values are lumped together."""
    n = len(drawn)
    seen = Counter(tuple(np.round(row, 9)) for row in drawn)
    assert sum(seen[key] for key in law) == n, "a value that the law excludes"
    common = [key for key in law if n * law[key] >= 5]
    counts = np.array([seen[key] for key in common] + [n - sum(seen[key] for key in common)])
    chances = np.array([law[key] for key in common])
    expected = n * np.append(chances, 1.0 - chances.sum())
    keep = expected > 1e-9
    return stats.chisquare(counts[keep], expected[keep] * n / expected[keep].sum()).pvalue


@pytest.mark.parametrize(("sweeps", "k"), [(1, 2), (1, 3), (2, 2)])
def test_centroids_follow_the_exact_law(sweeps, k):
    assert p_value(draw(sweeps, 4000, k), exact_law(sweeps, BETA, k)) > LEAST_P


@pytest.mark.parametrize("wrong", [0.7, 1.5])
def test_another_temperature_is_caught(wrong):
    assert p_value(draw(2, 8000), exact_law(2, wrong * BETA)) < 1e-6


def test_centroids_are_drawn_from_their_conditional_law():
    # One cluster: mu ~ N(mean, 1 / (2 beta n)) exactly.
    drawn = draw(1, 4000, k=1, sample_means=True)[:, 0]
    spread = 1.0 / np.sqrt(2 * BETA * len(X))
    assert stats.kstest(drawn, "norm", (X.mean(), spread)).pvalue > LEAST_P
    assert stats.kstest(drawn, "norm", (X.mean(), 1.15 * spread)).pvalue < 1e-6
    # The Gaussian twin of the cost has h = |x - mu|^2 / 2v, hence v / (beta n).
    twin = draw(1, 4000, k=1, sample_means=True, shape="fixed", variance=3.0)[:, 0]
    spread = np.sqrt(3.0 / (BETA * len(X)))
    assert stats.kstest(twin, "norm", (X.mean(), spread)).pvalue > LEAST_P


def test_without_drawing_them_centroids_are_means():
    np.testing.assert_allclose(draw(3, 5, k=1)[:, 0], X.mean(), atol=1e-12)


# The whole of section 2.2, written plainly


def plain_gibbs_curve(first, second, k, betas, seed, burn_in=10, keep=10):
    """Agreement along annealed Gibbs sampling, the second run started from the first one's."""
    rng = np.random.default_rng(seed)

    def log_p(x, means, beta):
        scores = -beta * ((x[:, None] - means[None]) ** 2).sum(axis=2)
        scores -= scores.max(axis=1, keepdims=True)
        return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))

    def sweep(x, means, beta):
        u = rng.random((len(x), 1))
        labels = (np.exp(log_p(x, means, beta)).cumsum(axis=1) < u).sum(axis=1).clip(max=k - 1)
        return np.array(
            [x[labels == c].mean(axis=0) if (labels == c).any() else means[c] for c in range(k)]
        )

    def settle(x, means, beta):
        kept = []
        for s in range(burn_in + keep):
            means = sweep(x, means, beta)
            if s >= burn_in:
                kept.append(means)
        return means, np.mean(kept, axis=0)

    state, agreement = np.tile(first.mean(axis=0), (k, 1)), []
    for beta in betas:
        state, average = settle(first, state, beta)
        _, other = settle(second, average, beta)
        l1, l2 = log_p(first, average, beta), log_p(second, other, beta)
        table = np.exp(l1).T @ np.exp(l2)
        partner = linear_sum_assignment(-table)[1]
        joint = l1 + l2[:, partner]
        agreement.append(np.logaddexp.reduce(joint, axis=1).mean() / np.log(2))
    masses = (np.exp(l1).mean(axis=0) + np.exp(l2[:, partner]).mean(axis=0)) / 2
    masses = masses[masses > 0]
    return np.array(agreement) - (masses * np.log2(masses)).sum()


def test_capacities_agree_with_a_plain_rewrite():
    differences = []
    schedule = Annealing(start=0.02, stop=1.2, n_steps=25)
    for seed in range(6):
        data = gencap.datasets.gaussians(400, random_state=seed)
        model = CentroidClustering(4, solver="gibbs", annealing=schedule, random_state=seed)
        found = gencap.capacity(model, data.pair)
        plain = plain_gibbs_curve(data.first, data.second, 4, found.curve.beta, seed)
        differences.append(found.raw_bits - plain.max())
    # Spread of one sampler's capacity from run to run on the same data is about .002.
    assert np.abs(differences).max() < 0.02
    assert abs(np.mean(differences)) < 0.005
