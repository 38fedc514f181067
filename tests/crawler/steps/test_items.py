"""Items and hooks in a crawl: with workers and without, through kills, and what a hook may change."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import httpx
import pytest
from support.killing_web import killing_web
from support.sites import HOME, Server, Site, crawl, faults_in, rows
from support.small_web import small_web

import minicrawl
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.steps.kept import HookFailures
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, ParsedPage, State
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

SITE: Site = {
    HOME: ["<h1>Home</h1>", "/x", "/y", "/none"],
    f"{HOME}x": ["<h1>X</h1>"],
    f"{HOME}y": ["<h1>Y</h1>", "/x"],
}


def items(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def hook(folder: Path, code: str) -> list[str]:
    (folder / "hooks.py").write_text(code)
    return [str(folder / "hooks.py")]


def test_pages_that_were_read_have_their_items(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    crawl(SITE, tmp_path / "crawl.db", [HOME], extract=["title=h1", "none=table"], items=str(path))
    assert {(item["url"], item["title"], item["none"]) for item in items(path)} == {
        (HOME, "Home", None),
        (f"{HOME}x", "X", None),
        (f"{HOME}y", "Y", None),
    }
    fetched = dict(rows(tmp_path / "crawl.db", "SELECT url, fetched_at FROM ranks"))
    assert all(item["at"] == fetched[str(item["url"])] for item in items(path))


def test_hooks_see_pages_choose_links_and_send_headers(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    code = f"""
def note(what):
    with open({str(seen)!r}, "a") as file: print(what, file=file)
def started(): note("started")
def stopped(): note("stopped")
def request(url): return {{"X-Asked": url}}
def links(page, links): return [link for link in links if not link.endswith("y")]
def on_page(page): note(page.url); return {{"title": page.css("h1")[0], "links": len(page.links)}}
"""
    server, _ = Server(SITE), None
    headers: list[str | None] = []
    answer = server._answer

    def noted(request: httpx.Request) -> httpx.Response:
        headers.append(request.headers.get("X-Asked"))
        return answer(request)

    server.handler = noted
    path = tmp_path / "items.jsonl"
    crawl(server, tmp_path / "crawl.db", [HOME], hook=hook(tmp_path, code), items=str(path))
    assert seen.read_text().split() == ["started", HOME, f"{HOME}x", "stopped"]
    assert [(item["title"], item["links"]) for item in items(path)] == [("Home", 3), ("X", 0)]
    assert set(filter(None, headers)) == {HOME, f"{HOME}x", f"{HOME}none"}
    assert rows(tmp_path / "crawl.db", "SELECT refused FROM links WHERE source = 0") == [(1,)]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_items_are_those_of_the_pages_that_were_committed_whenever_it_is_killed(tmp_path: Path, workers: int) -> None:
    store, path = tmp_path / "crawl.db", tmp_path / "items.jsonl"
    read = "SELECT url FROM pages JOIN fetches ON fetches.id = fetch WHERE status = 200"
    with killing_web() as web:
        seeds = [f"http://h{host}.test/" for host in range(40)]
        options = f"--extract title=title --extract links[]=a::attr(href) --items {path} --no-traps --workers {workers}"
        asked = web.crawl_command(store, seeds, *options.split())
        for requests in (60, 130, 30):
            assert web.kill(asked, requests)
            assert faults_in(store) == []
            with open_store(store) as reader:
                size = reader.meta_json("items").get("size", 0)
            committed = path.read_bytes()[:size] if path.exists() else b""
            urls = Counter(json.loads(line)["url"] for line in committed.splitlines())
            assert urls == Counter(url for (url,) in rows(store, read))
        subprocess.run(asked, stdout=subprocess.DEVNULL, check=True)
    urls = Counter(str(item["url"]) for item in items(path))
    assert urls == Counter(url for (url,) in rows(store, read))
    assert len(urls) > 40


def test_items_are_the_same_with_workers_and_without(tmp_path: Path) -> None:
    found = []
    with small_web() as port:
        for workers in (0, 2):
            path = tmp_path / f"{workers}.jsonl"
            minicrawl.crawl(
                *("http://a.test/", tmp_path / f"{workers}.db"),
                workers=workers,
                extract=["title=title", "links[]=a::attr(href)"],
                items=str(path),
                connect_to=f"::127.0.0.1:{port}",
                allow_private=True,
                delay=0,
                traps=False,
            )
            found.append(sorted((str(item["url"]), str(item["title"]), str(item["links"])) for item in items(path)))
    assert len(found[0]) > 3
    assert found[0] == found[1]


def answered(*failures: tuple[str, str]) -> Turn:
    parsed = ParsedPage(hook_failures=failures)
    return Turn(0, Fetched("http://a.test/", status=200), parsed, Outcome(State.FETCHED, "ok"), 0.0)


def test_failures_are_counted_over_runs(tmp_path: Path) -> None:
    for _ in range(2):
        writer = Writer(tmp_path / "crawl.db")
        failures = HookFailures(writer)
        failures.on_answer(answered(("one", "KeyError: 'x'"), ("two", "KeyError: 'x'")))
        failures.on_answer(answered(("one", "KeyError: 'x'")))
        with writer.transaction():
            failures.save(writer)
        counted = writer.meta_json("hook_errors")
        writer.close()
    assert counted == {"one": 4, "two": 2}
