"""What a first mistake leaves behind: a sentence, and nothing else."""

from pathlib import Path

import pytest
from support.command_line import run
from support.sites import HOME, crawl, rows

import minicrawl
from minicrawl.cli.output import given_up_line


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["a.test", "--ca-file", __file__], "holds no certificate"),
        (["a.test", "--ca-file", __file__, "--workers", "1"], "holds no certificate"),
        (["a.test", "--connect-to", "ü<b::127.0.0.1:80"], "is not a host name"),
        ([], "you gave no seeds"),
    ],
    ids=str,
)
@pytest.mark.parametrize("is_new", [True, False], ids=["new", "old"])
def test_an_option_that_is_refused_is_not_remembered(tmp_path: Path, words: list[str], told: str, is_new: bool) -> None:
    """A store that was not there is not made; in one that was, nothing changes, so the next run has no trouble."""
    store = tmp_path / "data" / "crawl.db"
    if not is_new:
        store.parent.mkdir()
        crawl({HOME: ["/b"]} if words else {}, store, [HOME])
        kept = rows(store, "SELECT value FROM meta WHERE key = 'settings'")
    result = run("crawl", *words, "--store", store)
    if not is_new and not words:
        assert result.exit_code == 0  # a store has seeds of its own
        return
    assert result.exit_code == 2
    assert told in result.stderr
    if is_new:
        assert not store.parent.exists()
    else:
        assert rows(store, "SELECT value FROM meta WHERE key = 'settings'") == kept


def test_what_could_not_be_fetched_is_told_with_the_way_out(tmp_path: Path) -> None:
    result = run("crawl", "http://127.0.0.1:2/", "--store", tmp_path / "a crawl.db", "--delay", "0")
    assert result.exit_code == 1
    last = result.stderr.splitlines()[-1]
    assert "(private-address): the host is on this machine's own network; --allow-private allows" in last
    assert f"--store '{tmp_path}/a crawl.db'" in last


def test_a_misspelt_command_is_told_with_the_one_that_was_meant() -> None:
    result = run("stats")
    assert (result.exit_code, "No such command 'stats'. Did you mean 'status'?" in result.stderr) == (2, True)
    assert "Did you mean" not in run("xyzzy").stderr


def test_a_reason_for_which_no_page_was_given_up_is_told(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: ["/b"], HOME + "b": 404}, store, [HOME])
    result = run("crawl", "--store", store, "--retry", "http-403,http-404", "--allow-private", "--time", "1s")
    hint = f"'minicrawl status --store {store}' shows the reasons"
    assert f"--retry http-403: no page failed for that reason; {hint}\n" in result.stderr
    assert "to try again: 1\n" in result.stderr
    assert "--retry http-404" not in result.stderr


WHAT = "--retry takes reasons that 'minicrawl status' shows, such as http-404, or all"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("passin", f"{WHAT}, not 'passin'"),
        ("http-503,404", f"{WHAT}, not '404'"),
        ("http-", f"{WHAT}, not 'http-'"),
        ("passing", "every run retries temporary failures: leave out --retry passing"),
    ],
)
def test_a_reason_that_is_none_is_told_before_the_crawl(tmp_path: Path, given: str, told: str) -> None:
    result = run("crawl", HOME, "--store", tmp_path / "crawl.db", "--retry", given)
    said = result.stderr.strip().removeprefix("Error: ").replace(f" --store {tmp_path}/crawl.db", "")
    assert (result.exit_code, said) == (2, told)
    assert not (tmp_path / "crawl.db").exists()


def test_what_the_next_run_tries_again_is_told_at_the_end() -> None:
    assert given_up_line({"http-404": 3, "http-403": 2}) == "Given up: http-404 3, http-403 2"
    assert given_up_line({"http-404": 3, "reset": 2, "dns": 1}) == (
        "Given up: http-404 3, reset 2, dns 1; the next run tries 3 again"
    )


def test_a_crawl_of_other_peoples_hosts_is_asked_once_to_name_somebody(tmp_path: Path) -> None:
    """Nothing goes out: the proxy is closed."""
    hint = "--contact ADDRESS names you"
    away = ("crawl", "example.org", "--proxy", "http://127.0.0.1:9", "--time", "0.1s")
    assert hint in run(*away, "--store", tmp_path / "a.db").stderr
    assert hint not in run(*away, "--store", tmp_path / "a.db").stderr
    assert hint not in run(*away, "--contact", "me@example.org", "--store", tmp_path / "b.db").stderr
    assert hint not in run(*away, "-q", "--store", tmp_path / "c.db").stderr


@pytest.mark.parametrize("seeds", [3, None, [3], [HOME, None]])
def test_python_is_told_what_seeds_are(seeds: object, tmp_path: Path) -> None:
    with pytest.raises(minicrawl.MinicrawlError, match="seeds must be strings"):
        minicrawl.crawl(seeds, tmp_path / "crawl.db")  # type: ignore[arg-type]


def test_no_phrase_of_a_list_of_commands_is_cut() -> None:
    assert "...\n" not in run("archive", "--help").stdout.partition("Commands:")[2]


def test_a_command_that_is_the_way_out_names_the_store(tmp_path: Path) -> None:
    store = tmp_path / "my crawl.db"
    crawl({HOME: []}, store, [HOME])
    told = run("links", "--to", "b.test", "--store", store).stderr
    assert f"'minicrawl why https://b.test/ --store '{store}'' says more" in " ".join(told.split())


def test_a_file_without_seeds_is_told_where_a_crawl_goes_on(tmp_path: Path) -> None:
    store, empty, full = tmp_path / "crawl.db", tmp_path / "empty.txt", tmp_path / "full.txt"
    crawl({HOME: []}, store, [HOME])
    empty.write_text("# nothing yet\n")
    full.write_text(HOME)
    told = [run("crawl", str(file), "--store", store, "--pages", "1").stderr for file in (empty, full)]
    assert [f"{empty}: no seed in it" in each for each in told] == [True, False]
