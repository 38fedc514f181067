"""A crawl that is stopped or killed and goes on reads what the crawl in one reads, and its books stay right."""

import os
import random
from pathlib import Path

import pytest
from support.killing_web import killing_web
from support.made_webs import MADE, Read, read_by_crawl
from support.made_webs.judged import wrong_books
from support.made_webs.web import HOME, Answer, MadeWeb, read_of
from support.small_web import Pages

SITES = ["wiki", "index_sorted", "sessions_in_links", "languages", "mostly_empty_ids"]
KILLS = int(os.environ.get("MINICRAWL_KILLS", "3"))


@pytest.mark.parametrize("name", SITES)
def test_a_crawl_in_pieces_reads_what_the_crawl_in_one_reads(tmp_path: Path, name: str) -> None:
    """With few requests more, as each run tries samples again."""
    whole = read_by_crawl(MADE[name](0), tmp_path / "whole.db")
    assert wrong_books(tmp_path / "whole.db") == []
    assert whole.lost == []
    pieces = read_by_crawl(MADE[name](0), tmp_path / "pieces.db", 30)
    assert wrong_books(tmp_path / "pieces.db") == []
    assert pieces.lost == []
    assert pieces.requests <= 1.2 * whole.requests


def pages_of(web: MadeWeb, asked: list[tuple[str, Answer]]) -> type[Pages]:
    """A made site on a socket. asked: takes in what it has answered."""

    class Made(Pages):
        def do_GET(self) -> None:  # noqa: N802 - the name that the base class calls
            if self.path == "/robots.txt":
                self.answer(404, b"")
                return
            asked.append((self.path, found := web.answer(self.path)))
            fields = [(name, value) for name, value in found.fields.items() if name != "Content-Type"]
            self.answer(found.status, found.body.encode(), *fields)

    return Made


def killed(name: str, store: Path, draw: random.Random, kills: int) -> Read:
    """What a crawl reads that is killed so many times. Nothing may be wrong with its store at any time."""
    web, asked = MADE[name](0), list[tuple[str, Answer]]()
    with killing_web(pages_of(web, asked)) as server:
        command = server.crawl_command(store, [HOME], "--no-sitemaps")
        for _ in range(kills):
            server.kill(command, draw.randint(2, 40))
            if store.exists():
                assert wrong_books(store, ended=False) == []
        assert not server.kill(command, 0)
    return read_of(web, store, asked)


@pytest.mark.parametrize("name", ["index_sorted", "sessions_in_links"])
def test_a_crawl_that_is_killed_loses_nothing(store: Path, name: str) -> None:
    read = killed(name, store, random.Random(name), KILLS)
    assert wrong_books(store) == []
    assert read.lost == []
