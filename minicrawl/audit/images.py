"""Images: without a text in their place, and too heavy."""

from collections.abc import Iterator

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Need, Severity, rule

HEAVY = 500_000
"""Bytes of a picture on the network."""
_PICTURES = (".avif", ".bmp", ".gif", ".ico", ".jpeg", ".jpg", ".png", ".svg", ".tif", ".tiff", ".webp")


@rule(
    "image-without-alt",
    Severity.WARNING,
    why="Who does not see an image is told nothing of it, or its file name.",
    how='Say in alt what it shows; alt="" for one that only decorates.',
    needs=Need.FACTS,
)
def image_without_alt(crawled: Crawled) -> Iterator[Fault]:
    without = crawled.facts.without_alt
    is_without = crawled.has_facts & (without > 0)
    return crawled.faults_by_host(is_without, crawled.has_facts, lambda page: _images(int(without[page])))


def _images(number: int) -> str:
    return f"{number:,} images" if number > 1 else "1 image"


@rule(
    "image-heavy",
    Severity.WARNING,
    why=f"The picture has more than {HEAVY // 1000} kB, which takes seconds on a phone.",
    how="Send it in the size in which it is shown, as WebP or AVIF.",
    needs=Need.PARTS,
)
def image_heavy(crawled: Crawled) -> Iterator[Fault]:
    """The source is the first page that shows it: no other is known."""
    for url, page, size in crawled.store.requisites.larger_than(HEAVY):
        if crawled.is_ours[page] and url.partition("?")[0].lower().endswith(_PICTURES):
            yield Fault(url, f"{size / 1e6:.1f} MB", (page,), float(crawled.stake[page]))
