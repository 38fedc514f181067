"""Optional capabilities of a crawl, a module or a folder each. Nothing else names one: take it away, and it is gone.

A part is a subclass of `Part`. In its module stand also its tables, its events of the log, and its settings:

    @dataclass(frozen=True)
    class AlertSettings:
        on_change: str = setting("", COMMAND, "Tell this command of ...")

All modules are read at the start of every command, so a part imports where it is used what takes time.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from minicrawl.crawler.visits.step import Step

if TYPE_CHECKING:
    from minicrawl.audit.rules import Rule
    from minicrawl.store.reader import Store


class Part(Step):
    """An optional capability. SETTINGS: the dataclass of its own settings; TOPIC: of the help that lists them."""

    SETTINGS: ClassVar[type | None] = None
    TOPIC: ClassVar[str] = "running"

    @staticmethod
    def status(store: "Store") -> Iterable[str]:
        """Lines about the crawl for `minicrawl status`, from the store alone."""
        return ()

    @staticmethod
    def ending(failures: Mapping[str, int]) -> Iterable[str]:
        """Sentences for the end of a run. failures: numbers of pages by the reasons for which they were given up."""
        return ()

    @staticmethod
    def rules() -> "Iterable[Rule]":
        """Rules for `minicrawl audit`."""
        return ()


@cache
def parts() -> tuple[type[Part], ...]:
    """The parts that are there, by the names of their modules."""
    names = sorted(one.name for one in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    kinds = (kind for module in modules for kind in vars(module).values() if isinstance(kind, type))
    return tuple(kind for kind in kinds if issubclass(kind, Part) and kind is not Part)


import minicrawl.settings  # noqa: E402, F401 - which reads all parts, before one is imported alone
