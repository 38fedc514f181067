"""An archive as a folder in the layout of pywb (archive/*.warc.gz, indexes/index.cdxj), and the archives that a crawl
reads in place of the network."""

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from minicrawl import log
from minicrawl.archive import cdxj
from minicrawl.archive.cdxj import Captured, Index, stamp, surt, twin
from minicrawl.archive.reading import Damage, Record, is_archive, record_at, records
from minicrawl.archive.unpacking import DamagedError
from minicrawl.archive.writer import FILES, INDEXES
from minicrawl.errors import SettingError, StoreError


class Collection:
    """Finds and reads the answers of an archive. Raises StoreError.

    more: answers not yet in its index. follows_links: its files may be links to files elsewhere. A foreign archive must
    not lead out of its folder.
    """

    def __init__(self, folder: Path, more: Iterable[Captured] = (), *, follows_links: bool = False) -> None:
        if not (folder / FILES).is_dir():
            raise StoreError(f"there is no archive at {folder}: it has no folder {FILES}; name another one")
        self.folder = folder
        self._follows_links = follows_links
        self._index = Index(index_of(folder))
        self._more: dict[str, list[Captured]] = {}
        for one in more:
            self._more.setdefault(one.url, []).append(one)

    def __iter__(self) -> Iterator[Captured]:
        """All answers, in no order."""
        yield from self._index
        for some in self._more.values():
            yield from some

    def lines(self) -> Iterator[str]:
        """All lines of the index, in their order, and those not yet in it."""
        more = sorted(cdxj.line(one) for some in self._more.values() for one in some)
        for line, _ in itertools.groupby(heapq.merge(self._index.lines(), more)):
            yield line

    def of(self, url: str) -> list[Captured]:
        """All answers of a normalised URL, the oldest first; where there are none, those of its twin but redirects."""
        found = {*self._index.find(url), *self._more.get(url, ())}
        other = twin(url)
        return sorted(
            found or {one for one in (*self._index.find(other), *self._more.get(other, ())) if not one.is_redirect},
            key=lambda one: (one.stamp, one.file, one.start, one.within),
        )

    def with_key_of(self, url: str) -> Iterator[Captured]:
        """All answers in the index with the key of this URL, the oldest first."""
        return self._index.with_key(surt(url))

    def matching(self, begins: str, rest: str) -> Iterator[Captured]:
        """All answers in the index whose key has a prefix, and whose rest matches a regular expression."""
        return self._index.matching(begins, rest)

    def of_first(self, urls: Iterable[str]) -> list[Captured]:
        """All answers of the first URL that has any."""
        return next((found for url in urls if (found := self.of(url))), [])

    def record(self, captured: Captured) -> Record:
        """The record of an answer. Raises StoreError."""
        path = self._file(captured.file)
        try:
            return record_at(path, captured.start, captured.length, captured.within)
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror}; bring it back") from error
        except DamagedError as error:
            raise StoreError(f"{path} is damaged ({error}); 'minicrawl archive check --deep' tells more") from error

    def answer(self, captured: Captured) -> tuple[Record, bytes]:
        """The record of an answer, and its body: of a revisit that of the original. `is_cut` applies to the body.
        Raises StoreError."""
        record = self.record(captured)
        if record.kind != "revisit":
            return record, record.payload
        original = self._original(record)
        if original is None:
            raise StoreError(
                f"{captured.url} was the same as {record.fields.get('warc-refers-to-target-uri')}, which is not in "
                f"{self.folder}; bring back its files, or make the index anew with 'minicrawl archive index'"
            )
        whole = self.record(original)
        return replace(record, is_cut=whole.is_cut), whole.payload

    def _file(self, name: str) -> Path:
        """A file named by the index. Raises StoreError if it is not in the archive."""
        path = self.folder / FILES / name
        if "\0" in name or Path(name).name != name or not is_archive(name):
            raise StoreError(
                f"the index of {self.folder} names {name!r}, which is no file of this archive; make it anew with "
                "'minicrawl archive index'"
            )
        if not self._follows_links and path.is_symlink() and not path.resolve().is_relative_to(self.folder.resolve()):
            raise StoreError(f"{path} is a link that leads out of the archive; put the file itself there")
        return path

    def _original(self, record: Record) -> Captured | None:
        """The original response of a revisit."""
        url = record.fields.get("warc-refers-to-target-uri", record.url).strip("<>")
        digest = record.fields.get("warc-payload-digest", "")
        found = [one for one in self.of(url) if not one.is_revisit]
        same = [one for one in found if one.digest.removeprefix("sha1:") == digest.removeprefix("sha1:")]
        return next(iter(same or found), None)

    def close(self) -> None:
        self._index.close()


def index_of(folder: Path) -> Path:
    return folder / INDEXES / "index.cdxj"


def files(folder: Path) -> list[Path]:
    """The WARC files of an archive."""
    return sorted(path for path in (folder / FILES).glob("*") if is_archive(path.name))


def captures(path: Path, on_damage: Callable[[Damage], object] = lambda damage: None) -> Iterator[Captured]:
    """The answers in a file. on_damage: called for bytes without a record. Raises OSError."""
    for record in records(path, on_damage=on_damage):
        if record.is_answer:
            yield captured(record, path.name)


def captured(record: Record, file: str) -> Captured:
    """The index entry of a record."""
    digest = record.fields.get("warc-payload-digest", "")
    is_revisit = record.kind == "revisit"
    when = stamp(record.at)
    return Captured(
        record.url,
        when,
        record.media_type,
        record.status,
        digest,
        file,
        record.start,
        record.length,
        is_revisit,
        record.within,
    )


def index_anew(folder: Path, on_damage: Callable[[str], None] = lambda sentence: None) -> int:
    """Rebuild the index from the files with records. Returns its number of answers.

    on_damage: called with a sentence for each damaged part of a file.
    """

    def lines() -> Iterator[str]:
        for path in files(folder):
            damages: list[Damage] = []
            try:
                yield from map(cdxj.line, captures(path, damages.append))
            except OSError as error:
                on_damage(f"{path.resolve()} cannot be read to its end: {error.strerror}")
            for damage in damages:
                on_damage(f"{path.resolve()}, {damage}")

    return cdxj.merge(index_of(folder), lines(), is_anew=True)


def check_there(places: Sequence[str]) -> None:
    """Raise SettingError for a place without an archive."""
    for place in places:
        _files_of(Path(place))


@contextmanager
def indexed(places: Sequence[str]) -> Iterator[tuple[Path, ...]]:
    """Collections with an up-to-date index. Files without one get a temporary index while the block runs.

    Raises SettingError for a place without an archive, StoreError for an index that cannot be written.
    """
    ready = [Path(place) for place in places if _is_indexed(Path(place))]
    loose = [file for place in places if Path(place) not in ready for file in _files_of(Path(place))]
    if not loose:
        yield tuple(ready)
        return
    with TemporaryDirectory(prefix="minicrawl-") as temporary:
        folder = Path(temporary)
        (folder / FILES).mkdir()
        for number, file in enumerate(loose):
            (folder / FILES / f"{number:05}-{file.name}").symlink_to(file.absolute())
        log.archive_indexed(files=len(loose))
        index_anew(folder, lambda why: log.archive_damaged(why=why))
        yield (*ready, folder)


def _files_of(place: Path) -> list[Path]:
    """The WARC files at a place: itself, or those in a folder or a collection."""
    if place.is_file():
        return [place]
    if (place / FILES).is_dir():
        return files(place)
    found = sorted(path for path in place.iterdir() if is_archive(path.name)) if place.is_dir() else []
    if not found:
        raise SettingError(f"there is no archive at {place}; --from-archive takes WARC files, or a folder of them")
    return found


def _is_indexed(place: Path) -> bool:
    """True if the index is newer than the files."""
    index = index_of(place)
    if not (place / FILES).is_dir() or not index.is_file():
        return False
    written = index.stat().st_mtime
    return all(file.stat().st_mtime <= written for file in files(place))
