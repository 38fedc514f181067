"""What became of pages, as a user asks for it."""

import time
from pathlib import Path

import httpx
from lxml import etree
from support.command_line import answer, run
from support.sites import crawl, crawled_once, rows

from minicrawl.timing import Timing

HOME = "http://a.test/"
OTHER = "http://b.test/"
PATIENT = Timing(batch=3000.0, lease=9000.0)


ARTICLE = "<h1>News</h1><p>The price is 5 euros today.<p>Old words<p>first<p>second<p>third<pre>a\n\x1bb</pre>"
EDITED = "<h1>News</h1><p>The price is 7 euros today.<p>third<p>first<p>second<p>New words<pre>a\n\x1bb</pre>"
DIFF = [("-", "Old words"), ("-", "The price is 5 euros today."), ("+", "The price is 7 euros today.")]


def rewritten_at_third(_: httpx.Request, count: int) -> list[str]:
    return [HOME, EDITED if count > 2 else ARTICLE]


def test_difference_of_a_change_has_the_blocks_that_came_went_and_moved(tmp_path: Path) -> None:
    rewritten, site = tmp_path / "crawl.db", {HOME: ["/article"], HOME + "article": rewritten_at_third}
    crawl(site, rewritten, [HOME], refresh=True, pages=20, traps=False, timing=PATIENT, text=True)
    new, changed = answer("changes", "a.test/article", "--diff", "--store", rewritten)
    assert (new["what"], new["diff"]) == ("new", None)
    lines = {(line["sign"], line["text"]) for line in changed["diff"]}
    assert lines == {*DIFF, ("~", "third"), ("+", "New words")}
    assert answer("changes", "a.test/article", "--diff", "-n", "1", "--store", rewritten) == [changed]
    later = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(changed["at"] + 1))
    assert answer("changes", "a.test/article", "--since", later, "--store", rewritten) == []
    printed = run("changes", "a.test/article", "--diff", "--store", rewritten).stdout
    assert printed.splitlines()[1].endswith("changed text +2 -2")
    assert "  ~ third\n" in printed
    assert "\x1b" not in printed
    assert len(run("changes", "a.test/article", "--store", rewritten).stdout.splitlines()) == 2
    run("changes", "--atom", rewritten.parent / "feed", "--store", rewritten)
    feed = etree.parse(str(rewritten.parent / "feed"))
    assert {(etree.QName(block).localname, block.text) for block in feed.iterfind("{*}entry//{*}li/{*}*")} == {
        *(({"-": "del", "+": "ins"}[sign], text) for sign, text in DIFF),
        ("em", "third"),
        ("ins", "New words"),
    }


def test_difference_needs_texts_and_a_page(store: Path) -> None:
    printed = run("changes", HOME + "edited", "--diff", "--store", store).stdout
    assert "continue it with --text or --archive DIR" in printed
    assert run("changes", "--diff", "--store", store).exit_code == 2
    assert run("changes", HOME, "--where", "1", "--store", store).exit_code == 2
    assert "not known" in run("changes", HOME + "nowhere", "--store", store).stderr
    assert "No change of" in run("changes", HOME, "--since", "2100-01-01", "--store", store).stdout


EDITING = {
    HOME: ["/edited", "/taken", OTHER],
    HOME + "edited": lambda _, count: [f"<title>\x1b[31mE</title><p>edition {count > 2}</p>", HOME],
    HOME + "taken": lambda _, count: 404 if count > 1 else [HOME],
    OTHER: [HOME],
}
"""One page is edited at its third fetch, and one is taken away at its second."""
store = crawled_once(EDITING, [HOME], refresh=True, pages=150, traps=False, timing=PATIENT)


def test_new_changed_and_gone_pages_are_told_by_importance(store: Path) -> None:
    told = answer("changes", "--store", store)
    assert {(page["url"], page["what"]) for page in told} == {
        (HOME, "new"),
        (OTHER, "new"),
        (HOME + "edited", "new"),
        (HOME + "edited", "changed"),
        (HOME + "taken", "new"),
        (HOME + "taken", "gone"),
    }
    assert [page["importance"] for page in told] == sorted((page["importance"] for page in told), reverse=True)
    changed = next(page for page in told if page["what"] == "changed")
    assert (changed["added"], changed["removed"], changed["times"], changed["kinds"]) == (1, 1, 1, ["text"])
    assert answer("changes", "--only", "price,text", "--store", store) == [changed]
    assert answer("changes", "--only", "price, title", "--store", store) == []
    assert answer("changes", HOME + "edited", "--only", "text", "--store", store)[0]["at"] == changed["at"]
    assert "not 'prize'" in run("changes", "--only", "prize", "--store", store).stderr
    printed = run("changes", "--store", store).stdout
    assert "changed text +1 -1" in printed
    assert "\x1b" not in printed


def test_of_a_crawl_that_has_begun_since_only_the_number_of_new_pages_is_printed(store: Path) -> None:
    printed = run("changes", "--store", store).stdout.splitlines()
    assert [line.split()[3] for line in printed[1:-1]] in (["changed", "gone"], ["gone", "changed"])
    assert printed[-1].startswith("The crawl started after that, so every page read is new: 4 pages.")
    assert run("changes", "-n", "50", "--store", store).stdout.count(" new ") == 4
    began = rows(store, "SELECT min(at) FROM course")[0][0]
    after = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(began + 2))
    later = run("changes", "--since", after, "--store", store).stdout
    assert "has begun" not in later


def test_since_takes_times_and_dates(store: Path) -> None:
    (at,) = rows(store, "SELECT at FROM changes WHERE what = 'gone'")[0]
    after = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at))
    assert {"gone"} <= {page["what"] for page in answer("changes", "--since", after, "--store", store)}
    assert answer("changes", "--since", "2100-01-01", "--store", store) == []
    assert "Nothing is known to have changed since" in run("changes", "--since", "2100-01-01", "--store", store).stdout
    assert answer("changes", "--since", "9999999d", "--store", store) == answer("changes", "--store", store)


def test_site_is_a_domain_or_a_host(store: Path) -> None:
    assert {page["url"] for page in answer("changes", "--where", "host = 'b.test'", "--store", store)} == {OTHER}
    assert len(answer("changes", "-n", "2", "--store", store)) == 2


def test_feed_has_an_entry_a_change(store: Path, tmp_path: Path) -> None:
    feed = tmp_path / "changes.atom"
    for words, entries, left_out in ([], 2, "every page read is new: 4 pages"), (["-n", "50"], 6, ""):
        result = run("changes", "--atom", feed, *words, "--store", store)
        assert result.exit_code == 0
        assert f"{entries} changes written to" in result.stdout
        assert left_out in result.stdout
        assert len(etree.parse(str(feed)).getroot().findall("{http://www.w3.org/2005/Atom}entry")) == entries
    for more in ("--rising", "--json"):
        assert run("changes", "--atom", feed, more, "--store", store).exit_code == 2
    for since in ("9999999d", "2100-01-01", "0001-01-01"):
        assert run("changes", "--atom", feed, "--since", since, "--where", "0", "--store", store).exit_code == 0


def test_rising_pages_have_gained_importance(tmp_path: Path) -> None:
    """Nothing links to a page at first but its home; later all pages do."""

    path = tmp_path / "crawl.db"
    pages = {f"{HOME}p{number}": lambda _, count: ["/risen"] if count > 2 else [HOME] for number in range(8)}
    site = {HOME: [*pages, "/risen"], HOME + "risen": [HOME], **pages}
    crawl(site, path, [HOME], refresh=True, pages=200, traps=False, timing=PATIENT)
    told = answer("changes", "--rising", "--store", path)
    assert told[0]["url"] == HOME + "risen"
    assert told[0]["importance"] > 2 * told[0]["before"]
    assert told[0]["what"] == "rising"
    assert HOME + "risen" in run("changes", "--rising", "--store", path).stdout.splitlines()[1]
