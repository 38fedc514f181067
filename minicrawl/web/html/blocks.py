"""The blocks of a page, in one walk: its words as Markdown, block by block, and what stands around them.

The parser writes its tree as HTML again, in C, and the tags of that are walked once: depth costs nothing, and every
element has its end. What stands between two block elements is a block. Content, kept text, hashes to detect changes and
what a host repeats are told by these blocks.

sup, sub            10^6, CO_2; with parentheses around more than a word
math                its TeX as code, $`E=mc^2`$, its own or made of it; a line of letters and powers as it is
notes               12[3], whether the number is raised or not; rt: in parentheses; q: in quotation marks
br, hr              a hard break, a thematic break
li                  with its own number; [x] and [ ] of a task
dt, dd              a paragraph, and a list
rowspan, colspan    the cell, and empty ones beside and below it
"""

import html
import re
from collections import deque
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from itertools import groupby, repeat
from typing import NamedTuple
from unicodedata import category

from minicrawl.web.html.content import (
    BOX,
    CELL,
    CLOSED,
    CODE,
    ITEM,
    NAMED,
    OUT,
    Page,
    beside_by_name,
    container,
    is_hidden,
)
from minicrawl.web.html.facts import picture
from minicrawl.web.html.formula import tex_of
from minicrawl.web.html.tree import BLOCKS, FALLBACKS, HIDDEN
from minicrawl.web.kept_text import key_of

_DEEPEST, _MOST_INLINE, _AROUND = 12, 32, 5
"""Lists and quotations inside each other; inline elements; elements around a listing that may name its language."""
_MOST_SPANS = 10_000
"""Cells of a page that are empty as another spans them."""
_MOST_IN_TARGETS = 4_000_000
"""Characters of the targets of a page's links; further links are text. A long base URL would multiply a page."""
_LONGEST_NUMBER, _LONGEST_TAG = 8, 500
QUOTE, _LINK, _LINKED, _BUTTON, _CODE, _RAISED, _LOWERED = "> ", "\x04", "\x05", "\x06", "`", "^", "_"
_NOTE, RULE = "\x07", "***"
_SIGNS = {"q": "\N{LEFT DOUBLE QUOTATION MARK}", "/q": "\N{RIGHT DOUBLE QUOTATION MARK}", "rt": "(", "text": " "}
"""What is written at a tag; between labels of a drawing it is a space."""
_EMPHASIS = {"\x01": "**", "\x02": "*", "\x03": "~~"}
"""By characters that stand for a sign, until what is beside it is known."""
_END = dict(zip(_EMPHASIS, "\x11\x12\x13", strict=True))
_MARKS = {
    **dict.fromkeys(("b", "strong"), "\x01"), **dict.fromkeys(("i", "em"), "\x02"),
    **dict.fromkeys(("del", "s", "strike"), "\x03"), **dict.fromkeys(("code", "kbd", "samp", "tt"), _CODE),
    "sup": _RAISED, "sub": _LOWERED,
}  # fmt: skip

_RAW = re.compile(
    r"<(?=[!inpsx])(?:(script|style|iframe|noembed|noframes|xmp|plaintext)(?: [^>]*)?>[^<]*+(?:<(?!/\1>)[^<]*+)*+</\1"
    r"|!--.*?--)>",
    re.DOTALL,
)
"""A comment, or an element whose content is not HTML. A set of first characters is fast."""
_NO_CODE = re.compile(
    r'class="(?:[^"]* )?(?:katex-html|linenos?|lineno|lnt|ln|line-?numbers?(?:-rows)?|linenodiv|gutter|gl|rouge-gutter'
    r'|hljs-ln-n(?:umbers)?|blob-num|copy-?b(?:utton|tn)|clipboard\w*)[" ]| data-(?:line-number|nosnippet)='
)
"""Line numbers and the like, and formulas that are there as MathML, too."""
_LISTING = re.compile(r'class="(?:[^"]* )?(?:fragment|js-file-line-container)[" ]')
"""Listings without pre: those of Doxygen and GitHub."""
_LANGUAGE = re.compile(
    r'(?:\b(?:(?:language|lang)-|highlight-(?:source-)?|brush: ?|(?:sourceCode|hljs) )|data-lang(?:uage)?=")'
    r"(?!(?:language|lang)-|default|none|text|plain|notranslate|wrapper|source\b)([A-Za-z][\w+#.-]*)"
)
_CONTROL = re.compile(r'class="(?:[^"]* )?(?:[\w-]+-)?(?:editsection|edit-section|section-edit)[" ]')
"""Where a wiki lets people edit a section, inside its heading or beside it."""
_EDITS = re.compile(
    r' href="[^"]*[?&](?:amp;)?(?:veaction|action|do)=edit| class="(?:[^"]* )?(?:[\w-]+-)?edit(?:-?link)?[" ]'
)
_EDIT = re.compile(r' href="[^"]*/edit\b')
"""Of a link in brackets."""
_LEFT = re.compile(r"\\?\[[\s|]*\\?\]")
"""Brackets without what was in them."""
_TAG = re.compile("<[^>]*>")
_OF_NOTE = re.compile(
    r'(?:class|id|role|type)="[^"]*(?:note-?ref|(?:foot|end|side)-?note|fn-?ref|cite_?ref)(?!-?back)|^sup .*"reference'
)
_LONGEST_MARK = 5
_VALUE = re.compile(rf' value="(\d{{1,{_LONGEST_NUMBER}}})"')
_LIST = re.compile(r"<(/?)(ol|ul|menu|li)(?=[ >])")
_REVERSED = re.compile("<ol(?= [^>]*reversed=)(?![^>]* start=)")
_ORDINAL = re.compile(r"[^\W\d_]{2,}")
_OPENS = re.compile("expand|aria-controls|toggle|accordion|collaps|faq|question")
_CONTROLS = re.compile(r' (?:aria-controls|href|data-(?:bs-)?target)="#?([^"#]+)"|\("B:\w+", ?"(S:\w+)"\)')
"""Of a control; of a script of React, which puts what came late into its place."""
_HREF = re.compile(r' href="([^"]*)"')
_ATTRIBUTE = re.compile(r'([^ =]+)="([^"]*)"')
_EDGES = re.compile("\n?[<>]+")
"""In a listing, what begins or ends a line."""

_OWN = re.compile("[\x01-\x08\x0b\x0c\x0e-\x1f]")
"""Characters of control, which nobody sees."""
_SIGN = re.compile(r"[&*`\\_~!\[\]\x01-\x08\x0b\x0c\x0e-\x1f]")
_AND = re.compile(r"&(?=#?\w{0,31}(?:;|\Z))")
_MARKUP = r"\*|`|_(?:(?<![^\W_]_)|(?![^\W_]))|!\Z|\\(?![^\W_]| )|~(?:(?<![^~]~)|(?=~|\Z))|\](?=[(\[:]|\Z)"
_IN_TEXT, _IN_LINK = re.compile(_MARKUP), re.compile(rf"{_MARKUP}|\[|\]")
"""What readers would take for markup, whatever stands at the edges of a text. A set of first characters is fast."""
_EMPHASISED = re.compile("([\x01-\x03])( ?)([^\x01-\x03\x11-\x13]*(?<! ))( ?)[\x11-\x13]")
_NEXT_TO = frozenset("*~\x11\x12\x13"), frozenset("*~\x01\x02\x03")
"""Characters before and behind emphasis that would not be told from its signs."""
_PERMALINKS = frozenset(("", "¶", "#", "§", "🔗", "⚓", "\uf0c1"))
"""Words of links that show where to link to. The last is in the font of icons of many manuals."""
_LETTER = re.compile(r"\w")
_TICKS = re.compile("`+")
_ONE = re.compile(r"[-+\N{MINUS SIGN}]?\w+")
_UNSAFE = re.compile(r"[\s<>\\&()]")
_MATH = re.compile(r"<math(?: [^>]*)?>.*?(?:</math>|\Z)", re.DOTALL)
_TEX = re.compile(r"<annotation [^>]*application/x-tex[^>]*>([^<]*)</annotation>|<math [^>]*alttext=\"([^\"]*)\"")


class Node:
    """A quotation or an item around blocks. mark: how it begins; rest: what stands before its other lines."""

    def __init__(self, mark: str, around: "Chain") -> None:
        self.mark = mark
        self.rest: str = f"{around[-1].rest if around else ''}{mark if mark == QUOTE else ' ' * len(mark)}"


class _List:
    """How the next item of a list begins. step: between numbers, 0 for other signs."""

    def __init__(self, sign: str, number: int, step: int) -> None:
        self.sign, self.number, self.step = sign, number, step

    def begin(self) -> str:
        number = str(max(self.number, 0)) if self.step else ""
        self.number += self.step
        return f"{number}{self.sign} "


_Url = Callable[[str], str]
Chain = tuple[Node, ...]
"""Those around a block, the outermost first."""


class Table:
    """A table. row, column: of the next cell; filled: by column, the last row that a cell above spans."""

    def __init__(self, chain: Chain) -> None:
        self.chain, self.is_layout, self.row, self.column, self.filled = chain, False, 0, 0, dict[int, int]()


class _Cell(NamedTuple):
    table: Table
    row: int
    column: int


class Block(NamedTuple):
    """A block. text: Markdown without what stands before it, or a listing; size: characters of words, 0 of a picture
    alone; kind: as in `Page`; begins: what stands before the text, or a listing's language; is_next: it stands behind
    a br."""

    text: str
    size: int
    kind: int
    chain: Chain
    cell: _Cell | None
    begins: str
    is_next: bool

    @property
    def level(self) -> int:
        """Of a heading, else 0."""
        return self.kind if self.kind < CODE else 0

    def key(self, level: int = 0) -> str:
        """As `minicrawl.web.kept_text.key_of` has it."""
        return key_of(self.text, level, is_code=self.kind == CODE)


class Walk:
    """Walks the tags of HTML that a parser has written: `blocks`, also of pictures alone, and `page`, without these."""

    def __init__(self, page: str, url: str, link: _Url, source: _Url, most: int) -> None:
        """url: of the page; link, source: the URL that a reference leads to, or empty; most: characters of text."""
        self.page, self.blocks = Page(), list[Block]()
        self._link, self._source, self._left, self._left_in_targets = link, source, most, _MOST_IN_TARGETS
        self._own, self._targets = f"{_written(url).strip('<>')}#", dict[str, str]()
        # The block so far: the inline elements around its end, and where they begin; the characters that are not words,
        # and those in links.
        self._pieces, self._around, self._starts, self._reference = list[str](), list[str](), list[int](), ""
        self._is_note, self._link_tag = False, ""  # the link
        self._has_words = self._is_emphasised = False
        self._extra = self._extra_before_link = self._linked = self._in_buttons = self._too_deep = 0
        self._kind, self._begins, self._is_next = 0, "", False
        self._alt, self._noscript = "", False
        self._opens, self._html = False, page
        self._controlled: set[str] | None = None  # by controls that open it
        self._control, self._has_left = "", False  # words of controls in the heading so far, and whether it had some
        # Around it. ended: the number of blocks, and the chain, at the end of the last list.
        self._level, self._spans = 0, _MOST_SPANS
        self._chain: Chain = ()
        self._ended: tuple[int, Chain] = -1, ()
        self._list = _List("-", 0, 0)
        self._table: Table | None = None
        self._cell: _Cell | None = None
        self._frames = list[tuple[str, int, int, Chain, _List, Table | None, _Cell | None]]()
        page = page.replace("&nbsp;", " ")
        page = _RAW.sub("", _MATH.sub(_formula, page) if "<math" in page else page)
        page = _with_starts(page) if " reversed=" in page else page
        parts = page.replace(">", "<").split("<")
        if len(parts) != 2 * page.count("<") + 1:  # names of attributes may have "<"
            parts = _TAG.sub(lambda tag: f"<{tag[0][1:].replace('<', '')}", page).replace(">", "<").split("<")
        self._tokens = zip(parts[::2], parts[1::2], strict=False)
        self._read()
        self._flush()
        self._html = ""

    def told(self) -> list[str]:
        """The keys of the blocks that tell whether the page has changed: but for what is named after something beside
        the content, unless that is most of it."""
        flags = iter(beside_by_name(self.page))
        return [block.key() for block in self.blocks if block.size > 0 and not next(flags)]

    def _read(self) -> None:
        around, actions, add, find_sign = self._around, dict(_ACTIONS), self._pieces.append, _SIGN.search
        for text, tag in self._tokens:
            if text:
                if text.isspace():
                    add(" ")
                else:
                    self._has_words = True
                    if find_sign(text):
                        words = _OWN.sub("", html.unescape(text))
                        text = words if _CODE in around else _escaped(words, is_link=_LINK in around)  # noqa: PLW2901
                        self._extra += len(text) - len(words)
                    add(text)
            if tag in actions:
                action = actions[tag]
            elif tag[:2] == "a ":
                action = Walk._begin_link
            else:
                action = actions[tag] = _action_of(tag[:_LONGEST_TAG])
            if action is not None:
                action(self, tag)

    def _skip(self, tag: str) -> None:
        """Go behind the end of an element."""
        name, depth = tag.partition(" ")[0], 1
        while depth:
            other = next(self._tokens, ("", f"/{name}"))[1]
            depth += (other.partition(" ")[0] == name) - (other == f"/{name}")

    def _pass_control(self, tag: str) -> None:
        """Go behind what lets people edit a section. Without a link it is words, and so it is in a heading that has no
        others."""
        name, depth, words, has_link = tag.partition(" ")[0], 1, list[str](), tag[:2] == "a "
        for text, other in self._tokens:
            words.append(text)
            own = other.partition(" ")[0]
            has_link = has_link or own == "a"
            depth += (own == name) - (own == f"/{name}")
            if not depth:
                break
        shown = _escaped(_OWN.sub("", html.unescape("".join(words))), is_link=False)
        if not has_link:
            self._pieces.append(shown)
            self._has_words = self._has_words or bool(shown.strip())
        elif self._level:
            self._control += f" {shown}"

    # Inline elements.

    def _begin_inline(self, tag: str) -> None:
        mark, around = _MARKS[tag.partition(" ")[0]], self._around
        if mark == _RAISED and _OF_NOTE.search(tag):
            mark = _NOTE
        self._open("" if around and (mark in around or _CODE in around) else mark)

    def _begin_link(self, tag: str) -> None:
        is_in_brackets = self._pieces and self._pieces[-1].endswith("[")
        if self._level and (_EDITS.search(tag) or (is_in_brackets and _EDIT.search(tag))):
            self._pass_control(tag)
            return
        found = None if _LINK in self._around else _HREF.search(tag)
        if found:
            self._reference, self._extra_before_link = found[1], self._extra
            self._is_note, self._link_tag = _NOTE in self._around, tag
        self._open(_LINK if found else "")

    def _open(self, mark: str) -> None:
        if len(self._around) == _MOST_INLINE:
            self._too_deep += 1
            return
        self._around.append(mark)
        self._starts.append(len(self._pieces))
        if mark in _EMPHASIS:
            self._pieces.append(mark)
            self._is_emphasised = True

    def _end_inline(self, tag: str) -> None:
        """Write an element at its end."""
        if tag and self._too_deep:
            self._too_deep -= 1
            return
        if not self._around:  # it begins in a formula or a script, which are left out
            return
        mark, start, pieces = self._around.pop(), self._starts.pop(), self._pieces
        text, before = "".join(pieces[start:]) if mark else "", pieces[start - 1][-1:] if start else ""
        if mark in _EMPHASIS and text.strip() != mark:
            pieces.append(_END[mark])
            self._extra += 2 * len(_EMPHASIS[mark])
        elif mark == _LINKED:
            self._linked += len(" ".join(text.split())) - self._extra
        elif mark == _BUTTON:
            self._in_buttons += len(" ".join(text.split())) + 1
        elif text:
            if mark == _CODE:  # links in it are around parts of it
                runs = groupby(pieces[start:], lambda piece: _LINK in piece) if _LINK in text else [(False, text)]
                code_of = _code_or_signs if _LINK in text else code
                shown = "".join(["".join(run) if is_link else _spaced(code_of, "".join(run)) for is_link, run in runs])
                shown = shown.replace(_LINK, "")
                self._extra += len(shown) - len(text)
                shown = f" {shown}" if before == "`" else shown  # else one would be in the other
            else:
                writer = self._link_of if mark == _LINK else self._note_of if mark == _NOTE else partial(_shifted, mark)
                shown = _spaced(partial(writer, before), text.replace(mark, "") if mark in _EMPHASIS else text)
            pieces[start:] = [shown] if shown else []

    def _note_of(self, before: str, words: str, *, is_link: bool = False) -> str:
        """The mark of a note, in brackets, so that it joins no number."""
        words = words.lstrip(_RAISED) or words
        words = words[1:-1] if words[0] + words[-1] == "()" and len(words) > 2 else words
        if before in ("[", "(") or words[0] == "[" or words[:2] == "\\[":
            return words
        is_link = is_link or _LINK in self._around
        self._extra += 1 + is_link
        return f"\\[{words}\\]" if is_link else f"[{words}\\]"

    def _link_of(self, before: str, words: str) -> str:
        """A link, without permalinks; in a heading, those to its page are text."""
        if words[0] == _RAISED or _RAISED in self._around:
            self._is_note = "#" in self._reference or not _ORDINAL.fullmatch(words.lstrip(_RAISED))
            self._link_tag = ""
        is_mark = len(words.strip("^()[]\\")) <= _LONGEST_MARK and words not in _PERMALINKS
        if is_mark and (self._is_note or _OF_NOTE.search(self._link_tag)):
            words = self._note_of(before, words, is_link=True)
        if (target := self._targets.get(self._reference)) is None:
            target = self._targets[self._reference] = _written(self._link(html.unescape(self._reference)))
        is_sign = words in _PERMALINKS or (self._level > 0 and not _LETTER.search(words))
        is_own = (self._level or is_sign) and target.lstrip("<").startswith(self._own)
        if is_own:
            return "" if is_sign else words
        self._linked += len(words) - self._extra + self._extra_before_link
        self._left_in_targets -= len(target)
        if not target or self._left_in_targets < 0:
            return words
        shown = f"{_LINK}[{code(words)}]({target})" if _CODE in self._around else f"[{words}]({target})"
        self._extra += len(shown) - len(words)
        return shown

    def _add_image(self, tag: str) -> None:
        attributes = _attributes(tag)
        alt = " ".join(_OWN.sub("", attributes.get("alt", "")).split())
        is_twin = self._noscript and alt == self._alt  # of a picture that a script loads late
        self._alt = alt
        if not alt or is_twin or "mwe-math" in tag or _CODE in self._around or self._left_in_targets < 0:
            return
        target = _written(self._source(picture(attributes)))
        self._left_in_targets -= len(target)
        if target:
            self._pieces.append(f"![{_escaped(alt, is_link=True)}]({target})")
            self._extra += len(self._pieces[-1])
            self._has_words = True

    def _begin_button(self, tag: str) -> None:
        self._opens = _OPENS.search(tag) is not None
        self._open(_BUTTON)

    def _pass_choice(self, tag: str) -> None:
        """Add what people can choose from as a block beside the content, in front of the one that it is in."""
        words = list[str]()
        for text, other in self._tokens:
            words.append(text)
            if other == "/select":
                break
        text = " ".join(_OWN.sub("", html.unescape(" ".join(words))).split())
        before = self._kind, self._begins, self._linked, self._in_buttons
        self._linked, self._in_buttons, self._opens = 0, len(text) + 1, False
        self._add(_escaped(text, is_link=False), len(text), 0)
        self._kind, self._begins, self._linked, self._in_buttons = before

    def _begin_noscript(self, tag: str) -> None:
        self._noscript = tag[0] != "/"

    def _write_sign(self, tag: str) -> None:
        self._pieces.append(_SIGNS[tag.partition(" ")[0]])

    def _end_reading(self, tag: str) -> None:
        """End what is above or beside a character, in parentheses, if there is something."""
        while self._pieces and self._pieces[-1].isspace():
            self._pieces.pop()
        if self._pieces and self._pieces[-1] == "(":
            self._pieces.pop()
        else:
            self._pieces.append(")")

    def _begin_input(self, tag: str) -> None:
        """Write the box of a task."""
        if self._kind == ITEM and not self._has_words and ' type="checkbox"' in tag:
            self._begins = f"[{'x' if ' checked=' in tag else ' '}] "

    # Blocks.

    def _flush(self, tag: str = "") -> None:
        """Let the block end."""
        if self._control:
            self._end_control()
        if not self._has_words:
            self._is_next = False
            return
        pieces, around, linked = self._pieces, self._around, self._linked
        if around:
            around = around.copy()
            while self._around:
                self._end_inline("")
            if _LINK in around and self._linked > linked:  # around blocks, it is written with the first that has words
                around[around.index(_LINK)] = _LINKED
        text = " ".join("".join(pieces).split())
        while self._is_emphasised:
            text, number = _EMPHASISED.subn(_emphasised, text)
            text, self._is_emphasised = " ".join(text.split()), number > 0
        if self._has_left:
            self._extra -= sum(left.count("\\") for left in _LEFT.findall(text))
            text = " ".join(_LEFT.sub("", text).split())
        shown = f"{text[:-2]}{text[-1]}" if text[-2:] in ("\\]", "\\!") else text  # behind which is nothing
        self._add(shown, len(text) - self._extra, self._kind)
        pieces.clear()
        self._has_words = self._has_left = self._is_next = False
        self._extra = self._extra_before_link = self._linked = self._in_buttons = 0
        for mark in around:
            self._open(mark)

    def _end_control(self) -> None:
        """Note that a heading has lost what edits it, or let it have that if it has no other words."""
        if not _LETTER.search("".join(self._pieces)):
            self._pieces.append(self._control)
            self._has_words = True
        self._control, self._has_left = "", True

    def _add(self, text: str, size: int, kind: int) -> None:
        self._left -= len(text) if kind == CODE else size
        if self._left < 0:
            text = text[: self._left]  # so many fewer
        if text:
            if size > 0:
                if self._in_buttons:
                    self.page.controls.add(len(self.page.sizes))
                    if self._in_buttons > size and not 0 < kind < CODE:
                        self.page.buttons[len(self.page.sizes)] = self._opens
                self.page.add(size, self._linked, kind)
            self.blocks.append(Block(text, size, kind, self._chain, self._cell, self._begins, self._is_next))
        if self._left <= 0:
            deque(self._tokens, 0)  # the rest is not read
        self._kind, self._begins = 0, ""

    def _break(self, tag: str) -> None:
        if self._level:
            self._pieces.append(" ")
        else:
            had_words = self._has_words
            self._flush()
            self._is_next = had_words

    def _begin(self, tag: str) -> None:
        """Begin an element; what changes in it is as before at its end."""
        self._flush()
        first = len(self.page.sizes)
        self._frames.append((tag, first, self._level, self._chain, self._list, self._table, self._cell))

    def _end(self, tag: str) -> None:
        self._flush()
        if self._frames:
            begin, first, self._level, self._chain, self._list, self._table, self._cell = self._frames.pop()
            self._kind, self._begins = self._level, ""
            if tag[1:] in NAMED:
                mark, hides = _container(begin[:_LONGEST_TAG])
                if hides and (mark in (OUT, BOX) or not self._has_opener(begin, first)):
                    mark = CLOSED
                if mark:
                    self.page.containers.append((mark, first, len(self.page.sizes)))

    def _has_opener(self, tag: str, first: int) -> bool:
        """True if something opens a hidden element: a button or a heading before it, or a control that names it, or if
        its own name says so. first: its first block."""
        if 2 * sum(self.page.linked[first:]) > sum(self.page.sizes[first:]):
            return False
        if first - 1 in self.page.buttons:
            self.page.buttons[first - 1] = True
            return True
        if first and (self.page.levels[first - 1] > 1 or _OPENS.search(tag)):
            return True
        if self._controlled is None:
            self._controlled = {own or late for own, late in _CONTROLS.findall(self._html)}
        return _attributes(tag).get("id") in self._controlled

    def _add_rule(self, tag: str) -> None:
        self._flush()
        if self._cell is None and self.blocks and self.blocks[-1].text != RULE:
            self.blocks.append(Block(RULE, 0, 0, self._chain, None, "", is_next=False))

    def _begin_heading(self, tag: str) -> None:
        self._begin(tag)
        self._kind = self._level = int(tag[1])

    def _begin_node(self, tag: str) -> None:
        name, value = tag[:2], _VALUE.search(tag) if " value=" in tag else None
        if value and name == "li" and self._list.step:
            self._list.number = int(value[1])
        self._begin(tag)
        self._kind = ITEM if name == "li" else self._kind
        if len(self._chain) < _DEEPEST:
            self._chain = (*self._chain, Node(self._list.begin() if name in ("li", "dd") else QUOTE, self._chain))

    def _begin_list(self, tag: str) -> None:
        self._begin(tag)
        is_again = self._ended == (len(self.blocks), self._chain)  # two in a row are two
        self._list = _List("-*"[is_again], 0, 0)
        if tag[:2] == "ol":
            start = _attributes(tag).get("start", "")
            first = int(start) if start.isdecimal() and len(start) <= _LONGEST_NUMBER else 1
            self._list = _List(".)"[is_again], first, -1 if " reversed=" in tag else 1)

    def _end_list(self, tag: str) -> None:
        self._end(tag)
        self._ended = len(self.blocks), self._chain

    def _begin_table(self, tag: str) -> None:
        self._begin(tag)
        if self._cell is not None:
            self._cell.table.is_layout = True
        self._table, self._cell = Table(self._chain), None

    def _begin_rows(self, tag: str) -> None:
        """Begin a group of rows, beyond which no cell reaches."""
        self._flush()
        if self._table is not None:
            self._table.filled.clear()

    def _begin_row(self, tag: str) -> None:
        self._flush()
        if self._table is not None:
            self._table.row += 1
            self._table.column = 0

    def _begin_cell(self, tag: str) -> None:
        self._begin(tag)
        self._kind = CELL
        table = self._table
        if table is None:
            return
        while table.filled.get(table.column, 0) >= max(table.row, 1) and self._spans > 0:
            table.column += 1
            self._spans -= 1
        self._cell = _Cell(table, table.row, table.column)
        wide, high = map(self._span, ("colspan", "rowspan"), repeat(_attributes(tag))) if "span=" in tag else (1, 1)
        self._spans -= wide - 1
        if high > 1:
            table.filled |= dict.fromkeys(range(table.column, table.column + wide), table.row + high - 1)
        table.column += wide

    def _span(self, name: str, attributes: Mapping[str, str]) -> int:
        found = attributes.get(name, "")
        if found == "0" and name == "rowspan":  # to the end of its group
            return max(self._spans, 1)
        return max(min(int(found) if found.isdecimal() and len(found) < 6 else 1, self._spans), 1)

    def _begin_listing(self, tag: str) -> None:
        """Add a listing. Its elements are lines, but for inline ones."""
        self._flush()
        pieces, depth, name = ["<"], 1, tag.partition(" ")[0]
        language = _LANGUAGE.search(" ".join([tag, *(frame[0] for frame in reversed(self._frames[-_AROUND:]))]))
        known = {"/span": ""}
        for text, each in self._tokens:
            pieces.append(text)
            if each in known:
                pieces.append(known[each])
                continue
            own = each.partition(" ")[0]
            if own in _NOT_IN_LISTING or (own != each and own not in ("img", "input") and _NO_CODE.search(each)):
                self._skip(each)
                continue
            depth += (own == name) - (own == f"/{name}")
            if not depth:
                break
            if own in ("code", "samp") and language is None:
                language = _LANGUAGE.search(each)
            edge = "\n" if own == "br" else ">" if own[0] == "/" else "<"
            pieces.append(edge if own.lstrip("/") in _LINES else "")
            if own == "span":
                known[each] = ""
        listing = _OWN.sub("", html.unescape(_EDGES.sub("\n", "".join(pieces).replace(">\n", ">"))))
        self._begins = language[1].lower() if language else ""
        self._add(listing.strip("\n").rstrip(), len(" ".join(listing.split())), CODE)


_Action = Callable[[Walk, str], None] | None
_NOT_IN_LISTING = HIDDEN | {"button", "svg"}
_LINES = BLOCKS - {"td", "th", "tbody"}
_LISTS = frozenset({"ul", "ol", "menu", "dl"})
_CONTAINERS = NAMED - {"button", "select"}
_ACTIONS: Mapping[str, _Action] = (
    dict.fromkeys((f"{end}{name}" for name in BLOCKS for end in ("", "/")), Walk._flush)
    | dict.fromkeys(_MARKS, Walk._begin_inline)
    | {f"/{name}": Walk._end_inline for name in (*_MARKS, "a")}
    | dict.fromkeys(_CONTAINERS, Walk._begin)
    | dict.fromkeys((f"h{level}" for level in range(1, 7)), Walk._begin_heading)
    | {f"/{name}": Walk._end for name in (*_CONTAINERS, *(f"h{level}" for level in range(1, 7)))}
    | dict.fromkeys(_LISTS, Walk._begin_list)
    | {f"/{name}": Walk._end_list for name in _LISTS}
    | dict.fromkeys(HIDDEN | FALLBACKS, Walk._skip)
    | dict.fromkeys(("/li", "/dd", "/blockquote", "/table", "/td", "/th"), Walk._end)
    | {"li": Walk._begin_node, "blockquote": Walk._begin_node, "br": Walk._break, "pre": Walk._begin_listing}
    | {"a": Walk._begin_link, "dd": Walk._begin_node, "img": Walk._add_image, "input": Walk._begin_input}
    | dict.fromkeys(_SIGNS, Walk._write_sign)
    | {"x-noscript": Walk._begin_noscript, "/x-noscript": Walk._begin_noscript}
    | {"rp": Walk._skip, "/rt": Walk._end_reading, "hr": Walk._add_rule}
    | dict.fromkeys(("thead", "tbody", "tfoot"), Walk._begin_rows)
    | {"button": Walk._begin_button, "/button": Walk._end_inline, "select": Walk._pass_choice}
    | {"table": Walk._begin_table, "tr": Walk._begin_row, "td": Walk._begin_cell, "th": Walk._begin_cell}
)
"""What is done at a tag: nothing at those of other elements, which are parts of a line."""


@lru_cache(4_000)
def _action_of(tag: str) -> _Action:
    """What is done at a tag with attributes, or an unknown one."""
    name = tag.partition(" ")[0]
    if name in ("span", "td", "th", "pre") and _NO_CODE.search(tag):
        return Walk._skip
    if name in ("span", "div") and _CONTROL.search(tag):
        return Walk._pass_control
    if name in ("div", "table") and _LISTING.search(tag):
        return Walk._begin_listing
    return _ACTIONS.get(name)


@lru_cache(4_000)
def _container(tag: str) -> tuple[str, bool]:
    """The mark of an element, and whether it is hidden."""
    attributes = _attributes(tag)
    return container(tag.partition(" ")[0], attributes), is_hidden(attributes)


def _attributes(tag: str) -> dict[str, str]:
    return {name: html.unescape(value) if "&" in value else value for name, value in _ATTRIBUTE.findall(tag)}


def _with_starts(page: str) -> str:
    """The page, whose reversed lists say what they begin with: the number of their items."""
    numbers, around = dict[int, int](), list[int]()
    for found in _LIST.finditer(page):
        if found[2] == "li":
            if around and not found[1]:
                numbers[around[-1]] += 1
        elif not found[1]:
            around.append(found.start())
            numbers[found.start()] = 0
        elif around:
            around.pop()
    return _REVERSED.sub(lambda start: f'{start[0]} start="{numbers[start.start()]}"', page)


def _formula(math: re.Match[str]) -> str:
    """An element of MathML as HTML: code of TeX between dollars, or a line of letters."""
    found = _TEX.search(math[0])
    tex = " ".join((found[1] or found[2] or "").split()) if found else tex_of(math[0])
    return f"$<code>{tex.replace('<', '&lt;')}</code>$" if found or "\\" in tex or "{" in tex else tex


def _escaped(text: str, *, is_link: bool) -> str:
    """A text as Markdown; "_" inside a word stands for itself."""
    shown = (_IN_LINK if is_link else _IN_TEXT).sub(lambda sign: f"\\{sign[0]}", text)
    return _AND.sub("&amp;", shown).replace("<", "&lt;") if "&" in shown or "<" in shown else shown


def _written(target: str) -> str:
    """The target of a link or image, as it is written."""
    if not _UNSAFE.search(target):  # as most
        return target
    url = _AND.sub("&amp;", _UNSAFE.sub(lambda sign: sign[0] if sign[0] in "&()" else f"%{ord(sign[0]):02X}", target))
    return f"<{url}>" if "(" in url or ")" in url else url


def code(text: str) -> str:
    """A code span."""
    ticks = fence(text, 1)
    return f"{ticks} {text} {ticks}" if text[0] == "`" or text[-1] == "`" else f"{ticks}{text}{ticks}"


def _code_or_signs(text: str) -> str:
    """What stands between links in code: signs alone are text."""
    return code(text) if any(map(str.isalnum, text)) else _escaped(text, is_link=False)


def fence(text: str, least: int) -> str:
    """Ticks that may stand around a text, `least` or more."""
    return "`" * (max(least, 1 + max(map(len, _TICKS.findall(text)))) if "`" in text else least)


def _spaced(write: Callable[[str], str], text: str) -> str:
    """What is written for the words of a text, with the spaces around them."""
    words = " ".join(text.split())
    return f"{' ' * text[:1].isspace()}{words and write(words)}{' ' * text[-1:].isspace()}"


def _shifted(mark: str, before: str, words: str) -> str:
    """A text that is raised or lowered, but for the mark of a note, or a link."""
    if words[0] == "[" or "\\]](" in words:
        return words
    is_one = _ONE.fullmatch(words) is not None
    sign = mark if mark == _RAISED or (is_one and words[0].isalnum() and before.isalnum()) else "\\_"
    return f"{sign}{words}" if is_one else f"{sign}({words})"


def _emphasised(found: re.Match[str]) -> str:
    """A text with its signs, if a reader takes them for emphasis (CommonMark 6.2)."""
    mark, lead, words, trail = found.groups()
    if not words:
        return f"{lead}{trail}"
    before = lead or found.string[found.start() - 1 : found.start()]
    behind = trail or found.string[found.end() : found.end() + 1]
    is_alone = before not in _NEXT_TO[0] and behind not in _NEXT_TO[1]
    sign = _EMPHASIS[mark] * (is_alone and _flanks(words[0], before) and _flanks(words[-1], behind))
    if not sign and "``" in (before + words[0], words[-1] + behind):
        sign = " "  # else one code span would be in another
    return f"{lead}{sign}{words}{sign}{trail}"


def _flanks(inside: str, outside: str) -> bool:
    """True if a sign between two characters belongs to the first, which is not a space."""
    return category(inside)[0] not in "PS" or not outside.strip() or category(outside)[0] in "PS"
