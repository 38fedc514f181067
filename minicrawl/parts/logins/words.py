"""Links that end a session or act: what their URLs and their own words say, in twenty languages.

A phrase counts where it is a whole name: the last segment of the path, a parameter, its value, or the text of a link.
What ends a session also counts behind up to two other words (UserLogout), what acts as the first of two words
(delete-account), or as the beginning of one (action=approvecomment). A parameter against forged requests says that a
link acts, whatever its words. What a button does (take, close, like) counts as the value of a parameter such as
`action`, and behind a number (/tickets/12/close). So "How to delete an account" is read, and so are delete.html and
?q=delete.

An order ("Close ticket", "Thema beobachten") may as well be a title ("Close to the edit"), so something else must say
that its link acts: see `acting_words`. It is a title if its URL repeats it, or if others of the like are titles.
"""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

_NUMBER = re.compile(r"(?<=[/=])\d+(?![^/&?])")
_WORD = re.compile(r"[\w'’]+")
_SPLIT = re.compile(r"(?<=[a-zà-ÿ])(?=[A-Z])|[\s!-/:-@\[-`{-~]+")
_FEW = 2
_MOST = 5  # words of an order
_LONGEST = 40  # characters of the text of a link
_DOCUMENT = re.compile(r"\.(?:html?|xhtml|md|txt|pdf)\Z", re.IGNORECASE)
_SUFFIX = re.compile(r"\.\w{2,5}\Z")
_SHORT = 4
_VERB = {"action", "do", "op", "act", "cmd", "task", "mode", "operation", "command"}
_FREE_TEXT = {"q", "query", "search", "s", "term", "keyword", "keywords", "text", "tag"}
_TOKEN = re.compile(r"nonce|csrf|xsrf|sectok|sesskey|form_?key|authenticity|\Atoken\Z", re.IGNORECASE)
"""Parameters against forged requests: only what acts needs one."""
_IDENTIFIES = re.compile(r"\d+|[0-9a-f]{8,}", re.IGNORECASE)


def _phrases(table: str) -> frozenset[str]:
    text = _TABLES[table].replace("\n", "|")
    return frozenset(" ".join(phrase.casefold().split()) for phrase in text.split("|")) - {""}


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_ENDERS, _ACTORS, _STEPPERS, _THINGS, _LAST, _HERE = map(_phrases, ("ends", "acts", "steps", "things", "last", "here"))
_ORDERS = _ACTORS | _STEPPERS | _phrases("orders")
_POINTS = _HERE | _phrases("points")
_PAGES = _THINGS | _phrases("jobs")
_LONG_ACTORS = tuple(phrase for phrase in _ACTORS if len(phrase) > _SHORT)


def ends_session(name: str) -> bool:
    """True if a name, such as "log-out" or "UserLogout", says that it ends a session."""
    words = _names(name)
    ends = (" ".join(words[begin:]) for begin in range(len(words)))
    return len(words) <= _FEW + 1 and any(end in _ENDERS for end in ends)


def acts(name: str) -> bool:
    """True if a name, such as "delete" or "delete-post", says that it changes something."""
    words = [word.casefold() for word in _SPLIT.split(name) if word and not _IDENTIFIES.fullmatch(word)]
    return " ".join(words) in _ACTORS or (len(words) == _FEW and words[0] in _ACTORS)


def acting_links(links: Mapping[str, str], buttons: Mapping[str, bool]) -> Iterator[str]:
    """The URLs of those links of a page that end the session or act. links: texts by URL; buttons: see `buttons_of`.

    An order that leads to more than one URL is a button at each item of a list. It is a title beside others whose URLs
    differ by numbers alone, if one of these is no order, or if there are three.
    """
    urls, like = Counter(filter(is_order, links.values())), defaultdict[str, set[str]](set)
    for url, text in links.items() if urls or buttons else ():
        like[without_numbers(url)] |= {text} - {""} if url not in buttons else set()
    for url, text in links.items():
        is_button = url in buttons or (urls[text] > 1 and _PAGES.isdisjoint(_words(text)))
        if names_action(text):
            yield url
        elif buttons.get(url) or acting_words(text, url, is_button=is_button):
            texts = like[without_numbers(url)]
            if len(texts) <= _FEW and all(map(is_order, texts)):
                yield url


def acting_words(text: str, url: str = "", *, is_button: bool = False) -> bool:
    """True if the text of a link says that it ends a session or acts. An order acts if it says so of what is here
    ("this"), if its URL has the verb and a number (/pin/4), or the verb behind what that is done to (/export/start), or
    if it is a button for something with a number; but not if the URL repeats it, as that of a title."""
    if names_action(text):
        return True
    words, parts = _words(text), urlsplit(url)
    if not is_order(text) or _is_title(words, parts.path):
        return False
    verb, segments, query = words[0], parts.path.split("/"), _names(parts.query)
    names = [*_names(parts.path), *query]
    is_page = verb in _PAGES or (len(segments) == _FEW and not query)
    if not _POINTS.isdisjoint(words) and not (is_page and _HERE.isdisjoint(words)):
        return True
    if any(map(_IDENTIFIES.fullmatch, names)) and (is_button or verb in (query if verb in _PAGES else names)):
        return True
    of = any(word.removesuffix("s") in names or f"{word}s" in names for word in words[1:]) and verb not in _THINGS
    return len(segments) > _FEW and segments[-1] == verb and (verb in _ACTORS or (of and verb in _STEPPERS))


@lru_cache(maxsize=4_096)
def names_action(text: str) -> bool:
    """True if the text of a link ends a session or acts, whatever else is known: "Log out", "Delete"."""
    return len(text) <= _LONGEST and (ends_session(text) or " ".join(text.casefold().split()) in _ACTORS)


@lru_cache(maxsize=4_096)
def is_order(text: str) -> bool:
    """True if the text of a link begins with a verb that orders something, or ends with it, as German does."""
    words = _words(text) if len(text) <= _LONGEST else []
    is_named = len(words) == _FEW and words[1].isdecimal()  # "Archive 2012"
    first, last = {*words[:1], " ".join(words[:2])}, {*words[-1:], " ".join(words[-2:])}
    return len(words) <= _MOST and not is_named and bool(_ORDERS & first or _LAST & last)


def _is_title(words: list[str], path: str) -> bool:
    """True if a path repeats the text of a link, or begins it, in three words."""
    slugs = [_names(segment) for segment in path.split("/")]
    slugs += [[word for word in slug if not word.isdecimal()] for slug in slugs]
    is_one = len(words) == 1 and _NUMBER.search(path)
    return not is_one and any(
        slug[: len(words)] == words or (len(slug) > _FEW and words[: len(slug)] == slug) for slug in slugs
    )


def without_numbers(url: str) -> str:
    """A URL whose segments and values that are numbers are 0."""
    return _NUMBER.sub("0", url)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _names(part: str) -> list[str]:
    """The words of a part of a URL."""
    return [word.casefold() for word in _SPLIT.split(unquote(part)) if word]


def acting_name(url: str) -> str | None:
    """The name in a normalised URL that says that it ends a session or acts; or None."""
    parts = urlsplit(url)
    segments = [unquote(segment) for segment in parts.path.split("/") if segment]
    # A verb stands last, or before what it is about: /posts/12/delete, /delete/12, but not /delete/the/article.
    names = [segment for segment in segments[-2:] if not _IDENTIFIES.fullmatch(segment)][-1:]
    names = [_SUFFIX.sub("", name) for name in names if not _DOCUMENT.search(name)]
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if value and _TOKEN.search(name):
            return name
        names += [] if name.casefold() in _FREE_TEXT else [name, value]
        verb = value.casefold()
        if name.casefold() in _VERB and (verb.startswith(_LONG_ACTORS) or verb in _STEPPERS):
            return value
    for before, segment in pairwise(segments[-3:]):
        if before.isdecimal() and segment.casefold() in _STEPPERS:
            return segment
    return next((name for name in names if ends_session(name) or acts(name)), None)
