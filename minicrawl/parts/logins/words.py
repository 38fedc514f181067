"""Links that end a session or act: what their URLs and their own words say, in twenty languages.

A phrase counts where it is a whole name: the last segment of the path, a parameter, its value, or the text of a link.
What ends a session also counts behind up to two other words (UserLogout), what acts as the first of two words
(delete-account), or as the beginning of one (action=approvecomment). A parameter against forged requests says that a
link acts, whatever its words. What a button does (take, close, like) counts as the value of a parameter such as
`action`, and behind a number (/tickets/12/close). So "How to delete an account" is read, and so are delete.html and
?q=delete.
"""

import re
import tomllib
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

_POINTS = {"this", "these", "my", "all", "from"}
_PAGES = {"archive", "run", "watch", "start", "star", "rate", "flag", "mark", "clone", "duplicate"}
"""Steps that are also names of pages with numbers: /archive/2012."""
_SPLIT = re.compile(r"(?<=[a-zà-ÿ])(?=[A-Z])|[\s!-/:-@\[-`{-~]+")
_FEW = 2
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
_ENDERS, _ACTORS, _STEPPERS = _phrases("ends"), _phrases("acts"), _phrases("steps")
_LONG_ACTORS = tuple(phrase for phrase in _ACTORS if len(phrase) > _SHORT)


def ends_session(name: str) -> bool:
    """True if a name, such as "log-out" or "UserLogout", says that it ends a session."""
    words = [word.casefold() for word in _SPLIT.split(name) if word]
    ends = (" ".join(words[begin:]) for begin in range(len(words)))
    return len(words) <= _FEW + 1 and any(end in _ENDERS for end in ends)


def acts(name: str) -> bool:
    """True if a name, such as "delete" or "delete-post", says that it changes something."""
    words = [word.casefold() for word in _SPLIT.split(name) if word and not _IDENTIFIES.fullmatch(word)]
    return " ".join(words) in _ACTORS or (len(words) == _FEW and words[0] in _ACTORS)


def acting_words(text: str, url: str = "") -> bool:
    """True if the text of a link says that it ends a session or acts. What a button does, its URL must say, too, and to
    what: "Pin topic" is /pin/4."""
    words = text.casefold().split()
    if not words or len(text) > _LONGEST:
        return False
    if ends_session(text) or " ".join(words) in _ACTORS or (words[0] in _ACTORS and words[1:2] and words[1] in _POINTS):
        return True
    names = _SPLIT.split(url) if words[0] in _STEPPERS - _PAGES else []
    return words[0] in names and any(map(_IDENTIFIES.fullmatch, names))


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
    if len(segments) > 1 and segments[-2].isdecimal() and segments[-1].casefold() in _STEPPERS:
        return segments[-1]
    return next((name for name in names if ends_session(name) or acts(name)), None)
