"""The text inside a block as Markdown: emphasis, code, links, images, what is raised or lowered.

Single characters stand for the elements, in pairs that are nested: those of control, and of two planes for private use
for each link and image of a page.
"""

import re
from collections.abc import Sequence
from unicodedata import category

SIGNS = BOLD, ITALIC, STRUCK, CODE, RAISED, LOWERED, LINK = tuple("\x01\x02\x03\x04\x05\x06\x07")
END = dict(zip(SIGNS, map(chr, range(16, 23)), strict=True))
"""The end of each."""
BEGIN = {end: begin for begin, end in END.items()}
BY_TAG = {
    tag: mark
    for mark, tags in (
        (BOLD, "b strong"), (ITALIC, "i em"), (STRUCK, "del s strike"), (CODE, "code kbd samp tt"),
        (RAISED, "sup"), (LOWERED, "sub"),
    )
    for tag in tags.split()
}  # fmt: skip
FIRST_LINK, FIRST_IMAGE, MOST = 0xF0000, 0x100000, 0xFFFF
"""Numbers of the marks of links and images, in place of LINK, and how many of each there are."""
OWN = "\x01-\x08\x0b\x0c\x0e-\x1f\U000f0000-\U0010ffff"
"""The characters that are marks, and others nobody sees."""
MARKS = re.compile("[\x01-\x07\x10-\x16\U000f0000-\U0010ffff]")
IMAGES = re.compile("[\U00100000-\U0010ffff]")

_PAIRS = {BOLD: "**", ITALIC: "*", STRUCK: "~~"}
_OPENING, _CLOSING = "[\x01-\x07\U000f0000-\U000fffff]", "[\x10-\x16]"
_SPACE_BEHIND, _SPACE_BEFORE = re.compile(f"({_OPENING}+) "), re.compile(f" ({_CLOSING}+)")
_EMPTY = re.compile("|".join([*map("".join, END.items()), f"[\U000f0000-\U000fffff]{END[LINK]}", END[CODE] + CODE]))
_UNTIDY = re.compile(
    f"{_OPENING} | {_CLOSING}|{_EMPTY.pattern}|{CODE}[^\x01-\x16\U000f0000-\U0010ffff]*[\x01-\x12\x14-\x16\U000f0000-\U0010ffff]"
)
_EMPHASIS = re.compile(f"([{''.join(_PAIRS)}{''.join(END[mark] for mark in _PAIRS)}]+)")
_IN_CODE = re.compile(f"{CODE}[^{END[CODE]}]*{END[CODE]}")
EACH = re.compile(f"({MARKS.pattern})")
_ENTITY = re.compile(r"&(?=#?\w{1,31};)")
# "_" inside a word stands for itself, and so does a backslash before a letter.
_ANYWHERE = r"[*`]|\\(?=[^\w\s]|_|$)|(?<![^\W_])_|_(?![^\W_])|~(?=~)|(?<=~)~|!$"
_SPECIAL, _SPECIAL_IN_LINK = re.compile(rf"{_ANYWHERE}|\](?=[(\[:])"), re.compile(rf"{_ANYWHERE}|[\[\]]")
_MAY_BE_SPECIAL = re.compile(r"[*`\\_~\[\]&<!]")
_TICKS = re.compile("`+")
_ONE = re.compile(r"[-+\N{MINUS SIGN}]?\w+")
_UNSAFE = re.compile(r"[\s<>\\]")
_TEX = re.compile(r"<annotation [^>]*application/x-tex[^>]*>([^<]*)</annotation>|<math [^>]*alttext=\"([^\"]*)\"")
_STYLE = re.compile(r"\{\\(?:display|text)style (.*)\}", re.DOTALL)
_ANNOTATION = re.compile(r"<annotation(?:-xml)?[ >].*?</annotation(?:-xml)?>", re.DOTALL)
_POWER = re.compile(r"(<m\w+(?: [^>]*)?>[^<]*</m\w+>\s*</m(?:sup|sub)>)")


def formula(math: str) -> str:
    """An element of MathML as HTML: code of TeX between dollars, else its letters."""
    if (tex := _TEX.search(math)) is None:
        powers = _POWER.sub(lambda found: ("^" if "</msup" in found[0] else "_") + found[0], _ANNOTATION.sub("", math))
        return re.sub(r"<[^>]*>", "", powers.replace("\n", " "))
    words = " ".join((tex[1] or tex[2] or "").split())
    style = _STYLE.fullmatch(words)
    return f"$<code>{(style[1] if style else words).replace('<', '&lt;')}</code>$"


def written(pieces: Sequence[str], links: Sequence[str], images: Sequence[str]) -> str:
    """The text of a block, given as pieces with marks between them. links, images: what the marks of each are written
    as, a URL, or an image in full."""
    if len(pieces) == 1:
        return _escaped(pieces[0], _SPECIAL)
    text = "".join(pieces)
    if _UNTIDY.search(text):
        pieces = EACH.split(_tidy(text))
    words = _all_but_emphasis(pieces, links, images)
    return _emphasised(words) if _EMPHASIS.search(words) else words


def _tidy(text: str) -> str:
    """The text without empty elements, spaces at the edges of one, and elements in code."""
    text = _SPACE_BEFORE.sub(r"\1 ", _SPACE_BEHIND.sub(r" \1", text))
    if CODE in text:
        text = _IN_CODE.sub(lambda found: CODE + EACH.sub(f"{END[CODE]}\\1{CODE}", found[0][1:-1]) + END[CODE], text)
    for _ in SIGNS:
        text = _EMPTY.sub("", text)
    return " ".join(text.split())


def _all_but_emphasis(pieces: Sequence[str], links: Sequence[str], images: Sequence[str]) -> str:
    """The pieces of a text, marks between them, with the marks of emphasis."""
    out, opened = [pieces[0] and _escaped(pieces[0], _SPECIAL)], list[int]()
    target, special = "", _SPECIAL
    for at in range(1, len(pieces), 2):
        mark, text = pieces[at], pieces[at + 1]
        if mark == CODE:
            out.append(code(text) if text else "")
            continue
        if mark >= chr(FIRST_IMAGE):
            out.append(images[ord(mark) - FIRST_IMAGE])
        elif mark >= chr(FIRST_LINK):
            opened.append(len(out))
            target, special = links[ord(mark) - FIRST_LINK], _SPECIAL_IN_LINK
        elif mark in (RAISED, LOWERED):
            opened.append(len(out))
        elif mark == END[LINK]:
            start, special = opened.pop(), _SPECIAL
            out[start:] = [_linked("".join(out[start:]), target)]
        elif mark in (END[RAISED], END[LOWERED]):
            start = opened.pop()
            out[start:] = [_raised("".join(out[start:]), mark == END[RAISED], out[start - 1] if start else "")]
        elif mark != END[CODE]:
            out.append(mark)
        if text:
            out.append(_escaped(text, special))
    return "".join(out)


def _linked(text: str, url: str) -> str:
    return f"[{text}]({url})" if url and MARKS.sub("", text) else text


def image(alt: str, target: str) -> str:
    """An image in full."""
    return f"![{_escaped(alt, _SPECIAL_IN_LINK)}]({url_of(target)})" if alt and target else ""


def url_of(target: str) -> str:
    """The target of a link or image, as it is written."""
    url = _ENTITY.sub("&amp;", _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", target))
    return f"<{url}>" if "(" in url or ")" in url else url


def _raised(text: str, is_raised: bool, before: str) -> str:
    """A text that is raised, or else lowered."""
    if text.startswith("["):  # a footnote's number
        return text
    is_one = _ONE.fullmatch(text)
    sign = "^" if is_raised else "_" if is_one and text[0].isalnum() and before[-1:].isalnum() else "\\_"
    return f"{sign}{text}" if is_one else f"{sign}({text})"


def _escaped(text: str, special: re.Pattern[str]) -> str:
    """Escape what a Markdown reader would take for HTML, emphasis, code or a link."""
    if not _MAY_BE_SPECIAL.search(text):
        return text
    return _ENTITY.sub("&amp;", special.sub(r"\\\g<0>", text)).replace("<", "&lt;")


def code(text: str) -> str:
    """A code span."""
    fence = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    return f"{fence} {text} {fence}" if text[0] == "`" or text[-1] == "`" else f"{fence}{text}{fence}"


def _emphasised(text: str) -> str:
    """The text with signs for the marks of emphasis, without those that a reader would not take for it (CommonMark 6.2)."""
    pieces = _EMPHASIS.split(text)
    runs = {at: [""] * len(pieces[at]) for at in range(1, len(pieces), 2)}
    opened = list[tuple[int, int, bool]]()
    for at, signs in runs.items():
        before, behind, is_closed = pieces[at - 1][-1:], pieces[at + 1][:1], False
        for number, mark in enumerate(pieces[at]):
            if mark in _PAIRS:
                opened.append((at, number, not is_closed and _flanks(behind, before)))
                continue
            is_closed = True
            start, place, may_open = opened.pop()
            if may_open and _flanks(before, behind):
                signs[number] = runs[start][place] = _PAIRS[BEGIN[mark]]
    for at, signs in runs.items():
        pieces[at] = "".join(signs)
    return "".join(pieces)


def _flanks(inside: str, outside: str) -> bool:
    """True if a sign between two characters belongs to the first."""
    if not inside.strip():
        return False
    return not _is_punctuation(inside) or not outside.strip() or _is_punctuation(outside)


def _is_punctuation(letter: str) -> bool:
    return category(letter)[0] in "PS"
