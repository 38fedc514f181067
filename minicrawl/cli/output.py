"""Values and tables as text for people, in lines that fit the terminal: URLs are shortened in the middle, sentences are
wrapped between words. In a pipe, everything is printed in full."""

import json
import re
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells, set_cell_size

from minicrawl.errors import counted, held
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.status import LeftOut
    from minicrawl.analysis.top import Order
    from minicrawl.model import Silence
    from minicrawl.store.ranks import RankedPage

_LEAST_FOR_URLS = 12
_UNSEEN = re.compile(r"[^ -~]+")

Column = tuple[str, Sequence[float]]
"""A name, and a value per page."""


def table(pages: "Sequence[RankedPage]", column: Column | None = None, notes: Sequence[str] = ()) -> list[str]:
    """One line per page: rank, importance, in-links, outcome, URL, title; with `column` also its value.

    As wide as the terminal, titles in a column of their own. notes: about each page.
    """
    values = [""] * (len(pages) + 1)
    if column is not None:
        cells_of_column = [column[0], *(f"{value:.3g}" for value in column[1])]
        width = max(10, len(column[0]))
        values = [f"  {cell:>{width}}" for cell in cells_of_column]
    states = [str(page.status) if page.state == "fetched" else page.state for page in pages]
    of_rank, of_state = 6, 10
    if terminal_columns() is not None:
        of_rank = max(4, *(len(str(page.rank)) for page in pages), 0)
        of_state = max(map(len, ["state", *states]))
    numbers = [f"{'rank':>{of_rank}}  {'importance':>10}{values[0]}  {'inlinks':>7}  {'state':<{of_state}}"]
    numbers += [
        f"{page.rank:>{of_rank}}  {page.importance:>10.3g}{value}  {page.inlinks:>7}  {state:<{of_state}}"
        for page, state, value in zip(pages, states, values[1:], strict=True)
    ]
    urls = ["url", *(printable(page.url) for page in pages)]
    titles = ["", *(printable(page.title or "") for page in pages)]
    more = ["", *(f"({note})" if note else "" for note in notes or [""] * len(pages))]
    return lines_of(numbers, urls, titles, more)


def lines_of(
    starts: Sequence[str], urls: Sequence[str], titles: Sequence[str] = (), notes: Sequence[str] = ()
) -> list[str]:
    """Lines of a table: a start, a URL, its title and a note; the last two may be empty.

    Fits the terminal: cuts lines at their end, and prints a URL that does not fit on a line of its own.
    """
    columns, nothing = terminal_columns(), [""] * len(urls)
    rows = list(zip(starts, urls, titles or nothing, notes or nothing, strict=True))
    if columns is None:
        return [f"{start}  {'  '.join(filter(None, ends))}" for start, *ends in rows]
    room = max(columns - max(map(cell_len, starts), default=0) - 2, _LEAST_FOR_URLS)
    whole = room
    if any(titles) or any(notes):
        room = min(max(map(cell_len, urls), default=0), max(room * 3 // 5, _LEAST_FOR_URLS))
    lines = list[str]()
    for start, url, *ends in rows:
        is_below = cell_len(url) > whole
        shown = "" if is_below else url
        padded = shown if cell_len(shown) > room else set_cell_size(shown, room)
        line = f"{start}  {padded}  {'  '.join(filter(None, ends))}".rstrip()
        lines += [clipped(line, columns), *([f"    {url}"] if is_below else [])]
    return lines


def order_lines(order: "Order | None") -> list[str]:
    """The basis of an order by importance while pages wait to be read.

    "Ordered by importance, for the links found so far: 23,326 of 128,939 known pages read."
    """
    if order is None or not order.waiting or order.by != "importance":
        return []
    so_far = f"{order.read:,} of {counted(order.known, 'known page')} read"
    return [f"Ordered by importance, for the links found so far: {so_far}."]


def page_rows(pages: "Sequence[RankedPage]", column: Column | None = None) -> list[dict[str, object]]:
    """The rows of `table` for JSON; the value of `column` is under "value"."""
    rows = [page._asdict() for page in pages]
    if column is None:
        return rows
    return [row | {"value": value} for row, value in zip(rows, column[1], strict=True)]


def document(value: object) -> str:
    """JSON for people and programs. Terminal control characters that JSON allows are escaped, too."""
    return _UNSEEN.sub(_escaped, json.dumps(value, indent=2, ensure_ascii=False))


def _escaped(match: re.Match[str]) -> str:
    return "".join(char if char == "\n" or char.isprintable() else json.dumps(char)[1:-1] for char in match[0])


def called_as() -> str:
    """The program's name in the shell: minicrawl if that is on the PATH, else as it was called."""
    called = Path(sys.argv[0])
    return shlex.quote(str(called)) if called.name == "minicrawl" and shutil.which(called.name) is None else "minicrawl"


def amount(bytes_: float) -> str:
    """ "12.3 MB" of 12300000."""
    for unit in ("B", "kB", "MB", "GB"):
        if bytes_ < 1000 or unit == "GB":
            return f"{bytes_:.0f} {unit}" if unit == "B" else f"{bytes_:.1f} {unit}"
        bytes_ /= 1000
    raise AssertionError


def duration(seconds: float) -> str:
    """ "1:02:03" of 3723, "2.5 s" of 2.5."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


@contextmanager
def reassuring(what: str, say: Callable[[str], None], every: float = 5.0) -> Iterator[None]:
    """Report every few seconds that the work continues, and for how long."""
    is_done, started = threading.Event(), time.monotonic()

    def say_so() -> None:
        while not is_done.wait(every):
            say(f"{what}: {duration(time.monotonic() - started)} so far ...")

    teller = threading.Thread(target=say_so, daemon=True, name="minicrawl-reassuring")
    teller.start()
    try:
        yield
    finally:
        is_done.set()
        teller.join()


def tally(counts: dict[str, int]) -> str:
    """ "dns 12, http-404 3" of {"http-404": 3, "dns": 12}: most first."""
    return ", ".join(f"{reason} {count:,}" for reason, count in sorted(counts.items(), key=lambda item: -item[1]))


def given_up_line(failures: dict[str, int], at_ill_hosts: int = 0) -> str:
    """ "Given up: http-404 3, reset 2; the next run tries 2 again". failures: pages given up in this run, by reason.
    at_ill_hosts: number of those that are tried again only because their host is ill."""
    from minicrawl.crawler.outcomes.retries import wants

    again = at_ill_hosts + sum(count for reason, count in failures.items() if wants(reason))
    return f"Given up: {tally(failures)}" + (f"; the next run tries {again:,} again" if again else "")


_WHOLE = held(1.0, 1.0, 1.0)


def read_line(known: int, read: int, share: str, unasked: "LeftOut | None" = None) -> str:
    """ "Read 4,514 of 52,368 known pages, 3,451 left out: about 64 % of the importance (between 58 and 71 %)". share:
    that of `held`."""
    text = f"Read {read:,} of {counted(known, 'known page')}"
    if unasked is not None and unasked.known:
        text += f", {unasked.known:,} left out"
    if unasked is not None and unasked.ill:
        text += f", {unasked.ill:,} waiting for ill hosts"
        share = "nearly all of the importance" if share == _WHOLE else share
    if share == _WHOLE and unasked is not None and (unasked.unread or unasked.links or unasked.known):
        return f"{text}: all of the importance that is known"  # what was left out without a look is not
    return f"{text}: {share}" if read else text


def unasked_lines(unasked: "LeftOut") -> Iterator[str]:
    """What a crawl left out without a look."""
    if unasked.unread:
        urls, example = counted(unasked.unread, "URL"), printable(str(unasked.example))
        yield f"Left out unread (too long, or beyond a site's budget): {urls}, such as {example}"
    if unasked.pages:
        of_pages = f"{counted(unasked.links, 'link')} of {counted(unasked.pages, 'page')}"
        yield (
            f"Left out because their pages say nofollow: {of_pages}; that is the site's "
            "choice; on your own servers, --ignore-robots overrides it for pages read from then on"
        )
    if marked := unasked.nofollow - unasked.links:
        yield f"Left out because they say rel=nofollow, ugc or sponsored: {counted(marked, 'link')}"


def left_out_line(links: int) -> str:
    """ "1 link was left out", "22 links were left out"."""
    return f"{counted(links, 'link')} {'was' if links == 1 else 'were'} left out"


_NEAR = 0.02
"""Difference from the share of requests asked for that needs no word."""


def discovery_line(fetched: int, refreshed: int, share: float) -> str | None:
    """ "New pages got 43 % of the requests, not 70 % (--discovery): there were no others to request"; None if they got
    their share."""
    got = (fetched - refreshed) / fetched if fetched else share
    if abs(got - share) <= max(_NEAR, 1.0 / max(fetched, 1)):
        return None
    why = "there were no others to request" if got < share else "no page read before was due (--refresh-min)"
    return f"New pages got {100 * got:.0f} % of the requests, not {100 * share:.0f} % (--discovery): {why}"


def short_line(out_of_reach: dict[str, float]) -> str:
    """ "The coverage you set was not reached: pages not read hold up to 5.5% of the importance
    (http-404 5.4%, dns 0.1%)": most first"""
    text = "The coverage you set was not reached"
    if not out_of_reach:
        return text
    shares = sorted(out_of_reach.items(), key=lambda item: -item[1])
    reasons = ", ".join(f"{reason} {share:.1%}" for reason, share in shares)
    return f"{text}: pages not read hold up to {sum(out_of_reach.values()):.1%} of the importance ({reasons})"


def silence_line(silence: "Silence") -> str:
    """ "no host answers since 12:03; ..." in local time."""
    since = time.strftime("%H:%M", time.localtime(silence.since))
    return f"no host answers since {since}; trying again every {silence.pause:.0f} s"


_LEAST = 40
_LABEL = re.compile(r" *(?:[\w./-]+ ){0,3}[\w./-]+ {2,}| +")
"""The name of a value and the spaces behind it, or spaces alone."""


def terminal_columns() -> int | None:
    """Width of the terminal that standard output is; None in a pipe."""
    if not sys.stdout.isatty():
        return None
    return max(shutil.get_terminal_size().columns, _LEAST)


def fitted(lines: Iterable[str], columns: int | None = None) -> Iterator[str]:
    """Wrap lines at the width of the terminal, or at `columns`; continuation lines are indented to the value."""
    columns = columns or terminal_columns()
    for line in lines:
        yield from [line] if columns is None or cell_len(line) <= columns else _broken(line, columns)


def _broken(line: str, columns: int) -> Iterator[str]:
    label = _LABEL.match(line)
    indent = cell_len(label[0]) if label and cell_len(label[0]) < columns // 2 else 2
    row = label[0] if label and indent > 2 else ""
    rest, is_empty = line[len(row) :], True
    for word in (shortened(word, columns - indent) for word in rest.split()):
        if not is_empty and cell_len(row) + 1 + cell_len(word) > columns:
            yield row
            row, is_empty = " " * indent, True
        row += word if is_empty else f" {word}"
        is_empty = False
    yield row


def shortened(text: str, columns: int) -> str:
    """Shorten a text to a width by leaving out its middle, as "…"."""
    if cell_len(text) <= columns:
        return text
    room = max(columns - 1, 1)
    end = room // 3
    return f"{_fitting(text, room - end)}…{_fitting(text[::-1], end)[::-1]}"


def clipped(text: str, columns: int) -> str:
    """Shorten a text to a width by leaving out its end, as "…"."""
    return text if cell_len(text) <= columns else f"{_fitting(text, columns - 1)}…"


def _fitting(text: str, columns: int) -> str:
    """The start of a text, in at most `columns` columns."""
    return chop_cells(text, columns)[0] if text and columns > 0 else ""
