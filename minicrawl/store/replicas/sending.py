"""The parts of a store's files that a replica lacks, while a Writer commits.

    sender.goes_on(replica.begin(...))    if not: sender.copy(replica.digests())
    sender.news()                         after each commit; a commit counts once the replica has taken all

The store's file changes at checkpoints alone, so it is copied as it is while the crawl goes on, and the log after it.
With a sender SQLite makes no checkpoint by itself: there is one when the log has grown, and the replica has all of it.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence

from minicrawl.store.database import LOG_BYTES, logs, real_path
from minicrawl.store.replicas.log_file import Mark, committed, has
from minicrawl.store.replicas.receiving import FILE, LOG, PIECE, GapError, Part, Position, digest
from minicrawl.store.texts.text_file import ENDING, TextFile, first_line, text_path
from minicrawl.store.writer import Writer
from minicrawl.system import read_at

_MOST = 4 * 2**20


class Sender:
    """One session with a replica. `session`: its name, drawn. For the thread of the commits, but for `copy`.

    The replica has taken each of a generator's parts before the next is asked for. Raises StoreError.
    """

    def __init__(self, writer: Writer, log_bytes: int = LOG_BYTES, most_bytes: int = _MOST) -> None:
        """log_bytes: of the log before a checkpoint; most_bytes: of it in a part."""
        self.session = secrets.token_hex(8)
        self.generation = int(writer.meta("generation") or 0)
        self._writer = writer
        self._log, _ = logs(real_path(writer.path))
        self._log_bytes, self._most_bytes = log_bytes, most_bytes
        self._number = 0
        self._mark: Mark | None = None
        self._line, self._size = self._texts()
        writer.keep_log(keeps=True)

    def close(self) -> None:
        self._writer.keep_log(keeps=False)

    def goes_on(self, at: Position | None) -> bool:
        """True if a replica at this position lacks `news` alone. Else it needs a copy, and the log is folded for it."""
        has_texts = at is not None and at.line == self._line and at.size <= self._size
        if at is not None and at.mark is not None and has_texts and has(self._log, at.mark):
            self._mark, self._size = at.mark, at.size
            return True
        self._writer.checkpoint(truncates=True)
        return False

    def copy(self, there: Mapping[str, Sequence[bytes]]) -> Iterator[Part]:
        """The pieces of the file and of the texts that differ from those with these digests. Commits may go on."""
        file, at = self._writer.open_file(), 0
        while piece := read_at(file, PIECE, at):
            yield from self._differing(FILE, at, piece, there)
            at += len(piece)
        if self._size:
            with TextFile(text_path(self._writer.path), self._line) as texts:
                for start in range(0, self._size, PIECE):
                    yield from self._differing(ENDING, start, texts.read(start, min(PIECE, self._size - start)), there)
        yield self._part(FILE, at, b"")

    def news(self) -> Iterator[Part]:
        """What the commits have added since: to the texts, then to the log.

        Raises GapError if the texts were rewritten, so that another session has to begin.
        """
        line, size = self._texts()
        if self._size and (line != self._line or size < self._size):
            raise GapError("the texts were rewritten")
        self._line = line
        if size > self._size:
            with TextFile(text_path(self._writer.path), line) as texts:
                while some := texts.read(self._size, min(PIECE, size - self._size)):
                    start, self._size = self._size, self._size + len(some)
                    yield self._part(ENDING, start, some, is_whole=True)
        for start, some, mark in committed(self._log, self._mark, self._most_bytes):
            self._mark = mark
            yield self._part(LOG, start, some, is_whole=True)
        if self._mark is not None and self._mark.end > self._log_bytes:
            self._writer.checkpoint()

    def _texts(self) -> tuple[bytes, int]:
        """First line and committed size of the file of texts; b"" and 0 without one."""
        texts = self._writer.texts
        return (first_line(self._writer.hash_key, texts.made), texts.size) if texts.size else (b"", 0)

    def _differing(self, ending: str, start: int, piece: bytes, there: Mapping[str, Sequence[bytes]]) -> Iterator[Part]:
        if [digest(piece)] != list(there[ending][start // PIECE : start // PIECE + 1]):
            yield self._part(ending, start, piece)

    def _part(self, ending: str, start: int, some: bytes, *, is_whole: bool = False) -> Part:
        self._number += 1
        after = Position(self._mark, self._line, self._size) if is_whole else None
        return Part(self.session, self._number, ending, start, some, after)
