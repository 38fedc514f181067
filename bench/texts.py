"""What the text of a page takes, and fields taken out of it: CPU, and bytes in the file.

    python bench/texts.py FOLDER [PAGES]

Of the HTML files in a folder and those below it PAGES (600) are drawn, and each is parsed in every way, by turns; the
least time of five counts for each. Printed are microseconds a page, and what is kept of it.
"""

import gc
import random
import sys
import time
from pathlib import Path

from minicrawl.crawler.html.parse import parse_html
from minicrawl.crawler.sources.gathered import with_gathered
from minicrawl.model import ParsedPage, Wanted
from minicrawl.store.texts.marked_text import unpack

TURNS = 5
LONGEST = 200_000
URL = "https://bench.test/a/b.html"
TYPE = "text/html; charset=utf-8"
WAYS = {
    "as a crawl does": Wanted(places=True),
    "with blocks of text": Wanted(places=True, blocks=True),
    "with kept text": Wanted(places=True, kept=True),
    "with a field by CSS": Wanted(places=True, extract=("title=h1",)),
    "with one by XPath": Wanted(places=True, extract=("title=xpath://h1",)),
}


def timed(body: bytes, wanted: Wanted) -> tuple[float, ParsedPage]:
    started = time.process_time()
    page = parse_html(body, URL, TYPE, wanted)
    if wanted.items:
        page = with_gathered(page, body, URL, TYPE, wanted)
    return time.process_time() - started, page


def main(folder: Path, pages: int) -> None:
    gc.set_threshold(100_000, 20, 50)  # as a crawl has it
    files = sorted(path for path in folder.rglob("*.html") if path.is_file() and 0 < path.stat().st_size < LONGEST)
    bodies = [path.read_bytes() for path in random.Random(11).sample(files, min(pages, len(files)))]
    least = {way: [float("inf")] * len(bodies) for way in WAYS}
    kept: list[bytes] = []
    for turn in range(TURNS):
        for number, body in enumerate(bodies):
            for way in random.Random(turn).sample(list(WAYS), len(WAYS)):
                seconds, page = timed(body, WAYS[way])
                least[way][number] = min(seconds, least[way][number])
                if not turn and page.kept:
                    kept.append(page.kept)
    print(f"{len(bodies):,} pages of {sum(map(len, bodies)) / len(bodies):,.0f} bytes")
    plain = sum(least["as a crawl does"])
    for way, times in least.items():
        micros = 1e6 * sum(times) / len(bodies)
        print(f"{way:<22}{micros:>8.0f} us a page {micros - 1e6 * plain / len(bodies):>+8.0f}")
    words = sum(len(unpack(record, URL).text) for record in kept)
    print(f"kept: {sum(map(len, kept)) / len(kept):,.0f} bytes a page, of {words / len(kept):,.0f} characters")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 600)
