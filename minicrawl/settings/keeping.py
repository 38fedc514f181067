"""The settings that say what is kept of what is read: two groups of groups.py."""

from dataclasses import dataclass
from pathlib import Path

from minicrawl.settings import values
from minicrawl.settings.setting import setting


@dataclass(frozen=True)
class Keep:
    """What is kept of pages beside their links."""

    text: bool = setting(
        False,
        values.flag,
        "Keep the text of every page, its headings, description, language and the texts of its links, in a file beside "
        "the store: about 3 kB a page. Pages that say noarchive are left out.",
    )
    extract: tuple[str, ...] = setting(
        (),
        values.texts,
        "Take this out of every page, for --items: by a CSS selector, with ::attr(NAME) an attribute, or by "
        "xpath:PATH; NAME[]= takes all that is found. Repeatable.",
        metavar="NAME=SELECTOR",
    )
    extract_rule: tuple[str, ...] = setting(
        (),
        values.item_rules,
        "Take items out of pages whose URL matches, as tables [extract.NAME] of a file of options say: "
        '{"name": "price", "match": "/shop/", "each": ".product", "fields": {"price": ".price"}}. Repeatable.',
        metavar="JSON",
    )
    extract_structured: bool = setting(
        False, values.flag, "Take JSON-LD, OpenGraph properties and microdata out of every page, for --items."
    )
    items: str = setting(
        "",
        values.text,
        "Write what is taken out of pages to this file, .jsonl, .csv or .parquet, with the crawl's commits. To be "
        "named at every run.",
        metavar="FILE",
        is_for_one_run=True,
    )
    hook: tuple[str, ...] = setting(
        (),
        values.texts,
        "Call functions of your own: MODULE, MODULE:FUNCTION, FILE.py, FILE.py:FUNCTION or the name of an entry point. "
        "To be named at every run. Repeatable.",
        metavar="PLACE",
        is_for_one_run=True,
    )
    strict_hooks: bool = setting(
        False, values.flag, "End the crawl when a hook fails; else that is counted.", is_for_one_run=True
    )
    hook_timeout: float = setting(
        60.0,
        values.duration,
        "CPU time of one call of a hook; it may wait as long without any.",
        check=values.more_than(0),
        most="1d",
        shown="60s",
        metavar="TIME",
    )
    search: bool = setting(
        False,
        values.flag,
        "Index pages for 'minicrawl search': while the crawl runs; keeps texts, as --text does.",
    )


@dataclass(frozen=True)
class Archive:
    """Keeping answers in WARC files, and reading them again."""

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
        most="1000GB",
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
