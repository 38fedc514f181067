"""Kept texts as Markdown: a page's content with links, below a head of metadata."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from minicrawl.errors import SettingError
from minicrawl.store.reader import Store
from minicrawl.store.texts.marked_text import Block, Cell, KeptText, Kind


def check_has_texts(store: Store) -> None:
    """Raise SettingError where no text is kept at all."""
    if not store.texts.size:
        raise SettingError(
            f"{store.path} has no texts; let the crawl go on with --text, from then on it keeps them, and "
            "'minicrawl refresh' reads again what it has read"
        )


_MOST_IN_TARGETS = 4_000_000
"""Characters of the targets of a page's links; further links are text. A long base URL would multiply a page."""
_MOST_IN_CELL = 2_000
"""Characters of a cell; a table with a longer one is used for layout."""
_ENTITY = re.compile(r"&(?=#?\w{1,31};)")
_OPENS_BLOCK = re.compile(r"(?=[#>|+=-])|^(\d{1,9})(?=[.)])")
# "_" inside a word stands for itself, and so does a backslash before a letter.
_SPECIAL = re.compile(r"[*`]|\\(?=[^\w\s])|(?<![^\W_])_|_(?![^\W_])|~(?=~)|(?<=~)~|\](?=[(\[])")
_CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")
_TICKS = re.compile("`+")
_FENCE = re.compile("`{3,}")


def as_markdown(kept: KeptText) -> str:
    """Render the page as Markdown."""
    return "\n".join([*_head(kept), *_body(kept.content)]) + "\n"


def markdown_of(blocks: Sequence[Block]) -> str:
    """Render some blocks as Markdown."""
    return _CONTROLS.sub("", "\n".join(_body(blocks)).strip("\n"))


def _head(kept: KeptText) -> Iterator[str]:
    """Front matter in YAML, whose strings may be JSON strings."""
    values: dict[str, object] = {"url": kept.url, "title": kept.title, "description": kept.description}
    values["language"] = kept.language
    yield "---"
    for name, value in values.items():
        if value is not None:
            yield f"{name}: {json.dumps(value, ensure_ascii=False)}"
    yield "---"


def _body(blocks: Sequence[Block]) -> Iterator[str]:
    before = Kind.PARAGRAPH
    for table, group in groupby(_bounded(blocks), lambda block: block.cell and block.cell.table):
        inside = list(group)
        if table is not None and (rows := _rows(inside)):
            yield ""
            yield from _table(rows)
            before = Kind.CELL
            continue
        for block in inside:
            if not (block.kind is before is Kind.ITEM):
                yield ""
            yield _line(block)
            before = block.kind


def _bounded(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks, without links from the one on where their targets become too long."""
    left = _MOST_IN_TARGETS
    for block in blocks:
        left -= sum(len(link.url) for link in block.links)
        yield block if left >= 0 else block._replace(links=())


def _line(block: Block) -> str:
    if block.kind is Kind.CODE:
        fence = max(("```", *(f"{found}`" for found in _FENCE.findall(block.text))), key=len)
        return f"{fence}\n{block.text}\n{fence}"
    words = _linked(block)
    if block.kind is Kind.HEADING:
        return f"{'#' * block.level} {words}"
    if _OPENS_BLOCK.match(words):
        words = _OPENS_BLOCK.sub(r"\1\\", words, count=1)
    return f"- {words}" if block.kind is Kind.ITEM else words


def _rows(blocks: Sequence[Block]) -> list[list[str]]:
    """The cells of a table by row, each a line; none if it is used for layout.

    Such a table has one column with words, or a heading, or much text in a cell, or listings or several blocks of a
    cell in its only row. Columns without words, which keep others apart, are left out.
    """
    cells: dict[Cell, list[Block]] = {}
    for block in blocks:
        if block.cell is not None:
            cells.setdefault(block.cell, []).append(block)
    columns = {column: at for at, column in enumerate(sorted({cell.column for cell in cells}))}
    is_one_row = len({cell.row for cell in cells}) == 1
    if (
        len(columns) == 1
        or any(block.kind is Kind.HEADING for block in blocks)
        or any(sum(len(block.text) for block in inside) > _MOST_IN_CELL for inside in cells.values())
        or (is_one_row and (len(blocks) > len(cells) or any(block.kind is Kind.CODE for block in blocks)))
    ):
        return []
    rows: dict[int, list[str]] = {}
    for cell, inside in cells.items():
        row = rows.setdefault(cell.row, [])
        row += [""] * (columns[cell.column] - len(row))
        row.append(" ".join(map(_in_cell, inside)))
    return list(rows.values())


def _in_cell(block: Block) -> str:
    words = _linked(block)
    if block.kind is Kind.CODE:
        words = " ".join(block.text.split())
        fence = max(("`", *(f"{found}`" for found in _TICKS.findall(words))), key=len)
        words = f"{fence} {words} {fence}" if "`" in words else f"`{words}`"
    return words.replace("|", "\\|")


def _table(rows: list[list[str]]) -> Iterator[str]:
    """Lines of a table. The head has all columns, as readers drop cells beyond it; other rows stay short."""
    columns = max(map(len, rows))
    rows[0] += [""] * (columns - len(rows[0]))
    for number, row in enumerate(rows):
        yield f"| {' | '.join(row)} |"
        if not number:
            yield f"|{' --- |' * columns}"


def _linked(block: Block) -> str:
    """The text of a block with its links."""
    words, at = "", 0
    for start, end, url in block.links:
        text = block.text[start:end].strip()
        words += _plain(block.text[at:start])
        words += (
            f"[{_plain(text).replace('[', chr(92) + '[').replace(']', chr(92) + ']')}]({_target(url)})" if text else ""
        )
        at = end
    return words + _plain(block.text[at:])


def _plain(text: str) -> str:
    """Escape text that a Markdown reader would take for HTML, emphasis, code or a link."""
    return _ENTITY.sub("&amp;", _SPECIAL.sub(r"\\\g<0>", text)).replace("<", "&lt;")


def _target(url: str) -> str:
    return f"<{url}>" if "(" in url or ")" in url else url
