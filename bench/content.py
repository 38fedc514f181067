"""Main content of pages, against segments that people marked as content or not, and beside other programs.

    git clone --depth 1 https://github.com/adbar/trafilatura
    python bench/content.py trafilatura [--third unseen|dev|all]

Reads the gold of trafilatura's evaluation: tests/evaldata.json with some 990 pages in tests/cache and tests/eval. The
measure is its own: a segment is found if it stands in the content, white space collapsed. Precision, recall, F1 and
accuracy are over all segments, ms is CPU a page with the parse. Trafilatura, resiliparse and jusText are measured where
they can be imported, with the settings of that evaluation.

minicrawl's words and limits were chosen by looking at two thirds of the pages (`dev`). The others (`unseen`), by a hash
of their file names, were left alone until the end.
"""

import argparse
import json
import re
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from minicrawl.crawler.html import parse_html
from minicrawl.model import Wanted
from minicrawl.store.texts.marked_text import unpack

_SPACE = re.compile(r"\s+")
_NO_ARCHIVE = re.compile(rb"\bnoarchive\b", re.IGNORECASE)
"""Of pages that say so minicrawl keeps no text."""
_TEXT, _NO_TEXT = Wanted(anchors=True, kept=True), Wanted(anchors=True)
_HTML = "text/html"


class Page(NamedTuple):
    """A page of the gold, with segments of its content, and of what is none."""

    url: str
    body: bytes
    content: Sequence[str]
    others: Sequence[str]


def gold(folder: Path, third: str) -> list[Page]:
    """The pages of a third of the gold: unseen, dev (the other two) or all."""
    tests = folder / "tests" if (folder / "tests").is_dir() else folder
    found = []
    for url, item in json.loads((tests / "evaldata.json").read_text("utf-8")).items():
        is_unseen = zlib.crc32(item["file"].encode()) % 3 == 0
        if third == "all" or is_unseen == (third == "unseen"):
            file = next(path for place in ("cache", "eval") if (path := tests / place / item["file"]).is_file())
            body = _NO_ARCHIVE.sub(b"", file.read_bytes())
            found.append(Page(url, body, item["with"], item["without"]))
    return found


def minicrawl(page: Page) -> str:
    return unpack(parse_html(page.body, page.url, _HTML, _TEXT).kept, page.url).content_text


def peers() -> Iterator[tuple[str, Callable[[Page], str | None]]]:
    """Other programs that can be imported, each as a function from page to content."""
    for name, build in {"trafilatura": _trafilatura, "resiliparse": _resiliparse, "jusText": _justext}.items():
        try:
            yield name, build()
        except ImportError:
            print(f"{name} is not installed")


def _trafilatura() -> Callable[[Page], str | None]:
    extract = import_module("trafilatura").extract
    return lambda page: extract(page.body, include_comments=False, include_tables=True)


def _resiliparse() -> Callable[[Page], str | None]:
    extract = import_module("resiliparse.extract.html2text").extract_plain_text
    encoding, tree = import_module("resiliparse.parse.encoding"), import_module("resiliparse.parse.html").HTMLTree
    return lambda page: extract(
        tree.parse(encoding.bytes_to_str(page.body, encoding.detect_encoding(page.body))), main_content=True
    )


def _justext() -> Callable[[Page], str | None]:
    justext = import_module("justext")
    stop_words = frozenset[str]().union(*map(justext.get_stoplist, justext.get_stoplists()))
    return lambda page: " ".join(
        part.text
        for part in justext.justext(page.body, stop_words, 50, 200, 0.1, 0.2, 0.2, 200, True)
        if not part.is_boilerplate
    )


def counts(pages: Sequence[Page], extract: Callable[[Page], str | None]) -> tuple[Counter[str], float]:
    """True and false positives and negatives (tp, fp, fn, tn), and CPU seconds. A page with an error has no content."""
    found, seconds = Counter[str](), 0.0
    for page in pages:
        begin = time.process_time()
        try:
            content = extract(page)
        except Exception:  # other programs, on pages of any kind
            content = None
        seconds += time.process_time() - begin
        words = _normal(content or "")
        for segment in page.content:
            found["tp" if _normal(segment) in words else "fn"] += 1
        for segment in page.others:
            found["fp" if _normal(segment) in words else "tn"] += 1
    return found, seconds


def scores(found: Mapping[str, int]) -> tuple[float, float, float, float]:
    """Precision, recall, F1 and accuracy."""
    tp, fp, fn, tn = (found[name] for name in ("tp", "fp", "fn", "tn"))
    return tp / (tp + fp), tp / (tp + fn), 2 * tp / (2 * tp + fp + fn), (tp + tn) / (tp + fp + fn + tn)


def _normal(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _on_top(pages: Sequence[Page], rounds: int = 3) -> float:
    """CPU seconds that text and content take on top of the parse: the median of pairs."""
    spent = []
    for _ in range(rounds):
        total = 0.0
        for page in pages:
            begin = time.process_time()
            parse_html(page.body, page.url, _HTML, _NO_TEXT)
            middle = time.process_time()
            parse_html(page.body, page.url, _HTML, _TEXT)
            total += time.process_time() - middle - (middle - begin)
        spent.append(total)
    return sorted(spent)[rounds // 2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path)
    parser.add_argument("--third", choices=["unseen", "dev", "all"], default="all")
    arguments = parser.parse_args()
    pages = gold(arguments.gold, arguments.third)
    print(f"{len(pages)} pages ({arguments.third})")
    print(f"{'':12} {'precision':>9} {'recall':>9} {'F1':>9} {'accuracy':>9} {'ms':>9}")
    for name, extract in (("minicrawl", minicrawl), *peers()):
        found, seconds = counts(pages, extract)
        columns = (*scores(found), seconds / len(pages) * 1e3)
        print(f"{name:12} {' '.join(f'{value:9.3f}' for value in columns)}", flush=True)
    print(f"text and content take {_on_top(pages) / len(pages) * 1e3:.2f} ms a page on top of the parse")


if __name__ == "__main__":
    main()
