"""The commands as a user types them: output, files, exit codes, and one sentence for every mistake."""

import asyncio
import csv
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import pytest
from click.testing import CliRunner, Result
from sites import Server, Site, crawl, rows

from minicrawl.cli import main
from minicrawl.store.read.link_table import LinkTable

HOME = "http://a.test/"
SITE: Site = {
    HOME: ["/a", "/b", "/gone", "http://b.test/"],
    HOME + "a": [HOME, "/b", '<title>=cmd("x")</title>'],
    HOME + "b": ["/a", "<title>B\x1b[31m\n page</title>"],
    "http://b.test/": HOME,
}


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl(SITE, path, [HOME])
    return path


@pytest.mark.parametrize(
    "command",
    [
        "crawl",
        "top",
        "export",
        "status",
        "why",
        "check",
        "verify",
        "backup",
        "compact",
        "rank",
        "compare",
        "graph",
        "seeds",
        "demo",
    ],
)
def test_every_command_has_help_with_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"Example: minicrawl {command}" in " ".join(result.output.split())


def test_help_loads_nothing_heavy() -> None:
    """What makes 'minicrawl --help' slow is never imported for it."""
    code = (
        "import sys; from click.testing import CliRunner; from minicrawl.cli import main; "
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0; "
        "print(sorted({'numpy', 'scipy', 'httpx', 'aiohttp', 'lxml', 'rich', 'tldextract'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_top_prints_rank_importance_and_url(store: Path) -> None:
    lines = run("top", "--n", "2", "--store", store).output.splitlines()
    assert lines[0].split() == ["rank", "importance", "inlinks", "state", "url"]
    assert [line.split()[0] for line in lines[1:]] == ["1", "2"]


def test_top_as_json_is_the_order_of_the_export(store: Path, tmp_path: Path) -> None:
    top = json.loads(run("top", "--n", "100", "--json", "--store", store).stdout)
    file = tmp_path / "ranks.csv"
    assert run("export", file, "--store", store).output == f"5 pages written to {file}\n"
    with file.open(newline="") as lines:
        exported = list(csv.DictReader(lines))
    head = "rank,url,importance,history,cash,depth,status,inlinks,outlinks,fetched_at,title"
    assert file.read_text().startswith(head)
    assert [page["url"] for page in top] == [page["url"] for page in exported]
    assert sum(float(page["importance"]) for page in exported) == pytest.approx(1.0)


def test_exported_title_is_no_formula_and_no_escape_sequence(store: Path, tmp_path: Path) -> None:
    run("export", tmp_path / "ranks.csv", "--store", store)
    with (tmp_path / "ranks.csv").open(newline="") as lines:
        titles = {row["url"]: row["title"] for row in csv.DictReader(lines)}
    assert titles[HOME + "a"] == '\'=cmd("x")'
    assert "\x1b" not in run("top", "--store", store).output


def test_export_as_json_lines_has_every_page(store: Path, tmp_path: Path) -> None:
    run("export", tmp_path / "ranks.jsonl", "--store", store)
    pages = [json.loads(line) for line in (tmp_path / "ranks.jsonl").read_text().splitlines()]
    assert [page["rank"] for page in pages] == [1, 2, 3, 4, 5]
    assert {page["state"] for page in pages} == {"fetched", "error", "alias"}


def test_export_as_parquet_round_trips(store: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run("export", tmp_path / "ranks.parquet", "--store", store)
    expected = [url for (url,) in rows(store, "SELECT url FROM ranks")]
    assert parquet.read_table(tmp_path / "ranks.parquet")["url"].to_pylist() == expected


def test_failed_export_leaves_the_old_file(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from minicrawl.export.tables import WRITERS

    def breaks(pages: object, file: BinaryIO) -> int:
        file.write(b"half")
        raise OSError("disk gone")

    file = tmp_path / "ranks.csv"
    file.write_text("old")
    monkeypatch.setitem(WRITERS, ".csv", breaks)
    result = run("export", file, "--store", store)
    assert (result.exit_code, result.stderr) == (2, f"Error: {file} cannot be written: disk gone; name another file\n")
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if "ranks" in path.name] == ["ranks.csv"]


def test_status_counts_every_known_page_once(store: Path) -> None:
    status = json.loads(run("status", "--json", "--store", store).stdout)
    assert status["stopped"] == "nothing-left"
    assert status["states"] == {"fetched": 3, "error": 1, "alias": 1}
    assert sum(status["reasons"].values()) == status["known"] == 5
    assert "stopped: nothing-left" in run("status", "--store", store).output


def test_why_explains_known_pages(store: Path) -> None:
    told = json.loads(run("why", "http://A.test:80/b#part", "--json", "--store", store).stdout)
    assert (told["state"], told["reason"], told["depth"], told["inlinks"]) == ("fetched", "ok", 1, 2)
    assert sorted(told["linked_from"]) == [HOME, HOME + "a"]
    assert told["links_to"] == [HOME + "a"]
    assert "error, because http-404" in run("why", HOME + "gone", "--store", store).output


def test_why_explains_unknown_pages(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(SITE, store, [HOME], scope="host", deny=("secret",))
    for url, reason in [
        (HOME + "never-linked", "no-link"),
        ("http://b.test/", "scope-host"),
        (HOME + "secret", "deny"),
    ]:
        assert json.loads(run("why", url, "--json", "--store", store).stdout)["reason"] == reason


WHY = {
    "deny": ("http://a.test/secret", "deny", "--deny 'secret'"),
    "scope": ("http://b.test/", "scope-host", "--scope host: b.test is none of the seeds': a.test"),
    "trap": ("http://a.test/x/x/x/x", "trap-repeated-path", "pattern a.test/x/…"),
    "too far": (HOME + "far", "max-depth", "--max-depth 2: it is 3 links from a seed; http://a.test/b links to it"),
    "no link": (HOME + "never-linked", "no-link", "no page read so far has a counted link to it"),
    "robots": (HOME + "private", "robots", "'Disallow: /p' of http://a.test/robots.txt"),
    "redirect": (
        HOME + "out",
        "redirect-scope-host",
        "http://b.test/x: --scope host: b.test is none of the seeds': a.test",
    ),
    "loop": (HOME + "meta2", "meta-refresh-loop", "http://a.test/meta: leads back here"),
    "canonical": (HOME + "named", "canonical-deny", "http://a.test/secret: --deny 'secret'"),
    "parameters": (HOME + "b?utm_source=x", "ok", None),
}


@pytest.mark.parametrize(("url", "reason", "rule"), WHY.values(), ids=WHY.keys())
def test_why_names_the_rule_that_decides(explained: Path, url: str, reason: str, rule: str | None) -> None:
    told = json.loads(run("why", url, "--json", "--store", explained).stdout)
    assert (told["reason"], told["rule"], told["asked"]) == (reason, rule, url)
    text = run("why", url, "--store", explained).output
    assert f"{reason}: {rule}" in text if rule else "known as    this, without parameters" in text
    assert "robots.txt  " + ("robots, 'Disallow: /p' of" if reason == "robots" else "") in text


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl with something for every rule."""
    store = tmp_path_factory.mktemp("why") / "crawl.db"
    site: Site = {
        HOME: [HOME + name for name in ("a", "private", "out", "meta", "meta2", "named", "secret")],
        HOME + "a": [HOME + "b?utm_source=y"],
        HOME + "b": [HOME + "far"],
        HOME + "out": "http://b.test/x",
        HOME + "meta": [f'<meta http-equiv="refresh" content="0;{HOME}meta2">'],
        HOME + "meta2": [f'<meta http-equiv="refresh" content="0;{HOME}meta">'],
        HOME + "named": [f'<link rel="canonical" href="{HOME}secret">'],
    }
    server = Server(site, robots="User-agent: *\nDisallow: /p")
    crawl(server, store, [HOME], scope="host", deny=("secret",), max_depth=2, strategy="breadth-first")
    return store


def test_check_passes_on_a_good_store_and_exits_with_4_on_a_bad_one(store: Path) -> None:
    assert run("check", "--store", store).exit_code == 0
    rows(store, "UPDATE pages SET standing = standing + 1 WHERE id = 0")
    result = run("check", "--store", store)
    assert result.exit_code == 4
    assert "the cash book holds" in result.output
    assert len(json.loads(run("check", "--json", "--store", store).stdout)["problems"]) == 1


def test_verify_compares_every_ranking_with_exact_pagerank(store: Path) -> None:
    told = json.loads(run("verify", "--json", "--store", store).stdout)
    assert list(told) == [
        *("store", "known", "read", "aliases", "links", "top", "stored", "settled", "history", "inlinks"),
        *("rounds", "visits", "rounding", "tolerance", "problem"),
    ]
    assert list(told["stored"]) == ["overlap", "tau", "l1", "largest", "certificate"]
    assert (told["known"], told["aliases"], told["links"], told["top"]) == (5, 1, 8, 4)
    assert (told["tolerance"], told["problem"]) == (1e-6, None)
    result = run("verify", "--store", store)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[0] == f"{store}: 5 pages known, 4 read, 8 links; aliases, folded into their targets: 1"
    assert lines[2].split() == [
        "against",
        "exact",
        "PageRank",
        "top",
        "4",
        "tau",
        "L1",
        "error",
        "largest",
        "certified",
    ]
    assert [line.split()[-5:-3] for line in lines[3:5]] == [["4", f"{told['stored']['tau']:.5f}"]] * 2
    assert [line.split()[-1] for line in lines[5:7]] == ["-", "-"]


def test_verify_exits_with_4_when_the_accounts_do_not_belong_to_the_links(store: Path) -> None:
    rows(store, "UPDATE pages SET received = received + 1000000 WHERE id = 0")
    result = run("verify", "--store", store)
    assert result.exit_code == 4
    problem = result.output.splitlines()[-1]
    assert problem.startswith("The settled ranking is 0.")
    assert problem.endswith("the accounts do not belong to the links; run 'minicrawl check' to see where.")
    result = run("verify", "--json", "--store", store)
    assert (result.exit_code, json.loads(result.stdout)["problem"]) == (4, problem)
    assert run("verify", "--tolerance", "2", "--store", store).exit_code == 0


MISTAKES = {
    "bad seed line": (["crawl", "SEEDS"], 2, "seeds.txt:3: 'not a url' is no http or https URL"),
    "no such seed file": (["crawl", "nowhere.txt"], 2, "seed file nowhere.txt cannot be read"),
    "no seeds and no store": (["crawl"], 2, "no seeds are given"),
    "bad regular expression": (["crawl", HOME, "--deny", "("], 2, "--deny '(' is no regular expression"),
    "bad time": (["crawl", HOME, "--time", "soon"], 2, "not 'soon'"),
    "bad size": (["crawl", HOME, "--bytes", "much"], 2, "not 'much'"),
    "bad history": (["crawl", HOME, "--history", "yesterday"], 2, "--history takes basic"),
    "share above 1": (
        ["crawl", HOME, "--discovery", "1.5"],
        2,
        "--discovery is a share from 0 to 1, not 1.5",
    ),
    "bad connect-to": (["crawl", HOME, "--connect-to", "x"], 2, "--connect-to takes HOST:PORT:ADDR:PORT"),
    "bad boost": (["crawl", HOME, "--boost", "x"], 2, "--boost takes REGEX=FACTOR"),
    "bad header": (["crawl", HOME, "--header", "x"], 2, "--header takes 'Name: value'"),
    "no store to read": (["top"], 3, "there is no crawl at"),
    "no store to verify": (["verify"], 3, "there is no crawl at"),
    "unknown ending": (["export", "ranks.xls"], 3, "there is no crawl at"),
    "why without a URL": (["why", "mailto:x@y.test"], 2, "is no http or https URL"),
}


@pytest.mark.parametrize(("words", "code", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistake_gets_one_sentence(tmp_path: Path, words: list[str], code: int, message: str) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("# start\nhttp://a.test/\nnot a url\n")
    words = [str(seeds) if word == "SEEDS" else word for word in words]
    result = run(*words, "--store", tmp_path / "crawl.db")
    assert result.exit_code == code
    assert message in result.stderr
    assert result.stderr.startswith("Error: ")
    assert "Traceback" not in result.output


def test_store_of_another_program_is_exit_3(tmp_path: Path) -> None:
    rows(tmp_path / "other.db", "CREATE TABLE bookmarks (url TEXT)")
    for words in (["crawl", HOME], ["top"], ["check"], ["verify"], ["status"]):
        result = run(*words, "--store", tmp_path / "other.db")
        assert (result.exit_code, "belongs to another program" in result.stderr) == (3, True)


def test_store_in_a_place_that_cannot_be_is_exit_3(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("crawl", HOME, "--store", tmp_path / "file" / "crawl.db")
    assert result.exit_code == 3
    assert "cannot be opened" in result.stderr


def test_nothing_fetched_is_exit_1(tmp_path: Path) -> None:
    result = run("crawl", "http://127.0.0.1:9/", "--store", tmp_path / "crawl.db", "-q")
    assert result.exit_code == 1
    assert "nothing could be fetched (private-address)" in result.stderr


@pytest.mark.parametrize("more", [[], ["--ignore-robots"], ["--json"], ["--pages", "1"], ["--proxy"]], ids=" ".join)
def test_nothing_fetched_is_exit_1_also_when_the_time_is_up(tmp_path: Path, more: list[str]) -> None:
    """Nobody listens. Run again at once, hosts rest: nothing is asked at all, and the cause is that of before."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/"
    seed = "http://a.test/" if more == ["--proxy"] else url
    options = [*more, url] if more == ["--proxy"] else more
    for _ in range(2):
        words = ("crawl", seed, "--time", "1s", "--delay", "20", "--allow-private", *options)
        result = run(*words, "--store", tmp_path / "crawl.db")
        assert result.exit_code == 1
        assert result.stderr.splitlines()[-1].startswith("Error: nothing could be fetched (refused)")
        if "--json" in more:
            assert json.loads(result.stdout)["reason"] == "time"
        else:
            assert "the time is up" in result.stdout
            assert "1 page is known, 0 read.\n" in result.stdout


def test_run_that_had_nothing_left_is_exit_0(store: Path) -> None:
    for words in ((), ("--time", "5s"), ("--until-coverage", "0.1")):
        result = run("crawl", "--store", store, *words)
        assert (result.exit_code, result.stderr) == (0, "")


def test_robots_txt_that_fails_is_a_cause(tmp_path: Path) -> None:
    report, _ = crawl(Server({HOME: []}, robots=503), tmp_path / "crawl.db", [HOME], time=1)
    assert (report.reason, report.fetched, report.cause()) == ("time", 0, "http-503")


def test_what_was_fetched_is_no_failure(tmp_path: Path) -> None:
    report, _ = crawl({HOME: ["/a"], HOME + "a": 404}, tmp_path / "crawl.db", [HOME])
    assert (report.fetched, report.failures, report.cause()) == (2, {"http-404": 1}, None)


def test_window_policy_of_a_store_cannot_be_changed(store: Path) -> None:
    result = run("crawl", "--store", store, "--history", "basic")
    assert result.exit_code == 2
    assert "was begun with --history interpolation --window 8.0" in result.stderr


def test_crawl_prints_one_json_document(tmp_path: Path) -> None:
    from minicrawl.demo.server import serving
    from minicrawl.demo.web import DemoWeb

    web = DemoWeb.generate(hosts=3, pages=60)

    async def crawled() -> tuple[str, str]:
        async with serving(web) as port:
            process = await asyncio.create_subprocess_exec(
                *(
                    sys.executable,
                    "-m",
                    "minicrawl",
                    "crawl",
                    web.seeds[0],
                    "--pages",
                    "20",
                    "--json",
                    "--delay",
                    "0",
                ),
                *(
                    "--allow-private",
                    "--connect-to",
                    f"::127.0.0.1:{port}",
                    "--store",
                    str(tmp_path / "crawl.db"),
                ),
                *("--log-file", str(tmp_path / "log.txt")),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            out, err = await process.communicate()
            return out.decode(), err.decode()

    out, err = asyncio.run(crawled())
    report = json.loads(out)
    assert (report["reason"], report["fetched"], err) == ("pages", 20, "")
    assert f"fetched ok {web.seeds[0]}" in (tmp_path / "log.txt").read_text()


def test_ctrl_c_saves_and_exits_with_130(tmp_path: Path) -> None:
    from minicrawl.demo.server import serving
    from minicrawl.demo.web import DemoWeb

    web = DemoWeb.generate(hosts=3, pages=60)
    store = tmp_path / "crawl.db"

    async def interrupted() -> int | None:
        async with serving(web) as port:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "minicrawl", "crawl", web.seeds[0], "--delay", "60", "-v", "--ignore-robots"),
                *("--allow-private", "--connect-to", f"::127.0.0.1:{port}", "--store", str(store)),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            assert process.stderr is not None
            async for line in process.stderr:
                if b"asking for" in line:
                    break
            os.kill(process.pid, signal.SIGINT)
            await process.stderr.read()
            return await process.wait()

    assert asyncio.run(interrupted()) == 130
    assert rows(store, "SELECT value FROM meta WHERE key = 'stopped'") == [("interrupted",)]
    assert run("check", "--store", store).exit_code == 0


@pytest.mark.parametrize("words", ["check", "verify", "graph stats", "top --sites", "rank --by sites"])
def test_what_is_told_of_a_store_is_of_one_commit(store: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """As if a crawl committed just before the links are read."""
    expected = run(*words.split(), "--store", store)
    blocks = LinkTable.blocks

    def links_of_later(table: LinkTable) -> object:
        rows(store, "DELETE FROM links")
        return blocks(table)

    monkeypatch.setattr(LinkTable, "blocks", links_of_later)
    found = run(*words.split(), "--store", store)
    assert (found.exit_code, found.output) == (expected.exit_code, expected.output)
    assert rows(store, "SELECT count(*) FROM links") == [(0,)]
