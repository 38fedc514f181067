"""What a crawl says before it begins and when it has ended, as a newcomer sees it who types the name of a host."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.command_line import run
from support.documents import parse
from support.rendered import slow_with_chromium
from support.sites import faults_in
from support.small_web import Pages, small_web

from minicrawl.cli.guidance import Guide
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.run import Before, Start
from minicrawl.settings import CrawlSettings

SITE = "site.test"
ONE, TWO = Seeds(["https://a.test/"]), Seeds(["https://a.test/", "https://b.test/"])


class Hosts(Pages):
    """The small web, but for hosts that refuse, redirect, or have next to nothing; they speak no https."""

    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        host = self.headers["Host"].partition(":")[0]
        if self.path == "/robots.txt" and host == "closed.test":
            self.answer(200, b"User-agent: *\nDisallow: /\n")
        elif self.path == "/robots.txt" or host in ("site.test", "www.moved.test", "club.test"):
            super().do_GET()
        elif host == "moved.test":
            self.answer(301, b"", ("Location", f"http://club.test{self.path}"))
        elif host == "wall.test":
            self.answer(302, b"", ("Location", self.path), ("Set-Cookie", "seen=1"))
        elif host == "scripts.test":
            self.answer(200, b"<title>App</title><div id=root></div><script src=/app.js></script>")
        elif host == "words.test":
            self.answer(200, f"<title>App</title>{'word ' * 40}<script src=/app.js></script>".encode())
        elif host == "pair.test":
            self.answer(200, b"<title>One of two</title><a href=/>the one</a> <a href=/other>the other</a>")
        else:
            self.answer(int(host.partition(".")[0]), b"no")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with small_web(Hosts) as port:
        yield port


@pytest.fixture
def there(port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options by which all hosts are on loopback and asked without waiting; in a folder that is empty."""
    monkeypatch.chdir(tmp_path)
    return ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "--ip-delay", "0"]


def commands_in(text: str) -> list[list[str]]:
    """The words of the commands that are offered, without the program's name."""
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("  minicrawl ")]


def test_with_all_defaults_a_host_is_crawled_to_its_end_and_what_is_offered_works(
    port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("crawl", "pair.test", "--connect-to", f"::127.0.0.1:{port}", "--allow-private")
    assert result.exit_code == 0
    assert [line for line in result.stderr.splitlines() if " known, " not in line][:3] == [
        "Follows all links from https://pair.test/, the most important page first, and ranks what it finds; --scope "
        "site stays on its site.",
        "Requests pages of each host at most once a second, as its robots.txt allows, as minicrawl/1.0.",
        "Keeps everything in data/crawl.db: Ctrl-C stops it, 'minicrawl crawl' continues, 'minicrawl dashboard --open' "
        "shows it.",
    ]
    told = result.stdout.splitlines()
    assert told[0].startswith("Read 2 of 3 known pages: ")
    assert told[4].split() == ["rank", "importance", "inlinks", "state", "url"]
    offered = commands_in(result.stderr)
    assert [words[0] for words in offered] == ["why", "export", "dashboard"]
    assert commands_in(result.stdout) == []
    parse(offered.pop())
    for words in offered:
        assert run(*words).exit_code == 0
    assert faults_in(tmp_path / "data/crawl.db") == []


@pytest.mark.parametrize(
    ("words", "offered"),
    [(["--pages", "2", "--search"], ["search", "why", "crawl"]), (["--profile", "audit"], ["audit", "why", "export"])],
    ids=" ".join,
)
def test_what_is_offered_fits_the_crawl_and_works(words: list[str], offered: list[str], there: list[str]) -> None:
    ended = run("crawl", SITE, *words, *there)
    found = commands_in(ended.stderr)
    assert [command[0] for command in found] == offered
    parse(found.pop())
    for command in found:
        result = run(*command)
        assert result.exit_code in ((0, 1) if command[0] == "audit" else (0,)), (command, result.output)


def test_a_page_of_scripts_is_told_with_the_way_to_run_them(there: list[str]) -> None:
    """A shell by one sentence, with its store; a page that shows something by the other."""
    if_any = "Only one page was read. If its scripts write links, crawl it with --render auto"
    again = "To read it again, with scripts: "
    for host, is_shell in (("scripts.test", True), ("words.test", False)):
        ends = run("crawl", host, *there, "--store", f"{host}.db")
        assert (again in ends.stdout, if_any in ends.stderr) == (is_shell, not is_shell)
        assert (f"'minicrawl crawl --render auto --store {host}.db'" in ends.stdout) == is_shell


@slow_with_chromium
def test_a_page_of_scripts_that_leads_nowhere_even_with_them_is_told_with_what_is_not_run(there: list[str]) -> None:
    ends = run("crawl", "scripts.test", "--render", "auto", *there).stderr
    assert "What its scripts show only after a click or a POST request was not." in ends
    assert "crawl it with --render" not in ends


@pytest.mark.parametrize("words", [["-q"], ["--json"]], ids=" ".join)
def test_programs_are_told_nothing(words: list[str], there: list[str]) -> None:
    result = run("crawl", SITE, *words, *there)
    assert (result.exit_code, result.stderr) == (0, "")
    if "--json" in words:
        assert json.loads(result.stdout)["reason"] == "nothing-left"


@pytest.mark.parametrize(
    ("host", "words", "sentence"),
    [
        ("closed.test", [], "fetched (robots): robots.txt forbids it; ask its owner; --ignore-robots is only for"),
        ("404.test", [], "read (http-404): the answer was 404 Not Found; check its spelling; 'minicrawl why http://"),
        ("wall.test", [], "leads back here; if it requires its cookies, --cookies sends them; 'minicrawl why"),
        ("moved.test", ["--scope", "host"], "start at http://club.test/, or without --scope; 'minicrawl why"),
    ],
)
def test_a_host_of_which_nothing_can_be_read_is_told_with_the_way_out(
    host: str, words: list[str], sentence: str, there: list[str]
) -> None:
    """The reason is that of plain http: nobody asked for https."""
    result = run("crawl", host, *words, *there)
    error = result.stderr.splitlines()[-1]
    is_answered = not sentence.startswith("fetched")  # by the site itself, and not by its robots.txt alone
    assert result.exit_code == (0 if is_answered else 1)
    assert error.startswith("Nothing could be " if is_answered else "Error: nothing could be ")
    assert sentence in error
    assert "rank  importance" not in result.stdout, "a table without a line"
    why = shlex.split(error.rsplit("'", 2)[1])
    assert why[:2] == ["minicrawl", "why"]
    for asked in (why[2], host):
        assert run("why", asked).stdout.startswith(f"http://{host}/\n")


def test_a_file_that_is_called_like_the_host_is_told(there: list[str], tmp_path: Path) -> None:
    (tmp_path / SITE).write_text("http://club.test/\n")
    told = "site.test is a file here, so seeds are read from it; write the host as https://site.test"
    assert run("crawl", SITE, *there).stderr.splitlines()[0] == told


# The plan by its settings.
FIRST = "the most important page first, and ranks what it finds"


@pytest.mark.parametrize(
    ("seeds", "settings", "line"),
    [
        (ONE, {}, f"Follows all links from https://a.test/, {FIRST}; --scope site stays on its site."),
        (TWO, {}, f"Follows all links from 2 seeds, {FIRST}; --scope site stays on their sites."),
        (ONE, {"scope": "host"}, f"Follows links within the host of https://a.test/, {FIRST}."),
        (
            ONE,
            {"delay": 2.5},
            "Requests pages of each host at most once in 2.5 s, as its robots.txt allows, as minicrawl/1.0",
        ),
        (ONE, {"ignore_robots": True}, "whatever its robots.txt says"),
        (ONE, {"archive": "/warcs"}, "Keeps everything in crawl.db, and answers in /warcs: Ctrl-C stops it"),
        (ONE, {"from_archive": ("/warcs",)}, "Sends no requests: answers come from /warcs."),
    ],
)
def test_plan_says_what_the_settings_make_of_it(seeds: Seeds, settings: dict[str, object], line: str) -> None:
    start = Start(CrawlSettings.of(settings), (), 0, False, seeds, None)
    lines = list(Guide(Path("crawl.db"), ()).plan(start))
    assert len(lines) == 3
    assert line in "\n".join(lines)


@pytest.mark.parametrize(
    ("before", "line"),
    [
        (Before(2, 1, 1, "interrupted"), "x.db, which was interrupted: 1 of 2 known pages is read, 1 waits."),
        (
            Before(9000, 8, 8992, "time"),
            "x.db, which stopped at its limit: 8 of 9,000 known pages are read, 8,992 wait.",
        ),
        (
            Before(92, 41, 0, "nothing-left", 51),
            "x.db, which was finished: 41 of 92 known pages are read, 0 wait, 51 left out.",
        ),
        (
            Before(92, 40, 1, "nothing-left", 51),
            "x.db, which was refreshed: 40 of 92 known pages are read, 1 waits, 51 left out.",
        ),
        *(
            (
                Before(9, 4, 5, stopped, 0, 3),
                "x.db, which ended with ill hosts: 4 of 9 known pages are read, 5 wait (3 for ill hosts).",
            )
            for stopped in ("patience", "nothing-left")
        ),
        (Before(3, 0, 3, None), "x.db, which was cut short: 0 of 3 known pages are read, 3 wait."),
    ],
)
def test_a_crawl_that_goes_on_says_how_far_it_is(before: Before, line: str) -> None:
    start = Start(CrawlSettings.of({}), (), 0, False, Seeds([]), before)
    assert list(Guide(Path("x.db"), ()).plan(start)) == [f"Continues from {line}"]
