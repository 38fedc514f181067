"""What the documentation says is so: commands run, options and reason codes exist and are explained, links lead on."""

import contextlib
import doctest
import gzip
import io
import re
import runpy
import shlex
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, redirect_stdout
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any  # Any: a parameter of pytest
from xml.etree import ElementTree

import click
import httpx
import pytest
from click.testing import CliRunner
from rich.console import Console
from support.documents import (
    LAB,
    PAGES,
    ROOT,
    all_options,
    blocks,
    headings,
    links,
    name,
    named_commands,
    parse,
    prose,
    rows,
    sessions,
    shown_commands,
    spans,
    text,
)
from support.needs import needs
from support.small_web import small_web

import minicrawl
from minicrawl.cli import main
from minicrawl.cli.live_display import render
from minicrawl.model import InFlightNow, LimitsNow, Progress, Silence
from minicrawl.reasons import REASONS, meaning

DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with small_web() as port:
        yield port


def run(words: list[str], port: int) -> str:
    """Run a command as it is shown, but on the small web, in plain HTTP and without waiting."""
    words = [word.replace("https://", "http://") for word in words]
    if words[0] == "crawl" and "--show-settings" not in words:
        words += ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "--ip-delay", "0", "-q"]
    result = CliRunner().invoke(main, words)
    # 2: of a URL that this crawl does not know; 1: the small web has faults
    codes = {"why": (0, 2), "audit": (0, 1), "missing": (0, 1)}.get(words[1 if words[0] == "archive" else 0], (0,))
    assert result.exit_code in codes, (words, result.output, result.stderr, result.exception)
    return result.output


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory, port: int) -> Path:
    """A folder as somebody has it who has read the README: seeds, and a store at the usual place."""
    tmp_path = tmp_path_factory.mktemp("first")
    (tmp_path / "seeds.txt").write_text("http://example.org/\nhttp://docs.test/\n")
    (tmp_path / "terms.txt").write_text("a word of our terms " * 20)
    seen = (
        '192.0.2.1 - - [01/Nov/2026:12:00:00 +0000] "GET http://example.org/ HTTP/1.1" 200 9 "-" "Mozilla/5.0 (X11)"\n'
    )
    (tmp_path / "access.log").write_text(seen)
    (tmp_path / "access.log.1.gz").write_bytes(gzip.compress(seen.encode()))
    with contextlib.chdir(tmp_path):
        run(["crawl", "seeds.txt", "--text"], port)
        run(["index"], port)
    return tmp_path


@pytest.fixture
def crawled(first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, as the folder one is in."""
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(first, tmp_path, dirs_exist_ok=True)


SERVERS = {"cluster", "dashboard", "demo", "login", "mcp", "watch"}
"""Commands that serve until Ctrl-C, take seconds, or ask for a password: their own tests run them."""


def marked(page: Path) -> Any:
    """A page as a parameter; commands that crawl in partitions need Ray."""
    needs_ray = any("--partitions" in words for words in shown_commands(page))
    return pytest.param(page, marks=[needs("ray")] if needs_ray else [], id=name(page))


@pytest.mark.parametrize("page", [marked(page) for page in PAGES])
def test_commands_shown_in_blocks_run(page: Path, crawled: Path, port: int) -> None:
    for words in shown_commands(page):
        parse(words)
        if words[0] not in SERVERS and "seeds/demo.txt" not in words:
            run(words, port)


def test_recipes_of_the_readme_run(crawled: Path, port: int) -> None:
    page = ROOT / "README.md"
    recipes = [words for words in named_commands(page) if words[0] not in SERVERS]
    assert len(recipes) > 10
    for words in recipes:
        run(words, port)


def test_claims_of_the_papers_have_commands_that_run(crawled: Path, port: int) -> None:
    """Those that read a crawl. Experiments and crawls take seconds: their own tests run them."""
    reading = ("rank", "search", "graph", "check", "verify", "status", "changes", "why", "seeds")
    needing = {"GRAPH", "--plot", "--map"}
    shown = {tuple(words) for words in named_commands(LAB) if words[0] in reading and not needing & set(words)}
    assert len(shown) > 20
    for words in sorted(shown):
        run(list(words), port)


@pytest.mark.parametrize("page", [*PAGES, LAB], ids=name)
def test_commands_in_backticks_and_with_output_can_be_read(page: Path) -> None:
    for words in [*named_commands(page), *sessions(page)]:
        try:
            parse(words)
        except click.exceptions.Exit:
            assert "--help" in words
        except click.MissingParameter:
            assert words[1:] == []  # a command is named, not how it is called


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "sh")], ids=name)
def test_sql_that_is_shown_runs(page: Path, crawled: Path) -> None:
    lines = [shlex.split(line) for block in blocks(page, "sh") for line in block.splitlines()]
    for program, *flags, store, query in lines:
        assert program == "sqlite3"
        assert set(flags) <= {"-csv", "-header"}
        with closing(sqlite3.connect(crawled / store)) as db:
            db.execute(query).fetchall()


def answer(request: httpx.Request) -> httpx.Response:
    return httpx.Response(404 if request.url.path == "/robots.txt" else 200, html="<a href='/b'>b</a>")


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=name)
def test_python_that_is_shown_runs(
    page: Path, crawled: Path, monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    pytest.importorskip("pandas")
    for call in ("crawl", "Crawl"):
        shown = partial(getattr(minicrawl, call), transport=httpx.MockTransport(answer), delay=0)
        monkeypatch.setattr(minicrawl, call, shown, raising=False)
    at_once = partial(minicrawl.watch, transport=httpx.MockTransport(answer), delay=0, confirm=())
    monkeypatch.setattr(minicrawl, "watch", at_once, raising=False)
    for words in (["export", "ranks.csv"], ["graph", "export", "links.graphml"]):
        assert CliRunner().invoke(main, words).exit_code == 0
    for block in blocks(page, "python"):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(block, name(page), "exec"), {"__name__": "shown"})
        if shown_lines := re.findall(r"^print\(.*\)  # (.+)$", block, re.MULTILINE):
            assert printed.getvalue().splitlines() == shown_lines


PARTS = ("opic", "rank", "web.urls", "web.robots", "web.html")


@pytest.mark.parametrize("part", PARTS)
def test_examples_in_docstrings_are_right(part: str) -> None:
    result = doctest.testmod(import_module(f"minicrawl.{part}"))
    assert result.attempted > 0
    assert result.failed == 0


def test_glossary_has_the_words_of_the_output(crawled: Path, port: int) -> None:
    silence = Silence(0.0, 1.0)
    moment = replace(
        Progress(1.0, 1, 1, 1, 1, 1, 1, 1, clock=1.0, coverage=0.5, coverage_about=0.5, coverage_shown=0.5, errors={}),
        silence=silence,
        limits=LimitsNow(pages=9),
        requests=(InFlightNow("u", 1.0),),
        given_up={"dns": 1},
    )
    console = Console(file=io.StringIO(), width=200, record=True)
    console.print(render(moment, ((0.5, "u"),)))
    shown = console.export_text().partition("most important")[0]
    shown += run(["status"], port).partition("\n")[2]
    for url in ("http://example.org/", "http://example.org/nowhere"):
        shown += run(["why", url], port)
    words = {word.strip() for cells in rows(DOCS / "glossary.md") for word in re.split(r",|`", cells[0])}
    labels = set(re.findall(r"^ {0,2}([a-z][a-z. ]*?) {2,}", shown, re.MULTILINE))
    assert len(labels) > 15
    assert labels - words == set()


def test_page_of_commands_lists_every_command() -> None:
    listed = set(re.findall(r"^- `minicrawl (\w+)", text(DOCS / "commands.md"), re.MULTILINE))
    assert listed == set(main.list_commands(None))  # type: ignore[arg-type]


@pytest.mark.parametrize("page", [*PAGES, LAB], ids=name)
def test_options_that_are_named_exist(page: Path) -> None:
    ours = [span for span in spans(page) if span.startswith(("-", "minicrawl "))]
    named = {word for span in ours for word in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", span)}
    assert named - all_options() == set()


def test_page_of_settings_and_the_types_of_keywords_have_every_option_of_a_crawl() -> None:
    """Else: python packaging/settings.py"""
    written = runpy.run_path(str(ROOT / "packaging" / "settings.py"))
    assert written["page"](text(DOCS / "settings.md")) == text(DOCS / "settings.md")
    assert written["keywords"]() == text(ROOT / "minicrawl" / "settings" / "keywords.py")


def test_every_reason_code_is_explained() -> None:
    page = DOCS / "troubleshooting.md"
    assert [code for code in REASONS if code not in spans(page)] == []
    explained = [code for cells in rows(page) for code in re.findall(r"`([a-z]+(?:-[a-z0-9]+)*)`", cells[0])]
    assert [code for code in explained if meaning(code) is None] == []


@pytest.mark.parametrize("page", [*PAGES, LAB], ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in links(page):
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if there.suffix == "" and not there.exists():
            there = there.with_suffix(".py")
        assert there.exists(), target
        assert not anchor or anchor in headings(there), target


READMES = [path for path in ROOT.glob("*/**/README.md") if ".venv" not in path.parts]


@pytest.mark.parametrize("page", [*PAGES, *READMES], ids=map(name, [*PAGES, *READMES]))
def test_files_and_folders_that_are_named_exist(page: Path) -> None:
    """By their place in the tree, in minicrawl/, or beside the page."""
    path = re.compile(r"(?:minicrawl|tests|bench|seeds|docs|\.ci)/(?!\d)[\w./-]*|\w+(?:/\w+)*/\w+\.(?:py|sql|js|css)")
    named = {span for span in spans(page) if path.fullmatch(span)}
    named |= set(re.findall(r"(?:python|pytest) ((?:bench|tests)/[\w./]+)", text(page)))
    places = (ROOT, ROOT / "minicrawl", page.parent)
    assert {path for path in named if not any((place / path).exists() for place in places)} == set()


def test_every_page_is_in_the_list_of_pages() -> None:
    listed = {target.partition("#")[0] for target in links(DOCS / "README.md")}
    assert {page.name for page in DOCS.glob("*.md")} - {"README.md"} <= listed


def test_moving_picture_is_small_and_stands_still_where_that_is_asked_for() -> None:
    picture = DOCS / "pictures" / "demo.svg"
    assert picture.stat().st_size < 200_000
    style = "".join(ElementTree.parse(picture).getroot().itertext())
    assert "minicrawl demo" in style
    moving, _, rest = style.partition("@media (prefers-reduced-motion: no-preference)")
    assert "animation:" not in moving
    assert "infinite" not in rest
    assert "@media (prefers-color-scheme: dark)" in moving


def test_pictures_are_the_trees_own() -> None:
    """Nobody who looks at a page asks others for anything."""
    for page in PAGES:
        assert not re.search(r"!\[[^\]]*\]\(\w+://", prose(page))
    for picture in (DOCS / "pictures").glob("*.svg"):
        assert "url(http" not in picture.read_text("utf-8").replace('"', "")
