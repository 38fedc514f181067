"""Text for search engines alone: runs of text stuffed with words, and text that no reader sees.

A run is the text between two block elements. For its n words, V of them distinct, it is stuffed if

    V / sqrt(2 * n) < LEAST_VARIETY            (J. B. Carroll, Language and Thought, 1964), or
    a word of four letters or more is a share of them above 0.07 + 1 / sqrt(n), or
    they are a list: no sentence ends, and few of them are short, as the little words of sentences are.

A. Ntoulas, M. Najork, M. Manasse, D. Fetterly, "Detecting spam web pages through content analysis", WWW 2006, measure
whole pages by compression and popular words; a run can be pointed at, and tables, listings and menus are no part of it.

Hidden text counts where it is stuffed, leads to many sites, or says what the visible text does not: not what menus,
tabs and dialogs hide until it is asked for. Styles are read from attributes and style elements, not from other files.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from typing import NamedTuple
from urllib.parse import urlsplit

from minicrawl.crawler.html.fingerprint import text_of
from minicrawl.crawler.html.tree import Tree
from minicrawl.crawler.urls.keys import site_of

FEWEST_WORDS = 60
LEAST_VARIETY, LEAST_VARIETY_OF_PAIRS = 1.8, 5.0
MANY_SITES = 5
_LONGEST, _MOST_HIDDEN, _MOST_RULES, _MOST_NAMES, _SHOWN = 300_000, 200, 50, 10, 60
_FEWEST_HIDDEN = 25
_TEXT = 0.92
"""Share of letters and commas in a text; listings, paths and tables of numbers have fewer."""
_PASSED = re.compile(
    rb"<(?:(!--)|(s(?:cript|tyle|elect|vg)|pre|code|t(?:able|extarea|emplate)|math|n(?:oscript|av)|head)\b[^<>]*>)"
)
_INLINE = re.compile(
    rb"</?(?i:a(?:bbr)?|b(?:di|ig|r)?|cite|del|em|font|i(?:mg|ns)?|label|mark|q|s(?:mall|pan|trong|u[bp])?|tt|u|wbr)"
    rb"\b[^<>]*>"
)
_RUN = re.compile(rb"(?:^|>)([^<>]{120,})")
_WORD = re.compile(r"[^\W\d_]+")
_PAIRED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_SENTENCE = re.compile(r"[^\W\d_][)\"'»”]?[.!?:;…](?=\s|$)|[。！？।؟]")

_SCRIPT, _STYLE = re.compile(rb"<()(script)\b[^<>]*>"), re.compile(rb"<()(style)\b[^<>]*>")
_BRACE = re.compile(r"([{}])")
_NAME = re.compile(r"(?:[a-z]+)?([.#][a-z_][\w-]*)", re.IGNORECASE)
_STYLED = re.compile(rb"style\s*=\s*(?:\"([^\"]*)|'([^']*)|([^\s>]*))")
_MAY_HIDE = re.compile(rb"none|hidden|collapse|opacity|indent|font-size|left:|top:|right:|color")
_FAR = re.compile(r"-\d{3,}(?:\.\d*)?(?:px|em|rem|%|vw)?|-\d{2,}(?:em|rem)")
_NO_SIZE = re.compile(r"0*[01]?(?:\.\d+)?(?:px|pt)?|0(?:\.0\d*)?(?:em|rem|%)?")
_COLOURS = {"white": "ffffff", "black": "000000"}
_ON_DEMAND = re.compile(
    r"menu|nav|drop|tab|modal|dialog|pop|overlay|cookie|consent|accordion|collaps|toggle|expand|sr-|reader|visually"
    r"|assist|a11y|skip|tip|toast|hint|search|print|canvas|box|template|carousel|slide|faq|more|answer|panel|detail"
    r"|notice|form|load|error|message|data",
    re.IGNORECASE,
)
_NEVER_TEXT = frozenset(("script", "style", "template", "textarea", "select", "option", "dialog", "svg", "noscript"))
_NAMES = re.compile(r"[.#][a-z_][\w-]*")
_BODY = re.compile(rb"<body\b[^<>]*")
_BACKGROUND = re.compile(r"(?:bgcolor\s*=\s*[\"']?|background(?:-color)?\s*:\s*)(#?\w+)")
_HEX = re.compile(r"[0-9a-f]{3}(?:[0-9a-f]{3})?")
_DECEIVING = ("in the colour of its background", "in a font of no size", "outside the page")

_SELECTOR = ",".join(("[style]", "[hidden]", "font[color]", "a[href]", *_NEVER_TEXT))


@dataclass(slots=True)
class _Hidden:
    """A hidden element. linked: characters in links, up to `at`; sites: that these lead to."""

    place: str
    how: str
    text: str
    is_on_demand: bool
    at: int = 0
    linked: int = 0
    sites: set[str] = field(default_factory=set)


def text_spam(tree: Tree, page: bytes) -> tuple[tuple[str, str], ...]:
    """The signs `stuffed` and `hidden` of a page in UTF-8, each with what was found first, and where."""
    page = page[:_LONGEST]
    hidden = _hidden_elements(tree, page) if _may_hide(page) else []
    runs = ((run, why) for run in _runs(page) if (why := stuffing(run)))
    stuffed = (f"{why}, at {_begin(run)}" for run, why in runs if not any(run in each.text for each in hidden))
    found = {"stuffed": next(stuffed, None), "hidden": next(_counting(hidden, page), None)}
    return tuple((sign, told) for sign, told in found.items() if told is not None)


def _may_hide(page: bytes) -> bool:
    """False for most pages whose styles hide nothing."""
    small = page.lower()
    styles = b" ".join((_inside(small, _STYLE), *map(b"".join, _STYLED.findall(small))))
    return _MAY_HIDE.search(styles) is not None or b" hidden" in small or b"<font" in small


def _spans(small: bytes, opening: re.Pattern[bytes]) -> Iterator[tuple[int, int, int]]:
    """Elements and comments of a page in lower case: where each opens, where its inside begins, and where it closes.

    Those inside others are left out; one that is not closed goes to the end. opening: its groups are the begin of a
    comment, and the name of an element.
    """
    at = 0
    while (found := opening.search(small, at)) is not None:
        at = small.find(b"-->" if found[1] else b"</" + found[2], found.end())
        at = len(small) if at < 0 else at
        yield found.start(), found.end(), at


def _inside(small: bytes, opening: re.Pattern[bytes]) -> bytes:
    return b" ".join(small[begin:end] for _, begin, end in _spans(small, opening))


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without numbers; pairs of characters where a script has no spaces."""
    words = _WORD.findall(text.lower())
    if _PAIRED.search(text) is None:
        return words
    return [
        part
        for word in words
        for part in ((word[at : at + 2] for at in range(len(word) - 1)) if _PAIRED.search(word) else (word,))
    ]


def stuffing(text: str, fewest: int = FEWEST_WORDS, *, lists: bool = True) -> str | None:
    """By what a text is stuffed, in words; None for others, and below `fewest` words. lists: whether lists count."""
    words = words_of(text)
    n, found = len(words), Counter(words)
    if n < fewest:
        return None
    long = {word: count for word, count in found.items() if len(word) > 3 or _PAIRED.match(word)}
    first = max(long or found, key=(long or found).__getitem__)
    variety, least = len(found) / math.sqrt(2 * n), LEAST_VARIETY
    if _PAIRED.match(first):
        least = min(LEAST_VARIETY_OF_PAIRS, 0.6 * math.sqrt(n / 2))  # which is six in ten of the pairs
    if variety < least or long.get(first, 0) / n > 0.07 + 1 / math.sqrt(n):
        return f'"{first}" {found[first]} times in {n} words' if _is_text(text) else None
    is_list = lists and n >= FEWEST_WORDS and _is_list(text, words) and _is_text(text)
    return f"a list of {n} words" if is_list else None


def _is_text(text: str) -> bool:
    letters, commas, spaces = sum(map(len, _WORD.findall(text))), text.count(","), text.count(" ")
    return letters + commas >= _TEXT * (len(text) - spaces)


def _is_list(text: str, words: list[str]) -> bool:
    """True for words without sentences. Names, as of authors, begin with capitals."""
    few = 0.25 * len(words)
    if _SENTENCE.search(text) is not None:
        return False
    capitals = sum(word[0].isupper() for word in _WORD.findall(text))
    return sum(len(word) <= 3 for word in words) < few and capitals < 2 * few


def _runs(page: bytes) -> Iterator[str]:
    pieces, at = [], 0
    for opens, _, closes in _spans(page.lower(), _PASSED):
        pieces.append(page[at:opens])
        at = closes
    pieces.append(page[at:])
    for run in _RUN.findall(_INLINE.sub(b" ", b"<p>".join(pieces))):
        if run.count(b" ") + run.count(b",") >= FEWEST_WORDS - 10 or not run.isascii():
            yield " ".join(unescape(run.decode("utf-8", "replace")).split())


def _begin(text: str) -> str:
    return f'"{text[:_SHOWN]}{"…" if len(text) > _SHOWN else ""}"'


def _counting(found: list[_Hidden], page: bytes) -> Iterator[str]:
    """The hidden elements that count: how each is hidden, why it counts, and how it begins."""
    if not found:
        return
    visible = Counter(words_of(text_of(page).decode("utf-8", "replace")))
    for element in found:
        visible.subtract(words_of(element.text))
    for element in found:
        if (why := _why_it_counts(element, visible)) is not None:
            yield f"{element.place}, {element.how}: {why}, {_begin(element.text)}"


def _why_it_counts(element: _Hidden, visible: Mapping[str, int]) -> str | None:
    text, words = element.text, words_of(element.text)
    if why := stuffing(text, _FEWEST_HIDDEN, lists=not element.is_on_demand):
        return why
    if len(words) < _FEWEST_HIDDEN:
        return None
    distinct = set(words)
    lacking = sum(visible.get(word, 0) <= 0 for word in distinct)
    if element.is_on_demand or 2 * lacking < len(distinct) or not _is_text(text):
        return None
    if len(element.sites) >= MANY_SITES:
        return f"links to {len(element.sites)} sites"
    if element.linked < len(text) / 3 and (element.how in _DECEIVING or _is_list(text, words)):
        return f"{len(words)} words, {lacking} of them nowhere else"
    return None


def _hidden_elements(tree: Tree, page: bytes) -> list[_Hidden]:
    """The outermost hidden elements with some text."""
    small = page.lower()
    told = _inside(small, _SCRIPT).decode("utf-8", "replace")
    rules, backdrop = _rules(small)
    found = list[_Hidden]()
    for tag, attributes, words in tree.requiring(",".join((_SELECTOR, *rules))):
        last = found[-1] if found else None
        if tag in _NEVER_TEXT:
            if last:
                last.text = last.text.replace(" ".join(words().split()), "")
            continue
        if tag == "a" and last and last.at >= 0 and (anchor := " ".join(words().split())):
            start = last.text.find(anchor, last.at)
            last.at = start + len(anchor) if start >= 0 else -1
            if start >= 0:
                last.linked += len(anchor)
                last.sites |= _site_led_to(attributes.get("href") or "")
        style = "".join(rules.get(f".{name}", "") for name in (attributes.get("class") or "").lower().split())
        style += rules.get(f"#{(attributes.get('id') or '').lower()}", "") if rules else ""
        style += "display:none;" if "hidden" in attributes else ""
        style += f"color:{attributes.get('color')};" if tag == "font" else ""
        style += attributes.get("style") or ""
        if not style or len(found) == _MOST_HIDDEN:
            continue
        look = _look(style)
        how = look.how
        if how is None and look.colour is not None and look.colour == (look.background or backdrop):
            how = _DECEIVING[0]
        if how is None:
            if last and look.shows:
                last.text = last.text.replace(" ".join(words().split()), " ", 1)
            continue
        text = " ".join(words().split())
        if len(words_of(text)) >= _FEWEST_HIDDEN and not (last and text in last.text):
            names = f"{attributes.get('id') or ''} {attributes.get('class') or ''}"
            is_on_demand = bool(
                _ON_DEMAND.search(names)
                or any(
                    name == "role" or name.startswith(("aria-", "data-", "on", "x-", "v-", "ng-"))
                    for name in attributes
                )
                or any(
                    re.search(rf"[\"'.# ]{re.escape(name)}[\"' .]", told)
                    for name in names.lower().split()[:_MOST_NAMES]
                )
            )
            place = tag + "".join(f"#{name}" for name in (attributes.get("id") or "").split()[:1])
            place += "".join(f".{name}" for name in (attributes.get("class") or "").split()[:1])
            found.append(_Hidden(place, how, text, is_on_demand))
    return found


def _rules(small: bytes) -> tuple[dict[str, str], str | None]:
    """The declarations of classes and ids, where just one rule is about them, and the colour of the page: None if not
    all of it need have the same. small: the page in lower case."""
    rules, backdrop, about = dict[str, str](), None, Counter[str]()
    for selectors, declared in _declared(_inside(small, _STYLE).decode("utf-8", "replace")):
        look = _look(declared)
        for selector in map(str.strip, selectors.split(",")):
            about.update(set(_NAMES.findall(selector)))
            simple = _NAME.fullmatch(selector)
            if simple and (look.how or look.colour or look.background):
                rules[simple[1]] = f"{declared};"
            elif selector in ("body", "html"):
                backdrop = look.background or backdrop
    body = _BODY.search(small)
    if body and (stated := _BACKGROUND.search(body[0].decode("utf-8", "replace"))):
        backdrop = _colour(stated[1])
    if small.count(b"background") + small.count(b"bgcolor") > (backdrop is not None):
        backdrop = None
    elif backdrop is None and b"stylesheet" not in small:
        backdrop = _COLOURS["white"]
    return {name: rule for name, rule in list(rules.items())[:_MOST_RULES] if about[name] == 1}, backdrop


def _declared(sheet: str) -> Iterator[tuple[str, str]]:
    """The rules of a style sheet, but for those inside others, as for print: selectors and declarations."""
    first, *rest = sheet.split("/*")
    depth, texts = 0, list[str]()
    for part in _BRACE.split(first + " ".join(comment.partition("*/")[2] for comment in rest)):
        if part == "{":
            depth += 1
        elif part == "}":
            depth = max(depth - 1, 0)
            if depth == 0 and len(texts) == 2:
                yield texts[0].rpartition(";")[2], texts[1]
            texts = texts if depth else []
        else:
            texts.append(part)


class _Look(NamedTuple):
    """What a style says: how it hides text, if it does; colours as six digits; that it may show text again."""

    how: str | None
    background: str | None
    colour: str | None
    shows: bool


@lru_cache(10_000)
def _look(style: str) -> _Look:
    pairs = (each.partition(":") for each in style.lower().replace("!important", "").split(";"))
    said = {name.strip(): value.strip() for name, mark, value in pairs if mark}
    is_moved = said.get("position") in ("absolute", "fixed")
    moved = [said.get("text-indent", ""), *(said.get(side, "") for side in ("left", "top", "right") if is_moved)]
    how = None
    if said.get("display") == "none":
        how = "not displayed"
    elif said.get("visibility") in ("hidden", "collapse") or said.get("opacity") in ("0", "0.0"):
        how = "invisible"
    elif _NO_SIZE.fullmatch(said.get("font-size", "none")):
        how = _DECEIVING[1]
    elif any(map(_FAR.fullmatch, moved)):
        how = _DECEIVING[2]
    shows = bool({"font-size", "color"} & said.keys()) or said.get("visibility") == "visible"
    return _Look(
        how, _colour(said.get("background-color") or said.get("background")), _colour(said.get("color")), shows
    )


def _colour(value: str | None) -> str | None:
    """A colour as six hexadecimal digits, of names white and black alone; None for others."""
    for part in (value or "").split()[:3]:
        digits = _COLOURS.get(part, part.removeprefix("#"))
        if _HEX.fullmatch(digits):
            return digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)
    return None


def _site_led_to(reference: str) -> set[str]:
    try:
        host = urlsplit(reference).hostname
        return {site_of(host)} if host else set()
    except ValueError:
        return set()
