"""Choose the parser of a page, so that none takes long.

The tree of a browser's parser (browser_tree.py) can take time or memory quadratic in the page's tags: the parser
searches the open elements at most tags, and copies formatting elements that a block found open into every block from
there on, until they are closed. A page that could cause this is parsed by plain_tree.py, which builds little of a tree.

Most pages of many tags do not, as their tags close one another; `nesting` measures that. It counts elements that a
browser closes by itself as open, and an end tag that closes less than it seems to as closing nothing. So its depth is
no less than a browser's, except for the three elements without tags that tables may add.
"""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.html.browser_tree import RARE_SELECTORS, BrowserTree
from minicrawl.crawler.html.tree import FORMATS, NAMES_KEPT, REST_OF_TAG, Tree

# A page with so few tags is harmless: at most a quarter of a million elements.
_FEW_TAGS = 1_000
# Open elements are searched at every tag: with so many tags for a second at most.
_MOST_TAGS = 30_000
_MOST_SEARCHED = _MOST_TAGS**2 // 4
# An element takes half a kilobyte.
_MOST_ELEMENTS = 250_000
# Copies of unclosed formatting elements, 440 bytes each.
_MOST_COPIES = 500_000
_FORMATTING = re.compile(rb"<(?:%b)(?:>|[\t\n\f\r /](?:%b>)?)" % (b"|".join(FORMATS), REST_OF_TAG), re.IGNORECASE)
# An attribute is compared with all before it in its tag: so many, or so many bytes of them, take a second.
_MANY = 25_000
_LONG = 4 * _MANY
_MOST_ATTRIBUTES = 64
_ATTRIBUTE = (
    rb"[\t\n\f\r /]*+[^\t\n\f\r />][^\t\n\f\r />=]*+"
    rb"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"[^"]*+"|'[^']*+'|[^\t\n\f\r >]*+))?+"""
)
_MANY_ATTRIBUTES = re.compile(
    rb"(<[a-z][^\t\n\f\r />]*+(?:%b){%d})(?:%b)+" % (_ATTRIBUTE, _MOST_ATTRIBUTES, _ATTRIBUTE), re.IGNORECASE
)
# Bits of a byte: it may precede an attribute, it may begin one.
_PRECEDES, _BEGINS = 1, 2
_ROLES = bytes(
    (_PRECEDES if byte in b"\t\n\f\r /\"'" else 0) | (0 if byte in b"\t\n\f\r />" else _BEGINS) for byte in range(256)
)
# An element of libxml2's tree takes 300 bytes, more once Python has read it.
_MOST_KEPT = 100_000
_KEPT_TAG = re.compile(rb"<" + NAMES_KEPT + rb"[\t\n\f\r />]", re.IGNORECASE)


_REOPENED = frozenset(FORMATS) | {b"a"}
_PHRASES = b"a b big cite code em font i kbd s samp small span strong sub sup tt u var".split()
_INLINE = _REOPENED.union(_PHRASES)
"""Elements that close no other where they begin, but for an a in another."""
_SLASH = ord("/")
_VOID = frozenset(
    b"area base basefont bgsound br col embed hr img input keygen link meta param source track wbr".split()
)
# Elements whose content is text.
_RAW = b"iframe|noembed|noframes|script|style|textarea|title|xmp"
# Elements in which tags have other rules. Small images such as icons contain no HTML.
_OTHER_RULES = frozenset(b"frame frameset math plaintext select svg".split())
# An end tag does not close elements outside one of these (HTML 13.2.4.2, to have an element in scope).
_SCOPES = frozenset(b"applet caption html marquee object table td template th".split())
_TABLE_SCOPES = frozenset(b"html template".split())
# An end tag of any other name does not close elements outside one of these either (HTML 13.2.4.2, special).
_SPECIAL = _SCOPES.union(
    b"address article aside blockquote body button center dd details dialog dir div dl dt fieldset figcaption".split(),
    b"figure footer form h1 h2 h3 h4 h5 h6 head header hgroup li listing main menu nav noscript ol p pre".split(),
    b"search section summary tbody tfoot thead tr ul".split(),
)
# Elements that a browser may close early or leave open: their end tags count only if they close the innermost element.
_CLOSED_OTHERWISE = frozenset(
    b"a body caption colgroup dd dt form h1 head html li noscript optgroup option p rb rp rt rtc tbody td"
    b" tfoot th thead tr".split()
) | frozenset(FORMATS)
_LINES = b"circle|defs|ellipse|g|line|path|polygon|polyline|rect|symbol|use"
# The end tag of a heading closes any heading.
_ALIKE = {b"%s%s" % (slash, heading): slash + b"h1" for heading in b"h2 h3 h4 h5 h6".split() for slash in (b"", b"/")}
_CLEAR = (
    rb"""[\t\n\f\r /]+(?:[^\t\n\f\r "'<>/=]++(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"""
    rb"""(?:"[^"<>]*+"|'[^'<>]*+'|[^\t\n\f\r "'<>=`]++))?+)?+"""
)
_TOKEN = re.compile(
    rb"<(/?(?!(?:svg|%b)[\t\n\f\r />])[a-z][^\t\n\f\r \"'<>/=]*+)(?:%b)*+>|("
    rb"<svg(?:%b)*+(?<!/)>(?:[^<]*+<(?:/?(?:%b)(?:%b)*+>|title>[^<]*+</title>)){0,50}+[^<]*+</svg>"
    rb"|<(?P<raw>%b)(?:%b)*+>[^<]*+(?:<(?!/?(?P=raw)|!--)[^<]*+)*+</(?P=raw)[\t\n\f\r ]*+>"
    rb"|<!doctype[^<>]*+>"
    rb"|<!--(?!-?>)(?:(?!--!?>|<!--).)*+-->)" % (_RAW, _CLEAR, _CLEAR, _LINES, _CLEAR, _RAW, _CLEAR),
    re.DOTALL,
)
"""A tag, with its name as first group; or, as second group, an icon, an element of text, or a comment. None of them is
searched for its end beyond the next one that begins alike, so the time is linear in the page's length."""
_LEAF = re.compile(rb"<(%b)(?:%b)*+>[^<>]*+</\1>" % (b"|".join(_PHRASES), _CLEAR))
"""An element with nothing but text, as most are: it does not affect the rest of the page."""
_MOST_PASSES = 6
_FEW = 8


def _beginnings_of(names: Iterable[bytes]) -> list[int]:
    """The beginnings of tags with these names, as in `Marks.beginnings`."""
    return [int.from_bytes((name + b"%c" % end)[:2], "little") | 0x2020 for name in names for end in b">\t\n\f\r /"]


def which_begin(*names: bytes) -> npt.NDArray[np.bool_]:
    """True for the beginnings of tags with these names and some others, shape (65536,)."""
    found = np.zeros(1 << 16, dtype=np.bool_)
    found[_beginnings_of(names)] = True
    return found


_MAY_FORMAT = which_begin(*FORMATS)
_RARE = np.zeros(1 << 16, dtype=np.uint8)
"""A bit for each rare selector, by number, that may find tags with these beginnings."""
for _number, _names in enumerate(RARE_SELECTORS.values()):
    _RARE[_beginnings_of(_names)] |= 1 << _number


def within_limit(body: bytes, most: int = _MOST_KEPT) -> bytes:
    """The page, cut in front of its tag number `most` + 1 among those that plain_tree.py keeps."""
    if len(body) <= most * len("<a>") or tags_at_most(body) <= most:
        return body
    last = next(islice(_KEPT_TAG.finditer(body), most, None), None)
    return body if last is None else body[: last.start()]


def with_few_attributes(body: bytes) -> bytes:
    """The page; of one with very many attributes, the first ones of each tag alone."""
    if len(body) > _LONG and attributes_at_most(body) > _MANY:
        return _MANY_ATTRIBUTES.sub(rb"\1", body)
    return body


def tree_of(body: bytes, marks: "Marks | None" = None, *, is_whole: bool) -> Tree:
    """Parse a page of well-formed UTF-8. marks: those of the page, if they are known.

    is_whole: more than `Tree.elements` without places will be needed.
    """
    body = with_few_attributes(body)
    if marks is None or marks.body is not body:
        marks = Marks(body)
    if may_explode(marks):
        from minicrawl.crawler.html.plain_tree import PlainTree  # noqa: PLC0415 - few pages need it

        return PlainTree(body, marked=is_whole)
    return BrowserTree(body, _rare_selectors(marks))


def _rare_selectors(marks: "Marks") -> list[str]:
    """The rare selectors that may find something."""
    found = int(np.bitwise_or.reduce(_RARE.take(marks.beginnings)))
    return [selector for number, selector in enumerate(RARE_SELECTORS) if found >> number & 1] if found else []


def tags_at_most(body: bytes) -> int:
    """An upper bound of a page's tags: the number of "<", in a tenth of the time of bytes.count."""
    return int(np.count_nonzero(np.frombuffer(body, dtype=np.uint8) == ord("<")))


def attributes_at_most(body: bytes) -> int:
    """An upper bound of a page's attributes: pairs of a byte that may precede one and a byte that may begin one."""
    roles = np.frombuffer(body.translate(_ROLES), dtype=np.uint8)
    both = roles[:-1] + roles[:-1]
    both &= roles[1:]
    both &= _BEGINS
    return int(np.count_nonzero(both))


class Marks:
    """The "<" of a page: their `number`, by byte True in `found`, and `beginnings`, the two bytes behind each as one
    number, letters in lower case."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.found = np.frombuffer(body, dtype=np.uint8)[:-2] == ord("<")
        size = len(self.found)
        pairs: npt.NDArray[np.uint16] = np.ndarray(size, "<u2", body, min(size, 1), (1,))  # behind every byte
        self.beginnings = pairs[self.found] | 0x2020
        self.number = len(self.beginnings)

    def have(self, beginnings: npt.NDArray[np.bool_]) -> bool:
        """True if one of the tags begins so. beginnings: shape (65536,), see `which_begin`."""
        return bool(beginnings[self.beginnings].any())


def may_explode(marks: Marks) -> bool:
    """True if a browser's tree of the page may be much larger than the page, or slow to build."""
    if marks.number <= _FEW_TAGS or not _looks_as_if_it_may(marks):
        return False
    nested = nesting(marks.body) if marks.number <= _MOST_ELEMENTS else None
    if nested is None:
        return True
    copied = marks.number * nested.reopened
    searched = marks.number * nested.deepest + copied
    return searched > _MOST_SEARCHED or copied > _MOST_COPIES


def _looks_as_if_it_may(marks: Marks) -> bool:
    """A quick upper bound for `may_explode`, from the formatting elements alone."""
    if marks.number > _MOST_TAGS:
        return True
    may_format = _MAY_FORMAT[marks.beginnings]
    if np.count_nonzero(may_format) * marks.number <= _MOST_COPIES:
        return False
    formatting = np.flatnonzero(marks.found)[may_format]
    # HTML 13.2.4.3: at most three equal formatting elements are open at a time. Tags whose end is ambiguous, because of
    # quotes, all count.
    matches = [_FORMATTING.match(marks.body, at) for at in formatting.tolist()]
    seen = Counter(match[0] for match in matches if match)
    unclosed = sum(min(number, 3) if tag.endswith(b">") else number for tag, number in seen.items())
    return unclosed * marks.number > _MOST_COPIES


class Nesting(NamedTuple):
    """deepest: the greatest depth of an element, copies aside. reopened: the most formatting elements that are open
    where a block begins or an end tag closes something else: they may be copied into all that follows."""

    deepest: int
    reopened: int


def nesting(body: bytes) -> Nesting | None:
    """Measure the depth of a page's elements; None if its markup is ambiguous.

    Phrases of text are taken out first, the innermost ones in each pass: an element of phrases alone closes no other.
    """
    body, passes = body.lower(), 0
    for _ in range(_MOST_PASSES):
        body, leaves = _LEAF.subn(b"", body)
        passes += leaves > 0
        if _FEW * leaves < body.count(b"<"):
            break
    found = _TOKEN.findall(body)
    tags = [_ALIKE.get(tag, tag) for tag, *_ in found if tag]
    others = b"".join(other for _, other, _ in found if other)
    if len(tags) + others.count(b"<") != body.count(b"<") or not _OTHER_RULES.isdisjoint(tags):
        return None
    deepest, reopened = _nesting_of(tags)
    return Nesting(deepest + passes, reopened)


def _nesting_of(tags: Iterable[bytes]) -> Nesting:
    """tags: lower-case names, with a slash for end tags."""
    opened: list[bytes] = []
    number: Counter[bytes] = Counter()
    deepest = unclosed = reopened = doubtful = 0
    for tag in tags:
        if tag[0] != _SLASH:
            if tag not in _VOID:
                opened.append(tag)
                number[tag] += 1
                deepest = max(deepest, len(opened))
                if tag not in _INLINE:
                    reopened = max(reopened, unclosed)
                unclosed += tag in _REOPENED
            continue
        name = tag[1:]
        if not number[name]:
            continue
        if opened[-1] == name:
            unclosed -= name in _REOPENED
            number[opened.pop()] -= 1
            doubtful = min(doubtful, len(opened))
            continue
        reopened = max(reopened, unclosed)
        if closed := _closed_by(name, opened, doubtful):
            for _ in range(closed):
                number[opened.pop()] -= 1
        else:
            doubtful = len(opened)  # a browser may have closed any of them
    return Nesting(deepest, max(reopened, unclosed))


def _closed_by(name: bytes, opened: list[bytes], doubtful: int) -> int:
    """The number of elements that the end tag of one that is not the innermost closes, the first `doubtful` aside."""
    if name in _CLOSED_OTHERWISE:
        return 0
    around = _TABLE_SCOPES if name == b"table" else _SCOPES if name in _SPECIAL else _SPECIAL
    for at in range(len(opened) - 1, doubtful - 1, -1):
        if opened[at] == name:
            return len(opened) - at
        if opened[at] in around:
            break
    return 0
