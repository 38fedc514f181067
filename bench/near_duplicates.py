"""How many near-duplicates are found, and how many marks are wrong, by comparing whole texts.

    python bench/near_duplicates.py FOLDER

FOLDER is what `bench/browser_links.py save` made. The truth is the Jaccard similarity of the sets of all runs of three
words of two texts. For each page that is no copy, the page before it that is most like it is looked for with MinHash
(Broder 1997), in 12 bands of 4, which misses one pair in 600 million at 95 %, one in 560 at 80 %; of a bucket, the
first 60 pages are looked at. Then pages are told and looked up in the order in which they came, as a crawl does it.
"""

import json
import re
import sys
import time
import zlib
from collections import defaultdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.html.fingerprint import identity_of
from minicrawl.crawler.recognise.duplicates import Duplicates

NO_TEXT = re.compile(rb"<script.*?</script\s*>|<style.*?</style\s*>|<!--.*?-->|<[^>]*>", re.DOTALL | re.IGNORECASE)
BANDS, WIDTH = 12, 4
FIRST = 60
MULTIPLIERS = np.random.default_rng(1).integers(1, 1 << 63, (BANDS * WIDTH, 1), dtype=np.uint64) | np.uint64(1)
ODD = [np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93)]

Shingles = npt.NDArray[np.uint32]


def shingles(body: bytes) -> Shingles:
    """The distinct runs of three words, hashed."""
    words = np.array([zlib.crc32(word) for word in NO_TEXT.sub(b" ", body).lower().split()], dtype=np.uint64)
    mixed = words[:-2] * ODD[0] + words[1:-1] * ODD[1] + words[2:] * ODD[2]
    return np.unique(((mixed ^ mixed >> np.uint64(31)) * ODD[0] >> np.uint64(32)).astype(np.uint32))


def jaccard(one: Shingles, other: Shingles) -> float:
    both = len(one) + len(other) - len(np.union1d(one, other))
    return both / max(len(one) + len(other) - both, 1)


def most_alike(texts: list[Shingles]) -> npt.NDArray[np.float64]:
    """Per page, the similarity of the page before it that is most like it."""
    buckets: list[dict[bytes, list[int]]] = [defaultdict(list) for _ in range(BANDS)]
    found = np.zeros(len(texts))
    signatures = np.zeros((len(texts), BANDS * WIDTH), dtype=np.uint32)
    for page, text in enumerate(texts):
        if not len(text):
            continue
        signatures[page] = ((text * MULTIPLIERS) >> np.uint64(32)).min(axis=1)
        candidates: set[int] = set()
        for band, bucket in enumerate(buckets):
            beside = bucket[signatures[page, WIDTH * band : WIDTH * (band + 1)].tobytes()]
            candidates.update(beside)
            if len(beside) < FIRST:
                beside.append(page)
        others = np.array(sorted(candidates), dtype=np.int64)
        likely = np.argsort(-(signatures[others] == signatures[page]).mean(axis=1), kind="stable")[:6]
        found[page] = max((jaccard(text, texts[other]) for other in others[likely]), default=0)
    return found


def main(folder: Path) -> None:
    with open(folder / "index.jsonl", encoding="utf-8") as index:
        pages = [json.loads(line) for line in index]
    texts: list[Shingles] = []
    duplicates = Duplicates([], lambda page: None)
    leaders: dict[int, int] = {}
    spent = [0.0, 0.0]
    is_copy = np.zeros(len(pages), dtype=np.bool_)
    for number, page in enumerate(pages):
        body = (folder / page["file"]).read_bytes()
        texts.append(shingles(body))
        started = time.process_time()
        told = identity_of(body, page["url"])
        between = time.process_time()
        if told.payload is not None:
            likeness = duplicates.likeness(number, told.payload, told.sketch)
            duplicates.add(number, told.digest, told.payload, told.sketch, likeness)
            if likeness is not None and likeness.distance is not None:
                leaders[number] = likeness.leader
            elif likeness is not None:
                is_copy[number] = True
        spent[0] += between - started
        spent[1] += time.process_time() - between
    copies = int(is_copy.sum())
    print(f"{len(pages):,} pages: {copies:,} copies, {len(leaders):,} near-duplicates; us per page:", end=" ")
    print(f"{1e6 * spent[0] / len(pages):.0f} to tell, {1e6 * spent[1] / len(pages):.0f} to look up")
    alike = np.array([jaccard(texts[page], texts[leader]) for page, leader in leaders.items()])
    for least in (0.5, 0.7, 0.8, 0.9):
        print(f"less than {least:.0%} alike: {int((alike < least).sum()):,} of the near-duplicates")
    is_marked = np.isin(np.arange(len(pages)), list(leaders))
    similarity = most_alike(texts)
    for least in (0.98, 0.95, 0.9, 0.8):
        near = (similarity >= least) & ~is_copy
        print(f"at least {least:.0%} alike, no copies: {int(near.sum()):,}, found {is_marked[near].mean():.1%}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
