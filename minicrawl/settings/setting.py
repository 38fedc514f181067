"""What is known of one setting beside its value, and how a group of settings names it."""

from dataclasses import dataclass, field, fields
from typing import Any  # Any: settings as given

from minicrawl.errors import SettingError
from minicrawl.settings.values import Check, Hide, Reader, anything, as_it_is, option, quoted


@dataclass(frozen=True)
class Setting:
    """What is known of a setting beside its value.

    read, check: see values.py; None is read and checked only where it is not the default. most: the largest number that
    may be given, as a user would write it. shown: the default, as help shows it. metavar: what the option takes;
    choices: one of these. bare: what the option means without a value.
    is_for_one_run: the next run of the crawl does not go on with it. hide: makes of a value what may be shown of it.
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
    hide: Hide

    def of(self, given: Any) -> Any:
        """The value that is given. Raises SettingError."""
        return None if given is None and self.default is None else self.read(self.name, given)

    def checked(self, value: Any) -> None:
        """Raise SettingError for a value that cannot be meant."""
        if value is not None:
            self.check(self.name, value)

    def bounded(self, given: Any) -> None:
        """Raise SettingError for a number above the bound, which is for what is given here and now: a store may have
        been written on a larger machine."""
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
        "hide": hide,
    }
    return field(default=default, metadata=about)


def settings_of(group: type) -> dict[str, Setting]:
    """The settings of a group by name."""
    return {one.name: Setting(one.name, one.default, **one.metadata) for one in fields(group) if one.metadata}
