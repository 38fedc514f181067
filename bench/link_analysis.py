"""Link analysis on real graphs: colluding sites, base sets that change, pages like a page.

    python bench/link_analysis.py collusion GRAPH...       # a file with URLs, or a crawl's store: hosts are sites
    python bench/link_analysis.py base-sets GRAPH...
    python bench/link_analysis.py similarity GRAPH...

collusion   300 new pages of one host link to one of them, the boss, and to three of each other; an honest page has
            a link to one: PageRank of the boss and of the farm, and how many of the first hundred stay
base-sets   HITS and PageRank among the pages around 20 root sets of up to 200 pages, before and after 5 and 30 % of the
            root set are taken away: how many of the first ten that are left stay, and what base sets have in common
similarity  copies of 600 pages keep each link with chance .6, and get others for those lost: mean of 1 / place of
            the original; what a page and the one most like it lead to within two links, in common; and how many of the
            first ten are in the folder of a page, for graphs with URLs
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
from scipy import sparse

from minicrawl.graphs.graph_files import LoadedGraph, load_graph
from minicrawl.rank import Graph, pagerank
from minicrawl.rank.graph_stats import subgraph
from minicrawl.rank.hits import adjacency, base_set, capped_weights, hits, intrinsic_weights

COLLUDERS, DRAWS, ROOT, COPIES, KEPT = 300, 20, 200, 600, 0.6
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def joined(graph: Graph, sources: Ints, targets: Ints, size: int) -> Graph:
    """The graph with more links and pages."""
    return Graph.from_edges(np.concatenate([graph.sources(), sources]), np.concatenate([graph.targets, targets]), size)


def first(values: Floats, k: int, pages: Ints | None = None) -> set[int]:
    among = np.arange(len(values)) if pages is None else pages
    return set(among[np.argsort(-values[among], kind="stable")[:k]].tolist())


def collusion(loaded: LoadedGraph, draw: np.random.Generator) -> None:
    graph, names = loaded
    hosts = [urlsplit(name).netloc for name in names] if names else ["one"] * graph.size
    site = np.unique(hosts, return_inverse=True)[1]
    farm = graph.size + np.arange(COLLUDERS)
    sources = np.concatenate([np.repeat(farm[1:], 4), [0]])
    friends = [draw.choice(farm, COLLUDERS - 1) for _ in range(3)]
    votes = np.stack([np.full(COLLUDERS - 1, farm[0]), *friends], axis=1)
    targets = np.append(votes.ravel(), farm[1])
    planted = joined(graph, sources, targets, graph.size + COLLUDERS)
    sites = np.concatenate([site, np.full(COLLUDERS, site.max() + 1)])
    honest = np.arange(graph.size)
    plain = pagerank(graph)
    print(f"  {graph.size:,} pages of {site.max() + 1:,} hosts; a page's fair share is {1 / planted.size:.2g}")
    for inside, cap in ((1.0, None), (1.0, 8), (1.0, 4), (1.0, 1), (0.25, None), (0.25, 4), (0.0, None), (0.0, 4)):
        weights = intrinsic_weights(planted, sites, inside)
        weights *= 1.0 if cap is None else capped_weights(planted, sites, cap)
        x = pagerank(planted, weights=weights)
        before = intrinsic_weights(graph, site, inside) * (1.0 if cap is None else capped_weights(graph, site, cap))
        alone = pagerank(graph, weights=before)
        place = int(np.count_nonzero(x > x[farm[0]])) + 1
        hundred, stays = first(x, 100, honest), first(alone, 100)
        print(
            f"  inside {inside:<4} cap {cap or '-':<2} boss {x[farm[0]] * planted.size:6.1f} times the mean, place "
            f"{place:,}; farm {x[farm].sum() * planted.size / COLLUDERS:.2f} times its size; of the first 100 as "
            f"without the farm {len(hundred & stays)}, as by plain PageRank {len(stays & first(plain, 100))}"
        )


def base_sets(loaded: LoadedGraph, draw: np.random.Generator) -> None:
    graph, _ = loaded
    inlinks, _ = graph.reverse()
    indegree = inlinks.outdegrees()
    centres = np.flatnonzero(indegree + graph.outdegrees() >= ROOT)
    centres = draw.choice(centres, DRAWS, replace=False) if len(centres) >= DRAWS else np.argsort(-indegree)[:DRAWS]
    methods: dict[str, Callable[[Graph], Floats]] = {
        "HITS": lambda near: hits(near).authorities,
        "PageRank": pagerank,
        "in-links": lambda near: near.reverse()[0].outdegrees().astype(np.float64),
    }
    for share in (0.05, 0.3):
        kept: dict[str, list[float]] = {name: [] for name in ("base set", *methods)}
        for centre in centres.tolist():
            around = np.union1d(
                graph.targets[graph.indptr[centre] : graph.indptr[centre + 1]],
                inlinks.targets[inlinks.indptr[centre] : inlinks.indptr[centre + 1]],
            )
            root = draw.choice(around, min(ROOT, len(around)), replace=False)
            fewer = draw.choice(root, max(1, round(len(root) * (1 - share))), replace=False)
            gone = np.setdiff1d(root, fewer)
            lost = graph_without(graph, gone)
            old, new = base_set(graph, root), base_set(lost, fewer)
            left = np.setdiff1d(old, gone)
            kept["base set"].append(len(np.intersect1d(left, new)) / len(np.union1d(left, new)))
            for name, method in methods.items():
                was, now = (method(subgraph(*of)) for of in ((graph, old), (lost, new)))
                best = old[np.argsort(-was, kind="stable")]
                after = new[np.argsort(-now, kind="stable")[:10]]
                kept[name].append(len(np.intersect1d(best[~np.isin(best, gone)][:10], after)) / 10)
        figures = [f"{name} {np.mean(some):.2f} (least {min(some):.2f})" for name, some in kept.items()]
        print(f"  {share:.0%} taken away: {', '.join(figures)}", flush=True)


def graph_without(graph: Graph, gone: Ints) -> Graph:
    is_gone = np.isin(np.arange(graph.size), gone)
    sources = graph.sources()
    kept = ~(is_gone[sources] | is_gone[graph.targets])
    return Graph.from_edges(sources[kept], graph.targets[kept], graph.size)


# Similarities of the rows of `pages` with all rows.


def jaccard(rows: "sparse.csr_array[np.float64]", pages: Ints) -> Floats:
    common = (rows[pages] @ rows.T).toarray()
    sizes = np.diff(rows.indptr)
    union = sizes[pages][:, None] + sizes[None, :] - common
    return np.divide(common, union, out=np.zeros(common.shape), where=union > 0)


def idf(rows: "sparse.csr_array[np.float64]") -> "sparse.csr_array[np.float64]":
    counts = np.bincount(rows.indices, minlength=rows.shape[1])
    return rows.multiply(np.log(rows.shape[0] / np.maximum(counts, 1))[None, :]).tocsr()


def cosine(rows: "sparse.csr_array[np.float64]", pages: Ints) -> Floats:
    length = np.sqrt(
        np.bincount(np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), rows.data**2, rows.shape[0])
    )
    unit = sparse.csr_array(
        (rows.data / np.repeat(length, np.diff(rows.indptr)), rows.indices, rows.indptr), rows.shape
    )
    found: Floats = (unit[pages] @ unit.T).toarray()
    return found


def similarities_by(links: "sparse.csr_array[np.float64]", pages: Ints) -> dict[str, Floats]:
    out, inn = links, links.T.tocsr()
    both = sparse.hstack([out, inn]).tocsr()
    return {
        "mean Jaccard": (jaccard(out, pages) + jaccard(inn, pages)) / 2,
        "Jaccard of both": jaccard(both, pages),
        "cosine of both": cosine(both, pages),
        "mean cosine": (cosine(out, pages) + cosine(inn, pages)) / 2,
        "cosine, idf": cosine(sparse.hstack([idf(out), idf(inn)]).tocsr(), pages),
        "mean cosine, idf": (cosine(idf(out), pages) + cosine(idf(inn), pages)) / 2,
    }


def similarity(loaded: LoadedGraph, draw: np.random.Generator) -> None:
    (graph, names), size = loaded, loaded[0].size
    inlinks, _ = graph.reverse()
    fit = np.flatnonzero((graph.outdegrees() >= 3) & (inlinks.outdegrees() >= 1))
    chosen = draw.choice(fit, min(COPIES, len(fit)), replace=False)
    sources, targets = [], []
    for number, page in enumerate(chosen.tolist()):
        out = graph.targets[graph.indptr[page] : graph.indptr[page + 1]]
        came = inlinks.targets[inlinks.indptr[page] : inlinks.indptr[page + 1]]
        new = np.where(draw.random(len(out)) < KEPT, out, draw.choice(graph.targets, len(out)))
        by = np.where(draw.random(len(came)) < KEPT, came, draw.choice(fit, len(came)))
        sources += [np.full(len(new), size + number), by]
        targets += [new, np.full(len(by), size + number)]
    planted = adjacency(joined(graph, np.concatenate(sources), np.concatenate(targets), size + len(chosen)))
    planted.sum_duplicates()
    planted.data[:] = 1.0
    copies = size + np.arange(len(chosen))
    found: dict[str, list[float]] = {}
    for start in range(0, len(chosen), 20):
        for name, values in similarities_by(planted, copies[start : start + 20]).items():
            for row, original in zip(values[:, :size], chosen[start : start + 20].tolist(), strict=True):
                ties = np.count_nonzero(row == row[original])
                found.setdefault(name, []).append(1 / (np.count_nonzero(row > row[original]) + (1 + ties) / 2))
    print("  copies:  " + against_first(found), flush=True)
    links = adjacency(graph)
    reaches: dict[str, list[float]] = {}
    for start in range(0, len(chosen), 20):
        some = chosen[start : start + 20]
        for name, values in similarities_by(links, some).items():
            values[np.arange(len(some)), some] = -1
            for row, page in zip(values, some.tolist(), strict=True):
                one, other = (reached(graph, each) for each in (page, int(row.argmax())))
                reaches.setdefault(name, []).append(len(np.intersect1d(one, other)) / len(np.union1d(one, other)))
    print("  reach:   " + against_first(reaches), flush=True)
    if names is None or not any("/" in name.partition("://")[2] for name in names):
        return
    paths = [name.rpartition("/")[0] for name in names]
    _, folder, sizes = np.unique(paths, return_inverse=True, return_counts=True)
    members = sizes[folder]
    fit = np.intersect1d(fit, np.flatnonzero((members > 10) & (members <= 200)))
    pages = draw.choice(fit, min(COPIES, len(fit)), replace=False)
    if not len(pages):
        return
    share: dict[str, list[float]] = {}
    for start in range(0, len(pages), 20):
        some = pages[start : start + 20]
        for name, values in similarities_by(links, some).items():
            values[np.arange(len(some)), some] = -1
            for row, page in zip(values, some.tolist(), strict=True):
                ten = np.argsort(-row, kind="stable")[:10]
                share.setdefault(name, []).append(float(np.mean(folder[ten] == folder[page])))
    print("  folders: " + against_first(share))


def reached(graph: Graph, page: int) -> Ints:
    pages = np.array([page])
    for _ in range(2):
        targets = [graph.targets[graph.indptr[each] : graph.indptr[each + 1]] for each in pages.tolist()]
        pages = np.unique(np.concatenate([pages, *targets]))
    return pages


def against_first(found: dict[str, list[float]]) -> str:
    """Means, and for all but the first measure what they gain, with twice the standard error."""
    today = np.array(next(iter(found.values())))
    told = []
    for name, values in found.items():
        gain = np.array(values) - today
        told.append(f"{name} {np.mean(values):.3f} ({gain.mean():+.3f} +- {2 * gain.std() / len(gain) ** 0.5:.3f})")
    return ", ".join(told)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("measure", choices=["collusion", "base-sets", "similarity"])
    parser.add_argument("graphs", type=Path, nargs="+")
    given = parser.parse_args()
    measure = {"collusion": collusion, "base-sets": base_sets, "similarity": similarity}[given.measure]
    for path in given.graphs:
        print(path.name)
        measure(load_graph(path), np.random.default_rng(0))


if __name__ == "__main__":
    main()
