"""Time the capacity of up to a million objects: growth with N and peak memory.

The pair is two noisy measurements of eight Gaussian sources in 16 dimensions. Every size runs in a
process of its own, so that the peak memory is that of one capacity alone. The growth exponent is
the slope of log seconds against log N; 1 is linear.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np

import gencap

FEATURES, CLUSTERS = 16, 8


def measure(n_objects: int) -> dict[str, float]:
    """Seconds, bits and peak memory of one capacity."""
    rng = np.random.default_rng(0)
    centers = 1.5 * rng.normal(size=(CLUSTERS, FEATURES))
    sources = rng.integers(CLUSTERS, size=n_objects)
    first, second = (centers[sources] + rng.normal(size=(n_objects, FEATURES)) for _ in range(2))
    pair = gencap.Pair(first, second)
    start = time.perf_counter()
    found = gencap.capacity(gencap.CentroidClustering(CLUSTERS, random_state=0), pair)
    return {
        "seconds": time.perf_counter() - start,
        "bits": found.bits,
        # Linux counts in kilobytes, macOS in bytes.
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        / (2**30 if sys.platform == "darwin" else 2**20),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[125_000, 250_000, 500_000, 1_000_000]
    )
    parser.add_argument("--one", type=int, help="measure this size only and print JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one)))
        return
    print(f"{FEATURES} features, K = {CLUSTERS}")
    print(f"{'objects':>10}{'seconds':>10}{'bits':>8}{'peak GB':>9}")
    seconds = []
    for size in options.sizes:
        command = [sys.executable, __file__, "--one", str(size)]
        found = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        seconds.append(found["seconds"])
        print(
            f"{size:>10,}{found['seconds']:>10.1f}{found['bits']:>8.3f}{found['gigabytes']:>9.2f}",
            flush=True,
        )
    if len(seconds) > 1:
        exponent = np.polyfit(np.log(options.sizes), np.log(seconds), 1)[0]
        print(f"growth exponent {exponent:.2f}")


if __name__ == "__main__":
    main()
