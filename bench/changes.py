"""What is taken for a change of a page, on real pages into which noise is put: false alarms, and changes missed.

    python bench/changes.py FOLDER [--pages 120] [--fetches 40] [--rates .05 .25 .8] [--seed 0]

FOLDER has HTML files, however deep, of which some are drawn. Each is fetched so many times, with each kind of noise.
Between two fetches it changes so many times in the mean: a sentence is put into one of its blocks, or a paragraph of
80 words between two. What counts as a false alarm, or as missed, is as in bench/refresh.py: a change that is noted
although there was none since the last was noted; and one that is not noted within six more fetches.
"""

import argparse
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from refresh import Answer, Verdicts, judged

from minicrawl.crawler.html.page_text import block_hashes
from minicrawl.crawler.html.parse import parse_html
from minicrawl.crawler.recognise.changes import compared, first_seen
from minicrawl.model import Wanted

Noise = Callable[[], list[str]]
KINDS = (
    "none",
    "date",
    "counter",
    "ads",
    "ads or none",
    "teasers",
    "rotating list",
    "growing thread",
    "latest ten",
)
"""ads: one to three; teasers: one to eight; rotating list: three to seven of 8 to 60; thread: comments come at every
fetch, and all but three go when there are 64; latest ten: they come at every fetch, and as many go."""
_FEWEST_BLOCKS = 8


def noise_of(kind: str, rng: random.Random) -> Noise:
    """Blocks that a page has beside its content, drawn anew at each call."""
    pool = [words(rng, 5) for _ in range(rng.choice([8, 15, 30, 60]))]
    thread = [words(rng, 12) for _ in range(rng.randrange(3, 40))]
    views = [1000]

    def counter() -> list[str]:
        views[0] += rng.randrange(1, 30)
        return [f"{views[0]} views"]

    def growing() -> list[str]:
        thread.extend(words(rng, 12) for _ in range(rng.randrange(1, 6)))
        if len(thread) > 64:
            del thread[:-3]
        return list(thread)

    def latest() -> list[str]:
        thread.extend(words(rng, 12) for _ in range(rng.randrange(1, 5)))
        return thread[-10:]

    noises: dict[str, Noise] = {
        "none": list,
        "date": lambda: [f"as of {rng.random()}"],
        "counter": counter,
        "ads": lambda: [words(rng, 12) for _ in range(rng.randrange(1, 4))],
        "ads or none": lambda: [words(rng, 12) for _ in range(rng.randrange(4))],
        "teasers": lambda: [words(rng, 6) for _ in range(rng.randrange(1, 9))],
        "rotating list": lambda: rng.sample(pool, rng.randrange(3, 8)),
        "growing thread": growing,
        "latest ten": latest,
    }
    return noises[kind]


def words(rng: random.Random, count: int) -> str:
    return " ".join(f"w{rng.randrange(5000)}" for _ in range(count))


def verdicts(blocks: Sequence[str], kind: str, rate: float, fetches: int, rng: random.Random) -> Verdicts:
    """What is noted of one page. rate: changes between two fetches."""
    content, noise = list(blocks), noise_of(kind, rng)
    memory = first_seen(block_hashes(content + noise()))
    changes: list[int] = []
    noted: list[float] = []
    for fetch in range(1, fetches):
        if _change(content, rate, rng):
            changes.append(fetch)
        found = compared(memory, block_hashes(content + noise()))
        memory = found.memory
        if found.is_change:
            noted.append(fetch)
    return judged([Answer(fetch, 200, 0, False) for fetch in range(fetches)], changes, noted)


def _change(content: list[str], rate: float, rng: random.Random) -> bool:
    """Let a page change between two fetches; whether it has."""
    passed, count = rng.expovariate(1.0), 0
    while passed < rate:
        count += 1
        passed += rng.expovariate(1.0)
        place = rng.randrange(len(content))
        if rng.random() < 0.6:
            content[place] += f" {words(rng, 9)}."
        else:
            content.insert(place, words(rng, 80))
    return count > 0


def summed(every: Sequence[Verdicts]) -> Verdicts:
    return Verdicts(*map(sum, zip(*every, strict=True)))


def drawn_pages(folder: Path, count: int, rng: random.Random) -> list[list[str]]:
    """The blocks of some pages of a folder."""
    pages: list[list[str]] = []
    paths = sorted(folder.rglob("*.html"))
    rng.shuffle(paths)
    for path in paths:
        parsed = parse_html(path.read_bytes(), "http://a.test/", "text/html", Wanted(text=True))
        if len(parsed.text) >= _FEWEST_BLOCKS:
            pages.append(list(parsed.text))
        if len(pages) == count:
            break
    return pages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=120)
    parser.add_argument("--fetches", type=int, default=40)
    parser.add_argument("--rates", type=float, nargs="+", default=[0.05, 0.25, 0.8])
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    pages = drawn_pages(asked.folder, asked.pages, random.Random(asked.seed))
    print(f"{len(pages)} pages, {sum(map(len, pages)) / max(len(pages), 1):.0f} blocks each in the mean")
    for rate in asked.rates:
        print(f"\n{rate:g} changes between two fetches; the first {asked.fetches} fetches of a page")
        print(f"{'':16}{'unchanged':>10}{'changed':>10}{'false':>8}{'missed':>8}")
        for kind in KINDS:
            every = [
                verdicts(page, kind, rate, asked.fetches, random.Random(f"{asked.seed} {kind} {number}"))
                for number, page in enumerate(pages)
            ]
            unchanged, changed, false, missed = summed(every)
            shares = f"{false / max(unchanged, 1):>8.1%}{missed / max(changed, 1):>8.1%}"
            print(f"{kind:16}{unchanged:>10,}{changed:>10,}{shares}")


if __name__ == "__main__":
    main()
