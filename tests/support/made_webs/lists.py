"""Archives, tags, calendars and paged lists: the ways to pages, which a judge must not close."""

import re

from support.made_webs.web import HOST, MadeWeb, document, links, links_to, made
from support.prose import WORDS

_NOINDEX = '<meta name="robots" content="noindex">'


@made()
def archive_by_path(web: MadeWeb) -> None:
    """Posts that stand in lists of a month alone."""
    for month in range(1, 13):
        posts = [f"/2025/{month:02}/post-{month}-{number}" for number in range(10)]
        for post in posts:
            web.add(post, post, web.text(post))
        web.add(f"/2025/{month:02}/", f"Archive {month}", links_to(posts), wanted=False)
    web.front(links(*((f"/2025/{month:02}/", f"Month {month}") for month in range(1, 13))))


@made()
def archive_by_query(web: MadeWeb) -> None:
    """Posts and the pages of their list are told apart by one parameter."""
    for number in range(120):
        web.add(f"/show?id={number}", f"Post {number}", web.text(number))
    for page in range(12):
        posts = [(f"/show?id={number}", f"Post {number}") for number in range(page * 10, page * 10 + 10)]
        after = [(f"/list?page={page + 1}", "next")] if page < 11 else []
        web.add(f"/list?page={page}", f"List {page}", links(*posts, *after), wanted=False)
    web.front(links(("/list?page=0", "all")))


@made()
def calendar_with_events(web: MadeWeb) -> None:
    """Months without end, of which twelve have the only links to events."""
    for event in range(80):
        web.add(f"/event/{event}", f"Event {event}", web.text(event))
    days = "".join(f"<td>{day}" for day in range(1, 29))

    def month_page(key: str, times: int) -> str | None:
        found = re.fullmatch(r"/calendar/(\d+)/(\d+)/", key)
        if not found:
            return None
        year, month = int(found[1]), int(found[2])
        events = [
            (f"/event/{event}", f"Event {event}") for event in range(80) if year == 2026 and event % 12 == month % 12
        ]
        after = (f"/calendar/{year + (month == 12)}/{month % 12 + 1}/", "next")
        before = (f"/calendar/{year - (month == 1)}/{(month - 2) % 12 + 1}/", "before")
        return document(f"Calendar {month}/{year}", f"<table>{days}</table>" + links(*events, after, before))

    web.respond = month_page
    web.front(links(("/calendar/2026/6/", "calendar")))


@made()
def activity_by_kind(web: MadeWeb) -> None:
    """What happened in ten days, of one kind or all, of one person or all, and before that without end; ten of these
    pages have the only links to what happened, and there is none of some kinds."""
    kinds = ["issues", "news", "files", "wiki", "messages", "time"]
    events = {number: f"/event/{number}" for number in range(200)}
    for number, event in events.items():
        web.add(event, f"Event {number}", web.text(number))

    def activity(query: dict[str, str]) -> str:
        day, who = int(query.get("from", 1000)), query.get("user", "")
        shown = [kind for kind in kinds if f"show_{kind}" in query] or kinds
        known = ["issues", "news", "issues", "news"]  # by number
        own = [
            events[number]
            for number in range(max(0, (1000 - day) * 2), min(200, (1000 - day) * 2 + 20))
            if known[number % 4] in shown and who in ("", str(number % 3))
        ]
        way = f"user={who}&" * bool(who) + "".join(f"show_{kind}=1&" for kind in shown if len(shown) == 1)
        more = [(f"/activity?{way}from={day - 10}", "before"), ("/activity", "all")]
        more += [(f"/activity?{f'user={who}&' * bool(who)}show_{kind}=1&from={day}", kind) for kind in kinds]
        more += [(f"/activity?user={each}", f"by {each}") for each in range(3)]
        return document("Activity", links(*((event, f"Event {event[7:]}") for event in own), *more))

    web.views["/activity"] = activity
    web.front(links(("/activity", "What happened")))


@made()
def tags(web: MadeWeb) -> None:
    """Posts with three tags each; one post in nine is linked from elsewhere."""
    tags_of = {post: {WORDS[post * step % 47] for step in (1, 3, 7)} for post in range(100)}
    for post, words in tags_of.items():
        web.add(
            f"/post/{post}", f"Post {post}", web.text(post) + links(*((f"/tag/{word}", word) for word in sorted(words)))
        )
    for word in WORDS[:47]:
        posts = [(f"/post/{post}", f"Post {post}") for post, words in tags_of.items() if word in words]
        web.add(f"/tag/{word}", f"Tag {word}", links(*posts), wanted=False)
    web.front(links_to(f"/post/{post}" for post in range(0, 100, 9)))


def _posts_in_lists(web: MadeWeb, folder: str, posts: list[str], title: str, size: int) -> None:
    """A folder whose lists have the whole of each post, `size` a page."""
    for post in posts:
        web.add(post, f"Notes {post}", _whole(web, post))
    for start in range(0, len(posts), size):
        page = start // size + 1
        body = "".join(f'<a href="{post}">more</a>{_whole(web, post)}' for post in posts[start : start + size])
        older = links((f"{folder}page/{page + 1}", "older")) if start + size < len(posts) else ""
        web.add(folder if page == 1 else f"{folder}page/{page}", title, body + older, wanted=False)


def _whole(web: MadeWeb, post: str) -> str:
    return f"<h2>Notes {post}</h2>{web.text(post, words=96)}"


@made()
def posts_whole_in_lists(web: MadeWeb) -> None:
    """A blog whose front page and its older pages show each post whole: the posts' own pages say nothing new."""
    _posts_in_lists(web, "/", [f"/post/{WORDS[number % 50]}-{number}" for number in range(90)], "Blog", 10)


@made()
def posts_whole_by_query(web: MadeWeb) -> None:
    """The same by /?p=: the lists have the parts of each title, too."""
    titles = [f"{WORDS[number % 50]} {WORDS[50 + number % 30]}" for number in range(80)]
    for start in range(0, 80, 10):
        numbers = range(start, start + 10)
        body = "".join(f'<h2><a href="/?p={n}">{titles[n]}</a></h2>{web.text("post", n)}' for n in numbers)
        after = links((f"/?paged={start // 10 + 2}", "older")) if start < 70 else ""
        key = f"/?paged={start // 10 + 1}" if start else "/"
        web.add(key, f"Page {start} – Blog", "<h1>Blog</h1>" + body + after, wanted=False)
    for number, title in enumerate(titles):
        web.add(f"/?p={number}", f"{title} – Blog", f"<h1>Blog</h1><h2>{title}</h2>{web.text('post', number)}")


@made()
def six_authors_whole(web: MadeWeb) -> None:
    """The same in the folders of six authors."""
    for author in range(6):
        posts = [f"/author{author}/{WORDS[(author * 13 + number) % 50]}-{number}" for number in range(25)]
        _posts_in_lists(web, f"/author{author}/", posts, f"Author {author}", 5)
    web.front(links(*((f"/author{author}/", f"Author {author}") for author in range(6))))


def _only_way(web: MadeWeb, posts: int, page_key: str, first: str, head: str = "") -> None:
    """Posts that stand in a list of ten a page, which leads from page to page."""
    for number in range(posts):
        web.add(f"/news/{number}", f"News {number}", web.text(number))
    for page in range(1, posts // 10 + 1):
        items = [(f"/news/{number}", f"News {number}") for number in range(page * 10 - 10, page * 10)]
        older = [(page_key.format(page + 1), "older")] if page < posts // 10 else []
        web.add(first if page == 1 else page_key.format(page), "News", links(*items, *older), head, wanted=False)
    web.front(links((first, "news")))


@made()
def noindex_archives(web: MadeWeb) -> None:
    """Lists say noindex, and are the only way to posts."""
    _only_way(web, 120, "/archive/page/{}", "/archive/page/1", _NOINDEX)


@made()
def only_way_is_page2(web: MadeWeb) -> None:
    """Two hundred news of which each list leads to ten."""
    _only_way(web, 200, "/latest?page={}", "/latest")


@made()
def noindex_everywhere(web: MadeWeb) -> None:
    """A site of which every page says noindex; all are wanted by who crawls it."""
    for number in range(80):
        after = links((f"/doc?id={(number + 1) % 80}", "next"))
        web.add(f"/doc?id={number}", f"Doc {number}", web.text(number) + after, _NOINDEX)
    web.front(links_to(f"/doc?id={number}" for number in range(0, 80, 8)), _NOINDEX)


@made()
def noindex_pages_by_query(web: MadeWeb) -> None:
    """The same with ?page=, which alone makes it a view."""
    _only_way(web, 120, "/latest?page={}", "/latest", _NOINDEX)


@made()
def canonical_of_paged_lists(web: MadeWeb) -> None:
    """Each page of a list says that the first stands for it, and has the only links to its posts."""
    _only_way(web, 120, "/latest?page={}", "/latest", f'<link rel="canonical" href="{HOST}/latest">')


@made()
def new_posts_behind_known_ones(web: MadeWeb) -> None:
    """The front page has links to 160 posts of 300; the paged list begins with these and goes on to the others."""
    _only_way(web, 300, "/latest?page={}", "/latest")
    web.front(links(("/latest", "latest")) + links_to(f"/news/{number}" for number in range(160)))


def _parts(web: MadeWeb, first: str) -> None:
    """Sixty stories in two pages, or twenty, that link to each other with their numbers. first: the text of /story/{}
    begins with it; page 1 says what that says if it is empty."""
    for story in range(60):
        key = f"/story/{story}"
        urls = [f"{key}?page={page}" for page in range(1, 3 if story else 21)]
        texts = [f"<p>{number}</p>{web.text(url)}{links_to(urls)}" for number, url in enumerate(urls)]
        web.add(key, f"Story {story}", texts[0] if not first else first + web.text(key) + links_to(urls))
        for url, text in zip(urls, texts, strict=True):
            web.add(url, f"Story {story}", text, wanted=bool(first) or url != urls[0])
    web.front(links_to(f"/story/{story}" for story in range(60)))


@made()
def first_pages(web: MadeWeb) -> None:
    """Each story has a link to its page 1, which is the story as it is without."""
    _parts(web, "")


@made()
def first_pages_behind_covers(web: MadeWeb) -> None:
    """Its twin: without a page it shows a cover."""
    _parts(web, "<p>What this is about</p>")
