"""Every command that reads, on stores of next to nothing: chains of redirects, seeds that are dead, a page or none.

After each of the first answers, and at the end: a crawl may end anywhere.
"""

from pathlib import Path

import httpx
import pytest
from support.command_line import HOME, run
from support.sites import Site, crawl, rows

WWW = "https://www.a.test/"
WEBS: dict[str, Site] = {
    "two redirects before the first page": {
        HOME: "https://a.test/",
        "https://a.test/": WWW,
        WWW: ["<p>hello</p>", "/x", "/y"],
        WWW + "x": [WWW],
    },
    "more redirects than are followed": {HOME: HOME + "0"} | {f"{HOME}{n}": f"{HOME}{n + 1}" for n in range(14)},
    "a redirect to where nothing is": {HOME: "ftp://b.test/"},
    "a seed that is not there": {},
    "a host that nobody can reach": {HOME: httpx.ConnectError("refused")},
    "a page and a link that is dead": {HOME: ["<p>hello</p>", HOME, "/x"]},
    "pages": {HOME: ["/x", "/y", "http://b.test/"], HOME + "x": [HOME], HOME + "y": HOME + "x", "http://b.test/": []},
}
MOST = 20

ALWAYS = [
    *("status", "top", "top --where 1", "top --by cash"),
    *("export out.csv", "export out.jsonl", "export out.parquet", "report out.html", "check"),
    *(f"why {HOME}", f"why {HOME} --json", "refresh --pages 3 --dry-run"),
    *("links --broken", "links --redirected --json", "links --external", f"links --to {HOME}", "changes --rising"),
    "copies --hosts",
    *("changes", "changes --atom out.atom", "graph export out.graphml", "graph export out.npz", "compact"),
    *("backup copy.db", "salvage saved.db"),
]
ONCE_A_PAGE_HAD_ITS_TURN = [
    *("verify", "top --sites", "graph stats", "rank", "rank --memory 1MB"),
    *("rank --by inverse", "rank --by opic", f"rank --by trustrank --trusted {HOME}"),
]
UNLESS = {
    "seeds": "3: no page",
    "seeds --explain": "3: no page",
    "rank --by hits": "2: no link between two of these pages counts",
    "why http://none.test/": "2: ",
    f"copies {HOME}": "2: ",
    f"text {HOME}": "2: ",
    "index": "2: crawl.db has no texts",
    "search hello": "2: crawl.db has no texts",
    "export corpus.csv --text": "2: crawl.db has no texts",
}
"""The exit code, and how the sentence begins, where a store has too little for what is asked."""
NOT_READ = "3: no page in crawl.db has been read yet"
NOT_THERE = "3: no page in crawl.db exists any more"


@pytest.mark.parametrize("web", WEBS)
def test_of_whatever_a_store_has_commands_tell_or_say_in_a_sentence_that_it_is_too_little(
    web: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINICRAWL_STORE", "crawl.db")
    for pages in (1, 2, MOST):
        (tmp_path / str(pages)).mkdir()
        monkeypatch.chdir(tmp_path / str(pages))
        report, _ = crawl(WEBS[web], Path("crawl.db"), [HOME], pages=pages, text=pages % 2 == 0)
        assert (report.cause() is None) == (report.read > 0 or report.reason == "pages"), "exit 1 where none was read"
        nobody_had_a_turn = not rows(Path("crawl.db"), "SELECT 1 FROM pages WHERE state != 'waiting'")
        said = {words: _said(words) for words in (*ALWAYS, *ONCE_A_PAGE_HAD_ITS_TURN, *UNLESS)}
        assert {words: said[words] for words in ALWAYS if said[words]} == {}
        for words in ONCE_A_PAGE_HAD_ITS_TURN:
            assert said[words].startswith(NOT_READ) == nobody_had_a_turn, (words, said[words])
        for words, refusal in UNLESS.items():
            assert not said[words] or said[words].startswith((refusal, NOT_READ, NOT_THERE)), (words, said[words])
        crawl(WEBS[web], Path("crawl.db"), [], pages=1)
        if report.reason != "pages":
            return


def _said(words: str) -> str:
    """The exit code of a command that fails, and its sentence; "" of one that does not."""
    result = run(*words.split())
    assert result.exception is None or isinstance(result.exception, SystemExit), (words, result.exception)
    *_, said = ["", *result.stderr.splitlines()]
    return "" if result.exit_code == 0 else f"{result.exit_code}: {said.removeprefix('Error: ')}"
