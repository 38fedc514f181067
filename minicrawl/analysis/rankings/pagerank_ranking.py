"""PageRank of a store, by any method: who takes which links, where walkers jump to, and what it took."""

from collections.abc import Callable

from minicrawl.analysis.folded_aliases import FloatArray, FoldedPages, FoldedStore, surfer_named
from minicrawl.analysis.rankings.found import Found
from minicrawl.analysis.rankings.jumps import jump_of
from minicrawl.analysis.rankings.on_disk import pagerank_on_disk
from minicrawl.analysis.rankings.options import Options
from minicrawl.errors import SettingError
from minicrawl.rank import Graph, l1, overlap
from minicrawl.rank.dangling import pruned_pagerank
from minicrawl.rank.pagerank import Settled, settled_pagerank
from minicrawl.rank.sweeping import gauss_seidel, prioritized
from minicrawl.store.reader import Store

TOLERANCE = 1e-12
_SETTLED = 1e-9
"""Where only rounding is left to move, the bound stays above the tolerance."""

Method = Callable[[Graph, Options, FloatArray, FloatArray | None], Settled]
METHODS: dict[str, Method] = {
    "power": lambda graph, asked, jump, weights: settled_pagerank(
        graph, asked.damping, jump, TOLERANCE, weights=weights, most_steps=asked.iterations
    ),
    "gauss-seidel": lambda graph, asked, jump, weights: gauss_seidel(
        graph, asked.damping, jump, TOLERANCE, weights=weights, most_rounds=asked.iterations
    ),
    "sweeping": lambda graph, asked, jump, weights: prioritized(
        graph, asked.damping, jump, TOLERANCE, weights=weights, most_rounds=asked.iterations
    ),
}
"""How ranks are worked out, by name. All come to the same."""


def pagerank_ranking(options: Options, store: Store, folded: FoldedStore) -> Found:
    """PageRank of the links in memory. Raises SettingError."""
    weights = folded.weights(surfer_named(options.surfer, store))
    jump = jump_of(options.jump, store, folded)
    if options.dangling == "prune":
        return _pruned(options, folded, jump, weights)
    settled = METHODS[options.method](folded.graph, options, jump, weights)
    took = ""
    if options.method != "power":
        took = f"{settled.rounds:,} rounds, {settled.visits:,} visits, {settled.links:,} links followed"
    return Found({"pagerank": settled.ranks}, _notes(took, capped(settled.error, settled.rounds)))


def pagerank_ranking_on_disk(memory: str, options: Options, store: Store, pages: FoldedPages) -> Found:
    """The same, the links in temporary files. Raises SettingError, StoreError."""
    if options.method != "power" or options.dangling != "keep":
        raise SettingError("--memory has a method of its own, which keeps all pages; leave --method and --dangling out")
    jump = jump_of(options.jump, store, pages)
    found = pagerank_on_disk(memory, options, store, pages, surfer_named(options.surfer, store), jump)
    return Found({"pagerank": found.ranks}, _notes(found.cost(), capped(found.error, found.rounds)))


def capped(error: float, rounds: int) -> str:
    """What is to be said of ranks that had not settled when the last round was over; nothing of others."""
    if error < _SETTLED:
        return ""
    return (
        f"stopped after {rounds:,} rounds before the ranks had settled: they are within {error:.1g} (L1) of the exact "
        "ones; say --iterations for more, or a lower --damping"
    )


def _pruned(options: Options, folded: FoldedStore, jump: FloatArray, weights: FloatArray | None) -> Found:
    if options.method != "power":
        raise SettingError("--dangling prune goes with --method power only")
    try:
        found = pruned_pagerank(
            folded.graph, options.damping, jump, TOLERANCE, weights=weights, most_steps=options.iterations
        )
    except ValueError as error:
        raise SettingError(f"--dangling prune: {error}") from error
    kept = METHODS["power"](folded.graph, options, jump, weights)
    removed = sum(map(len, found.layers))
    effect = (
        f"{removed:,} of {folded.size:,} pages lead nowhere and were taken out in {len(found.layers):,} rounds; "
        f"against PageRank with them: L1 distance {l1(found.ranks, kept.ranks):.3g}, "
        f"{overlap(found.ranks, kept.ranks, 100):.0%} of the first 100 the same"
    )
    return Found({"pagerank": found.ranks}, _notes(effect, capped(found.settled.error, found.settled.rounds)))


def _notes(*sentences: str) -> tuple[str, ...]:
    return tuple(filter(None, sentences))
