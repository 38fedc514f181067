"""Forums, wikis, shops, news and indexes as programs make them."""

import re
import zlib
from urllib.parse import urlencode

from support.made_webs.web import HOST, LOGIN, Answer, MadeWeb, document, links, links_to, made, split, to
from support.prose import WORDS

_NOINDEX = '<meta name="robots" content="noindex,nofollow">'
_OLD = '<meta name="robots" content="noindex,follow,noarchive">'


@made()
def forum(web: MadeWeb) -> None:
    """A forum as phpBB makes it: a session in each link, a URL for each post, next topic, marked words, answers."""
    topics = [f"/viewtopic.php?f={topic % 4}&t={topic}" for topic in range(48)]
    web.wanted |= {*topics, *(f"{key}&start=5" for key in topics)}
    web.views |= dict.fromkeys(("/posting.php", "/memberlist.php"), lambda query: LOGIN)

    def board_or_topic(key: str, times: int) -> str | None:
        path, query = split(key)
        board, topic, start = (int(query.get(name, "0")) for name in ("f", "t", "start"))
        if path == "/viewforum.php":
            title, text = f"Board {board}", ""
            own = [
                *topics[board::4],
                *(f"/viewforum.php?f={board}&sk={sort}&sd={way}" for sort in "art" for way in "ad"),
            ]
        elif path == "/viewtopic.php":
            topic, page = divmod(int(query["p"]) // 5, 2) if "p" in query else (topic, start // 5)
            topic += {"next": 4, "previous": -4}.get(query.get("view", ""), 0)
            if topic not in range(48) or page not in (0, 1):
                return None
            title = f"Topic {topic}"
            text = "".join(web.text("topic", topic, page * 5 + post, words=24) for post in range(5))
            tails = ("", "&start=5", "&view=next", "&view=previous", f"&highlight={WORDS[topic]}", "&view=print")
            own = [topics[topic] + tail for tail in tails]
            own += [f"/viewtopic.php?p={topic * 10 + page * 5 + post}" for post in range(5)]
            own += [f"/posting.php?mode={mode}&t={topic}" for mode in ("reply", "quote")]
            own += [f"/memberlist.php?mode=viewprofile&u={topic * 3 + page}"]
        else:
            return None
        session = f"&sid={zlib.crc32(f'{key} {times}'.encode()):032x}"
        return document(title, text + links(*((url + session, url) for url in own)))

    web.respond = board_or_topic
    web.front(links_to(f"/viewforum.php?f={board}" for board in range(4)))


@made()
def talk(web: MadeWeb) -> None:
    """A forum as Discourse makes it: each post has a URL whose canonical is the topic's; lists are sorted."""
    topics = [f"/t/{WORDS[number]}-{WORDS[-number]}/{number}" for number in range(60)]
    for number, topic in enumerate(topics):
        own = links_to([*(f"{topic}/{post}" for post in range(2, 6)), f"/u/{number}"])
        head = f'<link rel="canonical" href="{HOST}{topic}">'
        web.add(topic, f"About {WORDS[number]} {number}", web.text(topic) + own, head)
    sorts = [f"/latest?order={order}" for order in ("views", "posts", "likes", "activity")]

    def latest(query: dict[str, str]) -> str:
        page, order = int(query.pop("page", 0)), query.get("order")
        shown = sorted(topics, key=lambda topic: zlib.crc32(f"{order} {topic}".encode()) if order else 0)
        more = ["/latest?" + urlencode({**query, "page": page + 1})] if page < 5 else []
        return document("Latest", links_to([*shown[page * 10 : page * 10 + 10], *more, *sorts]))

    def post_or_user(key: str, times: int) -> Answer | str | None:
        return to("/login") if key.startswith("/u/") else web.pages.get(key.rpartition("/")[0])

    web.views |= {"/latest": latest, "/login": lambda query: LOGIN}
    web.respond = post_or_user
    web.front(links_to(["/latest"]))


@made()
def many_topics(web: MadeWeb) -> None:
    """A forum of three hundred topics, each a folder with a URL for each post that names the topic as canonical."""
    topics = [f"/t/{WORDS[number % 100]}-{WORDS[number // 100]}/{number}" for number in range(300)]
    for number, topic in enumerate(topics):
        head = f'<link rel="canonical" href="{HOST}{topic}">'
        posts = links_to(f"{topic}/{post}" for post in range(2, 6))
        web.add(topic, f"About {topic[3:]}", web.text(number) + posts, head)
    web.respond = lambda key, times: web.pages.get(key.rpartition("/")[0])
    lists = [f"/list/{first}" for first in range(0, 300, 50)]
    for key in lists:
        first = int(key[6:])
        web.add(key, f"List {first}", links_to(topics[first : first + 50]), wanted=False)
    web.front(links_to(lists))


def _wiki(web: MadeWeb, page: str) -> None:
    """page: URL of one, with {} for its name."""
    names = [f"{WORDS[number].title()}_{number}" for number in range(70)]
    tails = ("action=edit", "action=history", "action=info", "diff=prev&oldid=7", "printable=yes")
    for number, name in enumerate(names):
        own = [f"/index.php?title={name}&{tail}" for tail in tails]
        own += [page.format(names[(number * step + 1) % 70]) for step in (1, 3, 5)]
        own += [f"/index.php?title=Special:UserLogin&returnto={name}"]
        web.add(page.format(name), name, web.text(name) + links_to(own))

    def view(query: dict[str, str]) -> str | None:
        name = query.pop("title", "")
        old = links_to(f"/index.php?title={name}&oldid={number}" for number in range(8))
        text = web.text(name) if query.keys() & {"oldid", "printable"} else "<p>Changes of a page</p>"
        return document(f"{name}: {query.get('action', 'earlier')}", text + old, _NOINDEX) if query else None

    web.views["/index.php"] = view
    web.front(links_to(page.format(name) for name in names[:5]))


@made()
def wiki(web: MadeWeb) -> None:
    """A wiki whose forms, histories and earlier versions say noindex."""
    _wiki(web, "/wiki/{}")


@made()
def wiki_by_query(web: MadeWeb) -> None:
    """Its twin: its pages have the same path and parameter as these."""
    _wiki(web, "/index.php?title={}")


@made()
def wiki_by_path(web: MadeWeb) -> None:
    """A wiki whose histories, versions, and authors of each line stand below the path of their page."""
    names = [f"/projects/garden/wiki/{word.title()}" for word in WORDS[:60]]
    for number, name in enumerate(names):
        own = [f"{name}/history", f"/login?back={name}", *(names[(number * step + 1) % 60] for step in (1, 3, 5))]
        web.add(name, f"{name[22:]} - Garden", web.text(name) + links_to(own))

    def below(key: str, times: int) -> str | None:
        name, _, view = key.partition("/wiki/")[2].partition("/")
        page = f"/projects/garden/wiki/{name}"
        if page not in web.pages:
            return None
        version, _, view = view.rpartition("/") if "/" in view else (view, "", "")
        if version == "history":
            own = [(f"{page}/{number}{tail}", tail) for number in range(1, 4) for tail in ("", "/annotate")]
            return document(f"History - {name} - Garden", links(*own))
        if view == "annotate":
            lines = web.text(page).replace("<p>", f"<p><a href='/people/{len(name)}'>Ann</a> version {version}</p><p>")
            return document(f"{name} - Garden", lines)
        if version == "3":
            return web.pages[page]
        return document(f"Version {version} - {name}", web.text(page) + links_to([f"{page}/history"]), _OLD)

    web.respond = below
    web.views["/login"] = lambda query: LOGIN
    web.front(links_to(names[:5]))


@made()
def wiki_of_titled_views(web: MadeWeb) -> None:
    """A wiki in a tree, each view of a page below it: History: Rose. Nearly all of them say what others say."""
    names = [f"{WORDS[number]}/{WORDS[-number]}/" if number > 11 else f"{WORDS[number]}/" for number in range(60)]
    said = {"edit": "Change the text", "history": "Who changed it", "files": "No files yet", "images": "No pictures"}
    titles = [name.rstrip("/").rpartition("/")[2].title() for name in names]
    for number, name in enumerate(names):
        own = [f"/{name}_{view}/" for view in said]
        own += [f"/{names[(number * step + 1) % 60]}" for step in (1, 3)]
        web.add(f"/{name}", f"{titles[number]} - The wiki", web.text(name) + links_to(own))

    def view(key: str, times: int) -> str | None:
        name, _, view = key[1:].rstrip("/").rpartition("_")
        if name not in names or view not in said:
            return None
        title = f"{view.title()}: {titles[names.index(name)]} - The wiki"
        return document(title, f"<p>{said[view]}</p>" + links_to([f"/{name}"]))

    web.respond = view
    web.front(links_to(f"/{name}" for name in names[:12]))


@made()
def notes_of_chapters(web: MadeWeb) -> None:
    """Its twin: what stands below each page has a text of its own."""
    for number in range(40):
        key = f"/{WORDS[number]}/"
        own = links_to([f"{key}_notes/", f"{key}_source/"])
        web.add(key, f"{WORDS[number].title()} - The book", web.text(key) + own)
        for view in ("notes", "source"):
            title = f"{view.title()}: {WORDS[number].title()} - The book"
            web.add(f"{key}_{view}/", title, web.text(key, view) + links_to([key]))
    web.front(links_to(f"/{word}/" for word in WORDS[:40]))


@made()
def shop_of_numbers(web: MadeWeb) -> None:
    """Its twin: products are numbers below the names of their many categories, with a dozen words each."""
    shelves = [f"/shop/{word}" for word in WORDS[:24]]
    for number, shelf in enumerate(shelves):
        own = [f"{shelf}/{item}" for item in range(4 * number, 4 * number + 4)]
        web.add(shelf, f"All {shelf[6:]}", links(*((url, f"{shelf[6:]} {url[-2:]}") for url in own)))
        for url in own:
            frame = "<p>Free delivery from fifty euros. Give back what you do not like within thirty days.</p>" * 3
            web.add(url, f"{shelf[6:]} {url[-2:]} - Shop", frame + web.text(url, words=12))
    web.front(links_to(shelves))


@made()
def stories_in_parts(web: MadeWeb) -> None:
    """Its twin: stories of three parts, of which the second and third have a number behind the name."""
    for word in WORDS[:30]:
        for part in ("", "/2", "/3"):
            more = links_to(f"/stories/{word}{other}" for other in ("", "/2", "/3"))
            web.add(f"/stories/{word}{part}", f"The {word} - Stories", web.text(word, part) + more)
    web.front(links_to(f"/stories/{word}" for word in WORDS[:30]))


_COLUMNS = [f"?C={column};O={way}" for column in "NMSD" for way in "AD"]


def _index(web: MadeWeb, columns: list[str], *sizes: int, folder: str = "/") -> None:
    """Folders in folders, so many in each, with files in the last; names are the same everywhere, texts are not.

    columns: queries that sort a folder.
    """
    last = len(sizes) == 1
    names = [("note{}.html", "part{}/", "box{}/")[len(sizes) - 1].format(number) for number in range(sizes[0])]
    for name in names:
        if last:
            web.add(folder + name, folder + name, web.text(folder + name))
        else:
            _index(web, columns, *sizes[1:], folder=folder + name)
    lines = [
        f'<a href="{name}">{name}</a> 2026-02-0{len(name) % 9 + 1} 10:{len(folder)} {len(name)}K<br>' for name in names
    ]
    for column in ("", *columns):
        shown = lines[::-1] if column.endswith("D") else lines
        web.pages[folder + column] = document(f"Index of {folder}", links_to(columns) + "".join(shown), menu="")


@made()
def index_of_folders(web: MadeWeb) -> None:
    """Folders in folders, all with the same names, as nginx lists them."""
    _index(web, [], 10, 6, 5)


@made(290)  # of these 61 for the folders
def index_sorted(web: MadeWeb) -> None:
    """The same as Apache lists them, sorted in eight ways."""
    _index(web, _COLUMNS, 10, 5, 3)


@made()
def chapters_by_c(web: MadeWeb) -> None:
    """Its twin: ?C= chooses a chapter, and ;O= its translation or the original."""
    for book in range(10):
        for column in ("", *_COLUMNS):
            web.add(f"/book{book}/{column}", f"Book {book}", web.text(book, column) + links_to(_COLUMNS))
    web.front(links_to(f"/book{book}/" for book in range(10)))


@made()
def gallery(web: MadeWeb) -> None:
    """Each picture in four sizes, each below a URL and with a file of its own."""
    sizes = ("small", "medium", "large", "original")
    web.items(60, "/photo/{}", *(f"/photo/{{}}?size={size}" for size in sizes))
    for photo in range(60):
        for size in sizes:
            image = f"<img src=/img/{photo}-{size}.jpg>"
            web.pages[f"/photo/{photo}?size={size}"] = web.pages[f"/photo/{photo}"].replace(
                "<footer>", image + "<footer>"
            )


_COLORS = ("red", "blue", "green", "black")


@made()
def variants_same(web: MadeWeb) -> None:
    """A shop whose ?color= changes the picture that a script shows, and no word."""
    web.items(40, "/item/{}", *(f"/item/{{}}?color={color}" for color in _COLORS))
    web.respond = web.same_page


@made()
def variants_own(web: MadeWeb) -> None:
    """Its twin: each color is a thing with a text of its own."""
    variants_same(web)
    for item in range(40):
        for color in _COLORS:
            web.add(f"/item/{item}?color={color}", f"Page {item}", web.text(item, color))


@made()
def news(web: MadeWeb) -> None:
    """News as WordPress makes them: to print, for telephones, to share, as a feed, with an answer to each comment."""
    tails = ("print/", "amp/", "feed/", "?share=mail", "?share=x", "?share=web", "?replytocom={0}1", "?replytocom={0}2")
    web.items(60, "/2025/story-{}/", *(f"/2025/story-{{0}}/{tail}" for tail in tails))
    feed = Answer("<rss><channel><title>Comments</title></channel></rss>", 200, {"Content-Type": "text/xml"})

    def view(key: str, times: int) -> Answer | str | None:
        found = re.fullmatch(r"(/2025/story-\d+/)(.*)", key)
        if not found or (body := web.pages.get(found[1])) is None:
            return None
        if found[2] == "feed/":
            return feed
        if found[2].startswith("?share="):
            return to(found[1])
        kinds = {
            "print/": re.sub("<ul>.*?</ul>", "", body).replace("</title>", " - to print</title>"),
            "amp/": body.replace("</head>", f'<link rel="canonical" href="{HOST}{found[1]}"></head>'),
        }
        return kinds.get(found[2], body.replace("<footer>", "<h3>Leave an answer, or cancel</h3><footer>"))

    web.respond = view


@made(by_url=True)
def changing_news(web: MadeWeb) -> None:
    """A newspaper whose pages count visits, tell the time, give a token to a form, and turn what is read most."""
    web.items(80, "/story/{}")
    plain, web.pages = web.pages, {}

    def page(key: str, times: int) -> str | None:
        draw = zlib.crc32(f"{key} {times}".encode())
        most = links_to(f"/story/{(draw + step) % 80}" for step in range(5))
        token = f'<form><input type="hidden" name="token" value="{draw:x}"></form>'
        changing = f"<p>You are visitor {draw}, at {draw % 24}:{draw % 60:02}</p>{most}{token}"
        return plain[key].replace("<footer>", changing + "<footer>") if key in plain else None

    web.respond = page
