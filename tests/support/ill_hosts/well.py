"""Kinds of hosts that are well, and look like ill ones: no page is lost, and they are not left to rest."""

from support.ill_hosts.ways import (
    BLANK,
    CUT,
    JSON,
    LOGIN,
    NO_TLS,
    REFRESH,
    REFUSED,
    RESET,
    SILENT,
    UNCONNECTED,
    UNDECODABLE,
    among,
    below,
    leading_to_login,
    some,
    to,
    to_its_own,
    to_itself,
    well,
    with_https,
)
from support.ill_hosts.web import DAY, TAKES, Answer, Asked, Kind, Way, page


def _well(*ways: Way, **terms: object) -> Kind:
    return Kind(lambda: [among(*ways)], **terms)  # type: ignore[arg-type]


def _is(body: str, takes: float = TAKES) -> Answer:
    return Answer(body=body, takes=takes, is_page=True)


def _changing(asked: Asked) -> Answer | None:
    """What is said is another thing each time, but the title."""
    if not asked.path.startswith("/f"):
        return None
    text = page(f"{asked.path} {asked.times}").replace(f"{asked.path} {asked.times}", f"h0.test{asked.path}")
    return _is(text)


def _to_slash(asked: Asked) -> Answer | None:
    is_plain = asked.path.startswith("/f") and not asked.path.endswith("/")
    return to(f"{asked.path}/")._replace(is_page=True) if is_plain else None


def _to_language(asked: Asked) -> Answer:
    return to(f"/en{asked.path}")._replace(is_page=True)


def _queue(path: str) -> str:
    return f"<p>You are number {path[5:]} of all" if path.startswith("/f2/") else page(f"h0.test{path}")


def _moved(asked: Asked) -> Answer | None:
    return _to_language(asked) if asked.since >= 0 and not asked.path.startswith("/en/") else None


def _slow(takes: float, *folders: str) -> Way:
    return lambda asked: _is(page(f"h0.test{asked.path}"), takes) if asked.path.startswith(folders) else None


def _same_tags(path: str) -> str:
    """Half of the pages say next to nothing, and have one title."""
    return f"<title>Tag</title><p>{path} posts" if path > "/f4" else page(f"h0.test{path}")


def _tags(path: str) -> str:
    """Two folders of pages that say next to nothing."""
    return f"<title>Tag {path}</title><p>No posts yet" if path.startswith(("/f0", "/f1")) else page(f"h0.test{path}")


def _untitled_tags(path: str) -> str:
    return "<p>There are no posts yet" if path.startswith(("/f0", "/f1")) else page(f"h0.test{path}")


_SHELL = "<title>Our application</title><noscript>You need JavaScript to run this.</noscript><div id=root></div>"
_REST = Answer(403, rest=60)
_ROBOTS = "/robots.txt"
_SIX = tuple(f"/f{number}/" for number in range(1, 7))

WELL: dict[str, Kind] = {
    "nothing": _well(failures=0, rests=0),
    "a folder of 403": _well(below(Answer(403), "/f2/")),
    "a folder of 403 that ask for a minute": _well(below(_REST, "/f2/")),
    "a folder of 403 that ask for a day": _well(below(Answer(403, rest=DAY), "/f2/")),
    "a folder of 451": _well(below(Answer(451), "/f2/")),
    "a third of 400": _well(some(Answer(400), 0.3)),
    "a folder of JSON": _well(below(JSON, "/f2/")),
    "a folder that leads to itself": _well(below(to_itself, "/f2/")),
    "a folder that leads to pages of its own": _well(below(to_its_own, "/f2/")),
    "a folder that refreshes to one page": _well(below(REFRESH, "/f2/")),
    "a folder of 204": _well(below(Answer(204), "/f2/")),
    "three folders of 403": _well(below(Answer(403), "/f2/", "/f3/", "/f4/")),
    "a folder of 401": _well(below(Answer(401), "/f2/")),
    "a folder of 402": _well(below(Answer(402), "/f2/")),
    "a members' folder": _well(leading_to_login(lambda login: below(login, "/f2/"))),
    "a search folder of 429": _well(below(Answer(429), "/f2/")),
    "two search folders of 429": _well(below(Answer(429), "/f2/", "/f3/")),
    "five of eight folders of 403 that ask for a minute": _well(below(_REST, *(f"/f{n}/" for n in range(2, 7)))),
    "a third of 403 that ask for a minute": _well(some(_REST, 0.3)),
    "a search folder of 429 that ask for half a minute": _well(below(Answer(429, rest=30), "/f2/")),
    "a folder of 503": _well(below(Answer(503), "/f2/")),
    "a folder of resets": _well(below(RESET, "/f2/")),
    "a folder of time-outs": _well(below(SILENT, "/f2/")),
    "a folder of cut answers": _well(below(CUT, "/f2/")),
    "a folder of empty pages": _well(below(Answer(), "/f2/")),
    "a folder of blank pages": _well(body=lambda path: BLANK if path.startswith("/f2/") else page(f"h0.test{path}")),
    "a folder that leads to one page": _well(below(to("/f0/p8"), "/f2/")),
    "a slow folder": _well(_slow(8.0, "/f2/"), failures=0),
    "a slow host": _well(_slow(5.0, "/f"), failures=0),
    "a tenth of 500": _well(some(Answer(500), 0.1)),
    "a tenth of 403": _well(some(Answer(403), 0.1)),
    "a tenth of 503, 403 and resets each": _well(
        some(Answer(503), 0.1), some(Answer(403), 0.2), some(RESET, 0.3), failures=3
    ),
    "a tenth of the requests is a 503": _well(some(Answer(503), 0.1, at_times=True)),
    "half of 404": _well(some(Answer(404), 0.5)),
    "a folder of 410": _well(below(Answer(410), "/f2/")),
    "404s that ask for a minute": _well(some(Answer(404, fields={"Retry-After": "60"}), 0.3)),
    "a folder of 403 that ask for nonsense": _well(below(Answer(403, fields={"Retry-After": "soon"}), "/f2/")),
    "old URLs lead to the front page": _well(below(to("/"), "/f2/", "/f5/")),
    "each page leads to one with a slash": _well(_to_slash, failures=0),
    "six of eight folders lead to a language": _well(below(_to_language, *_SIX), failures=2),
    "all pages move into a folder in mid-run": _well(_moved),
    "a folder of queues": _well(body=_queue),
    "a folder of damaged codings": _well(below(UNDECODABLE, "/f2/")),
    "a third of 503": _well(some(Answer(503), 0.3)),
    "six of eight folders are for members": _well(leading_to_login(lambda login: below(login, *_SIX)), failures=2),
    "a members' folder that knows the way back": _well(
        below(LOGIN, "/login/"), below(lambda asked: to(f"/login{asked.path}"), "/f2/")
    ),
    "thin tags": _well(body=_tags, failures=0),
    "thin tags of one title": _well(body=_same_tags),
    "tags of a few words without a title": _well(body=_untitled_tags),
    "one title": _well(body=lambda path: page(f"h0.test{path}").replace(f"h0.test{path}", "Our site"), failures=0),
    "pages that change": _well(_changing, failures=0),
    "an application drawn in the browser": _well(body=lambda path: _SHELL, failures=0, lost=65, why="soft 404s"),
    "a sitemap of 500": _well(
        below(Answer(body="Sitemap: http://h0.test/sitemap.xml", fields={"Content-Type": "text/plain"}), _ROBOTS),
        below(Answer(500), "/sitemap.xml"),
    ),
    "a sitemap of 503 that asks for a minute": _well(
        below(Answer(body="Sitemap: http://h0.test/sitemap.xml", fields={"Content-Type": "text/plain"}), _ROBOTS),
        below(Answer(503, rest=60), "/sitemap.xml"),
    ),
    "a robots.txt of 500 at first": _well(
        lambda asked: below(Answer(500), _ROBOTS)(asked) if not asked.of_page else None
    ),
    "a robots.txt of 500": _well(
        below(Answer(500), _ROBOTS), lost=65, why="RFC 9309 2.3.1.4: nothing may be requested meanwhile"
    ),
    "a robots.txt of 403": _well(below(Answer(403), _ROBOTS)),
    "one page": _well(pages=1, failures=0),
    "one page of few words": _well(pages=1, body=lambda path: "<title>Soon</title>There will be more"),
    "one page, of JSON": _well(below(JSON, "/"), pages=1),
    "one page, of 403": _well(below(Answer(403), "/"), pages=1),
    "one page, of 503": _well(below(Answer(503), "/"), pages=1),
    "three pages": _well(pages=3, failures=0),
    "three pages, one of 403": _well(below(Answer(403), "/f1/"), pages=3),
    "three pages, two of 500": _well(below(Answer(500), "/f"), pages=3),
    "a host of 403 beside a well one": Kind(lambda: [below(Answer(403), "/"), well], pages=30),
    **{
        f"pages that link to https, where {what}": _well(
            below(answer, "/https/"), body=with_https, rests=2, why="a robots.txt has three tries"
        )
        for what, answer in (("nothing listens", REFUSED), ("there is no TLS", NO_TLS), ("nothing comes", UNCONNECTED))
    },
    "a host that refuses beside a well one": Kind(lambda: [below(REFUSED, "/"), well], pages=30),
}
