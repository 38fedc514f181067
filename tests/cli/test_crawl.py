"""minicrawl crawl"""

import json
import socket
from pathlib import Path

import pytest
from support import skipping
from support.command_line import HOME, run
from support.sites import Server, crawl
from support.small_web import small_web


def test_nothing_fetched_is_exit_1_also_when_the_time_is_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody listens. Run again at once, hosts rest: nothing is asked at all, and the cause is that of before."""
    monkeypatch.setattr("minicrawl.cli.crawl.run_loop", skipping.run)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # held, lest somebody else gets it; but it does not listen
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        words = ("crawl", url, "--time", "15s", "--delay", "20", "--allow-private", "--ignore-robots")
        for form in ([], ["--json"]):
            result = run(*words, *form, "--store", tmp_path / "crawl.db")
            assert result.exit_code == 1
            assert result.stderr.splitlines()[-1].startswith("Error: nothing could be fetched (refused)")
            if form:
                assert json.loads(result.stdout)["reason"] == "time"
            else:
                assert "the time is up" in result.stdout
                assert "Read 0 of 1 known page, 1 waiting for ill hosts.\n" in result.stdout
                assert "1 host is ill (1 down): 1 page waits; the next run tries it first." in result.stdout


def test_run_that_had_nothing_left_is_exit_0(store: Path) -> None:
    for words in ((), ("--time", "5s"), ("--until-coverage", "0.1")):
        result = run("crawl", "--store", store, *words)
        first = f"Continues from {store}, which was finished: 4 of 5 known pages are read, 0 wait."
        assert (result.exit_code, result.stderr.splitlines()[0]) == (0, first)


def test_list_at_the_end_is_that_of_top_with_what_it_does_not_show(store: Path) -> None:
    ended = run("crawl", "--store", store).stdout.partition("\n\n")[2].splitlines()
    shown = run("top", "--n", "10", "--store", store).stdout.splitlines()
    assert shown[-1].startswith("Not shown: ")
    assert ended == [line.replace("; see --", "; see minicrawl top --") for line in shown]


def test_coverage_that_cannot_be_reached_is_said_to_be_so_and_why(tmp_path: Path) -> None:
    """One of three pages is not for us, another is not there, and holds nothing. 45 % can be reached, 99 % cannot."""
    store = tmp_path / "crawl.db"
    crawl({HOME: ["/a", "/b", "/c"], f"{HOME}a": [HOME], f"{HOME}b": 403, f"{HOME}c": 404}, store, [HOME])
    found = json.loads(run("crawl", "--store", store, "--until-coverage", "99%", "--json").stdout)
    assert (found["reason"], list(found["out_of_reach"])) == ("nothing-left", ["http-403"])
    assert found["coverage"] + found["out_of_reach"]["http-403"] == pytest.approx(1.0, abs=2e-3)
    share = f"{found['out_of_reach']['http-403']:.1%}"
    assert (
        "The coverage you set was not reached: pages not read hold up to "
        f"{share} of the importance (http-403 {share}).\n"
    ) in run("crawl", "--store", store, "--until-coverage", "99%").stdout
    for words in ((), ("--until-coverage", "45%")):
        assert json.loads(run("crawl", "--store", store, "--json", *words).stdout)["out_of_reach"] is None


def test_robots_txt_that_fails_is_a_cause(tmp_path: Path) -> None:
    report, _ = crawl(Server({HOME: []}, robots=503), tmp_path / "crawl.db", [HOME], time=20)
    assert (report.reason, report.fetched, report.cause()) == ("time", 0, "http-503")


def test_crawl_whose_pages_are_not_due_again_says_so(tmp_path: Path) -> None:
    """All pages are new, as none may be asked again within the hour; with no share asked for nothing is said."""
    with small_web() as port:
        words = ["crawl", "http://example.org/", "--connect-to", f"::127.0.0.1:{port}", "--allow-private"]
        words += ["--pages", "4", "--delay", "0", "--no-progress", "--store"]
        plain = run(*words, tmp_path / "plain.db").stdout
        shared = run(*words, tmp_path / "shared.db", "--discovery", ".5").stdout
    told = "New pages got 100 % of the requests, not 50 % (--discovery): no page read before was due (--refresh-min)."
    assert (told in plain, told in shared) == (False, True)
