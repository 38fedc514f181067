"""Images without a text in their place."""

from collections.abc import Iterator

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Need, Severity, rule


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
    return crawled.faults(is_without, lambda page: _images(int(without[page])))


def _images(number: int) -> str:
    return f"{number:,} images" if number > 1 else "1 image"
