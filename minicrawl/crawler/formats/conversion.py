"""Convert documents in other formats into HTML, in child processes limited in CPU time and memory."""

from importlib import util
from typing import NamedTuple

from minicrawl import installed, log
from minicrawl.errors import SettingError
from minicrawl.model import Fetched
from minicrawl.sandbox.cage import Cage
from minicrawl.sandbox.sandbox import ChildDiedError, ChildError, Limits, Sandbox
from minicrawl.settings import CrawlSettings
from minicrawl.system import cores
from minicrawl.timing import Timing

_MEMORY = 10**9


class Converted(NamedTuple):
    """A document as HTML in UTF-8. `is_cut`: a limit was reached, or parts of it are damaged."""

    html: bytes
    is_cut: bool


def check_pdf() -> None:
    """Raise SettingError if PDF files cannot be read."""
    if util.find_spec("pypdf") is None:
        raise SettingError(f"--pdf needs pypdf; run: {installed.adding('pdf')}")


class Conversion:
    """Converts PDF files."""

    def __init__(self, settings: CrawlSettings, timing: Timing) -> None:
        # Half of the time, so that what was read by then is not lost with the child.
        self._seconds = timing.parse / 2
        limits = Limits(timing.parse, timing.hang, Cage(_MEMORY))
        most = max(1, cores() // max(settings.workers, 1))
        self._sandbox = Sandbox(convert, limits, most=most, idle=timing.spare)

    @property
    def pids(self) -> list[int]:
        """Process ids of the children."""
        return self._sandbox.pids

    async def converted(self, page: Fetched) -> Converted | None:
        """A document that was fetched, as HTML; None if it cannot be read as what it is said to be. Raises
        ChildDiedError."""
        try:
            found = await self._sandbox.call(page.body, self._seconds)
        except ChildDiedError:
            raise
        except ChildError as error:
            log.event("document-unread", url=page.url, why=str(error))
            return None
        return Converted(*found) if found else None

    async def aclose(self) -> None:
        await self._sandbox.aclose()


def convert(body: bytes, seconds: float) -> tuple[bytes, bool] | None:
    """A PDF file as HTML, and True if it is cut, in the child. seconds: of CPU time, after which it is cut."""
    from minicrawl.crawler.formats.pdf import from_pdf  # noqa: PLC0415 - the child alone loads pypdf

    return from_pdf(body, seconds)
