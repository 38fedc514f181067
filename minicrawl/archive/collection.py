"""An archive as a folder in the layout of pywb: archive/*.warc.gz, indexes/index.cdxj.

The places of archives are such folders, other folders and files.
"""

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from minicrawl import log
from minicrawl.archive import cdxj
from minicrawl.archive.cdxj import Captured, Index, stamp, twin
from minicrawl.archive.reading import Damage, DamagedError, Record, is_archive, record_at, records, told
from minicrawl.archive.writer import FILES, INDEXES
from minicrawl.errors import SettingError, StoreError


class Collection:
    """Finds and reads the answers of an archive. Raises StoreError.

    more: answers not yet in its `index`. follows_links: its files may be links to files elsewhere. A foreign archive
    must not lead out of its folder.
    """

    def __init__(self, folder: Path, more: Iterable[Captured] = (), *, follows_links: bool = False) -> None:
        if not (folder / FILES).is_dir():
            raise StoreError(f"there is no archive at {folder}: it has no folder {FILES}; name another one")
        self.folder = folder
        self._follows_links = follows_links
        self.index = Index(index_of(folder))
        self.beside: Sequence[Collection] = ()
        """Other archives, which may have the originals of revisits."""
        self._files: dict[str, Path] = {}  # which are known to be inside
        self._more: dict[str, list[Captured]] = {}
        for one in more:
            self._more.setdefault(one.url, []).append(one)

    def __iter__(self) -> Iterator[Captured]:
        """All answers, in no order."""
        yield from self.index
        for some in self._more.values():
            yield from some

    def lines(self) -> Iterator[str]:
        """All lines of the index, in their order, and those not yet in it."""
        more = sorted(cdxj.line(one) for some in self._more.values() for one in some)
        for line, _ in itertools.groupby(heapq.merge(self.index.lines(), more)):
            yield line

    def of(self, url: str) -> list[Captured]:
        """All answers of a normalised URL, the oldest first; where there are none, those of its twin but redirects."""
        found = {*self.index.find(url), *self._more.get(url, ())}
        other = twin(url)
        return sorted(
            found or {one for one in (*self.index.find(other), *self._more.get(other, ())) if not one.is_redirect},
            key=lambda one: (one.stamp, one.file, one.start, one.within),
        )

    def of_first(self, urls: Iterable[str]) -> list[Captured]:
        """All answers of the first URL that has any."""
        return next((found for url in urls if (found := self.of(url))), [])

    def record(self, captured: Captured) -> Record:
        """The record of an answer. Raises StoreError."""
        path = self.file(captured.file)
        try:
            return record_at(path, captured.start, captured.length, captured.within)
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror}; restore it") from error
        except DamagedError as error:
            raise StoreError(f"{path} is damaged ({error}); see 'minicrawl archive check --deep'") from error

    def answer(self, captured: Captured) -> tuple[Record, bytes]:
        """The record of an answer, and its body: of a revisit that of the original. `is_cut` applies to the body.
        Raises StoreError."""
        record = self.record(captured)
        if record.kind != "revisit":
            return record, record.payload
        for archive in (self, *self.beside):
            if (original := archive._original(record)) is not None:
                whole = archive.record(original)
                return replace(record, is_cut=whole.is_cut), whole.payload
        raise StoreError(
            f"{captured.url} was the same as {record.fields.get('warc-refers-to-target-uri')}, which is not in "
            f"{self.folder}; restore its files, or add those of the archive that it refers to, and run "
            "'minicrawl archive index'"
        )

    def file(self, name: str) -> Path:
        """A file named by the index. Raises StoreError if it is not in the archive."""
        if name in self._files:
            return self._files[name]
        path = self.folder / FILES / name
        if "\0" in name or Path(name).name != name or not is_archive(name):
            raise StoreError(
                f"the index of {self.folder} names {name!r}, which is not a file of this archive; rebuild it with "
                "'minicrawl archive index'"
            )
        if not self._follows_links and not is_inside(path, self.folder):
            raise StoreError(f"{path} is a link out of the archive; replace it with the file")
        self._files[name] = path
        return path

    def _original(self, record: Record) -> Captured | None:
        """The original response of a revisit."""
        url = record.fields.get("warc-refers-to-target-uri", record.url).strip("<>")
        digest = record.fields.get("warc-payload-digest", "")
        found = [one for one in self.of(url) if not one.is_revisit]
        same = [one for one in found if one.digest.removeprefix("sha1:") == digest.removeprefix("sha1:")]
        unknown = [one for one in found if not (digest and one.digest)]
        return next(iter(same or unknown), None)

    def files(self) -> list[Path]:
        return files_in(self.folder / FILES, None if self._follows_links else self.folder)

    def close(self) -> None:
        self.index.close()


def index_of(folder: Path) -> Path:
    return folder / INDEXES / "index.cdxj"


def files(folder: Path) -> list[Path]:
    """The files of an archive, but for links that lead out of it."""
    return files_in(folder / FILES, folder)


def files_in(folder: Path, root: Path | None) -> list[Path]:
    """The files with records in a folder; without links that lead out of `root`, if there is one."""
    found = sorted(path for path in folder.glob("*") if is_archive(path.name) and path.is_file())
    return [path for path in found if root is None or is_inside(path, root)]


def is_inside(path: Path, folder: Path) -> bool:
    """True if a path leads to nothing outside a folder."""
    return path.resolve().is_relative_to(folder.resolve())


def captures(path: Path, on_damage: Callable[[Damage], object] = lambda damage: None) -> Iterator[Captured]:
    """The answers in a file. on_damage: called for bytes without a record. Raises OSError."""
    for record in records(path, on_damage=on_damage):
        if record.is_answer:
            yield captured(record, path.name)


def captured(record: Record, file: str) -> Captured:
    """The index entry of a record."""
    digest, is_revisit = record.fields.get("warc-payload-digest", ""), record.kind == "revisit"
    answer = record.url, stamp(record.at), record.media_type, record.status, digest
    return Captured(*answer, file, record.start, record.length, is_revisit, record.within)


def index_anew(folder: Path, on_damage: Callable[[str], None] = lambda sentence: None) -> int:
    """Rebuild the index from the files. Returns its number of answers. on_damage: see lines_of. Raises StoreError."""
    if not is_inside(index_of(folder), folder):
        raise StoreError(f"{index_of(folder)} is a link out of the archive; replace it with a folder")
    return cdxj.merge(index_of(folder), lines_of(files(folder), on_damage), is_anew=True)


def lines_of(paths: Iterable[Path], on_damage: Callable[[str], None]) -> Iterator[str]:
    """Lines of an index for the answers in files. on_damage: called with a sentence for each damaged part of one."""
    for path in paths:
        damages: list[Damage] = []
        try:
            yield from map(cdxj.line, captures(path, damages.append))
        except OSError as error:
            on_damage(f"{path.resolve()} cannot be read to its end: {error.strerror}")
        for damage in damages:
            on_damage(f"{path.resolve()}, {told(damage)}")


def check_there(places: Sequence[str]) -> None:
    """Raise SettingError for a place without an archive."""
    for place in places:
        _files_of(Path(place))


@contextmanager
def indexed(places: Sequence[str]) -> Iterator[tuple[Path, ...]]:
    """Collections with an up-to-date index. What has none gets a temporary one while the block runs.

    Raises SettingError for a place without an archive, StoreError for one that cannot be read.
    """
    loose = [place for place in places if not _is_indexed(Path(place))]
    ready = [Path(place) for place in places if place not in loose]
    if not loose:
        yield tuple(ready)
        return
    with TemporaryDirectory(prefix="minicrawl-") as temporary:
        try:
            unread = _gathered(loose, Path(temporary) / FILES)
        except OSError as error:
            raise StoreError(f"{', '.join(loose)} cannot be read: {error}") from error
        log.event("archive-indexed", files=len(unread))
        found = lines_of(unread, lambda why: log.event("archive-damaged", why=why))
        cdxj.merge(index_of(Path(temporary)), found, is_anew=True)
        yield (*ready, Path(temporary))


def _files_of(place: Path) -> list[Path]:
    """The files at a place: itself, or those in a folder or a collection. Raises SettingError."""
    if place.is_file() and (is_archive(place.name) or not place.suffix):
        return [place]
    is_collection = (place / FILES).is_dir()
    found = files(place) if is_collection else files_in(place, place)
    if not found and not is_collection:
        raise SettingError(f"there is no archive at {place}: name WARC or WACZ files, or a folder of them")
    return found


def _is_indexed(place: Path) -> bool:
    """True if the index is newer than the files."""
    index = index_of(place)
    if not (place / FILES).is_dir() or not index.is_file():
        return False
    written = index.stat().st_mtime
    return all(file.stat().st_mtime <= written for file in files(place))


def _gathered(places: Iterable[str], folder: Path) -> list[Path]:
    """The files of some places in a new folder, as links. Raises SettingError."""
    folder.mkdir()
    links: dict[Path, None] = {}
    for file in dict.fromkeys(file.absolute() for place in places for file in _files_of(Path(place))):
        name = file.name if is_archive(file.name) else f"{file.name}.warc"
        link = folder / (f"{len(links):05}-{name}" if folder / name in links else name)
        link.symlink_to(file)
        links[link] = None
    return list(links)
