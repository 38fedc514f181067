"""minicrawl crawl"""

import asyncio
import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import HOME, run
from support.sites import Server, crawl
from support.small_web import small_web


def test_nothing_fetched_is_exit_1(tmp_path: Path) -> None:
    result = run("crawl", "http://127.0.0.1:2/", "--store", tmp_path / "crawl.db", "-q")
    assert result.exit_code == 1
    assert "nothing could be fetched (private-address)" in result.stderr


def test_nothing_fetched_is_exit_1_also_when_the_time_is_up(tmp_path: Path) -> None:
    """Nobody listens. Run again at once, hosts rest: nothing is asked at all, and the cause is that of before."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # held, lest somebody else gets it; but it does not listen
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        words = ("crawl", url, "--time", "2s", "--delay", "20", "--allow-private", "--ignore-robots")
        for form in ([], ["--json"]):
            result = run(*words, *form, "--store", tmp_path / "crawl.db")
            assert result.exit_code == 1
            assert result.stderr.splitlines()[-1].startswith("Error: nothing could be fetched (refused)")
            if form:
                assert json.loads(result.stdout)["reason"] == "time"
            else:
                assert "the time is up" in result.stdout
                assert "Read 0 of 1 known page.\n" in result.stdout


def test_run_that_had_nothing_left_is_exit_0(store: Path) -> None:
    for words in ((), ("--time", "5s"), ("--until-coverage", "0.1")):
        result = run("crawl", "--store", store, *words)
        first = f"Goes on from {store}, which was finished: 4 of 5 known pages are read, 0 wait."
        assert (result.exit_code, result.stderr.splitlines()[0]) == (0, first)


def test_list_at_the_end_is_that_of_top_with_what_it_does_not_show(store: Path) -> None:
    ended = run("crawl", "--store", store).stdout.partition("\n\n")[2].splitlines()
    shown = run("top", "--n", "10", "--store", store).stdout.splitlines()
    assert shown[-1].startswith("Not shown: ")
    assert ended == [line.replace("; see --", "; see minicrawl top --") for line in shown]


def test_coverage_that_cannot_be_reached_is_said_to_be_so_and_why(store: Path) -> None:
    """One of four pages is not there. At least 60 % can be reached, 99 % cannot."""
    found = json.loads(run("crawl", "--store", store, "--until-coverage", "99%", "--json").stdout)
    assert (found["reason"], list(found["out_of_reach"])) == ("nothing-left", ["http-404"])
    assert found["coverage"] + found["out_of_reach"]["http-404"] == pytest.approx(1.0, abs=2e-3)
    share = f"{found['out_of_reach']['http-404']:.1%}"
    assert (
        "The asked-for coverage could not be reached: pages that were not read have up to "
        f"{share} of the importance (http-404 {share}).\n"
    ) in run("crawl", "--store", store, "--until-coverage", "99%").stdout
    for words in ((), ("--until-coverage", "60%")):
        assert json.loads(run("crawl", "--store", store, "--json", *words).stdout)["out_of_reach"] is None


def test_robots_txt_that_fails_is_a_cause(tmp_path: Path) -> None:
    report, _ = crawl(Server({HOME: []}, robots=503), tmp_path / "crawl.db", [HOME], time=1)
    assert (report.reason, report.fetched, report.cause()) == ("time", 0, "http-503")


def test_crawl_prints_one_json_document(tmp_path: Path) -> None:
    from minicrawl.demo.server import serving
    from minicrawl.demo.web import DemoWeb

    web = DemoWeb.generate(hosts=3, pages=60)

    async def crawled() -> tuple[str, str]:
        async with serving(web) as port:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "minicrawl", "crawl", web.seeds[0], "--pages", "20", "--json", "--delay", "0"),
                *("--allow-private", "--connect-to", f"::127.0.0.1:{port}", "--store", str(tmp_path / "crawl.db")),
                *("--log-file", str(tmp_path / "log.txt")),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            out, err = await process.communicate()
            return out.decode(), err.decode()

    out, err = asyncio.run(crawled())
    report = json.loads(out)
    told = [line for line in err.splitlines() if "/s, " not in line]  # on a slow machine there are lines of progress
    assert (report["reason"], report["fetched"], told) == ("pages", 20, [])
    assert f"fetched ok {web.seeds[0]}" in (tmp_path / "log.txt").read_text()


# Writes what it was given to the file that it is called with.
NOTES = (
    "import json, os, sys; facts = json.load(sys.stdin); "
    "facts['environment'] = {name: value for name, value in os.environ.items() if name.startswith('CRAWL_')}; "
    "print('noise'); json.dump(facts, open(sys.argv[1], 'w'))"
)


@pytest.fixture
def command(tmp_path: Path) -> str:
    (tmp_path / "notes.py").write_text(NOTES)
    return f'"{sys.executable}" "{tmp_path / "notes.py"}" "{tmp_path / "noted $CRAWL_REASON.json"}"'


def test_command_is_given_the_report(tmp_path: Path, command: str) -> None:
    store = tmp_path / "crawl.db"
    with small_web() as port:
        words = ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "-q", "--json"]
        result = run("crawl", "http://example.org/", "--pages", "2", *words, "--store", store, "--on-stop", command)
    assert result.exit_code == 0
    noted = json.loads((tmp_path / "noted pages.json").read_text())
    told = noted.pop("environment")
    assert noted == json.loads(result.stdout)  # and nothing else is there
    assert told == {"CRAWL_REASON": "pages", "CRAWL_FETCHED": "2", "CRAWL_FAILURE": "", "CRAWL_STORE": str(store)}


def test_command_is_called_when_an_error_ends_the_crawl(tmp_path: Path, command: str) -> None:
    (tmp_path / "crawl.db").write_text("no store at all")
    result = run("crawl", "http://example.org/", "--store", tmp_path / "crawl.db", "--on-stop", command)
    assert result.exit_code == 3
    noted = json.loads((tmp_path / "noted failed.json").read_text())
    assert result.stderr.splitlines()[-1] == f"Error: {noted['failure']}"


def test_no_command_is_called_for_what_crawls_nothing(tmp_path: Path, command: str) -> None:
    for words in (["--dry-run"], ["--show-settings"]):
        assert run("crawl", "http://a.test/", *words, "--store", tmp_path / "x.db", "--on-stop", command).exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.py"]
