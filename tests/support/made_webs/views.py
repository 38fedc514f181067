"""One page under many URLs: sorted, filtered, printed, tagged, with a session; and what only looks like that."""

import random
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import urlencode

from support.made_webs.web import LOGIN, Answer, MadeWeb, document, links, links_to, made, split
from support.prose import WORDS


def urls_of(path: str, queries: Iterable[Mapping[str, object]]) -> list[str]:
    """A path with each of these parameters."""
    return [f"{path}?{urlencode(query)}" for query in queries]


@made()
def catalogue_sorted(web: MadeWeb) -> None:
    """A shop whose list is sorted and filtered, with a form for a review and a cart for each thing."""
    web.items(200, "/item/{}", "/item/{}/review/add", "/cart/add?item={}")
    sorts, colors = {"price": 7919, "new": 104729, "name": 1}, "01234"
    choices = [*({"sort": sort} for sort in sorts), *({"color": color} for color in colors)]
    choices += [{"color": color, "sort": sort} for color in colors for sort in sorts]

    def shop(query: dict[str, str]) -> str:
        page, step = int(query.pop("page", 1)), sorts[query.get("sort", "name")]
        order = sorted(range(200), key=lambda item: item * step % 200)
        items = [item for item in order if query.get("color", str(item % 5)) == str(item % 5)]
        shown = [f"/item/{item}" for item in items[page * 20 - 20 : page * 20]]
        after = [{**query, "page": page + 1}] if page * 20 < len(items) else []
        return document("Shop", links_to([*shown, *urls_of("/shop", [*after, *choices])]))

    web.views["/shop"] = shop
    web.views["/cart/add"] = lambda query: document("Your cart", "<p>Nothing in it yet</p>")
    web.respond = lambda key, times: LOGIN if key.endswith("/review/add") else None
    web.front(links_to(["/shop"]))


@made(300)
def questions_sorted_by_path(web: MadeWeb) -> None:
    """Questions whose lists have the scope, the order, the tag and the page in their path; few orders differ."""
    for number in range(120):
        title = f"{WORDS[number % 60]} and {WORDS[number // 60]}"
        web.add(f"/question/{number}", title, web.text(number))

    def listed(key: str, times: int) -> str | None:
        chosen = dict(part.split(":") for part in key.split("/") if part.count(":") == 1)
        if not (key.startswith("/questions/") and chosen.keys() == {"scope", "sort", "tag", "page"}):
            return None
        step = 1 if chosen["sort"] in ("age", "activity") else -1
        found = [n for n in range(120) if chosen["tag"] in ("any", str(n % 24))][::step]
        first, pages = int(chosen["page"]) * 20 - 20, range(1, len(found) // 20 + 1)
        others = ({"scope": scope} for scope in ("all", "open", "mine"))
        choices = [*others, *({"sort": sort} for sort in ("age", "activity", "votes", "answers"))]
        choices += [*({"tag": f"{number % 24}"} for number in found[:20]), *({"page": f"{number}"} for number in pages)]
        ways = ({"scope": "all", "sort": "age", "tag": "any", "page": 1, **chosen, **choice} for choice in choices)
        urls = ["/questions/" + "/".join(f"{name}:{way[name]}" for name in way) + "/" for way in ways]
        shown = [f"/question/{n}" for n in found[first : first + 20]]
        text = "<p>What people ask here, and what others have said of it so far</p>"
        return document("Questions", text + links_to(shown) + links(*((url, "Show") for url in urls)))

    web.respond = listed
    web.front(links_to(["/questions/scope:all/sort:age/tag:any/page:1/"]))


@made()
def reports_sorted(web: MadeWeb) -> None:
    """A tracker whose reports show numbers and dates of tickets in the order of each column, a hundred at a time."""
    draw = random.Random(web.seed)
    tickets = [(n, " ".join(draw.choices(WORDS, k=3)), *(draw.randrange(9) for _ in range(4))) for n in range(150)]
    for number, title, *_ in tickets:
        web.add(f"/ticket/{number}", f"{number} {title}", web.text(number))

    def report(query: dict[str, str]) -> str | None:
        page, column = int(query.get("page", 1)), int(query.get("sort", 0))
        which = int(query.get("id", 0)) % 6
        if not 0 <= column < 6 or page not in (1, 2):
            return None
        order = sorted(tickets, key=lambda ticket: (ticket[column], ticket[which]), reverse="desc" in query)
        rows = "".join(
            f'<tr><td><a href="/ticket/{n}">{n}</a><td>{title}<td>part{a}<td>version {b}<td>1:0{c}<td>2026-01-1{d}'
            for n, title, a, b, c, d in order[100 * page - 100 : 100 * page]
        )
        ways = ({"id": which, "sort": each, "page": number} for each in range(6) for number in (1, 2))
        more = urls_of("/report", [*ways, {"id": which, "sort": column, "desc": 1}])
        return document("Report", f"<table>{rows}</table>{links(*((url, 'Sort') for url in more))}")

    web.views["/report"] = report
    web.front(links_to(f"/report?id={which}" for which in range(6)))


@made()
def threads(web: MadeWeb) -> None:
    """A forum of threads of three pages, each with a form for an answer and a view to print."""

    def posts(thread: int, page: int) -> str:
        return "".join(web.text(thread, page, post, words=24) for post in range(10))

    first = [f"/viewtopic.php?t={thread}" for thread in range(60)]
    for thread, key in enumerate(first):
        pages = [key, f"{key}&start=10", f"{key}&start=20"]
        own = links_to([*pages, f"/posting.php?mode=reply&t={thread}", f"{key}&view=print"])
        for page, paged in enumerate(pages):
            web.add(paged, f"Thread {thread}", posts(thread, page) + own)
        web.pages[f"{key}&view=print"] = document(f"Thread {thread}", posts(thread, 0), menu="")
    web.views["/posting.php"] = lambda query: LOGIN
    web.front(links_to(first))


@made()
def search_with_own_results(web: MadeWeb) -> None:
    """A search whose results are texts that stand nowhere else."""
    words = WORDS[:40]
    for place, word in enumerate(words):
        more = [f"/search?q={words[(place + 1) * step % 40]}" for step in (1, 3, 7, 11, 13)]
        web.add(f"/search?q={word}", "Search", f"<h1>Results for {word}</h1>{web.text(word, words=48)}{links_to(more)}")
    web.front(links_to(f"/search?q={word}" for word in words[:10]))


@made()
def search_same_results(web: MadeWeb) -> None:
    """Its twin: results are pages that are known already."""
    web.items(40, "/p/{}", *(f"/search?q={word}" for word in WORDS[:3]))
    more = links_to(f"/search?q={word}" for word in WORDS)

    def search(query: dict[str, str]) -> str:
        word = query.get("q", "")
        found = [f"/p/{page}" for page in range(40) if not zlib.crc32(f"{word} {page}".encode()) % 3]
        return document("Search", f"<h1>Results for {word}</h1>{links_to(found)}{more}")

    web.views["/search"] = search


@made()
def map_states(web: MadeWeb) -> None:
    """A map with a URL for each place, part and scale of it, on all of which it says nothing."""
    web.items(60, "/place/{}", *(f"/map?lat={{0}}.{part}&lon={part}.{{0}}&zoom={part}" for part in range(5)))

    def scales(query: dict[str, str]) -> str:
        own = urls_of("/map", ({**query, "zoom": zoom} for zoom in range(12)))
        return document("Map", links(*((url, "scale") for url in own)))

    web.views["/map"] = scales


def _sessions(web: MadeWeb, name: str) -> None:
    """name: that of the parameter with a session; a third of the answers begins another."""

    def page(key: str, times: int) -> str | None:
        path, query = split(key)
        found = re.fullmatch(r"/|/s/(\d+)", path)
        if not found:
            return None
        number, draw = int(found[1] or -1), random.Random(f"{web.seed} {key} {times}")
        session = query[name] if name in query and draw.random() < 0.7 else draw.randbytes(16).hex()
        others = [(f"/s/{(number * 3 + step) % 60}?{name}={session}", "see") for step in range(1, 5)]
        return document(f"Page {number}", web.text(number) + links(*others), menu="")

    web.pages, web.wanted, web.respond = {}, {f"/s/{number}" for number in range(60)}, page


@made()
def sessions_in_links(web: MadeWeb) -> None:
    """Each link has a session; no page is linked without one."""
    _sessions(web, "sid")


@made()
def sessions_of_an_own_name(web: MadeWeb) -> None:
    """The same with a name that nobody has heard of."""
    _sessions(web, "zk")


@made()
def ids_like_sessions(web: MadeWeb) -> None:
    """Their twin: what looks like a session is the number of a document."""
    keys = [f"/doc?sid={random.Random(number).randbytes(16).hex()}" for number in range(60)]
    for number, key in enumerate(keys):
        web.add(key, "Document", web.text(key) + links((keys[number - 1], "before"), (keys[number // 2], "see")))
    web.front(links_to(keys[::6]))


def _linked_from(web: MadeWeb, *, is_own: bool) -> None:
    """Items whose links have a ?from= with a part of the number of the item they stand on; six have links without, too.

    is_own: the parameter chooses a text.
    """
    seen = {item: [f"/item/{(item * step + 1) % 60}?from={item % 8}" for step in (2, 5, 7)] for item in range(60)}
    tagged = {key for keys in seen.values() for key in keys}
    plain = [f"/item/{item}" for item in range(60)]
    for key in [*plain, *tagged]:
        item = plain.index(key.partition("?")[0])
        text = web.text(key if is_own else item) + links(*((other, "see also") for other in seen[item]))
        web.add(key, f"Item {item}", text, wanted=key in (tagged if is_own else plain))
    web.front(links_to(plain[:6]))


@made()
def from_parameter(web: MadeWeb) -> None:
    """?from= changes nothing."""
    _linked_from(web, is_own=False)


@made()
def from_with_token(web: MadeWeb) -> None:
    """It changes nothing, and each answer has another token in a form."""
    _linked_from(web, is_own=False)
    plain, web.pages = web.pages, {}

    def page(key: str, times: int) -> str | None:
        token = zlib.crc32(f"{key} {times}".encode())
        form = f'<form><input type="hidden" value="{token:x}"></form>'
        return plain[key].replace("<footer>", form + "<footer>") if key in plain else None

    web.respond = page


@made()
def from_chooses_a_text(web: MadeWeb) -> None:
    """Their twin: ?from= chooses one of eight texts of an item, under one title."""
    _linked_from(web, is_own=True)


@made()
def filters_in_one_parameter(web: MadeWeb) -> None:
    """Three filters in one parameter, in any order; each thing is linked elsewhere too."""
    colors, sizes, stuffs = "Red Blue Green Black White", "S M L XL", "Wool Silk Linen"
    filters = {"Color": colors.split(), "Size": sizes.split(), "Stuff": stuffs.split()}
    web.items(120, "/thing-{}.html", "/search?q=Color-Red")

    def search(query: dict[str, str]) -> str:
        words = query.get("q", "").split("-")
        chosen = dict(zip(words[::2], words[1::2], strict=False))
        things = list(range(120))
        for name, value in chosen.items():
            things = [thing for thing in things if filters[name][thing % len(filters[name])] == value]
        more = [{**chosen, name: value} for name, values in filters.items() for value in values]
        lists = ["/search?q=" + "-".join(word for both in choice.items() for word in both) for choice in more]
        return document("Search", links_to([*(f"/thing-{thing}.html" for thing in things[:30]), *lists]))

    web.views["/search"] = search


@made()
def facets_in_path(web: MadeWeb) -> None:
    """Three filters as folders, in any order."""
    facets = [("red", "blue", "green", "black", "white"), ("small", "large", "huge"), ("wool", "silk", "linen")]
    web.items(100, "/thing-{}.html", "/shop/red/")

    def shop(key: str, times: int) -> str | None:
        chosen = set(key.strip("/").split("/")[1:])
        things = [f"/thing-{n}.html" for n in range(100) if chosen <= {values[n % len(values)] for values in facets}]
        more = [f"{key}{value}/" for values in facets if not chosen & set(values) for value in values]
        return document("Shop", links_to([*things[:20], *more])) if key.startswith("/shop/") else None

    web.respond = shop


@made()
def regions_in_path(web: MadeWeb) -> None:
    """Its twin: folders are regions with a text each."""

    def fill(place: str, *below: list[str]) -> None:
        inner = [f"{place}{name}/" for name in below[0]] if below else []
        web.add(place, place, web.text(place) + links_to(inner))
        for one in inner:
            fill(one, *below[1:])

    fill("/", WORDS[:5], WORDS[10:14], WORDS[20:23])


@made()
def words_in_many_folders(web: MadeWeb) -> None:
    """Towns with the same three folders, whose pages have one title for all towns, and a text each."""
    for town in WORDS[:30]:
        own = [f"/{town}/{word}/" for word in ("history", "museums", "hotels")]
        web.add(f"/{town}/", town, web.text(town) + links_to(own))
        for key in own:
            web.add(key, key.split("/")[2].title(), web.text(key))
    web.front(links_to(f"/{town}/" for town in WORDS[:30]))


@made()
def printed(web: MadeWeb) -> None:
    """?print=1 of each page says the same without the menu."""
    web.items(80, "/p/{}", "/p/{}?print=1")
    for page in range(80):
        web.pages[f"/p/{page}?print=1"] = re.sub("<ul>.*?</ul>", "", web.pages[f"/p/{page}"])


@made()
def printed_manual(web: MadeWeb) -> None:
    """Its twin: ?print=1 is the whole chapter, of which the page is the beginning."""
    web.items(80, "/p/{}", "/p/{}?print=1")
    for page in range(80):
        web.add(f"/p/{page}?print=1", f"Page {page}", web.text(page) + web.text(page, "more", words=120))


@made()
def login_links(web: MadeWeb) -> None:
    """Each page has a link to log in and come back; that page has one to register, and back."""
    web.items(60, "/p/{}.html", "/login?returnto=%2Fp%2F{}.html")

    def form(key: str, times: int) -> str | None:
        path, query = split(key)
        own = links_to([*urls_of("/login", [query]), *urls_of("/register", [query])])
        text = f'<p>Your name, to {path[1:]}</p><input type="password">'
        return document(path[1:], text + own) if path in ("/login", "/register") else None

    web.respond = form


@made()
def login_beside_every_page(web: MadeWeb) -> None:
    """Their twin: a form with a password stands on each page but the front page, below its text."""
    web.items(80, "/p/{}")
    for key in web.wanted - {"/"}:
        web.pages[key] += '<form><input type="password"></form>'


@made()
def paged_comments(web: MadeWeb) -> None:
    """Each post has two more pages of comments, which stand nowhere else, below the post."""
    web.items(40, "/post/{}", "/post/{}?cpage=1", "/post/{}?cpage=2", "/post/{}?cpage=3")
    web.respond = web.same_page
    for post in range(40):
        for page in (2, 3):
            web.add(f"/post/{post}?cpage={page}", f"Page {post}", web.text(post) + web.text(post, page))


@made()
def versions_by_query(web: MadeWeb) -> None:
    """Each page has five earlier versions, in which one paragraph of twenty was another."""
    for page in range(40):
        versions = [f"/wiki/{page}?version={version}" for version in range(1, 6)]
        rest = web.text(page, words=228) + links_to(versions)
        for key in (f"/wiki/{page}", *versions):
            web.add(key, f"Page {page}", web.text(key, words=12) + rest, wanted=key not in versions)
    web.front(links_to(f"/wiki/{page}" for page in range(40)))


def _spelled(web: MadeWeb) -> list[str]:
    """Pages in two spellings, which link to both of three others; the keys of the second one, which says the same.

    They differ by a last slash, capitals, or the order of parameters.
    """
    pairs = [(f"/p/{page}", f"/p/{page}/") for page in range(20)]
    pairs += [(f"/{word}", f"/{word.title()}") for word in WORDS[:20]]
    pairs += [(f"/q?a={page}&b=1", f"/q?b=1&a={page}") for page in range(20)]
    for number, (key, other) in enumerate(pairs):
        near = [spelled for step in (1, 2, 7) for spelled in pairs[(number + step) % 60]]
        web.add(key, f"Page {number}", web.text(key) + links_to(near))
        web.pages[other] = web.pages[key]
    web.front(links_to(key for key, _ in pairs[::3]))
    return [other for _, other in pairs]


@made(108)  # twelve or so for each way to spell
def spellings_same(web: MadeWeb) -> None:
    """A slash at the end, capitals and the order of parameters change nothing."""
    _spelled(web)


@made()
def spellings_differ(web: MadeWeb) -> None:
    """Their twin: each spelling is a page of its own."""
    for number, key in enumerate(_spelled(web)):
        web.add(key, f"Other {number}", web.text(key))


@made()
def pages_in_other_formats(web: MadeWeb) -> None:
    """Each page is there as a table and as a document, too, which are not read."""
    formats = {"csv": "text/csv", "pdf": "application/pdf"}
    web.items(90, "/book/{}/", "/book/{}/?format=csv", "/book/{}/?format=pdf")

    def file(key: str, times: int) -> Answer | None:
        kind = formats.get(key[-3:])
        return None if kind is None else Answer(f"{key} as a file", 200, {"Content-Type": kind})

    web.respond = file


@made(by_url=True)
def files_in_folders(web: MadeWeb) -> None:
    """Its twin: what is wanted are files."""
    folders = [f"/pool/{word}/" for word in WORDS[:12]]
    for folder in folders:
        files = [f"{folder}{word}_{number}.tar.gz" for number, word in enumerate(WORDS[20:29])]
        web.add(folder, f"Index of {folder}", links_to(files))
        web.wanted.update(files)

    def file(key: str, times: int) -> Answer | None:
        return Answer(key, 200, {"Content-Type": "application/gzip"}) if key.endswith(".gz") else None

    web.respond = file
    web.front(links_to(folders))


def _listing(web: MadeWeb, *key: object) -> list[str]:
    return [web.text(*key, line, words=12) for line in range(20)]


@made()
def versions_of_listings(web: MadeWeb) -> None:
    """Files in listings, of which each version has one other line."""
    for number in range(40):
        key, lines = f"/file/{WORDS[number]}", _listing(web, number)
        old = [f"{key}?rev={100 * number + rev}" for rev in range(1, 9)]
        web.add(key, f"File {WORDS[number]}", _shown(lines) + links_to(old))
        for rev, url in enumerate(old):
            web.add(url, f"File {WORDS[number]}", _shown([*lines[:rev], web.text(url, words=12), *lines[rev + 1 :]]),
                    wanted=False)  # fmt: skip
    web.front(links_to(f"/file/{WORDS[number]}" for number in range(40)))


@made()
def mails_in_listings(web: MadeWeb) -> None:
    """Its twin: mails in listings, each of which quotes the one before."""
    before: list[str] = []
    for number in range(120):
        lines = _listing(web, number)[:6]
        web.add(f"/mail?id={number}", "Mail", _shown([*(f"&gt; {line}" for line in before), *lines]))
        before = lines
    web.front(links_to(f"/mail?id={number}" for number in range(120)))


def _shown(lines: Sequence[str]) -> str:
    """A listing of lines of text."""
    return "<pre>" + "\n".join(re.sub("<[^>]*>", "", line) for line in lines) + "</pre>"


def _below_pages(web: MadeWeb, view: str, title: str, says: Callable[[str], str], *, wanted: bool) -> None:
    """Fifty pages, below each of which stands a view of it with a title of its own."""
    names = [f"{one} {other}" for one, other in zip(WORDS[:50], WORDS[50:100], strict=True)]
    paths = [f"/{name.partition(' ')[0]}/{number}/" for number, name in enumerate(names)]
    for name, path in zip(names, paths, strict=True):
        web.add(path, f"The {name} | Wiki", web.text(name) + links_to([f"{path}{view}/"]))
        web.add(f"{path}{view}/", f"{title} {name} | Wiki", says(name), wanted=wanted)
    web.front(links_to(paths))


@made()
def views_named_by_pages(web: MadeWeb) -> None:
    """A wiki: below each page stands a list of those below it, of which there are none, under a title of its own."""
    _below_pages(web, "below", "Pages below the", lambda name: f"<h1>Pages below the {name}</h1>", wanted=False)


@made()
def reviews_named_by_pages(web: MadeWeb) -> None:
    """Its twin: below each page stand reviews of it."""
    _below_pages(web, "reviews", "Reviews of the", lambda name: web.text(name, "reviews"), wanted=True)


@made()
def names_by_query(web: MadeWeb) -> None:
    """Its twin: a picture each by query, with a title of words that no other page has, but for those of all."""
    names = [f"{one} {other}" for one, other in zip(WORDS[:50], WORDS[50:100], strict=True)]
    for number, name in enumerate(names):
        web.add(f"/show?photo={number}", f"The {name} | Photos", f"<h1>The {name}</h1><img src=/p/{number}.jpg>")
    web.front(links_to(f"/show?photo={number}" for number in range(50)))
