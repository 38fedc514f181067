"""Output of a web's shape, for `minicrawl graph stats`."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from minicrawl.errors import counted

if TYPE_CHECKING:
    from minicrawl.analysis.web_graph import Web
    from minicrawl.rank.degrees import Degrees
    from minicrawl.rank.distances import Neighbourhood
    from minicrawl.rank.graph_stats import GraphStats


def shape_document(found: "GraphStats", web: "Web", name: str) -> dict[str, object]:
    return {
        "graph": name,
        "pages": found.pages,
        "links": found.links,
        "dangling": found.dangling,
        "never_read": web.never_read(),
        "strong_components": {"count": found.strong.count, "largest": int(found.strong.sizes.max())},
        "weak_components": {"count": found.weak.count, "largest": int(found.weak.sizes.max())},
        "inlinks": _degrees(found.indegrees),
        "outlinks": _degrees(found.outdegrees),
        "distances": _distances(found.distances),
        "core": {
            "pages": int(found.strong.sizes.max()),
            "links": found.core_links,
            "distances": _distances(found.core_distances),
        },
    }


def _degrees(degrees: "Degrees") -> dict[str, object]:
    law = None if degrees.law is None else asdict(degrees.law)
    counts = dict(zip(degrees.values.tolist(), degrees.counts.tolist(), strict=True))
    return {"mean": degrees.mean, "largest": degrees.largest, "power_law": law, "pages_by_degree": counts}


def _distances(distances: "Neighbourhood") -> dict[str, object]:
    return {
        "is_exact": not distances.error,
        "relative_error": distances.error,
        "average": distances.average(),
        "effective_diameter": distances.effective_diameter(),
        "longest": distances.longest,
        "pairs_within": distances.pairs.tolist(),
    }


def shape_lines(found: "GraphStats", web: "Web", name: str) -> Iterator[str]:
    never_read = web.never_read()
    unread = "" if never_read is None else f", {never_read:,} of them never read"
    size = f"{counted(found.pages, 'page')}, {counted(found.links, 'link')}"
    yield f"{name}: {size}; {counted(found.dangling, 'page')} without links{unread}"
    yield ""
    strong, weak = found.strong.sizes, found.weak.sizes
    yield (
        f"strong components  {len(strong):,}; the largest, the core, has {counted(int(strong.max()), 'page')} "
        f"({strong.max() / found.pages:.1%}) and {counted(found.core_links, 'link')}"
    )
    yield (
        f"weak components    {len(weak):,}; the largest has {counted(int(weak.max()), 'page')} "
        f"({weak.max() / found.pages:.1%})"
    )
    yield f"in-links           {_degrees_line(found.indegrees)}"
    yield f"out-links          {_degrees_line(found.outdegrees)}"
    yield f"distances          {_distances_line(found.distances)}"
    yield f"within the core    {_distances_line(found.core_distances)}"


def _degrees_line(degrees: "Degrees") -> str:
    line, law = f"mean {degrees.mean:.1f}, at most {degrees.largest:,}", degrees.law
    if law is None:
        return line
    return (
        f"{line}; power law x^-{law.alpha:.2f} (± {law.error:.2f}) from {law.xmin} on, which "
        f"{counted(law.tail, 'page')} {'has' if law.tail == 1 else 'have'}; it is off by up to {law.distance:.1%}"
    )


def _distances_line(distances: "Neighbourhood") -> str:
    how = f"estimated, numbers of pairs ± {distances.error:.0%}" if distances.error else "exact"
    longest = f"longest {'at least ' if distances.error else ''}{distances.longest}"
    mean, most = distances.average(), distances.effective_diameter()
    return f"mean {mean:.2f} links, 90 % of pairs within {most:.1f} ({how}); {longest}"
