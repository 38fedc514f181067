"""Convert documents in other formats into HTML, in child processes limited in CPU time and memory."""

from collections.abc import Set
from importlib import util
from typing import NamedTuple

from minicrawl import installed, log
from minicrawl.crawler.formats.text_files import TEXT_TYPES, from_text_file
from minicrawl.crawler.http.content_type import HTML_TYPES, PDF, media_type
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
    """Converts documents of the types that the settings select."""

    def __init__(self, settings: CrawlSettings, timing: Timing) -> None:
        self._types = HTML_TYPES | {PDF} if settings.pdf else HTML_TYPES
        self._file_names = settings.well_known
        # Half of the time, so that what was read by then is not lost with the child.
        self._seconds = timing.parse / 2
        limits = Limits(timing.parse, timing.hang, Cage(_MEMORY))
        most = max(1, cores() // max(settings.workers, 1))
        self._sandbox = Sandbox(convert, limits, most=most, idle=timing.spare)

    @property
    def pids(self) -> list[int]:
        """Process ids of the children."""
        return self._sandbox.pids

    def types(self, url: str) -> Set[str]:
        """The media types that are read at a URL."""
        return self._types | TEXT_TYPES if self._file_name(url) else self._types

    async def converted(self, page: Fetched) -> Converted | None:
        """A document that was fetched, as HTML; None if it cannot be read as what it is said to be. Raises
        ChildDiedError."""
        try:
            name = self._file_name(page.url) if media_type(page.content_type) != PDF else None
            found = await self._sandbox.call(page.body, name, self._seconds)
        except ChildDiedError:
            raise
        except ChildError as error:
            log.document_unread(url=page.url, why=str(error))
            return None
        return Converted(*found) if found else None

    def _file_name(self, url: str) -> str | None:
        """The well-known file that a URL is of, by its last segment."""
        name = url.partition("?")[0].rpartition("/")[2]
        return name if name in self._file_names else None

    async def aclose(self) -> None:
        await self._sandbox.aclose()


def convert(body: bytes, file_name: str | None, seconds: float) -> tuple[bytes, bool] | None:
    """A document as HTML, and True if it is cut, in the child. file_name: of a well-known file; None: a PDF file.
    seconds: of CPU time, after which a PDF file is cut."""
    if file_name is not None:
        return from_text_file(body, file_name)
    from minicrawl.crawler.formats.pdf import from_pdf  # noqa: PLC0415 - the child alone loads pypdf

    return from_pdf(body, seconds)
