"""Archives that a crawl reads in place of the network: collections, or WARC files of whoever has written them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from minicrawl import log
from minicrawl.archive.collection import files, index_anew, index_of, is_warc
from minicrawl.archive.writer import FILES
from minicrawl.errors import SettingError


def check_there(places: Sequence[str]) -> None:
    """Raise SettingError for a place where there is no archive."""
    for place in places:
        _files_of(Path(place))


@contextmanager
def indexed(places: Sequence[str]) -> Iterator[tuple[Path, ...]]:
    """Collections whose index is up to date. Of other files one is made for as long as the block lasts.

    Raises SettingError for a place where there is no archive, StoreError for an index that cannot be written.
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
    found = sorted(path for path in place.iterdir() if is_warc(path)) if place.is_dir() else []
    if not found:
        raise SettingError(f"there is no archive at {place}; --from-archive takes WARC files, or a folder of them")
    return found


def _is_indexed(place: Path) -> bool:
    """Whether a collection has an index that is younger than its files."""
    index = index_of(place)
    if not (place / FILES).is_dir() or not index.is_file():
        return False
    written = index.stat().st_mtime
    return all(file.stat().st_mtime <= written for file in files(place))
