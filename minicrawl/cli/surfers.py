"""Output of a comparison of surfers, for people and as JSON (`minicrawl lab surfer`)."""

from collections.abc import Sequence
from dataclasses import asdict

from minicrawl.analysis.isolated_sites import HeldOut
from minicrawl.cli.output import document
from minicrawl.errors import counted
from minicrawl.lab.surfer import FEWEST, Comparison, Judgement
from minicrawl.log import printable
from minicrawl.rank.endorsement import Interval

_MOST_NAMED = 10
_LOST = 0.02


def lines(found: HeldOut, cited: Judgement | None, passed: Judgement | None, *, each: bool) -> list[str]:
    """Lines for people. cited: judged by links of other sites; passed: by those of front pages; None: not judged."""
    return [
        *_material(found),
        "",
        *_judgement("Pages that other sites link to", cited, each=each),
        "",
        *_judgement("Pages that the front pages of their site link to", passed, each=each),
    ]


def documents(found: HeldOut, cited: Judgement | None, passed: Judgement | None) -> str:
    """The comparison as JSON; null: nothing to judge."""
    return document(
        {
            "sites": len(found.sites),
            "pages": sum(site.graph.size for site in found.sites),
            "links_inside": sum(len(site.graph.targets) for site in found.sites),
            "links_held_out": found.links,
            "pages_linked_to": sum(site.endorsed() for site in found.sites),
            "generated": [pair._asdict() for pair in found.generated],
            "by_other_sites": _document(cited),
            "by_front_pages": _document(passed),
        }
    )


def _document(judgement: Judgement | None) -> dict[str, object] | None:
    if judgement is None:
        return None
    surfers = [
        asdict(one) | {"area_gain": one.area_gain._asdict(), "ndcg_gain": one.ndcg_gain._asdict()}
        for one in judgement.surfers
    ]
    return {"surfers": surfers, "sites": [asdict(site) for site in judgement.sites]}


def _material(found: HeldOut) -> list[str]:
    pages, links = sum(site.graph.size for site in found.sites), sum(len(site.graph.targets) for site in found.sites)
    text = [
        f"{counted(len(found.sites), 'site')}, {counted(pages, 'page')} read, {counted(links, 'link')} inside sites. "
        f"Held out: {counted(found.links, 'link')} between sites, to "
        f"{counted(sum(site.endorsed() for site in found.sites), 'page')}."
    ]
    if not any(site.places.any() for site in found.sites):
        text.append("No place of a link is kept here, so all links are alike to every surfer: crawl these sites again.")
    if found.generated:
        pairs = [f"{pair.site} to {pair.links_to} ({pair.pages:,})" for pair in found.generated]
        text.append(f"Not counted, because a program must have written so many: pages linked from {_some(pairs)}.")
    return text


def _judgement(what: str, judgement: Judgement | None, *, each: bool) -> list[str]:
    if judgement is None:
        return [f"{what}: no site has at least {FEWEST} of them and {FEWEST} others."]
    uniform, *others = judgement.surfers
    width = max(24, *(len(one.surfer) for one in judgement.surfers))
    head = (
        f"{'surfer':<{width}}  {'area':>5}  {'NDCG@20':>7}  {'first 20':>8}  {'gain in area':<23}  "
        f"{'gain in NDCG@20':<23}  {'better':>6}  {'worse':>5}"
    )
    text = [f"{what}: {counted(len(judgement.sites), 'site')} with at least {FEWEST}, and {FEWEST} others", "", head]
    text += [_row(uniform, width), *(f"{_row(one, width)}  {_gains(one)}" for one in others)]
    for one in others:
        losers = [f"{site} ({gain:+.3f})" for site, gain in judgement.losers(one.surfer, _LOST)]
        if losers:
            text += ["", f"Sites that lose more than {_LOST} of area with {one.surfer}: {_some(losers)}."]
    return text + (["", *_sites(judgement)] if each else [])


def _row(one: Comparison, width: int) -> str:
    mean = one.mean
    return f"{printable(one.surfer):<{width}}  {mean.area:>5.3f}  {mean.ndcg:>7.3f}  {mean.precision:>8.3f}"


def _gains(one: Comparison) -> str:
    return f"{_interval(one.area_gain):<23}  {_interval(one.ndcg_gain):<23}  {one.better:>6}  {one.worse:>5}"


def _interval(gain: Interval) -> str:
    return f"{gain.mean:+.3f} ({gain.low:+.3f}, {gain.high:+.3f})"


def _sites(judgement: Judgement) -> list[str]:
    """A line for each site: its area and NDCG by every surfer, in their order."""
    names = [one.surfer for one in judgement.surfers]
    text = [f"{'pages':>9}  {'of these':>8}  {'area':<{7 * len(names)}}{'NDCG@20':<{7 * len(names)}}site"]
    for site in judgement.sites:
        areas = "".join(f"{site.figures[name].area:<7.3f}" for name in names)
        ndcgs = "".join(f"{site.figures[name].ndcg:<7.3f}" for name in names)
        text.append(f"{site.pages:>9,}  {site.wanted:>8,}  {areas}{ndcgs}{printable(site.site)}")
    return text


def _some(names: Sequence[str]) -> str:
    """The first names, and the number of others."""
    more = len(names) - _MOST_NAMED
    return printable(", ".join(names[:_MOST_NAMED])) + (f" and {more:,} more" if more > 0 else "")
