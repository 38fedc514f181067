"""How values are written for people."""

from collections.abc import Iterable

from minicrawl.store.rows import RankedPage


def table(pages: Iterable[RankedPage]) -> list[str]:
    """One line per page: rank, importance, in-links, what became of it, URL, title."""
    lines = [f"{'rank':>6}  {'importance':>10}  {'inlinks':>7}  {'state':<10}  url"]
    for page in pages:
        title = f"  {printable(page.title)}" if page.title else ""
        state = str(page.status) if page.state == "fetched" else page.state
        lines.append(
            f"{page.rank:>6}  {page.importance:>10.3g}  {page.inlinks:>7}  {state:<10}  {printable(page.url)}{title}"
        )
    return lines


def printable(text: str) -> str:
    """Text without what could steer a terminal."""
    return "".join(char if char.isprintable() else "�" for char in text)


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


def tally(counts: dict[str, int]) -> str:
    """ "dns 12, http-404 3" of {"http-404": 3, "dns": 12}: most first."""
    return ", ".join(f"{reason} {count:,}" for reason, count in sorted(counts.items(), key=lambda item: -item[1]))
