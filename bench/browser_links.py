"""Do pages yield the links a browser sees? Ours against parse5, whatwg-url and html-encoding-sniffer.

    python bench/browser_links.py save FOLDER SEEDS [any option of 'minicrawl crawl' but --store and --json]
    python bench/browser_links.py compare FOLDER [--sample 5000] [--modules NODE_MODULES]
    python bench/browser_links.py cpu FOLDER [--sample 2000]

`save` crawls, in a temporary store, and keeps every page as it came: its bytes as a numbered file, its URL and content
type in index.jsonl. `compare` reads the pages with our parser and, through browser_links.mjs and node, as the standards
say (`npm install parse5 whatwg-url html-encoding-sniffer` somewhere; --modules is the node_modules made there). Both
count the same elements, and neither counts rel=nofollow; a page is exact if the sets of URLs are equal. Each difference
is listed with the first page that shows it. `cpu` is our parser's time alone.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from minicrawl.crawler.html.parse import parse_html
from minicrawl.crawler.sources import source
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.model import ParsedPage, Wanted

BROWSER = Path(__file__).with_suffix(".mjs")


def save(folder: Path, arguments: list[str]) -> None:
    """Crawl with our own crawler and keep what its parser is given."""
    from minicrawl.cli import main  # noqa: PLC0415

    folder.mkdir(parents=True)
    with open(folder / "index.jsonl", "w", encoding="utf-8") as index, tempfile.TemporaryDirectory() as store:
        saved = 0

        def keep(body: bytes, url: str, content_type: str | None = None, **options: bool) -> ParsedPage:
            nonlocal saved
            (folder / f"{saved}.html").write_bytes(body)
            index.write(json.dumps({"file": f"{saved}.html", "url": url, "content_type": content_type}) + "\n")
            saved += 1
            return parse_html(body, url, content_type)

        setattr(source, "parse_html", keep)  # noqa: B010
        main(["crawl", *arguments, "--store", f"{store}/crawl.db", "-q"], standalone_mode=False)
    print(f"{saved:,} pages")


def pages(folder: Path, sample: int | None, seed: int) -> list[dict[str, Any]]:
    with open(folder / "index.jsonl", encoding="utf-8") as index:
        found = [json.loads(line) for line in index]
    found.sort(key=lambda page: str(page["url"]))  # a crawl's order is its own
    return found if sample is None or sample >= len(found) else random.Random(seed).sample(found, sample)


def browser(folder: Path, chosen: list[dict[str, Any]], modules: Path) -> Iterator[dict[str, Any]]:
    """What a browser makes of each page: {encoding, links}."""
    requests = "".join(json.dumps({**page, "file": str(folder / page["file"])}) + "\n" for page in chosen)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as asked:
        asked.write(requests)
        asked.seek(0)
        node = subprocess.Popen(["node", str(BROWSER), str(modules.resolve())], stdin=asked, stdout=subprocess.PIPE)
        assert node.stdout is not None
        yield from map(json.loads, node.stdout)
        if node.wait():
            sys.exit("node failed")


def compare(folder: Path, chosen: list[dict[str, Any]], modules: Path, shown: int) -> None:
    exact = links = 0
    spelt_otherwise = 0
    differing: list[tuple[str, str, list[str], list[str]]] = []
    encodings: Counter[str] = Counter()
    for page, theirs in zip(chosen, browser(folder, chosen, modules), strict=True):
        body = (folder / page["file"]).read_bytes()
        ours = set(parse_html(body, page["url"], page["content_type"]).outlinks)
        expected = {normal for link in theirs["links"] if (normal := normalise(link)) is not None}
        # The browser's own spelling, less what minicrawl leaves out by intent: it must be a fixed point of ours.
        spelt_otherwise += sum(normalise(link) != link for link in theirs["links"] if "@" not in link)
        links += len(expected)
        encodings[theirs["encoding"]] += 1
        if ours == expected:
            exact += 1
        else:
            missing, extra = sorted(expected - ours), sorted(ours - expected)
            differing.append((page["url"], page["file"], missing, extra))
    print(f"{exact:,} of {len(chosen):,} pages ({exact / len(chosen):.3%}) give exactly the browser's links, {links:,}")
    print(f"{spelt_otherwise:,} links are spelt otherwise by our normal form")
    print("encodings:", ", ".join(f"{name} {number:,}" for name, number in encodings.most_common()))
    missed, extra_links = sum(len(row[2]) for row in differing), sum(len(row[3]) for row in differing)
    print(f"{missed:,} links missed, {extra_links:,} too many, on {len(differing):,} pages")
    for url, file, missing, extra in differing[:shown]:
        print(f"{url} ({file}): {len(missing)} missing, {len(extra)} extra")
        for sign, difference in (("-", missing), ("+", extra)):
            for link in difference[:3]:
                print(f"    {sign} {link}")


def cpu(folder: Path, chosen: list[dict[str, Any]]) -> None:
    read = [((folder / page["file"]).read_bytes(), page["url"], page["content_type"]) for page in chosen]
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        for body, url, content_type in read:
            parse_html(body, url, content_type, Wanted())
        best = min(best, time.process_time() - started)
    size = sum(len(body) for body, _, _ in read)
    print(f"{1e6 * best / len(read):.0f} us per page, {size / len(read) / 1000:.1f} kB on average, best of 3")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["save", "compare", "cpu"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=None, help="so many pages, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modules", type=Path, default=Path("node_modules"))
    parser.add_argument("--shown", type=int, default=40, help="differing pages to print")
    known, rest = parser.parse_known_args()
    if known.command == "save":
        save(known.folder, rest)
    elif known.command == "compare":
        compare(known.folder, pages(known.folder, known.sample, known.seed), known.modules, known.shown)
    else:
        cpu(known.folder, pages(known.folder, known.sample or 2000, known.seed))
