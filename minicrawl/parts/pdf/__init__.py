"""PDF files read as pages (--pdf): `documents` makes HTML of them, in child processes (docs/pdf.md)."""

from dataclasses import dataclass
from importlib import util
from typing import TYPE_CHECKING

from minicrawl import installed
from minicrawl.errors import SettingError
from minicrawl.parts.part import Part, own
from minicrawl.setting import FLAG, REREADS, setting

if TYPE_CHECKING:
    from minicrawl.crawler.sources.local import Equipment, SourceSpec
    from minicrawl.settings import CrawlSettings


@dataclass(frozen=True)
class PdfSettings:
    pdf: bool = setting(
        False, FLAG, "Read PDF files as pages: their links, title and text. Needs the extra pdf.", REREADS
    )


class Pdf(Part):
    """Reads PDF files in the processes that fetch them."""

    SETTINGS, TOPIC = PdfSettings, "keep"

    @staticmethod
    def check(settings: "CrawlSettings") -> None:
        if own(settings, PdfSettings).pdf and util.find_spec("pypdf") is None:
            raise SettingError(f"--pdf needs pypdf; run: {installed.adding('pdf')}")

    @staticmethod
    def equip(spec: "SourceSpec", equipment: "Equipment") -> None:
        if own(spec.settings, PdfSettings).pdf:
            from minicrawl.parts.pdf.documents import documents  # noqa: PLC0415 - few crawls read other formats
            from minicrawl.web.http.response_fields import PDF  # noqa: PLC0415

            equipment.documents[PDF] = documents(spec.timing, max(spec.settings.workers, 1))
