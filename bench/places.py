"""CPU that a page takes for where its links stand.

    python bench/places.py FOLDER [PAGES]

Of the HTML files in a folder and those below it PAGES (600) are drawn, and each is parsed without places and with them,
by turns; the least time of five counts for each. Printed are microseconds a page, and how many links stand where.
"""

import gc
import random
import sys
import time
from collections import Counter
from pathlib import Path

from minicrawl.crawler.html.parse import parse_html
from minicrawl.model import ParsedPage, Place, Wanted

TURNS = 5
LONGEST = 200_000
WITHOUT, WITH = Wanted(), Wanted(places=True)


def timed(body: bytes, wanted: Wanted) -> tuple[float, ParsedPage]:
    started = time.process_time()
    page = parse_html(body, "https://bench.test/a/b.html", "text/html", wanted)
    return time.process_time() - started, page


def main(folder: Path, pages: int) -> None:
    gc.set_threshold(100_000, 20, 50)  # as a crawl has it
    files = sorted(path for path in folder.rglob("*.html") if path.is_file() and 0 < path.stat().st_size < LONGEST)
    bodies = [path.read_bytes() for path in random.Random(11).sample(files, min(pages, len(files)))]
    least = {wanted: [float("inf")] * len(bodies) for wanted in (WITHOUT, WITH)}
    counted = Counter[int]()
    for turn in range(TURNS):
        for number, body in enumerate(bodies):
            for wanted in (WITHOUT, WITH) if (turn + number) % 2 else (WITH, WITHOUT):
                seconds, page = timed(body, wanted)
                least[wanted][number] = min(seconds, least[wanted][number])
                if not turn:
                    counted.update(page.places)
    without, with_places = (1e6 * sum(times) / len(bodies) for times in least.values())
    print(
        f"{len(bodies):,} pages of {sum(map(len, bodies)) / len(bodies):,.0f} bytes: {without:.0f} us a page, "
        f"{with_places:.0f} with places: {with_places - without:+.0f}"
    )
    links = counted.total()
    print(", ".join(f"{place.name.lower()} {counted[place] / links:.0%}" for place in Place), f"of {links:,} links")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 600)
