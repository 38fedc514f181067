"""Trackers, forums and repositories, as their programs show them: hexadecimal names, numbered ones, forms to log in."""

import hashlib
from collections.abc import Callable

from support.made_webs.web import OPEN, Answer, MadeWeb, document, links, links_to, made, split, to
from support.prose import WORDS


def _name(number: int, digits: int = 12) -> str:
    """The hexadecimal name of a commit, with a letter and a decimal digit."""
    return f"a{number % 10}{hashlib.sha256(str(number).encode()).hexdigest()}"[:digits]


@made()
def repository(web: MadeWeb) -> None:
    """Commits, and files at the tip; each commit has all files as they were, annotated, and their logs."""
    files = [f"{word}.txt" for word in WORDS[:40]]
    commits = [_name(number) for number in range(60)]
    views = ("file", "annotate", "log")
    for name in files:
        web.add(f"/file/tip/{name}", f"{name} @ tip", web.text(name) + links(("/file/tip", "all files")))
    for number, commit in enumerate(commits):
        changed = links_to(f"/{view}/{commit}/{files[number % 40]}" for view in views)
        web.add(
            f"/commit/{commit}",
            f"commit {commit}",
            web.text(number, words=24) + changed + links_to([f"/file/{commit}"]),
        )

    def old(key: str, times: int) -> str | None:
        _, view, commit, *rest = key.split("/")
        if view not in views or commit not in commits:
            return None
        if not rest:
            return document(f"Files @ {commit}", links_to(f"/{view}/{commit}/{name}" for name in files))
        own = links_to([f"/commit/{commit}", *(f"/{view}/{commit}/{rest[0]}" for view in views)])
        return document(f"{view} {rest[0]} @ {commit}", web.text(rest[0]) + own)

    web.respond = old
    web.add("/file/tip", "Files @ tip", links_to(f"/file/tip/{name}" for name in files))
    web.front(links_to([*(f"/commit/{commit}" for commit in commits), "/file/tip"]))


@made(260)  # half of what is read
def revisions_before_names(web: MadeWeb) -> None:
    """A wiki whose views stand in front, and the name of a revision between: /+show/+a1b2c3d4/rose."""
    for number, name in enumerate(WORDS[:60]):
        revisions = [_name(8 * number + each) for each in range(6)]
        shown = links_to(f"/+show/+{revision}/{name}" for revision in revisions)
        web.add(f"/{name}", f"The {name}", web.text(name) + links((f"/+history/{name}", "history")))
        web.add(f"/+history/{name}", "History", f"<p>{name}" + shown, wanted=False)
        for revision in revisions:
            views = links_to(f"/{view}/+{revision}/{name}" for view in ("+show", "+facts"))
            web.add(f"/+show/+{revision}/{name}", f"The {name}", web.text(name) + views, wanted=False)
            web.add(f"/+facts/+{revision}/{name}", "Facts", f"<p>Revision {revision}", wanted=False)
    web.front(links_to(f"/{name}" for name in WORDS[:60]))


@made()
def records_by_hash(web: MadeWeb) -> None:
    """Its twin: each hexadecimal name is a record of its own, below many collections."""
    for number, word in enumerate(WORDS[:12]):
        own = [f"/{word}/{_name(8 * number + item, 16)}" for item in range(8)]
        web.add(f"/{word}", f"The {word}", links_to(own))
        for url in own:
            web.add(url, f"Record {url[-16:]}", web.text(url))
    web.front(links_to(f"/{word}" for word in WORDS[:12]))


@made()
def actions_between_semicolons(web: MadeWeb) -> None:
    """One program whose parameters stand between semicolons: pages, and views of each that repeat it."""
    pages = [f"/?p=garden;a=show;h={_name(number)}" for number in range(60)]
    for number, key in enumerate(pages):
        views = [key.replace("a=show", f"a={view}") for view in ("raw", "blame", "history", "snapshot")]
        web.add(key, f"Page {number}", web.text(number) + links_to(views))

    def view(key: str, times: int) -> str | None:
        page = key.replace("a=raw", "a=show").replace("a=blame", "a=show").replace("a=history", "a=show")
        page = page.replace("a=snapshot", "a=show")
        return web.pages.get(page)

    web.respond = view
    web.front(links_to(pages))


@made()
def messages_beside_issues(web: MadeWeb) -> None:
    """A tracker: an issue shows its messages, each of which has a URL and leads to issues."""
    issues = [f"/issue{number}" for number in range(60)]
    texts = {f"/msg{number}": web.text("message", number, words=24) for number in range(300)}
    for number, key in enumerate(issues):
        own = [f"/msg{message}" for message in range(5 * number, 5 * number + 5)]
        web.add(key, f"Issue {number}", "".join(texts[message] for message in own) + links_to(own))
    for number, (key, text) in enumerate(texts.items()):
        web.add(key, "Message", text + links_to([issues[number // 5], issues[number % 60]]), wanted=False)
    web.front(links_to(issues))


@made()
def members_only(web: MadeWeb) -> None:
    """A forum of which members and answers lead strangers to a form to log in, and back; and the form to others."""
    people = [f"/user/{number}/{WORDS[number]}/" for number in range(60)]
    for number in range(60):
        own = [f"/topic/{number}/answer/", people[number], f"/login?next=/topic/{number}/"]
        web.add(f"/topic/{number}/", f"Topic {number}", web.text(number) + links_to(own))

    def answer(key: str, times: int) -> Answer | str | None:
        form, _, page = key.partition("?next=")
        if page and form in ("/login", "/register", "/reset"):
            others = links(*((f"{other}?next={page}", other) for other in ("/register", "/reset")))
            return document(form, f'<p>Your name for {form}, please</p><input type="password">{others}')
        return to(f"/login?next={key}") if key in people or key.endswith("/answer/") else None

    web.respond = answer
    web.front(links_to(f"/topic/{number}/" for number in range(60)))


@made()
def messages_as_files(web: MadeWeb) -> None:
    """An archive of letters: below each page stand files with its source, and with all letters of its thread."""
    letters = [f"/letters/{WORDS[number % 40]}{number}x/" for number in range(80)]
    for number, letter in enumerate(letters):
        others = [letters[(number * step + 1) % 80] for step in (1, 3, 5, 7)]
        files = [f"{letter}raw", f"{letter}t.gz"]
        web.add(letter, f"Letter to {WORDS[number % 40]}", web.text(number) + links_to([*others, *files]))

    def file(key: str, times: int) -> Answer | None:
        is_file = key.startswith("/letters/") and key.rpartition("/")[2] in ("raw", "t.gz")
        return Answer(f"From: {key}", 200, {"Content-Type": "text/plain"}) if is_file else None

    web.respond = file
    web.front(links_to(letters[:4]))


@made()
def threads_to_print(web: MadeWeb) -> None:
    """Threads by number, each with a title of its own, and under the same title to print."""
    for number in range(80):
        title, text = f"Thread of {WORDS[number % 40]} and {WORDS[number // 40]}", web.text(number)
        own = [f"/print.php?thread={number}", *(f"/thread.php?thread={number * step % 80}" for step in (1, 2, 3))]
        web.add(f"/thread.php?thread={number}", title, text + links(*((url, "More") for url in own)))
        web.pages[f"/print.php?thread={number}"] = document(title, text, menu="")
    web.front(links_to(f"/thread.php?thread={number}" for number in range(80)))


@made(330)
def messages_in_topics(web: MadeWeb) -> None:
    """Boards and topics by number and first message, ten a page; each message links to its topic by its own number."""
    sizes = [1 + number * 7 % 25 for number in range(100)]

    def board(first: str) -> str:
        shown = range(int(first), int(first) + 10)
        own = [(f"/?board=1.{at}", "Page") for at in range(0, 100, 10)]
        own += [(f"/?board=1.0;sort={by}{way}", by) for by in ("subject", "replies") for way in ("", ";desc")]
        topics = (((f"/?topic={at}.0", WORDS[at % 50]), (f"/?topic={at}.msg{sizes[at] - 1}", "Last")) for at in shown)
        return document("Topics", links(*(link for pair in topics for link in pair), *own))

    def page(query: dict[str, str]) -> str | None:
        if "topic" not in query:
            return board(query.get("board", "1.0").partition(";")[0].partition(".")[2])
        number, _, first = query["topic"].partition(".")
        size, start = sizes[int(number)], int(first.removeprefix("msg")) // 10 * 10
        shown = range(start, min(start + 10, size))
        own = [(f"/?topic={number}.{at}", "Page") for at in range(0, size, 10)]
        own += [(f"/?topic={number}.msg{at}", "Link") for at in shown]
        return document(f"Topic {WORDS[int(number) % 50]}", "".join(web.text(number, at) for at in shown) + links(*own))

    web.views["/"] = page
    web.wanted = {f"/?topic={number}.{at}" for number, size in enumerate(sizes) for at in range(0, size, 10)}


@made(180)  # of these 60 for the short ones
def short_links(web: MadeWeb) -> None:
    """Their twin: short links, of which the first lead to what is known, and all others to pages linked nowhere."""
    pages = [f"/{WORDS[number]}-{WORDS[-number]}" for number in range(60)]
    for number, key in enumerate(pages):
        web.add(key, f"The {key[1:]}", web.text(number))
    web.respond = lambda key, times: to(pages[int(key[3:])]) if key.startswith("/s/") else None
    web.front(links_to([*pages[:15], *(f"/s/{number}" for number in range(60))]))


def _moved(web: MadeWeb, place: str, text: Callable[[str], str], *, wanted: bool) -> None:
    """Pages in sixteen folders, each of which leads to one at another place that nobody links to."""
    keys = [f"/{WORDS[number % 16]}/page{number}" for number in range(64)]
    for number, key in enumerate(keys):
        near = links_to(keys[(7 * number + other) % 64] for other in range(3))
        web.add(place.format(key), f"About {key}" if wanted else "Gone", text(key) + near, wanted=wanted)
    web.respond = lambda key, times: to(place.format(key)) if key in keys else None
    web.front(links_to(keys))


@made(150)  # each page is two requests
def pages_by_language(web: MadeWeb) -> None:
    """Each link is redirected to the page in the language of the reader."""
    _moved(web, "/en{}", web.text, wanted=True)


@made()
def pages_that_are_gone(web: MadeWeb) -> None:
    """Its twin: each link is redirected to a page of its own which says that it is gone."""
    _moved(web, "/gone{}", lambda key: web.text("gone"), wanted=False)


@made(240)  # each page is three requests
def pages_by_country(web: MadeWeb) -> None:
    """Each link is redirected to a page to choose a country, with its own URL, and that leads to the page."""
    _moved(web, "/us{}", web.text, wanted=True)
    lead = web.respond

    def answer(key: str, times: int) -> Answer | str | None:
        page = key.removeprefix("/choose?next=")
        if page != key:
            return document("Your country", "<p>Please say where you read this</p>" + links((f"/us{page}", "America")))
        return to(f"/choose?next={key}") if lead(key, times) else None

    web.respond = answer


@made(150)  # each page is two requests
def pages_by_device(web: MadeWeb) -> None:
    """Each link is redirected to the page with a parameter."""
    _moved(web, "{}?m=1", web.text, wanted=True)


@made()
def pages_by_device_that_are_gone(web: MadeWeb) -> None:
    """Its twin: each link is redirected to the page with a parameter, which says that it is gone."""
    _moved(web, "{}?gone=1", lambda key: web.text("gone"), wanted=False)


@made(400)  # each page is three requests
def pages_behind_two_redirects(web: MadeWeb) -> None:
    """Each link is redirected to a folder, and that to its index."""
    keys = [f"/item{number}" for number in range(120)]
    for number, key in enumerate(keys):
        web.add(
            f"{key}/index.html", key, web.text(key) + links_to(keys[(7 * number + other) % 120] for other in range(3))
        )
    ways = {key: f"{key}/" for key in keys} | {f"{key}/": f"{key}/index.html" for key in keys}
    web.respond = lambda key, times: to(ways[key]) if key in ways else None
    web.front(links_to(keys[:40]))


@made(80)
def redirects_without_end(web: MadeWeb) -> None:
    """Sixty redirects that lead to redirects like them, each to the next number."""
    web.respond = lambda key, times: to(f"/t/{int(key[3:]) + 1}") if key.startswith("/t/") else None
    web.front(links_to([f"/t/{1000 * number}" for number in range(60)]))


def _topics_by_post(web: MadeWeb, every: int | None = None) -> None:
    """Topics of one page or two below three boards: the number of a post chooses the page that has it. every: one post
    in so many has a page of its own."""
    topics = [f"/board{number % 3}/topic/{WORDS[number]}-{number}/" for number in range(45)]
    for number, topic in enumerate(topics):
        posts = range(100 * number, 100 * number + (4 if number % 3 else 16))
        keys = [topic, f"{topic}?page=2"][: 1 + len(posts) // 16]
        own = links_to([*(f"{topic}?post={post}" for post in posts), *keys])
        for page, key in enumerate(keys):
            shown = posts[8 * page : 8 * page + 8]
            web.add(key, f"About {topic}", "".join(web.text(post, words=24) for post in shown) + own)
            web.pages |= {f"{topic}?post={post}": web.pages[key] for post in shown}
        for post in posts[::every] if every else ():
            web.add(f"{topic}?post={post}", f"About {topic}", web.text(post, "answers"))
    web.front(links_to(topics))


@made()
def topics_by_post(web: MadeWeb) -> None:
    """A forum in which the number of a post chooses the page of the topic that has it."""
    _topics_by_post(web)


@made(OPEN)
def answers_by_post(web: MadeWeb) -> None:
    """Its twin: of one post in six, or in four on two boards, there are answers, which stand nowhere else."""
    _topics_by_post(web, every=6)


@made()
def feeds_of_tags(web: MadeWeb) -> None:
    """A blog of which each tag has two feeds, with nothing that its posts do not say."""
    tags = [f"/tag/{word}/" for word in WORDS[:30]]
    for number, tag in enumerate(tags):
        posts = links_to(f"/{number + each}/" for each in range(3))
        web.add(tag, f"Tag {tag[5:-1]}", posts + links_to([f"{tag}rss", f"{tag}atom"]))
    for number in range(32):
        web.add(f"/{number}/", f"Post {number}", web.text(number))

    def feed(key: str, times: int) -> Answer | None:
        tag = key.rpartition("/")[0]
        if f"{tag}/" not in tags:
            return None
        items = "".join(f"<item><title>{word}</title></item>" for word in WORDS[:5])
        return Answer(
            f"<rss><channel><title>{tag}</title>{items}</channel></rss>", 200, {"Content-Type": "application/rss+xml"}
        )

    web.respond = feed
    web.front(links_to(tags))


@made()
def replies_beside_topics(web: MadeWeb) -> None:
    """A forum whose lists lead to the last reply of a topic, which is the topic, sooner than to the topic."""
    for number, word in enumerate(WORDS[:60]):
        topic = f"/forum/{number % 8}/topic/{word}/"
        web.add(
            topic, f"On {word}", web.text(word) + links_to([f"{topic}?reply={number}{reply}" for reply in range(6)])
        )
    web.respond = web.same_page
    boards = [f"/forum/{number}/" for number in range(8)]
    topics = [f"/forum/{number % 8}/topic/{word}/" for number, word in enumerate(WORDS[:60])]
    for number, board in enumerate(boards):
        own = [f"{topic}?reply={each}5" for each, topic in enumerate(topics) if each % 8 == number]
        web.add(board, f"Board {number}", links_to([*own, *topics[number::8]]))
    web.front(links_to([*boards, *(f"{topic}?reply={number}5" for number, topic in enumerate(topics))]))


@made()
def answers_beside_questions(web: MadeWeb) -> None:
    """Its twin: the page with an answer shows that answer alone, which stands nowhere else."""
    for number, word in enumerate(WORDS[:60]):
        topic = f"/forum/{number % 8}/topic/{word}/"
        answers = [f"{topic}?reply={number}{reply}" for reply in range(3)]
        web.add(topic, f"On {word}", web.text(word) + links_to(answers))
        for url in answers:
            web.add(url, f"On {word}", web.text(url))
    web.front(links_to(f"/forum/{number % 8}/topic/{word}/" for number, word in enumerate(WORDS[:60])))


@made()
def repository_by_view(web: MadeWeb) -> None:
    """Commits, and files at the tip: the view stands before the path of the file, its commit behind, as in cgit."""
    folders = WORDS[:4]
    paths = [f"{folders[number % 4]}/{word}.txt" for number, word in enumerate(WORDS[10:26])]
    commits = {_name(number): paths[number % 16] for number in range(20)}
    views = ("tree", "log", "blame", "plain", "diff", "commit", "patch")

    def of(path: str, tail: str = "") -> str:
        return links_to(f"/{view}/{path}{tail}" for view in views)

    for path in paths:
        web.add(f"/tree/{path}", f"tree - {path}", web.text(path) + of(path))
    for folder in folders:
        own = [path for path in paths if path.startswith(f"{folder}/")]
        web.add(f"/tree/{folder}", f"tree - {folder}", "".join(map(of, own)))
    for commit, path in commits.items():
        whole = links_to(f"/{view}/?id={commit}" for view in ("tree", "diff", "patch"))
        body = web.text(commit, words=24) + whole + of(path, f"?id={commit}")
        web.add(f"/commit/?id={commit}", f"commit {commit}", body)

    def old(key: str, times: int) -> Answer | str | None:
        path, query = split(key)
        _, view, *rest = path.split("/", 2)
        name, commit = "/".join(rest), query.get("id", "")
        if view not in views or (commit and commit not in commits):
            return None
        if view in ("plain", "patch"):
            return Answer(f"{view} {name} {commit}", 200, {"Content-Type": "text/plain; charset=utf-8"})
        if name not in paths:
            own = (f"/{view}/{each}?id={commit}" for each in [*folders, *paths] if each.startswith(name))
            return document(f"{view} - {name or 'all'}", links_to(own))
        changes = links_to(f"/commit/?id={each}" for each, changed in commits.items() if changed == name)
        return document(f"{view} - {name}", web.text(name) + changes + of(name, f"?id={commit}"))

    web.respond = old
    web.front(links_to([*(f"/commit/?id={commit}" for commit in commits), *(f"/tree/{name}" for name in folders)]))


@made()
def posts_in_topics(web: MadeWeb) -> None:
    """A forum of which a link to a post leads to the page of the topic that has it, the first ones to the only one."""

    def page(topic: int, number: int) -> str:
        near = [f"/topic/{topic}?post={1000 * topic + 100 * number + post}" for post in range(32)]
        pages = [f"/topic/{topic}?page={other}" for other in range(2, 5)] if topic > 39 else []
        return document(f"Topic {topic}", web.text(topic, number) + links_to([*near, *pages]))

    for topic in range(60):
        web.add(f"/topic/{topic}", "", "")
        web.pages[f"/topic/{topic}"] = page(topic, 1)
        for number in range(2, 5) if topic > 39 else ():
            web.add(f"/topic/{topic}?page={number}", "", "")
            web.pages[f"/topic/{topic}?page={number}"] = page(topic, number)

    def answer(key: str, times: int) -> str | None:
        path, _, post = key.partition("?post=")
        return page(int(path.rpartition("/")[2]), int(post) % 1000 // 100) if post else None

    web.respond = answer
    web.front(links_to(f"/topic/{topic}" for topic in range(60)))
