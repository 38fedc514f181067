"""The settings of the archive, a group of groups.py."""

from dataclasses import dataclass
from pathlib import Path

from minicrawl.settings import values
from minicrawl.settings.setting import setting


@dataclass(frozen=True)
class Archive:
    """What is kept of what was read, in WARC files."""

    archive: Path | None = setting(
        None,
        values.file,
        "Keep all that is read in this folder, in WARC files that other programs can replay.",
        check=values.folder,
        metavar="DIR",
    )
    from_archive: tuple[str, ...] = setting(
        (),
        values.paths,
        "Ask nobody for anything: read what this archive has, a folder of --archive or WARC files of any program. "
        "Repeatable.",
        metavar="DIR|FILE",
    )
    archive_size: int = setting(
        10**9,
        values.size,
        "Begin another file of the archive after that many bytes.",
        check=values.at_least(1),
        shown="1GB",
        metavar="SIZE",
    )
    archive_top: float | None = setting(
        None,
        values.share,
        "Keep only pages in this share of the known ones by importance, as it is known when they are asked for.",
        check=values.from_0_to_1,
        metavar="SHARE",
    )
    dedup: bool = setting(
        True,
        values.flag,
        "Let the archive refer to a body that it has already, of 1,000 bytes or more, instead of keeping it again.",
    )
    archive_types: tuple[str, ...] = setting(
        (),
        values.codes,
        "Keep bodies of these media types only, such as text/html or image/*, and read no others that the crawl has no "
        "use for. By default all are. Repeatable.",
        check=values.media_types,
        metavar="TYPE[,...]",
    )
    archive_noarchive: bool = setting(
        False, values.flag, "Keep pages that forbid it, by noarchive. Only for pages of your own."
    )
