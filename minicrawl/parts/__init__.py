"""Optional capabilities of a crawl, a folder each. Nothing else names one: take its folder away, and it is gone.

A part is a subclass of `Part`. In its `__init__.py` stand also its tables, its events of the log, and its settings:

    @dataclass(frozen=True)
    class PdfSettings:
        pdf: bool = setting(False, FLAG, "Read PDF files as pages ...")

All are read at the start of every command, so a part imports where it is used what takes time. docs/parts.md has
recipes; `part` is the contract.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import util
from types import ModuleType
from typing import TYPE_CHECKING, Any  # Any: JSON

from minicrawl.errors import SettingError
from minicrawl.parts.part import CONTRACT, Part

if TYPE_CHECKING:
    from minicrawl.settings import CrawlSettings
    from minicrawl.store.reader import Store

__all__ = ["CONTRACT", "Figures", "Part", "figures_of", "module", "of_part", "pages_left_out", "parts", "wanted_fields"]

Figures = Mapping[str, Mapping[str, Any]]
"""Those of parts, by the names of their folders."""


@cache
def parts() -> tuple[type[Part], ...]:
    """The parts that are there, by the names of their folders."""
    names = sorted(one.name for one in pkgutil.iter_modules(__path__) if one.ispkg)
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    kinds = (kind for module in modules for kind in vars(module).values() if isinstance(kind, type))
    return tuple(kind for kind in kinds if issubclass(kind, Part) and kind is not Part)


def name_of(part: type[Part]) -> str:
    """The name of a part's folder."""
    return part.__module__.removeprefix(f"{__name__}.").partition(".")[0]


def figures_of(store: "Store", *names: str) -> Figures:
    """The figures of all parts, or of those with these names that are installed. Raises StoreError."""
    return {name_of(part): part.figures(store) for part in parts() if not names or name_of(part) in names}


def pages_left_out(figures: Figures) -> int:
    """The number of pages that wait, and will not be read."""
    return sum(of.get("left_out", 0) for of in figures.values())


def module(name: str) -> ModuleType:
    """A module of a part by its name, such as "signing.keys", for a command. Raises SettingError if the part is not
    installed."""
    part = name.partition(".")[0]
    if util.find_spec(f"{__name__}.{part}") is None:
        raise SettingError(f"this needs {part.replace('_', ' ')}, a part of minicrawl that is not installed")
    return importlib.import_module(f"{__name__}.{name}")


def of_part(kind: type) -> bool:
    """True if a class, such as a kind of rows, is of a part."""
    return kind.__module__.startswith(f"{__name__}.")


def wanted_fields(settings: "CrawlSettings") -> list[str]:
    """The header fields of answers that parts want: their names, in lower case."""
    return sorted({name for part in parts() for name in part.wants(settings)})
