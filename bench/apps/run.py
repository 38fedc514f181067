"""Crawl real applications at all defaults but the delay, and count what a reader gets.

    python bench/apps/run.py mediawiki dokuwiki [--folder data/apps] [--pages 2500]

A wanted page is one of the application's own database. A request is waste if it is for a view or an action, or for a
page that has been read.
"""

import argparse
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from apps import dokuwiki, indexes, mediawiki, oscar, trac, wordpress
from apps.application import Application

import minicrawl
from minicrawl.model import CrawlReport

APPLICATIONS = {
    one.__name__.rpartition(".")[2]: one.application for one in (mediawiki, dokuwiki, wordpress, oscar, trac)
}
APPLICATIONS |= {name: partial(indexes.index, name) for name in ("apache", "nginx")}


class Found(NamedTuple):
    """requests: for pages. read, waste: wanted pages, and wasted requests. fiftieth, hundredth: requests until then."""

    requests: int
    read: int
    waste: int
    fiftieth: int | None
    hundredth: int | None

    @classmethod
    def of(cls, application: Application, asked: list[tuple[str, bool]]) -> "Found":
        """asked: URLs in the order of their requests, and whether each was read."""
        pages, waste, at = set[str](), 0, dict[int, int]()
        wanted = 0
        for number, (url, was_read) in enumerate(asked, 1):
            page = application.page_of(url)
            if page is None or (page in pages and not page.startswith("*")):
                waste += 1
            elif page in application.wanted and was_read:
                wanted += 1
                at[wanted] = number
            if page is not None and was_read:
                pages.add(page)
        return cls(len(asked), wanted, waste, at.get(50), at.get(100))


def crawled(application: Application, store: Path, pages: int) -> tuple[CrawlReport, list[tuple[str, bool]]]:
    report = minicrawl.crawl([application.front], store, pages=pages, delay=0, allow_private=True, scope="host")
    with minicrawl.open_store(store) as crawl:
        rows = crawl.rows("SELECT url, status FROM pages JOIN fetches ON fetches.id = fetch ORDER BY fetched_at, fetch")
        return report, [(url, status == 200) for url, status in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default="all", choices=("all", *APPLICATIONS))
    parser.add_argument("--folder", type=Path, default=Path("data/apps"))
    parser.add_argument("--pages", type=int, default=2500)
    given = parser.parse_args()
    heads = ("application", "wanted", "requests", "read", "waste", "share", "50th", "100th", "end", "seconds")
    print("  ".join(f"{head:>12}" for head in heads))
    for name in APPLICATIONS if "all" in given.names else given.names:
        with APPLICATIONS[name](given.folder.absolute() / name) as application, tempfile.TemporaryDirectory() as folder:
            began = time.monotonic()
            report, asked = crawled(application, Path(folder) / "crawl.db", given.pages)
            found = Found.of(application, asked)
            row = (name, len(application.wanted), *found[:3], f"{found.waste / max(found.requests, 1):.1%}")
            ends = (found.fiftieth or "-", found.hundredth or "-", report.reason, round(time.monotonic() - began))
            print("  ".join(f"{cell!s:>12}" for cell in row + ends))


if __name__ == "__main__":
    main()
