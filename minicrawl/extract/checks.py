"""Check the settings for extraction."""

from pathlib import Path

from minicrawl.errors import SettingError
from minicrawl.extract.gathering import columns_of
from minicrawl.extract.item_file import check_columns, check_ending
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD


async def check_asked(settings: CrawlSettings) -> None:
    """Raise SettingError for invalid selectors, hooks and item files."""
    columns = check_selectors(settings)
    if settings.hook:
        await _check_hooks(settings)
    if settings.items:
        check_ending(Path(settings.items))
        check_columns(Path(settings.items), columns)
    elif settings.extracts:
        asked = "--extract" if settings.extract else "--extract-structured"
        raise SettingError(f"{asked} needs a file for what it finds: --items FILE.jsonl, .csv or .parquet")


def check_selectors(settings: CrawlSettings) -> tuple[str, ...]:
    """The names of all possible item fields. Raises SettingError for invalid selectors."""
    return tuple(columns_of(settings.extract, is_structured=settings.extract_structured))


async def _check_hooks(settings: CrawlSettings) -> None:
    """Check hooks in a child, as importing them runs foreign code."""
    from minicrawl.extract.hooks import wrong_hook  # noqa: PLC0415
    from minicrawl.sandbox.cage import Cage  # noqa: PLC0415
    from minicrawl.sandbox.sandbox import ChildError, Limits, Sandbox  # noqa: PLC0415 - few crawls have hooks

    limits = Limits(STANDARD.hook, STANDARD.hook, Cage(forks=True))
    sandbox = Sandbox(wrong_hook, limits)
    try:
        wrong = await sandbox.call(settings.hook)
    except ChildError as error:
        wrong = f"--hook {', '.join(settings.hook)} cannot be imported: {error}"
    finally:
        await sandbox.aclose()
    if wrong is not None:
        raise SettingError(wrong)
