"""The text of blocks as Markdown: emphasis, code, links, images, what is raised or lowered.

Single characters stand for the elements, in pairs that are nested: those of control, and of two planes for private use
for each link and image of a page. A block is a line. All blocks of a page are written together, by few expressions.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from unicodedata import category

SIGNS = BOLD, ITALIC, STRUCK, CODE, RAISED, LOWERED, LINK = tuple("\x01\x02\x03\x04\x05\x06\x07")
END = dict(zip(SIGNS, map(chr, range(16, 23)), strict=True))
"""The end of each."""
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
NO_REFERENCE, NO_TARGET, TO_HEADING = range(3)
"""Numbers of links that are written as text: without a reference, without a target, and of a heading to itself."""
OWN = "\x01-\x08\x0b\x0c\x0e-\x1f\U000f0000-\U0010ffff"
"""The characters that are marks, and others nobody sees."""

_LINK, _IMAGE = chr(FIRST_LINK), chr(FIRST_IMAGE)
_LINKS, _IMAGES = "[\U000f0000-\U000fffff]", "[\U00100000-\U0010ffff]"
_MARKS = "\x01-\x07\x10-\x16\U000f0000-\U0010ffff"
MARKS = re.compile(f"[{_MARKS}]")
_EACH = re.compile(f"([{_MARKS}])")
_BEGIN = {end: begin for begin, end in END.items()}
_IN_ITSELF = re.compile("|".join(f"{begin}[^{end}\n]*{begin}" for begin, end in list(END.items())[:-1]))
_NO_LINKS = re.compile("[\x01-\x06\x10-\x15\U00100000-\U0010ffff]")
_LINKED = re.compile(f"[\U000f0001-\U000fffff]([^{END[LINK]}]*)")
_PERMALINK = re.compile(f"({_LINKS})[ \u200b]*[¶#§🔗⚓\uf0c1]?[ \u200b]*{END[LINK]}")
"""A link without words, or one that shows where to link to. The last sign is in the font of icons of many manuals."""
# An expression that begins with a set of characters is searched for fast.
_OPENING = "[\x01-\x07\U000f0000-\U000fffff]"
_SPACE_BEHIND, _SPACE_BEFORE = re.compile(f"({_OPENING})({_OPENING}*) "), re.compile(" ([\x10-\x16]+)")
_EMPTY = re.compile(
    f"[\x01-\x06\x13\U000f0000-\U000fffff](?:(?<={_LINKS}){END[LINK]}|(?<={END[CODE]}){CODE}|"
    + "|".join(f"(?<={begin}){end}" for begin, end in list(END.items())[:-1])
    + ")"
)
_MARKED_CODE = re.compile(f"{CODE}([^{_MARKS}\n]*(?:(?!{END[CODE]})[{_MARKS}][^{_MARKS}\n]*)+){END[CODE]}")
_OUT_OF_CODE = f"{END[CODE]}\\1{CODE}"
_SPECIAL = re.compile(
    rf"[\[\]&<*`\\_~!{CODE}{END[LINK]}\U000f0000-\U0010ffff](?:(?<={CODE})[^{END[CODE]}\n]*{END[CODE]})?"
)
_SHIFTED = re.compile(
    f"([{RAISED}{LOWERED}])([^{RAISED}{LOWERED}{END[RAISED]}{END[LOWERED]}\n]*)[{END[RAISED]}{END[LOWERED]}]"
)
_EMPHASIS = {BOLD: "**", ITALIC: "*", STRUCK: "~~"}
_TILDE_OR_MARK, _TARGET_OR_MARK = re.compile(f"[~{_MARKS}]"), re.compile(rf"[(\[:{_MARKS}]")
_OF_EMPHASIS = re.compile("[\x01-\x03\x10-\x12]")
_EMPHASISED = re.compile("([\x01-\x03])([^\x01-\x03\x10-\x12\n]+)[\x10-\x12]")
_NEXT_TO = frozenset((*"*~", *(END[mark] for mark in _EMPHASIS))), frozenset((*"*~", *_EMPHASIS))
"""Characters before and behind emphasis that would not be told from its signs."""
_TICKS = re.compile("`+")
_ONE = re.compile(r"[-+\N{MINUS SIGN}]?\w+")
_ENTITY = re.compile(r"&(?=#?\w{1,31};)")
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


def tidied(text: str, is_own: Callable[[int], bool], *, is_torn: bool) -> str:
    """The lines of a text, in each of which the elements have their ends, without empty ones, spaces at the edges of
    one, elements in code, and permalinks. is_own: whether a link, by its number, leads to its page; is_torn: an element
    has its end in another line."""
    if is_torn or _IN_ITSELF.search(text):
        text = _balanced(text)
    text = _PERMALINK.sub(lambda found: "" if is_own(ord(found[1]) - FIRST_LINK) else found[0], text)
    text = _SPACE_BEFORE.sub(r"\1 ", _SPACE_BEHIND.sub(r" \1\2", text))
    if CODE in text:
        text = _MARKED_CODE.sub(_divided, text)
    number = 1
    while number:
        text, number = _EMPTY.subn("", text)
    while "  " in text:
        text = text.replace("  ", " ")
    return text.replace("\n ", "\n").replace(" \n", "\n").strip(" ")


def _divided(found: re.Match[str]) -> str:
    """Code between other elements; without emphasis of a part of it, which would tear it."""
    inside = found[1]
    if not (inside[0] in _EMPHASIS and inside[-1] == END[inside[0]]):
        inside = _OF_EMPHASIS.sub("", inside)
    return f"{CODE}{_EACH.sub(_OUT_OF_CODE, inside)}{END[CODE]}"


def _balanced(text: str) -> str:
    """The lines of a text, with the marks that are around each, and without elements inside others of their kind. A
    link around lines is one of the first with words."""
    lines, around, again = list[str](), dict[str, str](), Counter[str]()
    for line in text.split("\n"):
        if not around and not MARKS.search(line):
            lines.append(line)
            continue
        pieces = _EACH.split("".join([*around.values(), line]))
        active = dict[str, str]()
        has_words = False
        for at in range(1, len(pieces), 2):
            mark = pieces[at]
            if (kind := _BEGIN.get(mark)) is not None:
                is_again = again[kind] > 0
                again[kind] -= is_again
                if is_again or active.pop(kind, None) is None:
                    pieces[at] = ""
            elif mark < _IMAGE:
                kind = mark if mark < _LINK else LINK
                if kind in active:
                    again[kind] += 1
                    pieces[at] = ""
                else:
                    active[kind] = mark
                    has_words = False
            has_words = has_words or bool(pieces[at + 1].strip())
        lines.append("".join([*pieces, *(END[kind] for kind in reversed(active))]))
        if has_words:
            active.pop(LINK, None)
        around = active
    return "\n".join(lines)


def words_of(text: str) -> tuple[list[str], list[int]]:
    """The lines of a tidy text without marks, and for each its characters in links."""
    text = _NO_LINKS.sub("", text)
    linked = [sum(map(len, _LINKED.findall(line))) if END[LINK] in line else 0 for line in text.split("\n")]
    words = MARKS.sub("", text)
    while "  " in words:
        words = words.replace("  ", " ")
    return [line.strip() for line in words.split("\n")], linked


def written(text: str, links: Sequence[str], images: Sequence[str]) -> list[str]:
    """The lines of a tidy text as Markdown. links, images: what each is written as, a URL, or an image in full."""
    url = ""

    def plain(found: re.Match[str]) -> str:
        nonlocal url
        sign = found[0]
        if sign[0] == CODE:
            return code(sign[1:-1])
        if sign >= _IMAGE:
            return images[ord(sign) - FIRST_IMAGE]
        if sign >= _LINK:
            url = links[ord(sign) - FIRST_LINK]
            return "[" * bool(url)
        if sign == END[LINK]:
            ended, url = url, ""
            return f"]({ended})" if ended else ""
        return _escaped(sign, text, found.start(), in_link=bool(url))

    shown = _SPECIAL.sub(plain, text)
    number = int(RAISED in text or LOWERED in text)
    while number:
        shown, number = _SHIFTED.subn(_shifted, shown)
    number = int(any(mark in text for mark in _EMPHASIS))
    while number:
        shown, number = _EMPHASISED.subn(_emphasised, shown)
    return (MARKS.sub("", shown) if MARKS.search(shown) else shown).split("\n")


def _escaped(sign: str, text: str, at: int, *, in_link: bool) -> str:
    """A sign in a text, escaped where a reader would take it for markup. "_" inside a word stands for itself, and so do
    a backslash before a letter and most brackets."""
    before, behind = text[at - 1 : at], text[at + 1 : at + 2]
    if sign in "&<":
        return "&lt;" if sign == "<" else "&amp;" if _ENTITY.match(text, at) else sign
    if (
        (sign == "_" and before.isalnum() and behind.isalnum())
        or (sign == "~" and not _TILDE_OR_MARK.search(before + behind))
        or (sign == "\\" and (behind.isalnum() or behind == " "))
        or (sign == "!" and behind not in ("", "\n") and not _LINK <= behind < _IMAGE)
        or (sign in "[]" and not in_link and (sign == "[" or not _TARGET_OR_MARK.match(behind)))
    ):
        return sign
    return f"\\{sign}"


def image(alt: str, target: str) -> str:
    """An image in full."""
    return f"!{written(f'{_LINK}{alt}{END[LINK]}', [url_of(target)], ())[0]}"


def url_of(target: str) -> str:
    """The target of a link or image, as it is written."""
    url = _ENTITY.sub("&amp;", _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", target))
    return f"<{url}>" if "(" in url or ")" in url else url


def code(text: str) -> str:
    """A code span."""
    fence = "`" * (1 + max(map(len, _TICKS.findall(text)), default=0))
    return f"{fence} {text} {fence}" if text[:1] == "`" or text[-1:] == "`" else f"{fence}{text}{fence}"


def _shifted(found: re.Match[str]) -> str:
    """A text that is raised or lowered, but for a footnote's number in a link."""
    text, before = found[2], found.string[found.start() - 1 : found.start()]
    if text.startswith("[") or not text:
        return text
    is_one = _ONE.fullmatch(text) is not None
    sign = "^" if found[1] == RAISED else "_" if is_one and text[0].isalnum() and before.isalnum() else "\\_"
    return f"{sign}{text}" if is_one else f"{sign}({text})"


def _emphasised(found: re.Match[str]) -> str:
    """A text with its signs, if a reader takes them for emphasis (CommonMark 6.2)."""
    text, whole = found[2], found.string
    before, behind = whole[found.start() - 1 : found.start()], whole[found.end() : found.end() + 1]
    is_alone = before not in _NEXT_TO[0] and behind not in _NEXT_TO[1]
    sign = _EMPHASIS[found[1]] * (is_alone and _flanks(text[0], before) and _flanks(text[-1], behind))
    return f"{sign}{text}{sign}"


def _flanks(inside: str, outside: str) -> bool:
    """True if a sign between two characters belongs to the first."""
    if inside.isspace():
        return False
    return not _is_punctuation(inside) or not outside.strip() or _is_punctuation(outside)


def _is_punctuation(letter: str) -> bool:
    return category(letter)[0] in "PS"
