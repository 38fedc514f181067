"""Metadata of a setting, and its declaration as a field of a group."""

from dataclasses import dataclass, field, fields
from typing import Any  # Any: settings as given

from minicrawl.errors import SettingError
from minicrawl.settings.values import Check, Hide, Reader, anything, as_it_is, option, quoted


@dataclass(frozen=True)
class Setting:
    """Metadata of a setting.

    read, check: see values.py; None is read and checked only where it is not the default. most: the largest number
    allowed, as a user would write it. shown: the default, as help shows it. metavar: the option's argument; choices:
    the values allowed. bare: the option's value if given without one.
    is_for_one_run: the next run of the crawl does not inherit it. is_adjustable: it can change while a crawl runs.
    hide: removes secrets from a value.
    """

    name: str
    default: Any
    meaning: str
    read: Reader
    check: Check
    most: int | str | None
    shown: str | None
    metavar: str | None
    choices: tuple[str, ...]
    bare: str | None
    is_for_one_run: bool
    is_adjustable: bool
    hide: Hide

    def of(self, given: Any) -> Any:
        """Read a given value. Raises SettingError."""
        return None if given is None and self.default is None else self.read(self.name, given)

    def checked(self, value: Any) -> None:
        """Raise SettingError for an invalid value."""
        if value is not None:
            self.check(self.name, value)

    def bounded(self, given: Any) -> None:
        """Raise SettingError for a number above the bound. Stored values are exempt: another machine may be larger."""
        if self.most is not None and given is not None and (value := self.of(given)) > self.of(self.most):
            most = f"{self.most:,}" if isinstance(self.most, int) else self.most
            raise SettingError(f"{option(self.name)} must be at most {most}, not {quoted(value)}")


def setting(  # noqa: PLR0913 - what may be said of a setting, all by name
    default: Any,
    read: Reader,
    meaning: str,
    *,
    check: Check = anything,
    most: int | str | None = None,
    shown: str | None = None,
    metavar: str | None = None,
    choices: tuple[str, ...] = (),
    bare: str | None = None,
    is_for_one_run: bool = False,
    is_adjustable: bool = False,
    hide: Hide = as_it_is,
) -> Any:
    """A field of a group."""
    about = {
        "meaning": meaning,
        "read": read,
        "check": check,
        "most": most,
        "shown": shown,
        "metavar": metavar,
        "choices": choices,
        "bare": bare,
        "is_for_one_run": is_for_one_run,
        "is_adjustable": is_adjustable,
        "hide": hide,
    }
    return field(default=default, metadata=about)


def settings_of(group: type) -> dict[str, Setting]:
    """The settings of a group by name."""
    return {one.name: Setting(one.name, one.default, **one.metadata) for one in fields(group) if one.metadata}
