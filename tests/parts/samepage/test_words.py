"""What the judge of URLs left out, and what changes nothing, is told by name: with a count, an example and evidence."""

import itertools
import re
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.command_line import answer, run
from support.made_webs import MADE, MadeWeb
from support.made_webs.web import HOME, HOST, Answer, document, key_of
from support.partition_twins import twins
from support.sites import Server, crawl, rows
from support.small_web import Pages, small_web

from minicrawl.parts.samepage import words
from minicrawl.parts.samepage.judge import KINDS
from minicrawl.parts.samepage.pairs import READ_ALL_THE_SAME, VOID
from minicrawl.parts.samepage.tables import PatternRow
from minicrawl.web.urls.shapes import without

NOINDEX = '<meta name="robots" content="noindex">'
ITEMS = 40
OF_FORMS = "made.test/edit?page"
"""The pattern of the forms."""


def of_forms(form: Callable[[MadeWeb, str], str]) -> MadeWeb:
    """Pages with a text each, and a link to a form for it."""
    web = MadeWeb("")
    for key in ("/about", "/contact"):
        web.add(key, key[1:], web.text(key))
    web.items(ITEMS, "/page/{}", "/edit?page={}")
    web.views["/edit"] = lambda query: form(web, query["page"])
    return web


KEPT_OUT = of_forms(lambda web, page: document(f"Edit {page}", web.text("form", page), NOINDEX))
OPEN = of_forms(lambda web, page: document(f"Edit {page}", web.text("form", page)))
"""Its twin: the same texts, which robots may read."""


def crawled(web: MadeWeb, store: Path, seed: str = HOME, **settings: Any) -> Server:
    def reply(request: httpx.Request, times: int) -> httpx.Response:
        found: Answer = web.answer(key_of(str(request.url)), times)
        return httpx.Response(found.status, headers=dict(found.fields), text=found.body)

    return crawl(Server({}, reply, absent=reply), store, [seed], **settings)[1]


def add_late(web: MadeWeb) -> None:
    """Add pages of which ?c makes another, and a list of them: all are read although it had changed nothing."""
    keys = (f"/late/{page}" for page in itertools.count())
    read = (key for key in keys if zlib.crc32(f"{HOST}{key}?c=1".encode()) % READ_ALL_THE_SAME == 0)
    late = list(itertools.islice(read, 4))
    for key in late:
        web.add(key, key, web.text(key) + f'<a href="{key}?c=1">to</a>')
        web.add(f"{key}?c=1", f"Other {key}", web.text("other", key))
    web.add("/late", "Late", "".join(f'<a href="{key}">to</a>' for key in late))


def forms_read(server: Server) -> list[str]:
    return [url for url in server.asked if "/edit" in url]


def lines(store: Path, label: str) -> list[str]:
    """What status says after a label."""
    said = run("status", "--store", store).stdout.splitlines()
    return [line.removeprefix(f"{label:<10}") for line in said if line.startswith(f"{label:<10}")]


def notes(store: Path, url: str) -> list[str]:
    notes: list[str] = answer("why", url, "--store", store).get("notes", [])
    return [" ".join(note.split()) for note in notes]


# What is left out.


def test_a_pattern_that_is_left_out_is_told_with_count_example_and_evidence(store: Path) -> None:
    read = forms_read(crawled(KEPT_OUT, store))
    left = ITEMS - len(read)
    assert 0 < len(read) < left
    (line,) = lines(store, "left out")
    evidence = f"{len(read)} of {len(read)} read keep robots out (noindex)"
    assert line == f"{left} URLs of {OF_FORMS}: {evidence}, for example {read[0]}"
    (coverage,) = lines(store, "coverage")
    known = 3 + 2 * ITEMS
    assert coverage.startswith(f"Read {known - left} of {known} known pages, {left} left out: about ")
    told = answer("status", "--store", store)
    assert told["unasked"]["known"] == told["parts"]["samepage"]["left_out"] == left == told["states"]["waiting"]
    (row,) = told["parts"]["samepage"]["waiting"]
    assert (row["pattern"], row["urls"], row["said"]) == (OF_FORMS, left, {"noindex": len(read)})


def test_the_twin_whose_forms_may_be_read_leaves_nothing_out(store: Path) -> None:
    assert len(forms_read(crawled(OPEN, store))) == ITEMS
    assert lines(store, "left out") + lines(store, "later") == []
    (coverage,) = lines(store, "coverage")
    assert coverage == f"Read {3 + 2 * ITEMS} of {3 + 2 * ITEMS} known pages: 100 % of the importance"
    assert "parts" not in answer("status", "--store", store)


def test_while_other_pages_wait_it_comes_later(store: Path) -> None:
    web = of_forms(lambda web, page: document("Edit", web.text("form", page), NOINDEX))
    web.front("".join(f'<a href="/{kind}{page}">to</a>' for kind in ("edit?page=", "page/") for page in range(ITEMS)))
    server = crawled(web, store, pages=20, strategy="breadth-first")
    ((held,),) = rows(store, "SELECT sum(waiting) FROM patterns WHERE key GLOB 'F *'")
    read = len(forms_read(server))
    assert 0 < read < 20 < held == ITEMS - read
    (line,) = lines(store, "later")
    assert line.startswith(f"{held} URLs of {OF_FORMS}: {read} of {read} read keep")
    assert lines(store, "left out") == []
    assert "left out" not in lines(store, "coverage")[0]
    assert answer("status", "--store", store)["unasked"]["known"] == 0


@pytest.mark.parametrize(("limits", "lacking"), [({}, []), ({"pages": 30}, ["orphan"])], ids=["ended", "cut"])
def test_to_an_audit_a_crawl_that_left_pages_out_has_ended(
    limits: dict[str, Any], lacking: list[str], store: Path
) -> None:
    crawled(KEPT_OUT, store, audit=True, requisites=True, **limits)
    assert list(answer("audit", "--store", store)["not_checked"]) == lacking


def test_what_was_left_out_is_asked_all_the_same_where_the_user_says_so(store: Path) -> None:
    crawled(KEPT_OUT, store)
    server = crawled(KEPT_OUT, store, ask=("/edit",))
    assert len(forms_read(server)) > ITEMS // 2
    assert lines(store, "left out") + lines(store, "later") == []
    assert "left out" not in lines(store, "coverage")[0]


def test_of_many_patterns_the_largest_are_told(store: Path) -> None:
    """As many as are shown, and how many more there are."""
    web, names = MadeWeb(""), ["edit", "info", "print", "track", "watch"]
    for size, name in enumerate(names, 3):
        for page in range(5 * size):
            form = f'<a href="/form.php?{name}={page}">form</a>'
            web.add(f"/{name}/{page}", f"{name} {page}", web.text(name, page) + form)
    web.front("".join(f'<a href="{key}">to</a>' for key in web.pages))
    web.views["/form.php"] = lambda query: document(f"Form {query}", "<p>Go away</p>", NOINDEX)
    crawled(web, store)
    told = [line.split(":")[0].partition("?")[2] for line in lines(store, "left out")]
    assert told == names[:1:-1]
    assert "          and 2 more: see --json\n" in run("status", "--store", store).stdout
    assert len(answer("status", "--store", store)["parts"]["samepage"]["waiting"]) == len(names)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_words(kind: str) -> None:
    """For one page, and for several."""
    row = {"pattern": "a.test/{}?a", "urls": 1, "is_left_out": True, "example": HOME}
    one, two = (
        next(words.status_lines({"patterns": 1, "waiting": [row | {"read": number, "said": {kind: number}}]}))
        for number in (1, 2)
    )
    assert re.fullmatch(rf"left out  1 URL of a\.test/\{{\}}\?a: 1 of 1 read [a-z].*, for example {HOME}", one)
    assert re.fullmatch(rf"left out  1 URL of a\.test/\{{\}}\?a: 2 of 2 read [a-z].*, for example {HOME}", two)
    assert one.replace("1 of 1", "") != two.replace("2 of 2", "")


def test_where_none_was_read_it_is_told_what_others_say(store: Path) -> None:
    """URLs with the same parameters, in other folders."""
    crawled(KEPT_OUT, store)
    forget = "UPDATE patterns SET read = 0, kinds = '{}', example = '' WHERE waiting > 0"
    rows(store, forget)
    (line,) = lines(store, "left out")
    ((read, example),) = rows(store, "SELECT read, example FROM patterns WHERE key = 'C page'")
    like = f"elsewhere on the host {read} of {read} read keep robots out (noindex), for example {example}"
    assert line.endswith(f" URLs of {OF_FORMS}: none read, as {like}")
    rows(store, "DELETE FROM patterns WHERE key = 'C page'")
    (line,) = lines(store, "left out")
    assert line.endswith(f" URLs of {OF_FORMS}: none read, as URLs like them say nothing new")


@pytest.mark.parametrize(("n", "new"), [(1, "little that is new"), (20, "something new; the last 20 say nothing new")])
def test_it_is_told_why_what_said_something_is_left_out(store: Path, n: int, new: str) -> None:
    crawled(KEPT_OUT, store)
    update = "UPDATE patterns SET n = 9, gains = 2, dry = ?, kinds = ? WHERE waiting > 0"
    rows(store, update, n, '{"gain": 20, "error": 20}')
    assert lines(store, "left out")[0].endswith(f", 20 are errors, 20 say {new}")


def test_a_folder_tells_what_all_partitions_left_out(tmp_path: Path) -> None:
    folder = twins(tmp_path, {HOME: [f"{HOME}a"], f"{HOME}a": [], "http://b.test/": []})[1]
    stores = sorted(folder.glob("*.db"))
    for number, store in enumerate(stores, 1):
        row = PatternRow(f"h{number}.test", "F /{}?a", 2.0, 0.0, 2, '{"noindex": 2}', f"http://h{number}.test/?a", 0, 0)
        row = row._replace(waiting=number)
        rows(store, f"INSERT INTO patterns ({', '.join(row._fields)}) VALUES ({', '.join('?' * len(row))})", *row)
    told = lines(folder, "later") + lines(folder, "left out")
    numbers = range(len(stores), 0, -1)
    assert [line.partition(":")[0] for line in told] == [
        f"{number} URL{'s' if number > 1 else ''} of h{number}.test/{{}}?a" for number in numbers
    ]
    assert answer("status", "--store", folder)["parts"]["samepage"]["patterns"] == len(stores)


class Forms(Pages):
    """A made site on loopback."""

    web = KEPT_OUT

    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        found = self.web.answer(self.path)
        self.answer(found.status, found.body.encode())


class OpenForms(Forms):
    web = OPEN


@pytest.mark.parametrize("words", [["-q"], []], ids=["quiet", "plain"])
@pytest.mark.parametrize("pages", [Forms, OpenForms])
def test_the_end_of_a_crawl_tells_it(pages: type[Forms], words: list[str], tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with small_web(pages) as port:
        away = ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "--ip-delay", "0"]
        done = run("crawl", HOME, "--store", store, *away, *words)
        again = "" if words else run("crawl", "--store", store, *away, "--pages", "1").stderr
    left = answer("status", "--store", store)["states"].get("waiting", 0)
    told = [line for line in done.stdout.splitlines() if OF_FORMS in line]
    assert (pages is Forms) == bool(told)
    assert ("left out: about" in done.stdout.splitlines()[0]) == bool(told)
    for line in told:
        assert re.match(rf"\d+ URLs of {re.escape(OF_FORMS)} are left out: (\d+) of \1 read keep robots out", line)
    assert "Continue; " not in done.stderr
    if not words:
        assert "which was finished: " in again
        assert (", 0 wait, " in again) == (left > 0)


# What changes nothing.


def test_a_parameter_that_changes_nothing_is_told_with_its_pages(store: Path) -> None:
    crawled(MADE["sessions_of_an_own_name"](0), store)
    (line,) = lines(store, "same")
    agree, differ, example = rows(store, "SELECT agree, differ, example FROM pairs WHERE name = '?zk'")[0]
    stand = f"{agree} of {agree + differ} read stand for the plainer URL"
    plain = key_of(without(example, "zk"))
    assert line == f"made.test ?zk changes nothing: {stand}, for example {key_of(example)} is {plain}"


def test_the_twin_whose_parameter_matters_is_not_told(store: Path) -> None:
    web = MadeWeb("")
    web.items(ITEMS, "/page/{}", "/shown?zk=aaaa1111bbbb2222cccc3333dddd{}")
    web.views["/shown"] = lambda query: document(f"Item {query['zk']}", web.text("item", query["zk"]))
    crawled(web, store)
    assert lines(store, "same") == []


@pytest.mark.parametrize("name", ["?", "case", ".", "www.", "order", "front"])
def test_spellings_have_words(name: str) -> None:
    assert re.fullmatch(r"[a-z.]+( [a-z]+)+|www\.", words.name_in_words(name))


def test_the_log_says_in_a_sentence_what_changes_nothing_and_what_matters_after_all(
    store: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "minicrawl")
    web = MadeWeb("")
    web.items(8, "/page/{}", "/page/{0}?c={0}")
    web.respond = web.same_page
    crawled(web, store)
    judged = [message for message in caplog.messages if "?c" in message]
    assert judged == ["on made.test ?c changes nothing"]
    add_late(web)
    crawled(web, store, f"{HOST}/late")
    judged = [message for message in caplog.messages if "?c" in message]
    assert judged == ["on made.test ?c changes nothing", "on made.test ?c makes a difference after all"]


def test_what_is_known_by_its_other_name_is_read_once_also_if_that_name_matters_after_all(store: Path) -> None:
    """Pages that wait by their plain URL stood for nothing: a verdict that is taken back leaves them alone."""
    web = MadeWeb("")
    web.items(8, "/page/{}", "/page/{0}?c={0}")
    for page in range(ITEMS):
        web.add(f"/other/{page}", f"Other {page}", web.text("other", page))
    web.add("/about", "About", web.text("about") + '<a href="/others">others</a>')
    web.add("/others", "Others", "".join(f'<a href="/other/{page}?c=1">to</a>' for page in range(ITEMS)))
    add_late(web)
    web.respond = web.same_page
    asked = crawled(web, store, pages=19).asked
    known = {url for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'waiting' AND reason = ?", VOID)}
    asked += crawled(web, store, f"{HOST}/late").asked
    assert len(known) > ITEMS // 2
    assert {url: times for url, times in Counter(asked).items() if url in known} == dict.fromkeys(known, 1)


# One page.


def test_why_names_the_pattern_of_a_page_that_waits(store: Path) -> None:
    read = forms_read(crawled(KEPT_OUT, store))
    left = next(f"{HOST}/edit?page={page}" for page in range(ITEMS) if f"{HOST}/edit?page={page}" not in read)
    like, back = notes(store, left)
    evidence = f"{len(read)} of {len(read)} read keep robots out (noindex), for example {read[0]}"
    assert like == f"like it {ITEMS - len(read)} URLs of {OF_FORMS} are left out: {evidence}"
    assert back == "minicrawl reads it when pages like it say something new, or with --ask REGEX"
    assert notes(store, read[0]) == notes(store, f"{HOST}/page/0") == []


def test_why_names_the_pattern_of_a_page_that_a_sitemap_lists(store: Path) -> None:
    """No page links to it."""
    web = of_forms(lambda web, page: document("Edit", web.text("form", page), NOINDEX))
    listed = [f"{HOST}/edit?page={page}" for page in range(ITEMS, 2 * ITEMS)]
    urls = "".join(f"<url><loc>{url}</loc></url>" for url in listed)
    files = {"/robots.txt": f"Sitemap: {HOST}/map.xml", "/map.xml": f"<urlset>{urls}</urlset>"}
    web.respond = lambda key, times: Answer(files[key], 200, {"Content-Type": "text/xml"}) if key in files else None
    crawled(web, store)
    waiting = [url for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'waiting'") if url in listed]
    assert len(waiting) > ITEMS // 2
    assert all(notes(store, url)[0].startswith("like it ") for url in waiting[:3])


def test_a_page_that_waits_for_its_turn_alone_has_no_such_line(store: Path) -> None:
    crawled(OPEN, store, pages=30)
    waiting = [url for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'waiting'")]
    assert len(waiting) > ITEMS // 2
    assert [notes(store, url) for url in waiting] == [[]] * len(waiting)


def test_why_names_the_parameter_of_a_page_that_stands_for_another(store: Path) -> None:
    crawled(MADE["sessions_of_an_own_name"](0), store)
    (alias,) = rows(store, "SELECT url FROM pages WHERE reason = ? LIMIT 1", VOID)[0]
    same, back = notes(store, alias)
    assert same == f"same {lines(store, 'same')[0]}"
    assert back == "it is a page of its own again if more than one in 8 differs"
    assert notes(store, f"{HOST}/s/1") == []


def test_an_unknown_url_is_known_as_its_plain_form(store: Path) -> None:
    """But for one in many, which are read all the same. With another parameter it is another URL."""
    crawled(MADE["sessions_of_an_own_name"](0), store)
    asked = [f"{HOST}/s/{page}?zk=never{page}" for page in range(20)]
    known = [run("why", url, "--store", store).stdout.splitlines()[:2] for url in asked]
    said = "  known as    this, without parts of the URL that change nothing (see --keep-parameters)"
    plain = [[without(url, "zk"), said] for url in asked]
    assert sum(found == expected for found, expected in zip(known, plain, strict=True)) >= len(asked) - 2
    assert "  unknown     no-link: " in run("why", f"{HOST}/s/1?other=1", "--store", store).stdout
