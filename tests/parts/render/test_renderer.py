"""Pages that scripts make: read with --render, empty without; on a real server, by a real Chromium."""

import asyncio
import time
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from support import rendered
from support.loopback import PEM
from support.patience import PATIENCE
from support.rendered import HOST, Reply, Site, kill_browsers, kill_renderers, never, script, slow_with_chromium
from support.scripted_webs import own_words
from support.sites import rows

from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.timing import Timing

crawled = partial(rendered.crawled, timing=Timing(render=PATIENCE))
shown = partial(rendered.shown, seconds=PATIENCE)
"""Where a page is to get ready, however busy the machine is."""

APP = f"{HOST}/app"
MADE: dict[str, Reply] = {
    f"{HOST}/": "<p>home</p><a href=/app>app</a>",
    APP: "<!doctype html><title>App</title><link rel=stylesheet href=/style.css><div id=root></div>"
    "<script src=/app.js></script><img src=/picture.png>",
    f"{HOST}/app.js": (
        "text/javascript",
        """fetch('/api/items').then(answer => answer.json()).then(items => {
            for (const item of items) {
                const link = document.createElement('a')
                link.href = '/item/' + item; link.textContent = 'made of ' + item
                document.getElementById('root').append(link)
            }
            const late = new XMLHttpRequest()
            late.open('GET', '/api/late'); late.onload = () => document.body.append(late.responseText); late.send()
        })""",
    ),
    f"{HOST}/api/items": ("application/json", '["clay", "wood"]'),
    f"{HOST}/api/late": ("text/plain", "and that is all"),
    f"{HOST}/item/clay": "<p>clay</p>",
    f"{HOST}/item/wood": "<p>wood</p>",
}


def states(store: Path) -> dict[str, str]:
    return dict(rows(store, "SELECT url, reason FROM pages"))


@slow_with_chromium
def test_links_and_text_made_by_scripts_are_found_with_render_and_none_without(tmp_path: Path) -> None:
    plain, store = tmp_path / "plain.db", tmp_path / "crawl.db"
    crawled(Site(MADE), plain, text=True)
    assert states(plain) == {f"{HOST}/": "ok", APP: "ok"}
    with open_store(plain) as reader:
        assert "made of" not in str(reader.text(APP))

    site = crawled(Site(MADE), store, text=True, render="/app", workers=1)
    assert states(store) == dict.fromkeys([f"{HOST}/", APP, f"{HOST}/item/clay", f"{HOST}/item/wood"], "ok")
    with open_store(store) as reader:
        text = str(reader.text(APP))
        assert "made of clay" in text
        assert "and that is all" in text
    assert site.asked.count(APP) == 1
    assert not {url for url in site.asked if "picture" in url or "style" in url}
    assert sum(b"minicrawl" in head for head in site.headers) == len(site.headers)


@slow_with_chromium
def test_what_robots_txt_forbids_scripts_do_not_get(tmp_path: Path) -> None:
    robots = ("text/plain", "User-agent: *\nDisallow: /api/\n")
    site = crawled(Site(MADE | {f"{HOST}/robots.txt": robots}), tmp_path / "crawl.db", render="/app")
    assert f"{HOST}/app.js" in site.asked
    assert not [url for url in site.asked if "/api/" in url]
    again = Site(MADE | {f"{HOST}/robots.txt": robots})
    crawled(again, tmp_path / "other.db", render="/app", ignore_robots=True)
    assert f"{HOST}/api/late" in again.asked


@slow_with_chromium
def test_requests_of_a_page_keep_to_the_delay(tmp_path: Path) -> None:
    # The server, which is in this process, may be late to see a request.
    late = Timing(on_its_way=60.0, render=PATIENCE)
    site = crawled(Site(MADE), tmp_path / "crawl.db", timing=late, render="/app", delay=0.3)
    assert len(site.asked) >= 7
    gaps = [later - earlier for earlier, later in pairwise(site.times)]
    assert min(gaps) >= 0.29


@slow_with_chromium
def test_what_a_page_shows_when_its_time_is_up_is_read_and_scripts_that_never_end_have_a_reason(store: Path) -> None:
    pages: dict[str, Reply] = {
        f"{HOST}/": "<a href=/endless>1</a><a href=/waits>2</a><a href=/last>3</a>",
        f"{HOST}/endless": script("while (true) {}"),
        f"{HOST}/waits": script("document.body.innerHTML += '<a href=/found>found</a>'; fetch('/never')"),
        f"{HOST}/never": never,
        f"{HOST}/last": script("document.body.innerHTML += '<a href=/found-last>found</a>'"),
        f"{HOST}/found": "",
        f"{HOST}/found-last": "",
    }
    crawled(Site(pages), store, render="/(endless|waits|last)$", timeout=25.0, timing=Timing())
    found = states(store)
    assert {found.pop(f"{HOST}/endless"), found.pop(f"{HOST}/waits")} == {"render-timeout"}
    assert found == {f"{HOST}/{path}": "ok" for path in ("", "last", "found", "found-last")}


ENDS = {
    "spins": ("while (true) {}", "render-timeout"),
    "spins later": ("setTimeout(() => { while (true) {} }, 100)", "render-timeout"),
    "dies": ("const kept = []; while (true) kept.push(new Uint8Array(5e7).fill(1))", "render-killed"),
    "alerts": ("while (true) alert(1)", "render-timeout"),
    "goes on": ("setInterval(() => document.body.append(' word ' + Math.random()), 100)", "render-timeout"),
    "goes on linking": (
        "setInterval(() => document.body.append(document.createElement('a')), 100);"
        " setInterval(() => document.querySelectorAll('a').forEach(a => a.href = '/next'), 100)",
        "render-timeout",
    ),
    "leaves for nothing": ("location = 'about:blank'", "render-timeout"),
    "alerts once": ("alert(1); confirm(2); document.body.append('made')", "ok"),
}


@slow_with_chromium
@pytest.mark.parametrize("name", ENDS)
def test_a_page_that_cannot_be_rendered_keeps_its_plain_reading_and_its_links(store: Path, name: str) -> None:
    code, reason = ENDS[name]
    page = f"<!doctype html><title>Plain</title><p>said as sent</p><a href=/next>n</a><script>{code}</script>"
    sent = ("text/html", page, "Location: /never")  # which is none, as the page is no redirect
    pages: dict[str, Reply] = {f"{HOST}/": sent, f"{HOST}/next": "next", f"{HOST}/never": never}
    crawled(Site(pages), store, render="test/$", text=True, timing=Timing(render=3.0))
    found = states(store)
    slow_to_kill = "ok" if reason == "ok" else "render-timeout"
    has_left = {"render-crashed"} if name == "leaves for nothing" else set()  # what is asked of a document that is gone
    assert found.pop(f"{HOST}/") in {reason, slow_to_kill, *has_left}
    assert found == {f"{HOST}/next": "ok"}
    with open_store(store) as reader:
        assert "said as sent" in str(reader.text(f"{HOST}/"))


MOVES = {
    "location": ("location = '/to'", "", True),
    "a link": ("location = '/to'", own_words("much"), False),
    "another origin": ("location.replace('http://other.test/')", "", True),
    "pushState": ("history.pushState(0, '', '/to'); document.body.innerHTML = 'made for it'", own_words("much"), True),
    "its own fragment": ("location = '#part'; history.replaceState(0, '', '/#other')", "", None),
    "itself": ("if (!window.name) { window.name = 1; location.reload() }", "", None),
    "a window": ("window.open('/to')", "", None),
    "a click": ("document.body.onclick = () => { location = '/to' }", "", None),
}


@slow_with_chromium
@pytest.mark.parametrize("name", MOVES)
def test_a_page_that_its_scripts_leave_is_a_redirect_or_has_a_link_and_never_the_text_of_another(
    store: Path, name: str
) -> None:
    code, text, is_redirect = MOVES[name]
    pages: dict[str, Reply] = {f"{HOST}/": f"<p>said as sent {text}</p><script>{code}</script>"}
    pages |= {f"{HOST}/to": "it", "http://other.test/": "it"}
    crawled(Site(pages), store, render="h.test/$", text=True)
    found = states(store)
    assert found.pop(f"{HOST}/") == ("meta-refresh" if is_redirect else "ok")
    assert list(found.values()) == ([] if is_redirect is None else ["ok"])
    with open_store(store) as reader:
        assert "made for it" not in str(reader.text(f"{HOST}/"))


PARTS: dict[str, tuple[str, str, str]] = {
    "an open shadow root": (
        "document.body.innerHTML = '<div id=x>hidden</div>'; const inner = document.getElementById('x')"
        ".attachShadow({mode: 'open'}); inner.innerHTML = '<p>made inside <a href=/found>found</a>'",
        "made inside", "hidden"),
    "slots": (
        "document.body.innerHTML = '<my-card>made outside <a href=/found>found</a></my-card>';"
        "document.querySelector('my-card').attachShadow({mode: 'open'})"
        ".innerHTML = '<h2>first</h2><slot>nothing</slot>'",
        "made outside", "nothing"),
    "a custom element in another": (
        "const define = (name, html) => customElements.define(name, class extends HTMLElement { connectedCallback() {"
        "this.attachShadow({mode: 'open'}).innerHTML = html } }); define('out-er', '<in-ner></in-ner>');"
        "define('in-ner', '<p>made in both <a href=/found>f</a>'); document.body.innerHTML = '<out-er></out-er>'",
        "made in both", "nothing"),
    "a srcdoc frame": (
        "document.body.innerHTML = '<iframe srcdoc=\"<p>made in a frame <a href=/found>found</a>\"></iframe>'",
        "made in a frame", "nothing"),
    "a frame of the origin": (
        "document.body.innerHTML = '<iframe src=/in/frame></iframe>'", "said in a frame", "nothing"),
    "a closed shadow root": (
        "document.body.innerHTML = '<div id=x></div><a href=/found>found</a>'; document.getElementById('x')"
        ".attachShadow({mode: 'closed'}).innerHTML = 'hidden'",
        "found", "hidden"),
    "a frame of another origin": (
        "document.body.innerHTML = '<a href=/found>found</a><iframe src=http://other.test/></iframe>'",
        "found", "elsewhere"),
    "a template": (
        "document.body.innerHTML = '<template>hidden</template><div id=x></div><a href=/found>found</a>';"
        "document.getElementById('x').attachShadow({mode: 'open'}).innerHTML = 'made'",
        "made", "hidden"),
}  # fmt: skip


@slow_with_chromium
@pytest.mark.parametrize("name", PARTS)
def test_what_is_shown_of_parts_of_a_page_is_read_and_nothing_else(store: Path, name: str) -> None:
    code, shown_text, hidden = PARTS[name]
    pages: dict[str, Reply] = {
        f"{HOST}/": script(code), f"{HOST}/found": "f", f"{HOST}/in/found": "f", "http://other.test/": "elsewhere",
        f"{HOST}/in/frame": "<p>said in a frame <a href=../found>found</a>",
    }  # fmt: skip
    site = crawled(Site(pages), store, render="h.test/$", text=True, scope="host")
    assert states(store) == {f"{HOST}/": "ok", f"{HOST}/found": "ok"}
    assert "http://other.test/" not in site.asked
    with open_store(store) as reader:
        text = str(reader.text(f"{HOST}/"))
    assert (shown_text in text, hidden in text) == (True, False)


GOES_ON = {
    "polls": "setInterval(() => fetch('/api?at=' + Math.random()), 100)",
    "beacons": "setInterval(() => navigator.sendBeacon('/never'), 50)",
    "pictures": "setInterval(() => { new Image().src = '/never?' + Math.random() }, 50)",
    "clock": "const p = document.querySelector('p'); setInterval(() => { p.textContent = new Date().toString() }, 50)",
    "animation": "setInterval(() => { document.body.style.left = Math.random() + 'px' }, 10)",
    "attributes": "const p = document.querySelector('p'); setInterval(() => { p.title = p.className + ' word' }, 10)",
    "code": "setInterval(() => document.head.append(document.createElement('style'), new Comment('a b c')), 100)",
}


@slow_with_chromium
def test_what_changes_neither_words_nor_links_is_not_waited_for(store: Path) -> None:
    """There is far more time than the test may take."""
    made = "; setTimeout(() => { document.body.innerHTML += '<a href=/found>made</a>' }, 200)"
    pages: dict[str, Reply] = {f"{HOST}/{n}": script(code + made) for n, code in enumerate(GOES_ON.values())}
    others: dict[str, Reply] = {f"{HOST}/api": ("text/plain", "x"), f"{HOST}/never": never, f"{HOST}/found": ""}
    crawled(Site(pages | others), store, *pages, render=r"/\d$", timing=Timing(render=10 * PATIENCE))
    assert states(store) == dict.fromkeys([*pages, f"{HOST}/found"], "ok")


async def slow() -> str:
    await asyncio.sleep(1.5)
    return "made of data"


@slow_with_chromium
@pytest.mark.parametrize(
    "code",
    [
        "fetch('/slow').then(a => a.text()).then(said => document.body.append(said))",
        "const x = new XMLHttpRequest(); x.open('GET', '/slow'); x.send(); x.onload = () => document.write(x.response)",
        "const s = document.createElement('script'); s.src = '/slow.js'; document.body.append(s)",
        "fetch('/api').then(() => fetch('/api').then(() => fetch('/slow?1'))).then(a => a.text())"
        ".then(said => document.body.append(said))",
    ],
    ids=["fetch", "XMLHttpRequest", "script", "one after another"],
)
def test_data_that_comes_late_is_waited_for(store: Path, code: str) -> None:
    async def slow_script() -> str:
        return f"document.body.append('{await slow()}')"

    pages: dict[str, Reply] = {f"{HOST}/": script(code), f"{HOST}/api": "x", f"{HOST}/slow": slow,
                               f"{HOST}/slow?1": slow, f"{HOST}/slow.js": slow_script}  # fmt: skip
    crawled(Site(pages), store, render="test/$", text=True)
    with open_store(store) as reader:
        assert "made of data" in str(reader.text(f"{HOST}/"))


@slow_with_chromium
@pytest.mark.parametrize(("waits", "reason"), [(True, "render-timeout"), (False, "soft-404")])
def test_only_a_page_that_was_ready_says_that_it_is_not_there(store: Path, waits: bool, reason: str) -> None:
    """Whatever it is asked for, the server answers that."""
    shell = script("document.body.innerHTML = '<title>Not found</title><p>Sorry, this page was not found';"
                   + "fetch('/never')" * waits)  # fmt: skip
    urls = [f"{HOST}/p/{number}" for number in range(6)]
    real = {f"{HOST}/p/r{number}": " ".join(f"word{number}of{n}" for n in range(40)) for number in range(12)}
    known: dict[str, Reply] = {**real, f"{HOST}/robots.txt": 404, f"{HOST}/never": never}
    known[f"{HOST}/"] = "<title>Home</title><p>welcome to all</p>" + "".join(
        f"<a href={url}>page</a>" for url in [*real, *urls]
    )

    class Anything(dict[str, Reply]):
        def __missing__(self, url: str) -> Reply:
            return shell

    crawled(Site(Anything(known)), store, render="test/.", traps=True, timing=Timing(render=1.5))
    assert {states(store)[url] for url in urls} == {reason}


LEAVES = """
document.cookie = 'left=1; path=/'; localStorage.left = sessionStorage.left = 1; window.name = 'left'; window.left = 1
history.pushState({left: 1}, '', '#left'); new SharedWorker('data:,').port; new BroadcastChannel('left')
try { navigator.serviceWorker.register('/worker.js').catch(() => 0) } catch {}
const opened = indexedDB.open('left'); opened.onupgradeneeded = () => opened.result.createObjectStore('left')
const kept = self.caches ? caches.open('left').then(one => one.put('/left', new Response('left'))) : 0
const folder = navigator.storage ? navigator.storage.getDirectory()
    .then(one => one.getFileHandle('left', {create: true})).catch(() => 0) : 0
setInterval(() => { localStorage.left = document.cookie = 'left=1' }, 1)
Promise.all([kept, folder, new Promise(done => { opened.onsuccess = done })]).then(() => document.body.append(' made '))
"""
FINDS = """
const found = {cookie: document.cookie, local: localStorage.length, session: sessionStorage.length, name: window.name,
               global: typeof window.left, history: history.length, state: history.state, from: document.referrer}
history.back(); history.go(-2)
const files = async () => { const found = []; try {
    for await (const name of (await navigator.storage.getDirectory()).keys()) found.push(name) } catch {} return found }
Promise.all([indexedDB.databases(), self.caches ? caches.keys() : [], files()])
    .then(([databases, caches, files]) => setTimeout(() => document.body.append(
        JSON.stringify({...found, late: [localStorage.length, document.cookie], databases, caches, files})), 100))
"""
NOTHING = (
    '{"cookie":"","local":0,"session":0,"name":"","global":"undefined","history":2,"state":null,"from":"",'
    '"late":[0,""],"databases":[],"caches":[],"files":[]}'
)


@slow_with_chromium
@pytest.mark.parametrize("scheme", ["http", "https"])  # some of it only secure origins have
@pytest.mark.parametrize("second", ["h.test", "www.h.test", "other.test"])
def test_a_page_finds_nothing_that_another_one_has_left_in_its_tab(scheme: str, second: str) -> None:
    settings = CrawlSettings.of({"render": "x", "ignore_robots": True})
    finds = script(FINDS)
    first, *found = shown(
        settings,
        (f"{scheme}://h.test/x", script(LEAVES)),
        (f"{scheme}://{second}/x2", finds),
        (f"{scheme}://{second}/x3", finds),
        seconds=10.0,
    )
    assert b"> made " in first.body
    assert [NOTHING in page.body.decode() for page in found] == [True, True], found


@slow_with_chromium
@pytest.mark.parametrize("waits", ["fetch('/never')", "while (true) {}"], ids=["for an answer", "for itself"])
def test_a_page_whose_process_dies_is_told_at_once_and_the_next_one_is_read(tmp_path: Path, waits: str) -> None:
    killed: list[int] = []

    async def kill() -> str:
        killed.append(kill_renderers())
        return "{}"

    pages: dict[str, Reply] = {
        f"{HOST}/": "<a href=/dies>1</a>",
        f"{HOST}/dies": script(f"fetch('/kill'); setTimeout(() => {{ {waits} }})") + "<a href=/next>next</a>",
        f"{HOST}/kill": kill,
        f"{HOST}/never": never,
        f"{HOST}/next": script("document.body.innerHTML += '<a href=/found>found</a>'"),
        f"{HOST}/found": "",
    }
    store, began = tmp_path / "crawl.db", time.monotonic()
    crawled(Site(pages), store, render="/(dies|next)$")
    assert (killed[:1] > [0], states(store)[f"{HOST}/dies"], states(store)[f"{HOST}/found"]) == (
        True,
        "render-killed",
        "ok",
    )
    assert time.monotonic() - began < PATIENCE, "the time of a page"


@slow_with_chromium
def test_a_browser_that_crashes_is_an_outcome_and_the_next_page_has_another_one(tmp_path: Path) -> None:
    killed: list[int] = []

    async def kill() -> str:
        killed.append(kill_browsers())
        return "{}"

    async def kill_once() -> str:
        return "{}" if len(killed) > 2 else await kill()

    pages: dict[str, Reply] = {
        f"{HOST}/": "<a href=/always>1</a>",
        f"{HOST}/always": script("fetch('/kill')"),
        f"{HOST}/once": script("fetch('/kill-once').then(() => document.body.innerHTML += '<a href=/found>found</a>')"),
        f"{HOST}/kill": kill,
        f"{HOST}/kill-once": kill_once,
        f"{HOST}/found": "",
    }
    store = tmp_path / "crawl.db"
    site = crawled(Site(pages), store, render="/(always|once)$")
    assert (states(store)[f"{HOST}/always"], len(killed)) == ("render-crashed", 2)
    assert site.asked.count(f"{HOST}/always") == 1
    crawled(Site(pages), store, f"{HOST}/once", render="/(always|once)$")
    assert len(killed) == 3
    assert min(killed) > 0
    assert (states(store)[f"{HOST}/once"], states(store)[f"{HOST}/found"]) == ("ok", "ok")


@slow_with_chromium
def test_no_more_pages_are_open_than_allowed(tmp_path: Path) -> None:
    most, now = 0, 0

    async def hold() -> str:
        nonlocal most, now
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.5)
        now -= 1
        return ""

    hosts = [f"http://h{number}.test" for number in range(5)]
    pages: dict[str, Reply] = {f"{host}/": script("fetch('/hold')") for host in hosts}
    crawled(Site(pages | {f"{host}/hold": hold for host in hosts}), tmp_path / "crawl.db",
            *(f"{host}/" for host in hosts), render="test/$", concurrency=8)  # fmt: skip
    assert 1 <= most <= 4


@slow_with_chromium
def test_names_go_where_connect_to_says_and_ca_file_is_trusted(store: Path) -> None:
    https: dict[str, Reply] = {
        "https://h.test/": '<p>before</p><script src="/made.js"></script>',
        "https://h.test/made.js": ("text/javascript", "document.body.innerHTML += '<a href=/found>found</a>'"),
        "https://h.test/found": "",
    }
    crawled(Site(https, tls=True), store, "https://h.test/", render="h.test/$", ca_file=PEM)
    assert states(store) == {"https://h.test/": "ok", "https://h.test/found": "ok"}


@slow_with_chromium
def test_a_page_is_cut_at_the_largest_size_and_read_in_utf_8() -> None:
    settings = CrawlSettings.of({"render": "x", "max_size": 2000, "ignore_robots": True})
    grown, other = shown(
        settings,
        (f"{HOST}/x", script("document.body.append('ü'.repeat(5000))")),
        (f"{HOST}/x2", script("document.body.append('\\ud83d 漢字 ü')")),
    )
    assert (len(grown.body), grown.truncated) == (2000, True)
    assert (other.truncated, "漢字 ü" in other.body.decode()) == (False, True)


HOSTILE = {
    "dialogs": "for (let i = 0; i < 5; i++) alert(i); confirm('x'); window.onbeforeunload = () => 'stay'",
    "windows": "for (let i = 0; i < 20; i++) window.open('/x' + i)",
    "leaves": "location = 'http://other.test/'",
    "leaves again and again": "setInterval(() => location = '/x' + Math.random(), 10)",
    "reloads": "location.reload()",
    "posts itself": "document.body.innerHTML += '<form action=/x method=post></form>'; document.forms[0].submit()",
    "another reading": "String.prototype.slice = () => 'gone'; Object.defineProperty(Element.prototype, 'outerHTML',"
    " {get: () => ({slice: () => 'x'})})",
    "prints": "print(); history.pushState({}, '', '/elsewhere')",
    "writes": "document.write('<p>written'); document.close()",
}


@slow_with_chromium
def test_whatever_a_page_does_it_is_read_and_so_is_the_next_one() -> None:
    settings = CrawlSettings.of({"render": "x", "ignore_robots": True})
    hostile = [(f"{HOST}/x{number}", script(code)) for number, code in enumerate(HOSTILE.values())]
    *found, last = shown(settings, *hostile, (f"{HOST}/y", script("document.body.append('made')")), seconds=10.0)
    unread = {name for name, page in zip(HOSTILE, found, strict=True) if page.unrendered}
    assert unread <= {"leaves again and again"}, "which may be out of time on a busy machine"
    assert b"made" in last.body


GREEDY = {
    "arrays": "const kept = []; while (true) kept.push(new Array(4e6).fill(Math.random()))",
    "buffers": "const kept = []; while (true) try { kept.push(new Uint8Array(5e7).fill(1)) } catch {}",
    "text": "let text = 'x'.repeat(1e6); while (true) { document.body.append(text + Math.random()) }",
    "worker": "new Worker(URL.createObjectURL(new Blob(['const kept = []; while (true) try {"
    " kept.push(new Uint8Array(5e7).fill(1)) } catch {}']))); setInterval(() => 0, 10); fetch('/never')",
}


@slow_with_chromium
@pytest.mark.parametrize("code", GREEDY.values(), ids=GREEDY.keys())
def test_a_page_that_takes_more_memory_than_it_may_is_killed_and_the_next_one_is_read(
    code: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings = CrawlSettings.of({"render": "x", "ignore_robots": True, "delay": 300.0})
    pages = (f"{HOST}/x", script(code)), (f"{HOST}/y", script("document.body.append('made')"))
    greedy, other = shown(settings, *pages, seconds=30.0)
    assert greedy.unrendered in ("render-killed", "render-timeout"), (
        "the latter where a busy machine is slow to kill it"
    )
    assert any("Chromium: killed a" in message for message in caplog.messages) or greedy.unrendered == "render-killed"
    assert b"before" in greedy.body
    assert b"made" in other.body
