"""Sparse graphs: from edge lists, neighbors or AnnData-like containers; and their halves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.neighbors import kneighbors_graph

from gencap._square import check_similarities
from gencap._validation import (
    FloatArray,
    IntArray,
    Matrix,
    ObjectArray,
    check_integer,
    check_matrix,
    check_seed,
)

__all__ = ["Network", "edge_halves", "edge_network", "neighbor_network", "open_network"]

# Beyond this many columns neighbors are looked for among the leading principal components:
# distances in very many dimensions hardly differ, and trees and hashes help no more.
MOST_COLUMNS = 50


@dataclass(frozen=True, eq=False)
class Network:
    """A symmetric sparse graph without loops, and what is known about its objects.

    Parameters
    ----------
    weights : csr_array of shape (N, N)
        Symmetric weights of the edges; the diagonal is empty.
    names : ndarray of shape (N,) or None
        Names of the objects.
    features : ndarray or sparse matrix of shape (N, D), or None
        Measurements the graph was made from, where they are known.
    """

    weights: scipy.sparse.csr_array
    names: ObjectArray | None = None
    features: Any = None

    @property
    def n_objects(self) -> int:
        """Number of objects N."""
        return int(self.weights.shape[0])

    @property
    def n_edges(self) -> int:
        """Number of edges, each counted once."""
        return int(self.weights.nnz) // 2

    @property
    def density(self) -> float:
        """Mean weight over all pairs of objects, absent edges counting as 0."""
        n = self.n_objects
        return float(self.weights.sum()) / (n * (n - 1)) if n > 1 else 0.0

    def ordered_like(self, other: Network) -> Network:
        """Return the graph on the objects of `other`, matched by name; missing ones are isolated.

        Examples
        --------
        >>> one, two = edge_network([["a", "b"], ["b", "c"]]), edge_network([["c", "b"]])
        >>> two.ordered_like(one).weights.toarray()[2].tolist()
        [0.0, 1.0, 0.0]
        """
        if self.names is None or other.names is None:
            raise ValueError("both graphs need names for their objects to be matched")
        place = pd.Index(other.names.astype(str)).get_indexer(pd.Index(self.names.astype(str)))
        if (place < 0).any():
            stranger = self.names[int((place < 0).argmax())]
            raise ValueError(
                f"second has {int((place < 0).sum())} objects that the first graph lacks, such as "
                f"'{stranger}'; give both graphs the same objects"
            )
        pairs = scipy.sparse.coo_array(self.weights)
        where = (place[pairs.row], place[pairs.col])
        moved = scipy.sparse.coo_array((pairs.data, where), shape=other.weights.shape)
        return Network(scipy.sparse.csr_array(moved), other.names)

    def __repr__(self) -> str:
        known = "" if self.features is None else f", {self.features.shape[1]} features"
        return f"<Network of {self.n_objects:,} objects, {self.n_edges:,} edges{known}>"


def open_network(graph: Any, *, obsp: str = "connectivities", features: Any = None) -> Network:
    """Take over a graph in any of the forms it comes in.

    Parameters
    ----------
    graph : scipy.sparse matrix, dense matrix, DataFrame or array of edges, AnnData or Network
        N x N weights; or a table of edges (two columns of ends and optionally one of weights); or
        an object with `.obsp`, `.X` and `.obs_names` such as AnnData.
    obsp : str
        Which graph of an AnnData to take.
    features : array-like of shape (N, D), optional
        Measurements of the objects; by default an AnnData's `.X`.

    Returns
    -------
    Network

    Examples
    --------
    >>> open_network(pd.DataFrame({"from": ["a", "b"], "to": ["b", "c"]}))
    <Network of 3 objects, 2 edges>
    """
    names = None
    if isinstance(graph, Network):
        return graph if features is None else _network(graph.weights, graph.names, features)
    if hasattr(graph, "obsp"):
        weights, names, own = _annotated(graph, obsp)
        return _network(weights, names, own if features is None else features)
    if is_sparse(graph):
        return _network(graph, None, features)
    if isinstance(graph, pd.DataFrame) and list(graph.index) == list(graph.columns):
        matrix = check_matrix(graph, "graph")
        return _network(matrix.values, matrix.names, features)
    table = graph if isinstance(graph, pd.DataFrame) else np.asarray(graph)
    if table.ndim == 2 and table.shape[0] == table.shape[1] and table.shape[0] > 3:
        return _network(table, None, features)
    found = edge_network(table)
    return found if features is None else _network(found.weights, found.names, features)


def _annotated(data: Any, key: str) -> tuple[Any, ObjectArray, Any]:
    """Read an AnnData by its looks, so that anndata itself is not needed."""
    if key not in data.obsp:
        raise ValueError(
            f"graph has no .obsp[{key!r}]: it holds {sorted(data.obsp)}; name one of them with "
            "obsp=, or compute neighbors first"
        )
    return data.obsp[key], np.asarray(data.obs_names, dtype=object), getattr(data, "X", None)


def _network(weights: Any, names: ObjectArray | None, features: Any) -> Network:
    found = check_similarities(weights, "graph")
    matrix = scipy.sparse.csr_array(found.values if isinstance(found, Matrix) else found)
    matrix = scipy.sparse.csr_array(matrix - scipy.sparse.diags_array(matrix.diagonal()))
    matrix.eliminate_zeros()
    if matrix.nnz == 0:
        raise ValueError(
            f"graph has no edge between different objects ({matrix.shape[0]} objects): give at "
            "least one"
        )
    if features is not None:
        if not is_sparse(features):
            features = check_matrix(features, "features").values
        if features.shape[0] != matrix.shape[0]:
            raise ValueError(
                f"features must have one row per object of graph: got {features.shape[0]} rows for "
                f"{matrix.shape[0]} objects"
            )
    return Network(matrix, names, features)


def edge_network(edges: Any) -> Network:
    """Make a graph of a table of edges: two columns of ends, optionally one of weights.

    Repeated edges add up; an edge counts in both directions. Ends may be names or numbers; objects
    are ordered by them.

    Parameters
    ----------
    edges : DataFrame or array-like of shape (M, 2) or (M, 3)
        One row per edge.

    Returns
    -------
    Network

    Examples
    --------
    >>> net = edge_network([["x", "y"], ["y", "z"], ["x", "y"]])
    >>> net.names.tolist(), net.weights.toarray()[0].tolist()
    (['x', 'y', 'z'], [0.0, 2.0, 0.0])
    """
    table = edges if isinstance(edges, pd.DataFrame) else pd.DataFrame(edges)
    if table.shape[1] not in (2, 3) or not len(table):
        raise ValueError(
            "edges must have two columns of ends, or three with weights, and at least one row: got "
            f"a table of {table.shape[0]} rows and {table.shape[1]} columns"
        )
    ends = table.iloc[:, :2]
    if ends.isna().any().any():
        row = int(ends.isna().any(axis=1).to_numpy().argmax())
        raise ValueError(f"edges must name both ends: row {row} lacks one; drop or complete it")
    if table.shape[1] == 3:
        weights = pd.to_numeric(table.iloc[:, 2], errors="coerce").to_numpy(dtype=np.float64)
        if not np.isfinite(weights).all():
            row = int((~np.isfinite(weights)).argmax())
            cell = str(table.iloc[row, 2])
            raise ValueError(f"edges must have finite numbers as weights: row {row} has '{cell}'")
    else:
        weights = np.ones(len(table))
    codes, names = pd.factorize(ends.to_numpy(dtype=object).ravel(), sort=_sortable(ends))
    start, end = codes.reshape(-1, 2).T
    loops = start == end
    pairs = (weights[~loops], (start[~loops], end[~loops]))
    one_way = scipy.sparse.coo_array(pairs, shape=(len(names), len(names)))
    return _network(one_way + one_way.T, np.asarray(names, dtype=object), None)


def is_sparse(table: Any) -> bool:
    """Whether `table` is one of scipy's sparse matrices or arrays."""
    return bool(scipy.sparse.issparse(table))


def _sortable(ends: pd.DataFrame) -> bool:
    """Names of several types (text and numbers) stay in the order of appearance."""
    kinds = {isinstance(value, str) for value in ends.to_numpy(dtype=object).ravel()}
    return len(kinds) == 1


def neighbor_network(X: Any, n_neighbors: int = 15, random_state: Any = None) -> Network:
    """Connect every object with its nearest neighbors, both ways, each edge with weight 1.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (N, D)
        Measurements. More than 50 columns are reduced to as many principal components first.
    n_neighbors : int
        Neighbors of every object.
    random_state : None, int or Generator
        For the reduction of large tables.

    Returns
    -------
    Network
        With `features` set to `X`.

    Examples
    --------
    >>> neighbor_network([[0.0], [1.0], [5.0], [6.0]], n_neighbors=1)
    <Network of 4 objects, 2 edges, 1 features>
    """
    check_integer(n_neighbors, "n_neighbors")
    matrix = check_matrix(X, "features") if not is_sparse(X) else None
    values = X if matrix is None else matrix.values
    n = values.shape[0]
    if n_neighbors >= n:
        raise ValueError(
            f"n_neighbors must be less than the number of objects: got {n_neighbors} for {n}; "
            f"choose {max(1, n - 1)} or fewer"
        )
    reduced = _reduced(values, check_seed(random_state))
    nearest = scipy.sparse.csr_array(kneighbors_graph(reduced, n_neighbors))
    names = None if matrix is None else matrix.names
    return _network(nearest.maximum(nearest.T), names, values)


def _reduced(values: Any, seed: int) -> FloatArray:
    """Leading principal components of wide tables; sparse ones are not centered."""
    seed %= 2**32
    if is_sparse(values):
        rank = min(MOST_COLUMNS, min(values.shape) - 1)
        if rank < 1:
            return np.asarray(values.todense(), dtype=np.float64)
        reduced: FloatArray = TruncatedSVD(rank, random_state=seed).fit_transform(values)
        return reduced
    if values.shape[1] <= MOST_COLUMNS:
        return np.asarray(values, dtype=np.float64)
    rank = min(MOST_COLUMNS, *values.shape)
    projected: FloatArray = PCA(rank, random_state=seed).fit_transform(values)
    return projected


def edge_halves(network: Network, random_state: Any = None) -> tuple[Network, Network]:
    """Deal the edges of a graph at random into two halves.

    Parameters
    ----------
    network : Network
        At least two edges.
    random_state : None, int or Generator
        Decides the halves.

    Returns
    -------
    tuple of Network
        Graphs on the same objects; every edge is in exactly one of them.

    Examples
    --------
    >>> net = edge_network([[0, 1], [1, 2], [2, 3], [3, 0]])
    >>> edge_halves(net, random_state=0)
    (<Network of 4 objects, 2 edges>, <Network of 4 objects, 2 edges>)
    """
    upper = scipy.sparse.coo_array(scipy.sparse.triu(network.weights, k=1))
    if upper.nnz < 2:
        raise ValueError(f"graph needs two edges to be split in halves: got {upper.nnz}")
    order = np.random.default_rng(check_seed(random_state)).permutation(upper.nnz)
    half = upper.nnz // 2
    one, two = (_chosen(network, upper, part) for part in (order[:half], order[half:]))
    return one, two


def _chosen(network: Network, upper: scipy.sparse.coo_array, edges: IntArray) -> Network:
    edges = np.sort(edges)
    place = (upper.row[edges], upper.col[edges])
    part = scipy.sparse.coo_array((upper.data[edges], place), shape=upper.shape)
    return Network(scipy.sparse.csr_array(part + part.T), network.names)
