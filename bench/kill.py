"""Kill crawls of the demo web with kill -9, and check that nothing is lost.

    python bench/kill.py [KILLS] [any option of 'minicrawl crawl' but --store, --json and --connect-to]

A crawl is killed at random moments and taken up again until it is through; then the next one begins, until there were
KILLS kills (default 200). Then crawls of a smaller web are killed at every one of their commits, right before it and
right behind, and once more at the first commit after they were taken up again; with --retry also crawls that were
through, and ask again for what was given up. With --discovery or --refresh a crawl fetches pages again without end:
what is left of it is crawled without, when it is to come through, and commits are left out, of which there is no last.
Before all that as many stores are killed while they are made, at random moments of it. Politeness is off unless --delay
says otherwise. After every kill:

made    a store that was killed while it was made does not open
audit   what a store promises holds: cash and book to the unit, links, in-links, a reason for every URL
lost    a page that an earlier commit had read is read no more, be it that --retry asks for it again
again   a page that was read in the last commit was asked for after the kill (with --discovery it may be: not counted)
soon    with --refresh-min: a page was asked for again before that time had passed since it was answered, in the life of
        one process, or in an earlier one by its last commit
early   a host was asked less than the delay after it had answered
texts   with --text: a page that was read has no text, or one that was not has
rows    with --archive: a row without its record, or a record up to the committed end of a file without its row

and of every crawl that came through:

ending  URLs, requisites, states, reasons, texts and importance (to 1e-6) are those of a crawl that was not killed
torn    with --archive: its files have anything but whole records, all of them in the index
search  with --search: a search finds a page twice, or an index made anew has other texts

With --search every other kill takes the process that writes the index, too.

--archive takes no folder here. With --requisites every page of the web has two style sheets, one of which needs a
picture, and a picture of its own.
"""

import asyncio
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from minicrawl.analysis.archives import opened
from minicrawl.archive.check import check
from minicrawl.crawler.books.invariants import violations
from minicrawl.demo.resources import Reply
from minicrawl.demo.web import DemoWeb, serving
from minicrawl.errors import StoreError
from minicrawl.search.index_folder import index_path, open_index, store_mark
from minicrawl.search.searching import Asked, search
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

_FAULTS = (
    *("made", "audit", "lost", "again", "soon", "early", "texts"),
    *("rows", "torn", "search", "ending", "broken"),
)
_LONGEST_LIFE = 2.5
_RENDERING = 8.0
"""Longest life of a crawl that renders, for which Chromium has to start."""
_WORDS = ("museum", "golden bridge", "quiet island explained", "news from every town", "library -green")
_PARTS = {
    "all.css": ("text/css", b"body { background: url(all.png) } /* "),
    "some.css": ("text/css", b"/* "),
    "all.png": ("image/png", b"\x89PNG\r\n\x1a\n"),
    "own.png": ("image/png", b"\x89PNG\r\n\x1a\n"),
}
Ending = dict[str, tuple[str, str, bytes | None, float]]
"""State, reason, kept text and importance of every URL; those of requisites with that word before them."""


@dataclass
class Log:
    """The server's log. `asked`: URLs in order; `early`: requests that came before their time."""

    delay: float
    asked: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    early: int = 0
    _answered: dict[str, float] = field(default_factory=dict)

    def note(self, url: str) -> None:
        host, now = url.split("/", 3)[2], time.monotonic()
        # The crawl counts its delay from when it has the answer, which is later than when it was given.
        self.early += now - self._answered.get(host, 0.0) < self.delay
        if not url.endswith("/robots.txt"):
            self.asked.append(url)
            self.times.append(time.time())
        self._answered[host] = time.monotonic()


class LoggedWeb:
    """The demo web, every request noted. has_parts: its pages have style sheets and pictures."""

    def __init__(self, web: DemoWeb, log: Log, *, has_parts: bool = False) -> None:
        self._web = web
        self._log = log
        self._has_parts = has_parts

    def respond(self, url: str) -> Reply:
        name = url.rpartition("/")[2]
        if name in _PARTS:
            return Reply(200, {"Content-Type": _PARTS[name][0]}, _PARTS[name][1] + url.encode())
        self._log.note(url)
        reply = self._web.respond(url)
        if self._has_parts and reply.headers.get("Content-Type", "").startswith("text/html"):
            own = "own.png" if url.endswith("/") else f"{name}/own.png"
            parts = f'<link rel=stylesheet href=/all.css><link rel=stylesheet href=/some.css><img src="{own}">'
            return replace(reply, body=reply.body + parts.encode())
        return reply


@dataclass
class Crawl:
    """One crawl that is killed again and again."""

    command: list[str]
    store: Path
    log: Log
    found: Counter[str]
    read: set[str] = field(default_factory=set)
    fetched_at: dict[str, float] = field(default_factory=dict)

    async def live(self, seconds: float | None, boundary: str = "") -> bool:
        """Crawl until it is killed after so many seconds, or kills itself at a boundary; True if it came through."""
        start = len(self.log.asked)
        is_refreshing = "--discovery" in self.command or "--refresh" in self.command
        command = self.command
        if is_refreshing and not (seconds or boundary):
            command = [*(part for part in command if part != "--refresh"), "--discovery", "1"]
            command += ["--forget", "refresh"] if self.store.exists() else []
        process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, env=os.environ | {"KILLED_AT": boundary}, start_new_session=True
        )
        output = b""
        try:
            output, _ = await asyncio.wait_for(process.communicate(), seconds)
        except TimeoutError:
            if "--search" in self.command and self.found["kills"] % 2:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            await process.wait()
        asked = self.log.asked[start:]
        self.found["again"] += 0 if is_refreshing else len(self.read.intersection(asked))
        self.found["soon"] += self.too_soon(start)
        self.found["twice"] += len(set(self.log.asked[:start]).intersection(asked))
        if process.returncode == 0:
            # Without output it came through just as it was about to be killed.
            self.found["broken"] += bool(output) and json.loads(output)["reason"] != "nothing-left"
            if "--archive" in self.command:
                self.found["torn"] += self.faults(Path(f"{self.store}-kept"))
            if "--search" in self.command:
                self.found["search"] += await self.strays()
            return True
        assert process.returncode == -signal.SIGKILL, f"exit code {process.returncode}"
        self.found["kills"] += 1
        self.look()
        return False

    async def strays(self) -> int:
        """Number of pages that some searches find twice, and of texts by which the index and one made anew differ."""
        (caught_up, twice), (anew, _) = await self.indexed(), await self.indexed("--rebuild")
        return len(caught_up ^ anew) + twice

    async def indexed(self, *options: str) -> tuple[set[tuple[int, int]], int]:
        """After `minicrawl index` with options, page and id of the texts in the index, and pages found twice."""
        index = [sys.executable, "-m", "minicrawl", "index", *options, "--store", str(self.store)]
        process = await asyncio.create_subprocess_exec(*index, stdout=asyncio.subprocess.DEVNULL)
        assert await process.wait() == 0, "the index cannot be brought up to date"
        twice = 0
        with open_store(self.store) as store:
            for words in _WORDS:
                pages = search(store, words, Asked(n=1000)).pages
                urls = [url for page in pages for url in (page.url, *page.alike)]
                twice += len(urls) - len(set(urls))
            mark = store_mark(store.hash_key)
        with open_index(index_path(self.store), mark) as opened_index:
            return set(opened_index.texts().items()), twice

    def too_soon(self, start: int) -> int:
        """Number of requests, from number `start` on, that came before their committed due time."""
        if "--refresh-min" not in self.command:
            return 0
        least = float(self.command[self.command.index("--refresh-min") + 1].removesuffix("s"))
        count, fetched_at = 0, dict(self.fetched_at)
        for url, now in zip(self.log.asked[start:], self.log.times[start:], strict=True):
            count += now - fetched_at.get(url, 0.0) < least
            fetched_at[url] = now
        return count

    def look(self) -> None:
        """Look at what the store holds after a kill."""
        if not self.store.exists():
            return
        try:
            with open_store(self.store) as store:
                broken = list(violations(store))
                if "--text" in self.command:
                    self.found["texts"] += without_text(self.store)
            if "--archive" in self.command:
                self.found["rows"] += self.faults(None)
        except StoreError as error:
            broken = [str(error)]
        for line in broken:
            print(f"  audit: {line}", file=sys.stderr)
        self.found["audit"] += bool(broken)
        waits = {"waiting", "error", "disallowed"} if "--retry" in self.command else {"waiting"}
        read = {url for url, (state, *_) in ending(self.store).items() if state not in waits}
        self.found["lost"] += len(self.read - read)
        self.read = read
        with sqlite3.connect(self.store) as db:
            if db.execute("SELECT name FROM sqlite_master WHERE name = 'refresh'").fetchone():
                query = "SELECT url, fetched_at FROM refresh JOIN pages ON pages.id = page"
                self.fetched_at = dict(db.execute(query).fetchall())

    def faults(self, folder: Path | None) -> int:
        """Number of faults of the archive by its store, or by its files alone."""
        if not (Path(f"{self.store}-kept") / "archive").exists():
            return 0
        with opened(self.store, folder) as archive:
            wrong = check(archive.collection, archive.committed, deep=True).wrong
        for line in wrong:
            print(f"  archive: {line}", file=sys.stderr)
        return len(wrong)


def without_text(path: Path) -> int:
    """Number of HTML answers without text, and of texts without an HTML answer."""
    html = "status = 200 AND content_type LIKE 'text/html%'"
    query = f"SELECT page FROM fetches JOIN pages ON fetches.id = fetch WHERE {html}"
    with sqlite3.connect(path) as db:
        answered, kept = ({page for (page,) in db.execute(rows)} for rows in (query, "SELECT page FROM texts"))
    return len(answered ^ kept)


def ending(store: Path) -> Ending:
    with sqlite3.connect(store) as db:
        if not db.execute("SELECT name FROM sqlite_master WHERE name = 'ranks'").fetchone():
            return {}
        requisites = db.execute("SELECT url, state, reason FROM requisites").fetchall()
    with open_store(store) as reader:
        pages = list(reader.pages())
        numbers = reader.page_table.find([page.url for page in pages])
        found = {f"requisite {url}": (state, reason, None, 0.0) for url, state, reason in requisites}
        return found | {
            page.url: (page.state, page.reason, reader.texts.record(numbers[page.url]), page.importance)
            for page in pages
        }


def differences(ours: Ending, theirs: Ending) -> int:
    """Number of URLs with another outcome, plus one if the rankings are more than 1e-6 apart (L1)."""
    distance = sum(abs(ours[url][-1] - theirs[url][-1]) for url in ours.keys() & theirs.keys())
    states = {url: row[:-1] for url, row in ours.items()}.items() ^ {
        url: row[:-1] for url, row in theirs.items()
    }.items()
    return len({url for url, _ in states}) + (distance > 2e-6)


@contextmanager
def dying(boundary: str) -> Iterator[None]:
    """Let this process kill itself at the commit that "before N" or "behind N" names."""
    side, _, number = boundary.partition(" ")
    commits, transaction = 0, Writer.transaction

    @contextmanager
    def counted(self: Writer) -> Iterator[None]:
        nonlocal commits
        commits += 1
        with transaction(self):
            yield
            if side == "before" and commits == int(number):
                os.kill(os.getpid(), signal.SIGKILL)
        if side == "behind" and commits == int(number):
            os.kill(os.getpid(), signal.SIGKILL)

    Writer.transaction = counted  # type: ignore[method-assign]
    yield


async def run(kills: int, options: list[str]) -> None:
    delay = float(options[options.index("--delay") + 1]) if "--delay" in options else 0.0
    found: Counter[str] = Counter()
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            in_the_making(Path(folder), kills, found)
            bench = Bench(Path(folder), delay, options, found)
            async with bench.crawling(DemoWeb.generate()) as crawl:
                await at_random(crawl, kills, _RENDERING if "--render" in options else _LONGEST_LIFE, found)
            if not {"--discovery", "--refresh"} & set(options):
                async with bench.crawling(DemoWeb.generate(hosts=12, pages=600)) as crawl:
                    await at_commits(crawl, found)
                    if "--retry" in options:
                        await at_commits(crawl, found, is_again=True)
    finally:
        _tell(found)


def _tell(found: Counter[str]) -> None:
    print(f"{found['kills']} kills, {found['crawls']} crawls")
    for what in _FAULTS:
        print(f"{what:<12} {found[what]}")
    print(f"asked twice  {found['twice'] / max(found['kills'], 1):.1f} pages a kill: in flight, or not yet committed")


def in_the_making(folder: Path, kills: int, found: Counter[str]) -> None:
    """Kill processes that make a store, at random moments of what that takes here, and open what they left."""
    started = time.monotonic()
    Writer(folder / "unharmed.db").close()
    longest = 1.2 * (time.monotonic() - started)
    rng = random.Random(0)
    for number in range(kills):
        path = folder / f"made{number}.db"
        maker = os.fork()
        if not maker:
            Writer(path)
            time.sleep(60)
        time.sleep(rng.uniform(0, longest))
        os.kill(maker, signal.SIGKILL)
        os.waitpid(maker, 0)
        found["half made"] += path.with_name(f"{path.name}.new").exists()
        try:
            Writer(path).close()
            with open_store(path) as store:
                found["made"] += bool(list(store.pages(n=1)))
        except StoreError as error:
            print(f"  made: {error}", file=sys.stderr)
            found["made"] += 1
    print(f"{kills} stores killed in the making, {found['half made']} of them half made", file=sys.stderr)


@dataclass
class Bench:
    """The setting of the crawls."""

    folder: Path
    delay: float
    options: list[str]
    found: Counter[str]

    @asynccontextmanager
    async def crawling(self, web: DemoWeb) -> AsyncIterator[Callable[[], Crawl]]:
        """Serve a web, and give a function that starts a new crawl of it."""
        log = Log(self.delay)
        logged = LoggedWeb(web, log, has_parts="--requisites" in self.options)
        async with serving(logged) as port:  # type: ignore[arg-type]
            yield lambda: self.crawl(web, port, log)
        self.found["early"] += log.early

    def crawl(self, web: DemoWeb, port: int, log: Log) -> Crawl:
        """A new crawl of a web that is served at a port."""
        self.found["crawls"] += 1
        log.asked.clear()
        log.times.clear()
        store = self.folder / f"{self.found['crawls']}.db"
        command = [sys.executable, __file__, "--child", *web.seeds, "--connect-to", f"::127.0.0.1:{port}"]
        command += ["--allow-private", "--json", "--quiet", *([] if self.delay else ["--delay", "0"])]
        options = [
            part for name in self.options for part in ([name, f"{store}-kept"] if name == "--archive" else [name])
        ]
        return Crawl([*command, *options, "--store", str(store)], store, log, self.found)


async def at_random(crawl: Callable[[], Crawl], kills: int, longest: float, found: Counter[str]) -> None:
    """Crawls that are killed at random moments, so many times in all. longest: seconds of a life."""
    rng = random.Random(0)
    began, whole = time.time(), crawl()
    expected = await unharmed(whole)
    start = whole.log.times[0] - began  # on a busy machine a process takes long to ask for anything
    while found["kills"] < kills:
        killed = crawl()
        while not await killed.live(rng.uniform(start / 2, start + longest) if found["kills"] < kills else None):
            pass
        found["ending"] += differences(ending(killed.store), expected)
        print(f"{found['kills']} kills", file=sys.stderr)


async def at_commits(crawl: Callable[[], Crawl], found: Counter[str], *, is_again: bool = False) -> None:
    """Crawls that are killed at each of their commits, right before it and right behind.

    is_again: they were through once before.
    """
    expected = await unharmed(whole := crawl())
    for side in ("before", "behind"):
        for number in count(1):
            killed = crawl()
            if is_again:
                shutil.copy(whole.store, killed.store)
            if await killed.live(None, f"{side} {number}"):
                break
            if not await killed.live(None, f"{side} 1"):
                await killed.live(None)
            found["ending"] += differences(ending(killed.store), expected)
    print(f"{found['kills']} kills", file=sys.stderr)


async def unharmed(crawl: Crawl) -> Ending:
    await crawl.live(None)
    return ending(crawl.store)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["--child"]:
        from minicrawl.cli import main

        if os.environ.get("KILLED_AT"):
            with dying(os.environ["KILLED_AT"]):
                main(["crawl", *arguments[1:]])
        else:
            main(["crawl", *arguments[1:]])
    else:
        wanted = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 200
        asyncio.run(run(wanted, arguments))
