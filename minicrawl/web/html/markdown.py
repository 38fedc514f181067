"""Blocks of a page as Markdown: CommonMark with the tables of GFM. A table used for layout is none."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, groupby
from typing import NamedTuple

from minicrawl.web.html.blocks import QUOTE, RULE, Block, Chain, Node, Table, Walk, code, fence
from minicrawl.web.html.content import CODE, content_of, pieces_of
from minicrawl.web.kept_text import BESIDE, Piece

_OPENS_BLOCK = re.compile(r"\d{1,9}(?=[.)])|(?=[#>|+=-]|:[ -]|\[[ x]\] )")
_LINK, _WORD = re.compile(r"\[(?:[^\[\]\\]|\\.)*+\]\([^)]*\)"), re.compile(r"\w+")
_CLOSES_HEADING = re.compile(r"(?<![\\#])(?=#+$)")


class Parts(NamedTuple):
    """The main content of a page and what is around it, as blocks and as Markdown. pieces: see
    `minicrawl.web.kept_text.Piece`."""

    inside: list[Block]
    beside: list[Block]
    content: str
    rest: str
    pieces: list[Piece]

    @property
    def keys(self) -> Iterator[str]:
        """Of the headings of the content, and of the blocks of the rest."""
        yield from (block.key(block.level) for block in self.inside if block.level)
        yield from (BESIDE + block.key(block.level) for block in self.beside)


def parts_of(walk: Walk, title: str = "") -> Parts:
    """Tell the main content of a page from what is around it. title: of the document."""
    told = content_of(walk.page, _named(walk, title))
    flags = _with_pictures(walk.blocks, told)
    inside = list(compress(walk.blocks, flags))
    beside = [block for block, flag in zip(walk.blocks, flags, strict=True) if block.size > 0 and not flag]
    rest = markdown(beside)
    places = [at for at, block in enumerate(walk.blocks) if block.size > 0]
    titles = " ".join([title, *(block.text for block in inside if block.level == 1)])
    ranges = [(places[first], places[end - 1] + 1) for first, end in pieces_of(walk.page, told)]
    ranges = [each for each in ranges if all(_is_apart(walk.blocks, at) for at in each)]
    ranges = [(first, end) for first, end in ranges if not _says_title(walk.blocks[first:end], titles)]
    text, before, lengths, pieces = "", 0, dict[int, int](), list[Piece]()
    for at in (*sorted({first for first, _ in ranges}), len(flags)):
        segment = markdown(list(compress(walk.blocks[before:at], flags[before:at])))
        text = "\n\n".join(filter(None, (text, segment)))
        before, lengths[at] = at, len(text)
    for first, end in ranges:
        shown = markdown([block for block in walk.blocks[first:end] if block.size > 0])
        if (start := rest.find(shown)) >= 0:
            pieces.append(Piece(lengths[first], start, len(shown)))
    return Parts(inside, beside, text, rest, pieces)


def _says_title(blocks: Iterable[Block], title: str) -> bool:
    """True for blocks that say nothing besides links but words of the title, as those do that lead to the page."""
    said = _WORD.findall(_LINK.sub("", " ".join([block.text for block in blocks])))
    return bool(said) and " ".join(said) in " ".join(_WORD.findall(title))


def _named(walk: Walk, title: str) -> int | None:
    """The longest heading with which the document's title begins or ends, by its number among blocks with words."""
    keys = [block.key() if block.level else "" for block in walk.blocks if block.size > 0]
    named = [at for at, key in enumerate(keys) if key and (title.startswith(key) or title.endswith(key))]
    return max(named, key=lambda at: len(keys[at]), default=None)


def _is_apart(blocks: Sequence[Block], at: int) -> bool:
    """True if no list, quotation or table is around both the block at a place and the one before it."""
    if not 0 < at < len(blocks):
        return True
    one, other = blocks[at - 1], blocks[at]
    in_one = one.cell is not None and other.cell is not None and one.cell.table is other.cell.table
    return not in_one and not (one.chain and other.chain and one.chain[0] is other.chain[0])


def _with_pictures(blocks: Sequence[Block], told: Iterable[int]) -> bytes:
    """By block, 1 for content. told: of those with words."""
    told, flags, before = iter(told), bytearray(), 1
    for block in blocks:  # a picture alone is where the block before it is, or that behind it, if it is not a link
        before = next(told) if block.size > 0 else before
        flags.append(before)
    behind = 0
    for at, block in reversed(list(enumerate(blocks))):
        if block.text == RULE:
            flags[at] &= behind and any(flags[:at])
        elif block.size <= 0 and block.text[0] == "!":
            flags[at] |= behind
        behind = flags[at]
    return bytes(flags)


def markdown(blocks: Sequence[Block]) -> str:
    """Blocks as Markdown."""
    lines, shown, before, was_text = list[str](), set[Node](), Chain(), False
    for chain, own, is_text, is_next in _lines(blocks):
        new = len(chain)
        while new and chain[new - 1] not in shown:
            new -= 1
        first = "".join([chain[new - 1].rest if new else "", *(node.mark for node in chain[new:])]) if chain else ""
        if is_next and is_text and was_text and before == chain:
            lines[-1] += "\\"
        elif lines and not (new < len(chain) and _is_tight(before, chain, new)):
            shared = before and [node for node, other in zip(before, chain, strict=False) if node is other]
            lines.append(shared[-1].rest.rstrip() if shared else "")
        lines.append(first + own[0])
        lines += [f"{chain[-1].rest}{line}".rstrip() for line in own[1:]] if chain else own[1:]
        shown.update(chain[new:])
        before, was_text = chain, is_text
    return "\n".join(lines)


def _is_tight(before: Chain, chain: Chain, new: int) -> bool:
    """True if no blank line stands between an item and what is before it, in its list or in the item around."""
    if not before or before[:new] != chain[:new]:
        return False
    mark, is_first = chain[new].mark, len(before) == new
    is_late = is_first and mark[0].isdigit() and mark[:-2] != "1"  # which readers take for text behind text
    return QUOTE not in (mark, before[new - is_first].mark) and not is_late


def _lines(blocks: Sequence[Block]) -> Iterator[tuple[Chain, Sequence[str], bool, bool]]:
    """The lines of each block or table, with the chain around them; True for text; `Block.is_next`."""
    for table, group in groupby(blocks, lambda block: block.cell and block.cell.table):
        inside = list(group)
        if table is not None and (rows := _rows(table, inside)):
            columns = max(map(len, rows))
            rows[0] += [""] * (columns - len(rows[0]))  # readers drop cells beyond the head's; other rows stay short
            head, *body = [f"| {' | '.join(row)} |" for row in rows]
            yield table.chain, [head, f"|{' --- |' * columns}", *body], False, False
            continue
        for text, _, kind, chain, _, begins, is_next in inside:
            if kind == CODE:
                ticks = fence(text, 3)
                yield chain, [f"{ticks}{begins}", *text.split("\n"), ticks], False, is_next
            elif 0 < kind < CODE:
                words = _CLOSES_HEADING.sub(r"\\", text) if text[-1] == "#" else text
                yield chain, [f"{'#' * kind} {words}"], False, is_next
            else:
                opens = None if begins else _OPENS_BLOCK.match(text)
                shown = f"{opens[0]}\\{text[opens.end() :]}" if opens else f"{begins}{text}"
                yield chain, [shown], True, is_next


def _rows(table: Table, blocks: Sequence[Block]) -> list[list[str]]:
    """The cells of a table by row, each a line; none if it is used for layout.

    Such a table has another in it, one column with words, or a heading, or listings or several blocks of a cell in its
    only row. Columns without words, which keep others apart, are left out.
    """
    cells = {cell: list(group) for cell, group in groupby(blocks, lambda block: block.cell) if cell is not None}
    columns = {column: at for at, column in enumerate(sorted({cell.column for cell in cells}))}
    is_one_row = len({cell.row for cell in cells}) == 1
    if (
        table.is_layout
        or len(columns) == 1
        or any(0 < block.kind < CODE for block in blocks)
        or (is_one_row and (len(blocks) > len(cells) or any(block.kind == CODE for block in blocks)))
    ):
        return []
    rows: dict[int, list[str]] = {}
    for cell, inside in cells.items():
        row = rows.setdefault(cell.row, [])
        row += [""] * (columns[cell.column] - len(row))
        texts = [code(" ".join(block.text.split())) if block.kind == CODE else block.text for block in inside]
        row.append(" ".join(texts).replace("|", "\\|"))
    return list(rows.values())
