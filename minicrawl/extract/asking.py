"""Whether what users ask to be taken out of pages can be."""

from pathlib import Path

from minicrawl.errors import SettingError
from minicrawl.extract.gathering import columns_of
from minicrawl.extract.hooks import load_hooks
from minicrawl.extract.item_file import check_columns, check_ending
from minicrawl.settings import CrawlSettings


def check_asked(settings: CrawlSettings) -> None:
    """Raise SettingError for selectors, hooks and files that no crawl could use."""
    columns = check_selectors(settings)
    load_hooks(settings.hook, settings.hook_timeout)
    if settings.items:
        check_ending(Path(settings.items))
        check_columns(Path(settings.items), columns)
    elif settings.extract or settings.extract_rule or settings.extract_structured:
        asked = "--extract-structured" if settings.extract_structured else "[extract]"
        asked = "--extract" if settings.extract else asked
        raise SettingError(f"{asked} needs a file for what it finds: --items FILE.jsonl, .csv or .parquet")


def check_selectors(settings: CrawlSettings) -> tuple[str, ...]:
    """The names of what items may have; raises SettingError for selectors that no crawl could use."""
    return columns_of(settings.extract, settings.extract_rule, is_structured=settings.extract_structured)
