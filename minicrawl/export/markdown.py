"""Kept texts as Markdown, a file a page: the page's content with links, below a head of metadata.

A file's name is made from its URL: letters and digits of host and path, shortened, and a hash of the whole. For any
URL, the name stays in its folder, is not too long, and is unique, also where file systems ignore case.
"""

import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import Store
from minicrawl.store.rows import RankedPage
from minicrawl.store.texts.marked_text import Block, Cell, KeptText, Kind


def pages_with_text(
    store: Store, by: str = RANKINGS[0], is_wanted: npt.NDArray[np.bool_] | None = None
) -> Iterator[tuple[RankedPage, KeptText]]:
    """Pages that were read and are no aliases, with their texts, by falling `by` (see `Store.pages`).

    Pages without text are left out.

    is_wanted: by number, shape (size,); None: all.

    Raises SettingError where no text is kept at all, and StoreError.
    """
    if by not in RANKINGS:
        raise SettingError(f"texts are exported by one of {', '.join(RANKINGS)}, not by {by!r}")
    check_has_texts(store)
    with store.snapshot():
        for page in store.pages(by):
            if page.state != "fetched" or (kept := store.text(page.url)) is None:
                continue
            if is_wanted is None or is_wanted[store.page_table.find([page.url])[page.url]]:
                yield page, kept


def check_has_texts(store: Store) -> None:
    """Raise SettingError where no text is kept at all."""
    if not store.texts.size:
        raise SettingError(
            f"{store.path} has no texts; let the crawl go on with --text, from then on it keeps them, and "
            "'minicrawl refresh' reads again what it has read"
        )


_NAME_LENGTH = 80
_MOST_IN_TARGETS = 4_000_000
"""Characters of the targets of a page's links; further links are text. A long base URL would multiply a page."""
_MOST_IN_CELL = 2_000
"""Characters of a cell; a table with a longer one is used for layout."""
_NOT_IN_NAMES = re.compile(r"[^a-z0-9]+")
_ENTITY = re.compile(r"&(?=#?\w{1,31};)")
_OPENS_BLOCK = re.compile(r"(?=[#>|+=-])|^(\d{1,9})(?=[.)])")
# "_" inside a word stands for itself, and so does a backslash before a letter.
_SPECIAL = re.compile(r"[*`]|\\(?=[^\w\s])|(?<![^\W_])_|_(?![^\W_])|~(?=~)|(?<=~)~|\](?=[(\[])")
_CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f]")
_TICKS = re.compile("`+")
_FENCE = re.compile("`{3,}")


def file_name(url: str) -> Path:
    """The page's path in the folder, also for a URL that no parser accepts."""
    host, _, path = re.split("[?#]", url.partition("://")[2], maxsplit=1)[0].partition("/")
    page = _slug(path, "index")
    return Path(_slug(host, "host"), f"{page}-{blake2b(url.encode(), digest_size=8).hexdigest()}.md")


def as_markdown(kept: KeptText, page: RankedPage | None = None) -> str:
    """Render the page as Markdown. page: metadata for the head."""
    return "\n".join([*_head(kept, page), *_body(kept.content)]) + "\n"


def markdown_of(blocks: Sequence[Block]) -> str:
    """Render some blocks as Markdown."""
    return _CONTROLS.sub("", "\n".join(_body(blocks)).strip("\n"))


def export_markdown(texts: Iterable[tuple[RankedPage, KeptText]], folder: Path) -> int:
    """Write a file for each page into `folder`, which appears whole or not at all; returns the number of files.

    Raises SettingError where the folder cannot be made, or is not empty.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise SettingError(f"{folder} is there already and not an empty folder; name another one")
        folder.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            count = sum(1 for _ in _written(texts, unfinished))
            unfinished.chmod(0o755)
            unfinished.replace(folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except OSError as error:
        raise SettingError(f"{folder} cannot be written: {error.strerror or error}; name another folder") from error
    return count


def _written(texts: Iterable[tuple[RankedPage, KeptText]], folder: Path) -> Iterator[Path]:
    for page, kept in texts:
        file = folder / file_name(page.url)
        file.parent.mkdir(exist_ok=True)
        file.write_text(_CONTROLS.sub("", as_markdown(kept, page)), "utf-8")
        yield file


def _slug(text: str, otherwise: str) -> str:
    return _NOT_IN_NAMES.sub("-", text.lower()).strip("-")[:_NAME_LENGTH].strip("-") or otherwise


def _head(kept: KeptText, page: RankedPage | None) -> Iterator[str]:
    """Front matter in YAML, whose strings may be JSON strings."""
    values: dict[str, object] = {"url": kept.url, "title": kept.title, "description": kept.description}
    values["language"] = kept.language
    if page is not None:
        values["rank"], values["importance"] = page.rank, page.importance
        if page.fetched_at is not None:
            values["fetched_at"] = datetime.fromtimestamp(page.fetched_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
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
