"""Copies of documents, and mirrored hosts: how many of those planted are found, and how much else.

    python bench/copies.py [--webs 5] [--pages 200000]

Copies: pages of 1,000 words with a part of a document of 400, in some of which words were replaced, among others;
crawled with --text, and looked for with --least 10 %. share: the mean of the shares told.
Mirrors: webs of some 140 hosts (tests/support/mirrored_hosts.py), read whole or in part, pages drawn at random; hosts
that mirror another. Last, CPU and memory of the comparison of so many pages.
"""

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.mirrored_hosts import columns_of, mirrored_web
from support.planted_copies import DOCUMENT, HOME, PARTS, planted_copies
from support.sites import crawl

from minicrawl.analysis.copies import copies
from minicrawl.rank.mirrors import mirrors
from minicrawl.store.reader import open_store


def of_copies(webs: int) -> Iterator[str]:
    yield "replaced  part  precision  recall  share"
    for replaced in (0.0, 0.1, 0.2, 0.3):
        rows = {part: [0, 0, 0.0] for part in PARTS}
        others = 0
        for seed in range(webs):
            planted = planted_copies(seed, replaced)
            with tempfile.TemporaryDirectory() as folder:
                crawl(planted.site, Path(folder) / "crawl.db", [HOME], text=True, traps=False)
                with open_store(Path(folder) / "crawl.db") as store:
                    found = {copy.url: copy.share for copy in copies(store, [DOCUMENT], least=0.1)}
            others += len(found.keys() - planted.shares.keys())
            for url, part in planted.shares.items():
                if url.endswith("edited"):
                    row = rows[part]
                    rows[part] = [row[0] + 1, row[1] + (url in found), row[2] + found.get(url, 0.0)]
        for part, (count, hits, shares) in rows.items():
            precision = hits / max(hits + others, 1)
            yield f"{replaced:>8.0%} {part:>5.0%} {precision:>10.3f} {hits / count:>7.3f} {shares / max(hits, 1):>6.2f}"


def of_mirrors(webs: int) -> Iterator[str]:
    yield "read  precision: mean, least  recall: mean, least"
    for share in (1.0, 0.7, 0.5):
        precision, recall = [], []
        for seed in range(200, 200 + webs):
            web = mirrored_web(seed)
            columns = columns_of(web.pages)
            read = np.flatnonzero(np.random.default_rng(seed).random(len(columns.host)) < share)
            found = columns.groups(columns.mirrors(read))
            precision.append(web.precision(found))
            recall.append(web.recall(found))
        cells = f"{np.mean(precision):>16.3f} {min(precision):>6.3f} {np.mean(recall):>13.3f} {min(recall):>6.3f}"
        yield f"{share:>4.0%} {cells}"


def of_scale(pages: int) -> str:
    """The same web again and again, each time on hosts of its own and at paths of its own."""
    columns = columns_of(mirrored_web(0).pages)
    times = -(-pages // len(columns.host))
    apart = np.arange(times)[:, None]
    host = (columns.host + apart * len(columns.names)).ravel()
    path = (columns.path ^ apart * 0x5851F42D4C957F2D).ravel()
    payload, sketch = np.tile(columns.payload, times), np.tile(columns.sketch, (times, 1))
    before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    found = mirrors(host, path, payload, sketch)
    took, peak = time.process_time() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    hosts = times * len(columns.names)
    return (
        f"{len(host):,} pages of {hosts:,} hosts: {len(found.a):,} pairs, {took:.2f} s, {(peak - before) / 1024:.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--webs", type=int, default=5)
    parser.add_argument("--pages", type=int, default=200_000)
    options = parser.parse_args()
    for line in (*of_copies(options.webs), "", *of_mirrors(options.webs), "", of_scale(options.pages)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
