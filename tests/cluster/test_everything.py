"""A crawl in partitions with everything on - logins, cookies, traps, texts, archive, items, rendering - is the crawl of
one process."""

import asyncio
import json
import os
import signal
import stat
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.cluster_runs import SETTINGS, check_same, folder_at, keeper_at
from support.gathered import sound_pages
from support.needs import is_there
from support.patience import PATIENCE
from support.pdfs import answered, document
from support.prose import prose
from support.sites import canonical, rows, texts_in

from minicrawl.api import acrawl
from minicrawl.archive.check import check
from minicrawl.archive.collection import Collection
from minicrawl.cluster.keeper import Ended, Keeper, Listener
from minicrawl.demo.resources import Reply
from minicrawl.demo.web import serving_answers
from minicrawl.errors import SettingError
from minicrawl.model import CrawlReport, Progress
from minicrawl.settings import ConnectTo
from minicrawl.store.folder import found
from minicrawl.store.gather import gather
from minicrawl.timing import Timing

HOMES = [f"http://h{number}.test/" for number in range(6)]
"""In all of three partitions."""
LETS_IN = "Basic dXNlcjpwYXNz"
"""user:pass"""
HOOK = "def on_page(page):\n    return [{'hooked': page.url}]\n"
TOO_LONG = f"list?v={'1' * 8_000}"
PATIENT = Timing(render=PATIENCE)
EVERYTHING: dict[str, Any] = {
    "auth": ("user:pass",),
    "extract": ("title=title",),
    "jump": "sites",
    "max_depth": 4,
    "recrawl_after": "30d",
    **dict.fromkeys(("pdf", "requisites", "sitemaps", "text", "traps"), True),
}


def pages() -> dict[str, str]:
    """Documents by URL. Each host links to all homes; some pages stand for those of the host before it, living or dead,
    and a chain leads from host to host, until that is too deep."""
    web: dict[str, str] = {}
    for number, home in enumerate(HOMES):
        before, after = HOMES[number - 1], HOMES[(number + 1) % len(HOMES)]
        names = ("closed", "member", "print", "kept", "moved", "missing", "paper.pdf", "chain1", TOO_LONG)
        parts = {
            "": [*HOMES, *(f"{home}{name}" for name in names), f"<script src={HOMES[0]}made.js></script>"],
            **{name: [home] for name in ("closed", "member", "listed")},
            "print": [canonical(f"{before}missing")],
            "kept": [canonical(f"{before}living")],
            "living": [f"<img src={before}own.png>"],
            **{name: [] for name in ("made", "by-paper")},
            **{f"chain{step}": [f"{after}chain{step + 1}", home] for step in range(1, 8)},
        }
        for part, (name, links) in enumerate(parts.items()):
            said = "".join(link if link[0] == "<" else f"<a href={link}>to</a>" for link in links)
            words = prose(100 * number + part, 60, f"{home}{name}")
            if name == "kept":  # it says what the page says that it stands for
                words = prose(100 * ((number - 1) % len(HOMES)) + [*parts].index("living"), 60, f"{before}living")
            web[f"{home}{name}"] = words.replace("</head>", said) if "canonical" in said else words + said
    return web


WEB = pages()
PAPERS = {
    f"{home}paper.pdf": answered(document([f"A paper of {home}"], uris=[f"{HOMES[number - 1]}by-paper"]))
    for number, home in enumerate(HOMES)
}

FILES = {
    "made.js": ("text/javascript", "document.body.innerHTML += '<a href=/made>made</a>'"),
    "own.png": ("image/png", "one of {home}"),
    "robots.txt": ("text/plain", "Sitemap: {home}map.xml"),
    "map.xml": ("text/xml", "<urlset><url><loc>{home}listed</loc></url></urlset>"),
}
"""By name on any host: type and content."""


def respond(url: str, asked: Mapping[str, str]) -> Reply:
    """Some pages are for who is logged in, or has the cookie of the home."""
    home, _, name = url.partition(".test/")
    home += ".test/"
    if url in PAPERS:
        return Reply(200, {"Content-Type": "application/pdf"}, PAPERS[url].partition(b"\r\n\r\n")[2])
    is_let_in = {"closed": asked.get("Authorization") == LETS_IN, "member": "name=value" in asked.get("Cookie", "")}
    if name in is_let_in and not is_let_in[name]:
        return Reply(401, {"Content-Type": "text/html"}, b"no")
    if name == "moved":
        return Reply(301, {"Location": f"{HOMES[HOMES.index(home) - 1]}living"}, b"")
    kind, body = FILES.get(name, ("text/html", WEB.get(url, "")))
    cookies = {} if name else {"Set-Cookie": "name=value"}
    return Reply(200 if body else 404, {"Content-Type": kind, **cookies}, body.format(home=home).encode())


class Run:
    """A crawl with everything on, of which all but the store is in files named `name`."""

    def __init__(self, path: Path, name: str, more: dict[str, Any]) -> None:
        self.store, self.archive = path / f"{name}.crawl", path / f"{name} kept"
        self.cookies, self.items = path / f"{name}.txt", path / f"{name}.jsonl"
        (path / "hooks.py").write_text(HOOK)
        lines = [f"{host}.test\tFALSE\t/\tFALSE\t0\tname\tvalue" for host in ("h0", "h1", "elsewhere")]
        self.cookies.write_text("\n".join(lines))
        self.settings = SETTINGS | EVERYTHING | {"hook": (str(path / "hooks.py"),)} | more
        self.settings |= {"archive": self.archive, "cookie_file": self.cookies, "items": str(self.items)}

    def crawl(self, beside: Callable[[Keeper], None] | None = None) -> CrawlReport | Ended:
        """To its end in one process; or in partitions, with something done to their keeper before."""

        async def crawl() -> CrawlReport | Ended:
            async with serving_answers(respond) as port:
                if beside is None:
                    rules = (ConnectTo(None, None, "127.0.0.1", port),)
                    return await acrawl(HOMES, self.store, **self.settings, connect_to=rules, timing=PATIENT)
                keeper = keeper_at(folder_at(self.store, 3), port, HOMES, {**self.settings, "workers": 2})
                keeper.timing = PATIENT
                beside(keeper)
                return await keeper.crawl()

        ended = asyncio.run(crawl())
        assert ended.reason == "nothing-left"
        return ended

    def whole(self) -> Path:
        """One store of all of it."""
        if self.store.is_dir():
            gather(self.store, self.store.with_suffix(".db"))
        return self.store.with_suffix(".db") if self.store.is_dir() else self.store

    @property
    def stores(self) -> list[Path]:
        return found(self.store).here if self.store.is_dir() else [self.store]

    def age(self) -> None:
        """Let all pages be of a month ago."""
        for store in self.stores:
            rows(store, "UPDATE refresh SET fetched_at = fetched_at - 3e6, due = due - 3e6")

    def items_taken(self) -> Counter[str]:
        """How often each item is there, whenever its page was read."""
        files = self.items.parent.glob(f"{self.items.stem}*.jsonl")
        lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
        return Counter(json.dumps({**item, "at": None}, sort_keys=True) for item in lines)

    def jar(self) -> list[str]:
        return sorted(line for line in self.cookies.read_text().splitlines() if line[:1] not in ("", "#"))


def compare(parts: Run, one: Run) -> None:
    """What partitions have found, kept and taken out of pages is what one process has."""
    together, alone = parts.whole(), one.whole()
    check_same(sound_pages(together), sound_pages(alone))
    assert texts_in(together) == texts_in(alone)
    assert parts.items_taken() == one.items_taken()
    assert parts.jar() == one.jar()
    kept, expected = Collection(parts.archive), Collection(one.archive)
    assert check(kept, deep=True).wrong == []
    assert {captured.url for captured in kept} == {captured.url for captured in expected}


def check_all_is_in(one: Run, *, renders: bool) -> None:
    """That the crawl had what it is to be tried with."""
    pages = sound_pages(one.store)
    reasons = dict.fromkeys(("closed", "member", "listed", "by-paper"), "ok")
    reasons |= {"print": "canonical-dead", "kept": "canonical", "moved": "redirect-301"}
    for name, reason in reasons.items():
        assert {pages[f"{home}{name}"].reason for home in HOMES} == {reason}, name
    assert (f"{HOMES[0]}made" in pages, f"{HOMES[0]}{TOO_LONG}" in pages) == (renders, False)
    assert f"{HOMES[0]}own.png" in {captured.url for captured in Collection(one.archive)}


def check_secrets(parts: Run) -> None:
    """No partition writes a login, and its cookies are its owner's alone."""
    for store in parts.stores:
        assert store.stat().st_mode & 0o077 == 0
        assert LETS_IN.encode() not in store.read_bytes()
        assert b"user:pass" not in store.read_bytes()
    assert "user:pass" not in (parts.store / "cluster.json").read_text()
    assert stat.S_IMODE(parts.cookies.stat().st_mode) == 0o600
    held = [domain for store in parts.stores for (domain,) in rows(store, "SELECT domain FROM cookies")]
    assert sorted(held) == sorted([*(home[7:-1] for home in HOMES), "elsewhere.test"]), "each is in one store"


@pytest.mark.slow
@pytest.mark.usefixtures("ray")
def test_partitions_find_keep_and_take_out_what_one_process_does(tmp_path: Path) -> None:
    """Though processes are killed; and once more, when all is fetched again. Where there is a Chromium, it renders."""
    renders = is_there("chromium")
    one, parts = (Run(tmp_path, name, {"render": ("test/$",)} if renders else {}) for name in ("one", "parts"))
    left, deaths = [10, 30, 50], list[str]()

    def beside(keeper: Keeper) -> None:
        def kill(progress: Progress) -> None:
            pid = keeper.pids.get(len(left) % 3)
            if left and progress.fetched >= left[0] and pid is not None:
                os.kill(pid, signal.SIGKILL)
                left.pop(0)

        keeper.listener = Listener(warn=deaths.append, shows=kill)

    first = one.crawl()
    check_all_is_in(one, renders=renders)
    parts.crawl(beside)
    assert (left, len(deaths) >= 3) == ([], True)
    compare(parts, one)
    check_secrets(parts)
    one.age()
    parts.age()
    alone, together = one.crawl(), parts.crawl(lambda keeper: None)
    assert alone.fetched == together.fetched == first.fetched
    assert (together.read, together.left_out) == (alone.read, alone.left_out)
    compare(parts, one)


# What ends a crawl of partitions, or keeps it from beginning.


def test_a_file_of_items_that_is_there_already_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "many.001.jsonl").write_text("mine\n")
    settings = {**SETTINGS, "extract": ("title=title",), "items": str(tmp_path / "many.jsonl")}
    with pytest.raises(SettingError, match=r"many\.001\.jsonl already exists"):
        asyncio.run(acrawl(HOMES, tmp_path / "web", partitions=2, **settings))
    assert (tmp_path / "many.001.jsonl").read_text() == "mine\n"
