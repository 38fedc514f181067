"""All algorithms on all sequences, and on a crawl; what is said of them."""

from collections.abc import Sequence

import numpy as np

from minicrawl.lab.generate import generate
from minicrawl.lab.graphbench.algorithms import EVEN_GAZIT, TREES
from minicrawl.lab.graphbench.arrivals import Course, arrivals, crawl_order
from minicrawl.lab.graphbench.measuring import checks_of
from minicrawl.lab.graphbench.runs import Run, components, distances
from minicrawl.lab.graphbench.sequences import Insertions, complete, cubic, random_sparse
from minicrawl.rank import Graph
from minicrawl.rank.distances import links_of
from minicrawl.report import Claim, Curve, Panel, Result, Stage, Tell, silent

_CUBIC = (300, 900, 1500)
_COMPLETE = (100, 300)
_NODES = 100_000
_COLUMNS = ("sequence", "pages", "links", "question", "algorithm", "CPU seconds", "measured at", "updates", "agrees")
Runs = Sequence[tuple[Insertions, list[Run]]]


def experiment(  # noqa: PLR0913 - parameters of the experiment
    seed: int = 0,
    web: Graph | None = None,
    cubic_sizes: Sequence[int] = _CUBIC,
    complete_sizes: Sequence[int] = _COMPLETE,
    nodes: int = _NODES,
    first_look: int = 1000,
    tell: Tell = silent,
) -> Result:
    """All algorithms on all sequences, and the components of `web` as a crawl reads it; None: one drawn of `nodes`.

    first_look: after so many pages the components are found for the first time.
    """
    rng = np.random.default_rng(seed)
    sequences = [
        *(complete(size, rng) for size in complete_sizes),
        *(cubic(size) for size in cubic_sizes),
        *(random_sparse(size, rng) for size in cubic_sizes),
    ]
    runs: list[tuple[Insertions, list[Run]]] = []
    for sequence in sequences:
        tell(Stage(f"sequence {len(runs) + 1} of {len(sequences)}, {sequence.name}, {sequence.size:,} pages"))
        runs.append((sequence, [*distances(sequence), *components(sequence)]))
    tell(Stage("components of a crawl"))
    web = generate("power-law-out", nodes, rng) if web is None else web
    order = crawl_order(web, rng)
    read = arrivals(web, order, first_look)
    rows = [(sequence.name, sequence.size, len(sequence.links), *run) for sequence, several in runs for run in several]
    rows += [
        ("crawl", len(order), len(links_of(web, order)), "components", name, seconds[-1], len(seconds), None, True)
        for name, (_, seconds) in read.items()
    ]
    return Result(
        "graphbench",
        "Following a graph as it grows, against finding everything anew",
        _COLUMNS,
        [tuple("" if value is None else value for value in row) for row in rows],
        _panels(runs, read),
        [_agree(runs), _is_cubic(runs), _trees_win(runs), _following_wins(runs), _schedule_wins(read)],
    )


def quick(seed: int = 0, web: Graph | None = None, tell: Tell = silent) -> Result:
    """The same with a tenth of the pages."""
    cubics, completes = ([size // 10 for size in sizes] for sizes in (_CUBIC, _COMPLETE))
    return experiment(seed, web, cubics, completes, _NODES // 10, tell=tell)


def _by_name(several: Sequence[Run], question: str) -> dict[str, Run]:
    return {run.algorithm: run for run in several if run.question == question}


def _panels(runs: Runs, read: dict[str, Course]) -> list[Panel]:
    cubics = [(sequence, several) for sequence, several in runs if sequence.name == "cubic"]
    sizes = [sequence.size for sequence, _ in cubics]
    panels = [
        Panel(
            f"{question}, cubic sequences",
            "pages",
            "CPU seconds for all insertions",
            [
                Curve(name, sizes, [_by_name(several, question)[name].seconds for _, several in cubics])
                for name in _by_name(cubics[0][1], question)
            ],
            log=True,
        )
        for question in ("distances", "components")
    ]
    curves = [Curve(name, *course) for name, course in read.items()]
    return [*panels, Panel("components of a crawl", "pages read", "CPU seconds so far", curves, log=True)]


def _agree(runs: Runs) -> Claim:
    every = [run for _, several in runs for run in several]
    checks = sum(len(checks_of(len(sequence.links))) for sequence, _ in runs)
    return Claim(
        "every algorithm finds what scipy does",
        all(run.agrees for run in every),
        f"{sum(run.agrees for run in every)} of {len(every)} runs, at {checks} checks of {len(runs)} sequences",
    )


def _is_cubic(runs: Runs) -> Claim:
    updates = {
        sequence.size: _by_name(several, "distances")[TREES].updates or 0
        for sequence, several in runs
        if sequence.name == "cubic"
    }
    return Claim(
        "the cubic sequences bring at least n^3 / 27 pairs closer",
        all(count >= size**3 / 27 for size, count in updates.items()),
        ", ".join(f"{count:,} at n = {size:,}, n^3 / {size**3 / max(count, 1):.1f}" for size, count in updates.items()),
    )


def _trees_win(runs: Runs) -> Claim:
    seconds = []
    for sequence, several in runs:
        by_name = _by_name(several, "distances")
        seconds.append((sequence, by_name[TREES].seconds, by_name[EVEN_GAZIT].seconds))
    return Claim(
        "trees, which look only at pairs that come closer and at those behind them, are faster than whole rows",
        all(trees < matrix for _, trees, matrix in seconds),
        ", ".join(f"{each.name} {each.size:,}: {trees:.2g} and {matrix:.2g} s" for each, trees, matrix in seconds),
    )


def _following_wins(runs: Runs) -> Claim:
    pairs = [("distances", TREES), ("distances", EVEN_GAZIT), ("components", "closure")]
    ratios = {
        name: [
            _by_name(several, question)["anew"].seconds / max(_by_name(several, question)[name].seconds, 1e-9)
            for _, several in runs
        ]
        for question, name in pairs
    }
    return Claim(
        "following every insertion is faster than finding everything anew after each",
        all(ratio > 1.0 for each in ratios.values() for ratio in each),
        ", ".join(f"{name} {min(each):,.1f} to {max(each):,.0f} times" for name, each in ratios.items()),
    )


def _schedule_wins(read: dict[str, Course]) -> Claim:
    last = {name: seconds[-1] for name, (_, seconds) in read.items()}
    return Claim(
        "components of a crawl: looking anew whenever it has grown by a half is faster than merging",
        last["schedule"] < min(seconds for name, seconds in last.items() if name.startswith("merging")),
        ", ".join(f"{name} {seconds:.2g} s with {len(read[name][0])} looks" for name, seconds in last.items()),
    )
