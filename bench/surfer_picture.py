"""A picture of one site under two surfers, from a real crawl: docs/pictures/surfers.svg is made by it.

    python bench/surfer_picture.py OUT.svg SITE STORE...

Draws the first pages of SITE, ranked by the links inside it: on the left by a surfer to whom all links are alike, on
the right by one who prefers links in the text. A line leads from each page to itself on the other side. Beside a page
stands how many other sites link to it, which neither ranking knows. The picture in the tree is of python.org, in a
crawl of 39 sites of documentation behind a server on this machine.
"""

import sys
from contextlib import ExitStack
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from minicrawl.analysis.held_out import held_out
from minicrawl.opic.surfer import parse_surfer
from minicrawl.rank import pagerank
from minicrawl.rank.endorsement import EndorsedSite
from minicrawl.store.reader import open_store

FIRST = 12
ROW, TOP, WIDTH = 22, 58, 760
LEFT, RIGHT = 270, 490
"""Where the lines between the two sides begin and end."""
CITED, OTHER = "#0b7285", "#868e96"


def ranked(site: EndorsedSite, surfer: str) -> list[int]:
    """The pages of a site, the first one first."""
    weights = parse_surfer(surfer).weights.astype(np.float64)[site.places]
    return list(np.argsort(-pagerank(site.graph, weights=weights), kind="stable"))


def named(url: str) -> str:
    """The end of a path, which is what tells pages of a site apart."""
    path = urlsplit(url).path
    ends = path.rstrip("/").rsplit("/", 2)[-2:]
    return ("/".join(end for end in ends if end) or "/") + ("/" if path.endswith("/") and len(path) > 1 else "")


def drawn(site: EndorsedSite) -> str:
    """The picture as SVG."""
    alike, reasonable = ranked(site, "uniform"), ranked(site, "reasonable")
    height = TOP + ROW * FIRST + 52
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="system-ui, sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        text(LEFT - 12, 24, "all links alike", "end"),
        text(RIGHT + 12, 24, "links in the text count most", "start"),
        text(WIDTH / 2, 24, site.name, "middle"),
    ]
    for place, page in enumerate(alike[:FIRST]):
        moved = "" if page in reasonable[:FIRST] else f", to {reasonable.index(page) + 1:,}"
        lines.append(row(site, page, place, moved, is_left=True))
    for place, page in enumerate(reasonable[:FIRST]):
        before = alike.index(page)
        moved = "" if before < FIRST else f", from {before + 1:,}"
        lines.append(row(site, page, place, moved, is_left=False))
        if before < FIRST:
            lines.append(
                f'<line x1="{LEFT}" y1="{y(before) - 4}" x2="{RIGHT}" y2="{y(place) - 4}" '
                f'stroke="{colour(site, page)}" stroke-width="2"/>'
            )
    lines.append(text(12, height - 28, "In brackets: how many other sites link to the page.", "start", OTHER))
    lines.append(text(12, height - 10, f"{site.graph.size:,} pages, of which {site.endorsed():,} are linked to from "
                                       "other sites.", "start", OTHER))  # fmt: skip
    return "\n".join([*lines, "</svg>", ""])


def row(site: EndorsedSite, page: int, place: int, moved: str, *, is_left: bool) -> str:
    label = f"{place + 1}. {named(site.urls[page])} ({site.linking[page]}){moved}"
    x, anchor = (LEFT - 12, "end") if is_left else (RIGHT + 12, "start")
    return text(x, y(place), label, anchor, colour(site, page))


def y(place: int) -> int:
    return TOP + ROW * place


def colour(site: EndorsedSite, page: int) -> str:
    return CITED if site.linking[page] else OTHER


def text(x: float, y: float, words: str, anchor: str, fill: str = "#212529") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{fill}">{escape(words)}</text>'


def main(out: Path, name: str, stores: list[Path]) -> None:
    """Read, rank and draw."""
    with ExitStack() as stack:
        found = held_out([stack.enter_context(open_store(store)) for store in stores])
    site = next((site for site in found.sites if site.name == name), None)
    if site is None:
        sys.exit(f"no page of {name} was read; sites are {', '.join(each.name for each in found.sites[:20])}")
    out.write_text(drawn(site), "utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: python bench/surfer_picture.py OUT.svg SITE STORE...")
    main(Path(sys.argv[1]), sys.argv[2], [Path(store) for store in sys.argv[3:]])
