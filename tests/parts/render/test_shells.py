"""Pages that show next to nothing without their scripts: known, told, and read anew once they are rendered."""

import json
from pathlib import Path

import pytest
from support.command_line import run
from support.rendered import HOST, Reply, crawled, slow_with_chromium
from support.rendered import Site as RenderedSite
from support.sites import Site, crawl, rows

from minicrawl.crawler.sources.page_reading import read_page
from minicrawl.errors import SettingError
from minicrawl.model import Wanted
from minicrawl.parts.part import own
from minicrawl.parts.render import RenderSettings, Shells
from minicrawl.settings import CrawlSettings

APP = '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>'
WORDS = " ".join(f"word{number}" for number in range(40))

IS_SHELL = {
    "an empty root": (APP, True),
    "asks for scripts": (APP + "<noscript>You need to enable JavaScript to run this app.</noscript>", True),
    "a module": ("<script type=module>1</script><p>Loading ...", True),
    "old type": ('<script type="text/javascript">1</script>', True),
    "two links": (f"{APP}<a href=/a>a</a><a href=/b>b</a>", True),
    "links elsewhere": (APP + "".join(f"<a href=http://x{n}.test/>x</a>" for n in range(5)), True),
    "29 words": (f"{APP}<p>{' '.join(WORDS.split()[:29])}", True),
    "words in scripts and styles": (f"{APP}<style>{WORDS}</style><script>'{WORDS}'</script>", True),
    "three links": (f"{APP}<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>", False),
    "30 words": (f"{APP}<p>{' '.join(WORDS.split()[:30])}", False),
    "many words": (f"{APP}<p>{WORDS}", False),
    "a language without spaces": (f"{APP}<p>{'漢字仮名交じり文' * 30}", False),
    "no scripts": ("<title>Short</title><p>That is all.", False),
    "only data": ('<script type="application/ld+json">{}</script><script type=application/json>1</script>short', False),
    "a template": ('<script type="text/x-template">a</script>short', False),
    "nothing": ("", False),
    "a form that asks for an address": (f"{APP}<form method=post><input type=email name=to><input type=submit>", False),
    "a form with a box for a text": (f"{APP}<form method=POST><div><textarea name=a></textarea></div></form>", False),
    "a form to search": (f"{APP}<form action=/s><input type=search name=q></form>", True),
    "a form around all": (f'{APP}<form method=post><input type=hidden name=state value="x"><div></div></form>', True),
    "a form with a button": (f"{APP}<form method=post><button name=go>Go</button></form>", True),
}


@pytest.mark.parametrize("case", IS_SHELL)
def test_a_page_with_scripts_and_next_to_no_words_and_links_is_a_shell(case: str) -> None:
    html, is_shell = IS_SHELL[case]
    parsed, _ = read_page(html.encode(), "http://h.test/", "text/html; charset=utf-8", Wanted())
    assert parsed.is_shell is is_shell


LEADS = {
    "set": ("<script>location = '/to'</script>", True),
    "href": ('<p>Moved.<script type="text/javascript">\n window.location.href="/to";\n</script>', True),
    "replace": ("<script>document.location.replace('http:\\/\\/h.test\\/to');</script><p>Please wait ...", True),
    "assign": ('<script>top.location.assign( "/to" )</script>', True),
    "with data": ("<script type=application/json>{}</script><script>location='/to'</script>", True),
    "more is done": ("<script>log(); location = '/to'</script>", False),
    "a condition": ("<script>if (old) location = '/to'</script>", False),
    "a function": ("<script>function go() { location = '/to' }</script><button onclick=go()>go</button>", False),
    "a handler": ("<script>document.onclick = () => location = '/to'</script>", False),
    "a word made up": ("<script>location = '/t' + 'o'</script>", False),
    "no page": ("<script>location = 'javascript:void(0)'</script>", False),
    "two scripts": ("<script>location = '/to'</script><script src=/a.js></script>", False),
    "a text": (f"<p>{WORDS}</p><script>location = '/to'</script>", False),
    "links": ("<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a><script>location = '/to'</script>", False),
    "another name": ("<script>mylocation = '/to'</script>", False),
}


@pytest.mark.parametrize("case", LEADS)
def test_a_short_page_whose_script_only_leads_to_another_is_a_redirect_without_a_browser(case: str) -> None:
    html, leads = LEADS[case]
    parsed, _ = read_page(html.encode(), "http://h.test/", "text/html; charset=utf-8", Wanted())
    assert parsed.refresh == ("http://h.test/to" if leads else None)
    assert not (leads and parsed.is_shell)


HOME = "http://a.test/"
SHELLS: Site = {
    HOME: [HOME + "1", HOME + "2", HOME + "3"],
    **{f"{HOME}{n}": [APP] for n in (1, 2)},
    f"{HOME}3": ["<p>short"],
}
TOLD = "2 pages of a.test show next to nothing without scripts, such as http://a.test/2"


def found_by_audit(store: Path, rule: str) -> set[str]:
    """The pages of which an audit finds this."""
    findings = json.loads(run("audit", "--json", "--store", store).stdout)["findings"]
    return {each["target"] for each in findings if each["rule"] == rule}


def test_shells_are_told_at_the_end_in_status_why_and_audit_and_others_are_not(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(SHELLS, store, [HOME], audit=True)
    status = run("status", "--store", store).stdout
    assert TOLD in status
    assert "minicrawl crawl --render auto" in status
    assert "--render auto" in run("why", f"{HOME}1", "--store", store).stdout
    assert "--render auto" not in run("why", f"{HOME}3", "--store", store).stdout
    assert found_by_audit(store, "made-by-scripts") == {f"{HOME}1", f"{HOME}2"}
    assert found_by_audit(store, "dead-end") == found_by_audit(store, "h1-missing") - {HOME} == {f"{HOME}3"}
    ends = run("crawl", "-q", "--store", store).stdout
    assert TOLD in ends

    other = tmp_path / "other.db"
    crawl({HOME: [HOME + "1"], f"{HOME}1": ["short"]}, other, [HOME])
    for command in ("status", "audit"):
        assert "scripts" not in run(command, "--store", other).stdout


@pytest.mark.slow
def test_a_page_that_shows_something_later_is_no_shell_any_more(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(SHELLS, store, [HOME])
    crawl(SHELLS | {f"{HOME}1": [f"{APP}{WORDS}"]}, store, [], refresh=True, pages=8)
    assert rows(store, "SELECT url FROM scripted JOIN pages ON pages.id = page") == [(f"{HOME}2",)]


def test_hosts_of_partitions_are_told_together_and_those_with_the_most_pages_first() -> None:
    hosts = [["a.test", 1, "http://a.test/1"], ["b.test", 2, "http://b.test/1"], ["a.test", 2, "http://a.test/9"]]
    hosts += [[f"c{number}.test", 1, "http://c.test/"] for number in range(3)]
    *told, others, advice = Shells.ending({}, {"hosts": hosts})
    assert told == [
        "3 pages of a.test show next to nothing without scripts, such as http://a.test/1.",
        "2 pages of b.test show next to nothing without scripts, such as http://b.test/1.",
        "1 page of c0.test shows next to nothing without scripts.",
    ]
    assert others == "So do 2 pages of 2 other hosts."
    assert "minicrawl crawl --render auto" in advice


MAKES = "document.body.innerHTML = '<p>made of ' + location.pathname + '</p><a href=/more>more</a>'"
SITE: dict[str, Reply] = {
    f"{HOST}/": "<p>home</p><a href=/a>a</a><a href=/b>b</a><a href=/whole/>whole</a>",
    f"{HOST}/a": APP, f"{HOST}/b": APP, f"{HOST}/more": APP, f"{HOST}/app.js": ("text/javascript", MAKES),
    f"{HOST}/whole/": f"<p>{WORDS}</p><script>1</script>",
}  # fmt: skip


def text(store: Path, path: str) -> str:
    return run("text", f"{HOST}{path}", "--store", store).stdout


@slow_with_chromium
def test_a_crawl_that_goes_on_with_auto_reads_exactly_the_shells_anew(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawled(RenderedSite(SITE), store, text=True)
    assert rows(store, "SELECT count(*) FROM scripted WHERE reading = 'shell'") == [(2,)]
    again = crawled(RenderedSite(SITE), store, text=True, render="auto")
    pages = sorted(url for url in again.asked if not url.endswith((".js", ".txt")))
    assert pages == [f"{HOST}/a", f"{HOST}/b", f"{HOST}/more"]
    assert all(f"made of {path}" in text(store, path) for path in ("/a", "/b", "/more"))
    assert rows(store, "SELECT count(*) FROM scripted WHERE reading = 'shell'") == [(0,)]
    assert "without scripts" not in run("status", "--store", store).stdout
    assert [url for url in crawled(RenderedSite(SITE), store, render="auto").asked if "robots" not in url] == []


@slow_with_chromium
def test_with_auto_shells_are_rendered_at_once_and_pages_that_are_whole_are_at_most_samples(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site = crawled(RenderedSite(SITE), store, text=True, render="auto")
    assert all(f"made of {path}" in text(store, path) for path in ("/a", "/b", "/more"))
    assert WORDS in text(store, "/whole/")
    assert rows(store, "SELECT pattern, rendered, gains FROM rendered") == [("/{}", 3, 3), ("/{}/", 1, 0)]
    assert [site.asked.count(f"{HOST}{path}") for path in ("/a", "/b", "/more")] == [1, 1, 1]


def test_render_none_takes_back_what_a_file_or_an_earlier_run_says() -> None:
    assert own(CrawlSettings.of({"render": "none"}), RenderSettings).render == ()
    assert own(CrawlSettings.of({"render": ["auto", "/none"]}), RenderSettings).render == ("auto", "/none")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("render", "(", "--render '(' is not a regular expression: missing ), unterminated subpattern at position 0"),
        ("render", ("auto", "none"), "--render none renders nothing: leave out --render auto"),
        ("chromium", 7, "--chromium must be the path of a file, not 7"),
    ],
)
def test_a_wrong_value_is_named_with_its_option(name: str, value: object, message: str) -> None:
    with pytest.raises(SettingError) as caught:
        CrawlSettings.of({name: value})
    assert str(caught.value) == message
