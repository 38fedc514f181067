"""The text of a page as Markdown: CommonMark with the tables of GFM.

The parser writes its tree as HTML again, in C, and the tags of that are walked once: depth costs nothing, and every
element has its end. What stands between two block elements is a block. Inside it, characters of control stand for the
inline elements (inline.py); those of the page itself are removed before.

sup, sub            10^6, CO_2; with parentheses around more than a word
math                its TeX as code, $`E=mc^2`$, where it has some; else its letters in one line
br                  a hard break
dt, dd              paragraphs, the latter behind ": "
rowspan, colspan    the cell, and empty ones beside and below it; a table used for layout is none
"""

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress, groupby
from typing import NamedTuple

from minicrawl.crawler.html import inline
from minicrawl.crawler.html.content import CELL, CODE, ITEM, NAMED, Page, container, content_of
from minicrawl.crawler.html.inline import BY_TAG, END, FIRST_IMAGE, FIRST_LINK, LINK
from minicrawl.crawler.html.tree import HIDDEN, INLINE

_DEEPEST = 12
"""Lists and quotations inside each other; further ones are no deeper."""
_MOST_SPANS = 10_000
"""Cells of a page that are empty as another spans them."""
_MOST_IN_TARGETS = 4_000_000
"""Characters of the targets of a page's links; further links are text. A long base URL would multiply a page."""
_MOST_IN_CELL = 2_000
"""Characters of a cell; a table with a longer one is used for layout."""
_NEAR = 40
"""Tags before a listing in which the elements around it may name its language."""
_LONGEST_NUMBER = 9
_LONG_TAG = 300
_QUOTE = "> "
_NOTHING, _SKIP, _BREAK, _PRE, _IMG = range(5)
"""Tags without an action of their own, see `_read`."""

_OWN = re.compile(f"[{inline.OWN}]")
_MAY_BE_OWN = bytes(range(9)) + bytes(range(11, 13)) + bytes(range(14, 32)) + b"\xf3\xf4"
"""Bytes of these in UTF-8."""
_SAYS_NOTHING = "|".join(sorted(INLINE - {"a", "img", "span", *BY_TAG}))
_NO_TEXT = re.compile(
    r"<(?P<raw>script|style|iframe|noembed|noframes|xmp|plaintext)(?: [^>]*)?>"
    r"(?P<text>[^<]*+(?:<(?!/(?P=raw)>)[^<]*+)*+)(?:</(?P=raw)>)?"
    rf"|<!--(?:.*?-->|.*\Z)|</?(?:{_SAYS_NOTHING})(?: [^>]*)?>",
    re.DOTALL,
)
"""Elements whose content is not HTML, comments, and tags that say nothing."""
_MATH = re.compile(r"<math(?: [^>]*)?>.*?(?:</math>|\Z)", re.DOTALL)
_TAG = re.compile(r"<([^>]*)>")
_NO_CODE = re.compile(
    r'class="(?:[^"]* )?(?:katex-html|linenos?|lineno|lnt|ln|line-?numbers?(?:-rows)?|linenodiv|gutter|gl|rouge-gutter'
    r'|hljs-ln-n(?:umbers)?|blob-num|copy-?b(?:utton|tn)|clipboard\w*)[" ]| data-(?:line-number|nosnippet)='
)
"""Line numbers and the like, and formulas that are there as MathML, too."""
_LISTING = re.compile(r'class="(?:[^"]* )?(?:fragment|js-file-line-container)[" ]')
"""Listings without pre: those of Doxygen and GitHub."""
_LANGUAGE = re.compile(
    r'(?:\b(?:language|lang)-|\bhighlight-(?:source-)?|\bbrush: ?|data-lang(?:uage)?="|\b(?:sourceCode|hljs) )'
    r"(?!(?:language|lang)-|default|none|text|plain|notranslate|wrapper|source\b)([A-Za-z][\w+#.-]*)"
)
_HREF = re.compile(r' href="([^"]*)"')
_ATTRIBUTE = re.compile(r'([^ =]+)="([^"]*)"')
_OPENED, _CLOSED = "\x01", "\x02"
_EDGES = re.compile(f"\n?[{_OPENED}{_CLOSED}]+")
_FENCE = re.compile("`{3,}")
_OPENS_BLOCK = re.compile(r"(?=[#>|+=-]|:[ -])|^(\d{1,9})(?=[.)])")
_CLOSES_HEADING = re.compile(r"(?<![\\#])(?=#+$)")
_FIRST_END, _FIRST_LINK = min(END.values()), chr(FIRST_LINK)


class _Node:
    """A quotation or an item around blocks, inside another or none. mark: how it begins."""

    def __init__(self, inside: "_Node | None", mark: str) -> None:
        self.mark = mark
        self.chain: tuple[_Node, ...] = (*(inside.chain if inside else ()), self)


class _List:
    """A list. number: of the next item; None without numbers. item: the last one."""

    def __init__(self, number: int | None, sign: str) -> None:
        self.number, self.sign = number, sign
        self.item: _Node | None = None


class _Table:
    """A table in an item or quotation, and in the cell of another. row, column: of the next cell; filled: by column,
    the last row that a cell above spans."""

    def __init__(self, node: _Node | None, around: "_Cell | None") -> None:
        self.node, self.around, self.is_layout = node, around, False
        self.row = self.column = 0
        self.filled = dict[int, int]()


class _Cell(NamedTuple):
    table: _Table
    row: int
    column: int


class Block(NamedTuple):
    """A block. text: Markdown without what stands before it, or a listing; words: without marks; kind: as in `Page`;
    begins: what stands before the text, or a listing's language; is_next: it stands behind a br."""

    text: str
    words: str
    kind: int
    node: _Node | None
    cell: _Cell | None
    begins: str
    is_next: bool


class Walk:
    """Walks the tags of HTML that a parser has written: `blocks`, also of pictures alone, and `page`, without these."""

    def __init__(
        self, page: str, url: str, link: Callable[[str], str], source: Callable[[str], str], most: int
    ) -> None:
        """url: of the page; link, source: the URL that a reference leads to, or empty; most: characters of text."""
        self.page, self.blocks = Page(), list[Block]()
        self._links, self._images = ["", "", ""], list[str]()  # what they are written as, by number
        self._numbers = dict[str, int]()  # of links by reference
        self._own = f"{inline.url_of(url)}#"
        self._link, self._source, self._left, self._left_in_targets = link, source, most, _MOST_IN_TARGETS
        self._pieces, self._has_words = list[str](), False
        self._is_torn = False  # an inline element has a block in it
        self._kind, self._begins, self._is_next = 0, "", False
        self._level = 0  # of the heading around
        self._texts = list[str]()  # of the blocks so far, with marks
        self._blocks = list[tuple[int, _Node | None, _Cell | None, str, bool, str]]()
        self._node: _Node | None = None
        self._nodes, self._lists = list[_Node | None](), list[_List]()
        self._ended: tuple[int, _Node | None] = -1, None  # number of blocks and node at the end of the last list
        self._cell: _Cell | None = None
        self._tables, self._spans = list[_Table](), _MOST_SPANS
        self._containers = list[tuple[str, int]]()
        octets = page.encode()
        if len(octets.translate(None, _MAY_BE_OWN)) < len(octets):
            page = _OWN.sub("", page)
        page = _NO_TEXT.sub(_shown if "<xmp" in page or "<plaintext" in page else "", page)
        if "<math" in page:
            page = _MATH.sub(lambda found: inline.formula(found[0]), page)
        self._parts = _TAG.split(page.replace("&nbsp;", " "))
        self._read()
        if self._texts:
            self._finish()

    def _read(self) -> None:  # noqa: PLR0912 - all in here, not in methods: a page has a thousand tags
        parts, pieces, flush = self._parts, self._pieces, self._flush
        behind, depth = 1, 0  # the next tag to be read; inline elements that are open
        kinds = dict[str, _Action | str | int]()  # by tag, as most stand on a page many times
        tags = parts[1::2]
        for at, text, tag, found in zip(range(1, len(parts), 2), parts[::2], tags, map(_KNOWN.get, tags), strict=False):
            if at < behind:
                continue
            if text:
                if not text.isspace():
                    self._has_words = True
                    pieces.append(text)
                elif pieces:
                    pieces.append(" ")
            known = kinds.get(tag) if found is None else found
            if known is None:
                if tag[:2] == "a ":
                    known = self._mark_of_link(tag)
                else:
                    known = kinds[tag] = _kind_of(tag)
            if isinstance(known, str):
                if known:
                    pieces.append(known)
                    depth += -1 if _FIRST_END <= known < _FIRST_LINK else 1
            elif known == _IMG:
                self._add_image(tag)
            elif known == _SKIP:
                behind = self._behind(tag.partition(" ")[0], at + 2)
            elif known == _BREAK and self._level:
                pieces.append(" ")
            else:
                has_words = self._has_words
                if has_words:
                    self._is_torn = self._is_torn or depth != 0
                    flush()
                self._is_next = known == _BREAK and has_words
                if known == _PRE:
                    behind = self._behind(tag.partition(" ")[0], at + 2)
                    self._add_listing(at + 2, behind)
                elif not isinstance(known, int):
                    known(self, tag)
            if self._left <= 0:
                return

    def _behind(self, name: str, at: int) -> int:
        """The place behind the end of an element whose first tag is before a place."""
        parts, end, depth = self._parts, f"/{name}", 1
        for place in range(at, len(parts), 2):
            if parts[place].startswith((name, end)) and (found := parts[place].partition(" ")[0]) in (name, end):
                depth += 1 if found == name else -1
                if not depth:
                    return place + 2
        return len(parts)

    def _flush(self) -> None:
        """Let the block end."""
        self._add(" ".join("".join(self._pieces).split()), self._kind)
        self._pieces.clear()
        self._has_words = False

    def _add(self, text: str, kind: int, listing: str = "") -> None:
        size = len(text) + len(listing)
        if size > self._left:
            text, listing = text[: self._left], listing[: self._left]
            self._is_torn = True
        self._left -= size
        self._texts.append(text)
        self._blocks.append((kind, self._node, self._cell, self._begins, self._is_next, listing))
        self._kind, self._begins, self._is_next = 0, "", False

    def _finish(self) -> None:
        """Write the text of the blocks, and let the page know them."""
        text = "\n".join(self._texts)
        text = inline.tidied(html.unescape(text) if "&" in text else text, self._is_own, is_torn=self._is_torn)
        page, numbers = self.page, [0]
        for (kind, node, cell, begins, is_next, listing), words, linked, line in zip(
            self._blocks, *inline.words_of(text), inline.written(text, self._links, self._images), strict=True
        ):
            own = " ".join(listing.split()) if listing else words
            block = Block(listing or line, own, kind, node, cell, begins, is_next)
            if block.words:
                page.add(len(block.words), linked, kind)
            if block.text:
                self.blocks.append(block)
            numbers.append(len(page.sizes))
        page.containers = [(mark, numbers[first], numbers[end]) for mark, first, end in page.containers]

    def _is_own(self, number: int) -> bool:
        return number == inline.TO_HEADING or self._links[number].startswith(self._own)

    def _add_listing(self, at: int, end: int) -> None:
        """Add the listing whose tags stand from a place on to another. Its elements are lines, but for inline ones."""
        parts, pieces = self._parts, [_OPENED]
        language = _LANGUAGE.search(parts[at - 2]) or next(
            filter(None, map(_LANGUAGE.search, self._around(at - 2))), None
        )
        while at < end:
            pieces.append(parts[at - 1])
            tag = parts[at]
            name = tag.partition(" ")[0]
            at += 2
            if name in _NOT_IN_LISTING or (len(name) < len(tag) and _NO_CODE.search(tag)):
                at = min(self._behind(name, at), end)
            elif name == "br":
                pieces.append("\n")
            elif name in ("code", "samp") and language is None:
                language = _LANGUAGE.search(tag)
            elif name.lstrip("/") not in _IN_LINE:
                pieces.append(_CLOSED if name[0] == "/" else _OPENED)
        text = _EDGES.sub("\n", "".join(pieces).replace(f"{_CLOSED}\n", _CLOSED))
        text = html.unescape(text).strip("\n").rstrip()
        if text:
            self._begins = language[1].lower() if language else ""
            self._add("", CODE, text)

    def _around(self, at: int) -> Iterator[str]:
        """The tags of the elements around a place, the innermost first, as far as they begin near."""
        depth = 0
        for tag in reversed(self._parts[max(at - 2 * _NEAR, 1) : at : 2]):
            if tag[0] == "/":
                depth += 1
            elif depth:
                depth -= tag.partition(" ")[0] not in _VOID
            else:
                yield tag

    def _mark_of_link(self, tag: str) -> str:
        found = _HREF.search(tag)
        if found is None:
            return chr(FIRST_LINK + inline.NO_REFERENCE)
        reference = found[1]
        if reference not in self._numbers:
            target = inline.url_of(self._link(html.unescape(reference)))
            self._numbers[reference] = (
                len(self._links) if target and len(self._links) < inline.MOST else inline.NO_TARGET
            )
            self._links += [target] * (self._numbers[reference] > inline.NO_TARGET)
        number = self._numbers[reference]
        target = self._links[number]
        self._left_in_targets -= len(target)
        if self._left_in_targets < 0:
            number = inline.NO_TARGET
        elif self._level and target.startswith(self._own):
            number = inline.TO_HEADING
        return chr(FIRST_LINK + number)

    def _add_image(self, tag: str) -> None:
        attributes = _attributes(tag)
        alt = " ".join(attributes.get("alt", "").split())
        if alt and "mwe-math" not in tag and len(self._images) < inline.MOST:
            target = self._source(attributes.get("src", "")) if self._left_in_targets >= 0 else ""
            self._left_in_targets -= len(target)
            if target:
                self._pieces.append(chr(FIRST_IMAGE + len(self._images)))
                self._images.append(inline.image(alt, target))
                self._has_words = True

    def _begin_container(self, tag: str) -> None:
        mark = _container(tag) if len(tag) < _LONG_TAG else container(tag.partition(" ")[0], _attributes(tag))
        self._containers.append((mark, len(self._blocks)))

    def _end_container(self, tag: str) -> None:
        if self._containers:
            mark, first = self._containers.pop()
            if mark:
                self.page.containers.append((mark, first, len(self._blocks)))

    def _begin_heading(self, tag: str) -> None:
        self._kind = self._level = int(tag[1])

    def _end_block(self, tag: str) -> None:
        self._kind, self._level, self._begins = 0, 0, ""

    def _begin_list(self, tag: str) -> None:
        self._begin_container(tag)
        self._nodes.append(self._node)
        if (
            self._lists
            and (item := self._lists[-1].item)
            and item.chain[:-1] == (self._node.chain if self._node else ())
        ):
            self._node = item  # a list in a list, not in an item
        is_again = self._ended == (len(self._blocks), self._node)  # two in a row are two
        start = _attributes(tag).get("start", "1") if tag[:2] == "ol" else ""
        number = (int(start) if start.isdecimal() and len(start) <= _LONGEST_NUMBER else 1) if start else None
        self._lists.append(_List(number, (".)" if tag[:2] == "ol" else "-*")[is_again]))

    def _end_list(self, tag: str) -> None:
        self._end_container(tag)
        self._node = self._nodes.pop() if self._nodes else None
        if self._lists:
            self._lists.pop()
        self._ended = len(self._blocks), self._node

    def _begin_item(self, tag: str) -> None:
        self._kind = ITEM
        around = self._lists[-1] if self._lists else _List(None, "-")
        mark = f"{around.sign} "
        if around.number is not None:
            mark = f"{around.number}{mark}"
            around.number = min(around.number + 1, 10**_LONGEST_NUMBER - 1)
        self._begin_node(mark)
        around.item = self._node

    def _begin_quotation(self, tag: str) -> None:
        self._begin_node(_QUOTE)

    def _begin_node(self, mark: str) -> None:
        node = self._node
        self._nodes.append(node)
        if node is None or len(node.chain) < _DEEPEST:
            self._node = _Node(node, mark)

    def _end_node(self, tag: str) -> None:
        self._end_block(tag)
        self._node = self._nodes.pop() if self._nodes else None

    def _begin_definition(self, tag: str) -> None:
        self._begins = ": "

    def _begin_table(self, tag: str) -> None:
        if self._cell is not None:
            self._cell.table.is_layout = True
        self._tables.append(_Table(self._node, self._cell))
        self._cell = None

    def _end_table(self, tag: str) -> None:
        self._end_block(tag)
        self._cell = self._tables.pop().around if self._tables else None

    def _begin_row(self, tag: str) -> None:
        self._kind = CELL
        if self._tables:
            self._tables[-1].row += 1
            self._tables[-1].column = 0

    def _begin_cell(self, tag: str) -> None:
        self._kind = CELL
        if not self._tables:
            return
        table = self._tables[-1]
        row, filled = table.row, table.filled
        while filled.get(table.column, 0) >= max(row, 1) and self._spans > 0:
            table.column += 1
            self._spans -= 1
        self._cell = _Cell(table, row, table.column)
        attributes = _attributes(tag)
        wide, high = (
            min(int(found) if found.isdecimal() and len(found) < 6 else 1, self._spans)
            for found in (attributes.get("colspan", "1"), attributes.get("rowspan", "1"))
        )
        wide = max(wide, 1)
        self._spans -= wide - 1
        if high > 1:
            filled.update(dict.fromkeys(range(table.column, table.column + wide), row + high - 1))
        table.column += wide

    def _end_cell(self, tag: str) -> None:
        self._end_block(tag)
        self._cell = None


_Action = Callable[[Walk, str], None]
_OF_NUMBERS = frozenset({"span", "td", "th", "pre"})
_NOT_IN_LISTING = HIDDEN | {"button", "svg"}
_IN_LINE = INLINE | {"td", "th", "tbody"}
_VOID = frozenset({"br", "img", "hr", "input", "link", "meta", "col", "area", "source"})
_KNOWN: Mapping[str, _Action | str | int] = (
    dict.fromkeys(NAMED, Walk._begin_container)
    | {f"/{name}": Walk._end_container for name in NAMED}
    | {f"h{level}": Walk._begin_heading for level in range(1, 7)}
    | {f"/h{level}": Walk._end_block for level in range(1, 7)}
    | dict.fromkeys(("ul", "ol", "menu"), Walk._begin_list)
    | dict.fromkeys(("/ul", "/ol", "/menu"), Walk._end_list)
    | dict.fromkeys(HIDDEN, _SKIP)
    | {"li": Walk._begin_item, "blockquote": Walk._begin_quotation, "dd": Walk._begin_definition, "br": _BREAK}
    | {"/li": Walk._end_node, "/blockquote": Walk._end_node, "/dd": Walk._end_block, "pre": _PRE}
    | {"table": Walk._begin_table, "tr": Walk._begin_row, "td": Walk._begin_cell, "th": Walk._begin_cell}
    | {"/table": Walk._end_table, "/td": Walk._end_cell, "/th": Walk._end_cell, "img": _IMG}
    | BY_TAG
    | {f"/{tag}": END[mark] for tag, mark in BY_TAG.items()}
    | {"a": chr(FIRST_LINK + inline.NO_REFERENCE), "/a": END[LINK], "span": "", "/span": ""}
)
"""What is done at a tag, or the mark that it is."""


def _kind_of(tag: str) -> _Action | str | int:
    """What is done at a tag with attributes, or an unknown one."""
    name = tag.partition(" ")[0]
    if name in _OF_NUMBERS and _NO_CODE.search(tag):
        return _SKIP
    return _PRE if _LISTING.search(tag) else _KNOWN.get(name, _NOTHING)


def _shown(found: re.Match[str]) -> str:
    return f"<pre>{html.escape(found['text'])}</pre>" if found["raw"] in ("xmp", "plaintext") else ""


@lru_cache(4_000)
def _container(tag: str) -> str:
    return container(tag.partition(" ")[0], _attributes(tag))


def _attributes(tag: str) -> dict[str, str]:
    return {name: html.unescape(value) if "&" in value else value for name, value in _ATTRIBUTE.findall(tag)}


def content_and_rest(walk: Walk) -> tuple[str, str]:
    """The main content of a page, and what is around it, as Markdown."""
    told = iter(content_of(walk.page))
    flags, before = bytearray(), 1
    for block in walk.blocks:  # a picture alone is where the block before it is
        before = next(told) if block.words else before
        flags.append(before)
    rest = [block for block, is_content in zip(walk.blocks, flags, strict=True) if block.words and not is_content]
    return markdown(list(compress(walk.blocks, flags))), markdown(rest)


def markdown(blocks: Sequence[Block]) -> str:
    """Blocks as Markdown."""
    page = _Lines()
    for table, group in groupby(blocks, lambda block: block.cell and block.cell.table):
        inside = list(group)
        if table is not None and (rows := _rows(table, inside)):
            page.put(table.node, list(_table(rows)), is_text=False)
            continue
        for block in inside:
            page.put(block.node, _lines(block), is_text=not 0 < block.kind <= CODE, is_next=block.is_next)
    return "\n".join(page.lines)


def _lines(block: Block) -> list[str]:
    if block.kind == CODE:
        fence = max(("```", *(f"{found}`" for found in _FENCE.findall(block.text))), key=len)
        return [f"{fence}{block.begins}", *block.text.split("\n"), fence]
    words = block.text
    if 0 < block.kind < CODE:
        words = words.rstrip(" ¶") or words
        return [f"{'#' * block.kind} {_CLOSES_HEADING.sub(chr(92) * 2, words)}"]
    if not block.begins and _OPENS_BLOCK.match(words):
        words = _OPENS_BLOCK.sub(r"\1\\", words, count=1)
    return [f"{block.begins}{words}"]


def _rows(table: _Table, blocks: Sequence[Block]) -> list[list[str]]:
    """The cells of a table by row, each a line; none if it is used for layout.

    Such a table has another in it, one column with words, or a heading, or much text in a cell, or listings or several
    blocks of a cell in its only row. Columns without words, which keep others apart, are left out.
    """
    cells: dict[_Cell, list[Block]] = {}
    for block in blocks:
        assert block.cell is not None, "they are those of a table"
        cells.setdefault(block.cell, []).append(block)
    columns = {column: at for at, column in enumerate(sorted({cell.column for cell in cells}))}
    is_one_row = len({cell.row for cell in cells}) == 1
    if (
        table.is_layout
        or len(columns) == 1
        or any(0 < block.kind < CODE for block in blocks)
        or any(sum(len(block.words) for block in inside) > _MOST_IN_CELL for inside in cells.values())
        or (is_one_row and (len(blocks) > len(cells) or any(block.kind == CODE for block in blocks)))
    ):
        return []
    rows: dict[int, list[str]] = {}
    for cell, inside in cells.items():
        row = rows.setdefault(cell.row, [])
        row += [""] * (columns[cell.column] - len(row))
        texts = [inline.code(block.words) if block.kind == CODE else block.text for block in inside]
        row.append(" ".join(texts).replace("|", "\\|"))
    return list(rows.values())


def _table(rows: list[list[str]]) -> Iterator[str]:
    """Lines of a table. The head has all columns, as readers drop cells beyond it; other rows stay short."""
    columns = max(map(len, rows))
    rows[0] += [""] * (columns - len(rows[0]))
    for number, row in enumerate(rows):
        yield f"| {' | '.join(row)} |"
        if not number:
            yield f"|{' --- |' * columns}"


class _Lines:
    """The lines of Markdown that are written."""

    def __init__(self) -> None:
        self.lines = list[str]()
        self._shown = set[_Node]()
        self._before: tuple[_Node, ...] = ()
        self._is_text = False

    def put(self, node: _Node | None, lines: Sequence[str], *, is_text: bool, is_next: bool = False) -> None:
        """Add the lines of a block inside of a node. is_text: it is a paragraph; is_next: of that before."""
        chain, before = node.chain if node else (), self._before
        if not chain and not before and not is_next:  # as most
            self.lines += ["", *lines] if self.lines else lines
            self._is_text = is_text
            return
        new = next((at for at, each in enumerate(chain) if each not in self._shown), len(chain))
        first = rest = gap = ""
        for at, each in enumerate(chain):
            indent = _QUOTE if each.mark == _QUOTE else " " * len(each.mark)
            first += each.mark if at >= new else indent
            rest += indent
            gap = rest if before[at : at + 1] == (each,) else gap
        if is_next and is_text and self._is_text and before == chain:
            self.lines[-1] += "\\"
        elif self.lines and not (new < len(chain) and _is_tight(before, chain, new)):
            self.lines.append(gap.rstrip())
        self.lines += [f"{first}{lines[0]}", *(f"{rest}{line}".rstrip() for line in lines[1:])]
        self._shown.update(chain[new:])
        self._before, self._is_text = chain, is_text


def _is_tight(before: Sequence[_Node], chain: Sequence[_Node], new: int) -> bool:
    """True if no blank line stands between an item and what is before it, in its list or in the item around."""
    mark = chain[new].mark
    if mark == _QUOTE or not before or before[:new] != chain[:new]:
        return False
    if len(before) > new:
        return before[new].mark != _QUOTE
    return before[-1].mark != _QUOTE and (not mark[0].isdigit() or mark[:-2] == "1")
