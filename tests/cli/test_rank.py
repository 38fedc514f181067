"""'rank' and 'top': rankings of stored links against networkx, kept under a name and shown again; sites."""

import json
from pathlib import Path

import click
import pytest
from support.command_line import answer, run
from support.shops import SITE, A
from support.sites import crawled_once, rows

from minicrawl.cli import main
from minicrawl.cli.rank import OPTIONS
from minicrawl.store.writer import Writer


def values(*words: str | Path) -> dict[str, float]:
    """What 'rank' says of every page that is no alias."""
    return {page["url"]: page["value"] for page in answer("rank", "--n", "1000", *words)}


crawled = crawled_once(SITE, [A], jump="pages")


def test_what_is_printed_stands_beside_the_importance(store: Path) -> None:
    result = run("rank", "--n", "2", "--store", store)
    best = answer("rank", "--n", "2", "--store", store)
    first, *lines = result.output.splitlines()
    assert first == (
        "The walker of pagerank follows a link 85 % of the time (--damping 0.85), that of importance 85 % of the time."
    )
    assert [line.split()[:3] for line in lines] == [
        ["rank", "importance", "pagerank"],
        *([str(page["rank"]), f"{page['importance']:.3g}", f"{page['value']:.3g}"] for page in best),
    ]


def test_saved_ranking_is_shown_by_top_and_export(store: Path, tmp_path: Path) -> None:
    result = run("rank", "--by", "inverse", "--save", "reach", "--store", store)
    assert result.exit_code == 0
    assert result.stderr == f"Kept as reach; see 'minicrawl top --by reach --store {store}'.\n"
    found = values("--by", "inverse", "--store", store)
    top = answer("top", "--where", "1", "--by", "reach", "--store", store)
    assert {page["url"]: page["value"] for page in top if page["state"] != "alias"} == found
    assert [page["value"] for page in top] == sorted((page["value"] for page in top), reverse=True)
    assert "reach" in run("top", "--by", "reach", "--store", store).output.splitlines()[0]
    assert run("export", tmp_path / "reach.jsonl", "--by", "reach", "--store", store).exit_code == 0
    exported = [json.loads(line) for line in (tmp_path / "reach.jsonl").read_text().splitlines()]
    assert [row["reach"] for row in exported] == [page["value"] for page in top]


def test_hits_are_saved_under_two_names(store: Path) -> None:
    found = answer("rank", "--by", "hits", "--save", "mine", "--store", store)
    for name, kept in (("authority", "mine"), ("hub", "mine-hubs")):
        top = {page["url"]: page["value"] for page in answer("top", "--where", "1", "--by", kept, "--store", store)}
        assert {page["url"]: page["value"] for page in found[name]}.items() <= top.items()


def test_ranking_is_not_saved_while_a_crawl_holds_the_store(store: Path) -> None:
    writer = Writer(store)
    try:
        result = run("rank", "--save", "mine", "--store", store)
        assert result.exit_code == 3
        assert "a crawl is using" in result.stderr
        assert "wait for it, or leave --save out" in result.stderr
        assert run("rank", "--store", store).exit_code == 0
    finally:
        writer.close()
    assert rows(store, "SELECT * FROM rankings") == []


@pytest.mark.parametrize("words", [["rank"], ["rank", "--memory", "1MB"]])
def test_damaged_links_are_one_sentence(store: Path, words: list[str]) -> None:
    rows(store, "UPDATE links SET targets = x'ffffff00' WHERE source = 0")
    result = run(*words, "--store", store)
    assert (result.exit_code, "cannot be ranked: a link leaves the store" in result.stderr) == (3, True)


def test_ranking_that_is_not_kept_is_named(store: Path) -> None:
    result = run("top", "--by", "charm", "--store", store)
    assert result.exit_code == 2
    assert f"a ranking is one of importance, history, cash, inlinks, and none is kept in {store}" in result.stderr
    run("rank", "--save", "mine", "--store", store)
    assert f"or one kept in {store}: mine; not 'charm'" in run("top", "--by", "charm", "--store", store).stderr


def test_pages_are_ranked_by_visits_in_logs(store: Path, tmp_path: Path) -> None:
    stamped = '192.0.2.1 - - [01/Nov/2026:12:00:0%d +0000] "GET %s HTTP/1.1" 200 9 "-" "Mozilla/5.0 (X11)"\n'
    (tmp_path / "a.log").write_text(stamped % (0, "/cart"))
    words = ("rank", "--by", "visits", "--site", A, "--store", store, "--log", tmp_path / "a.log")
    assert {url for url, share in values(*words[1:]).items() if share} == {A + "cart"}
    (tmp_path / "b.log").write_text(stamped % (1, "/"))
    result = run(*words, "--log", tmp_path / "b.log", "--save", "seen")
    assert (result.exit_code, result.stderr.splitlines()[0][:27]) == (0, "2 lines: 2 visits to 2 page")
    assert dict(rows(store, "SELECT url, value FROM rankings JOIN pages ON id = page WHERE value")) == {
        A: 0.5,
        A + "cart": 0.5,
    }


def test_every_option_of_rank_is_some_rankings() -> None:
    command = main.get_command(click.Context(main), "rank")
    assert command is not None
    names = {each.name for each in command.params}
    logging = {"verbose", "quiet", "log_file", "log_format"}
    comparing = {"compare", "plot", "csv_file", "csv_for"}
    shared = comparing | {"by", "n", "save", "store", "no_upgrade", "as_json", "config", "help"} | logging
    assert names - shared == set().union(*OPTIONS.values())
