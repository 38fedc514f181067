"""What whoever fetches and parses is to know, in this process or in a worker."""

from collections.abc import Callable, Set
from dataclasses import dataclass
from pathlib import Path

from minicrawl.crawler.http.exchange import Capture
from minicrawl.crawler.http.transport import Transport
from minicrawl.crawler.net.open_files import raised_limit, room
from minicrawl.crawler.sources.local import LocalSource
from minicrawl.model import Wanted
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD, Timing


@dataclass(frozen=True)
class Brief:
    """`capture`: makes, in the process that fetches, who is shown every exchange there; it can be pickled. `replayed`:
    folders of archives in place of the network."""

    settings: CrawlSettings
    timing: Timing = STANDARD
    seed_origins: Set[str] = frozenset()
    wanted: Wanted = Wanted()  # noqa: RUF009 (frozen)
    capture: Callable[[], Capture] | None = None
    replayed: tuple[Path, ...] = ()

    def source(self, transport: Transport | None = None) -> LocalSource:
        """Who fetches and parses in this process. transport: in place of the network."""
        return LocalSource(
            self.settings,
            self._archive() if self.replayed else transport,
            self.timing,
            room(raised_limit(), self.settings.concurrency),
            self.seed_origins,
            self.wanted,
            None if self.capture is None else self.capture(),
        )

    def _archive(self) -> Transport:
        from minicrawl.crawler.archiving.replayed import ArchiveTransport  # noqa: PLC0415 - few crawls read archives

        return ArchiveTransport(self.replayed, self.settings.from_archive)
