"""All settings of a crawl in one frozen value."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: settings as given

from minicrawl.errors import SettingError, hint
from minicrawl.parts import parts
from minicrawl.setting import ONE_RUN, kept_path, whole_path
from minicrawl.settings.options import LINKED, SETTINGS, Options
from minicrawl.settings.requests import is_mail_address

_FILES = frozenset(name for name, setting in SETTINGS.items() if setting.may_be_gone)
_PATHS = frozenset(name for name, setting in SETTINGS.items() if setting.is_path)

PROFILES: Mapping[str, Mapping[str, Any]] = {
    "audit": {"scope": LINKED, "keep_parameters": True, "audit": True, "text": True, "requisites": True},
    "archive": {"scope": "site", "keep_parameters": True, "archive": "archive", "requisites": True},
    "search": {"search": True},
    "rank": {"sitemaps": False, "until_coverage": 0.9},
}
"""Named sets of settings: to check a site, archive it, search it, or rank a web."""

DISCOVERY_BESIDE_REFRESH = 0.7


if TYPE_CHECKING:
    _AllOptions = Options
else:  # with those of parts
    _AllOptions = type("_AllOptions", (Options, *(part.SETTINGS for part in parts() if part.SETTINGS)), {})


@dataclass(frozen=True)
class CrawlSettings(_AllOptions):
    """All settings of a crawl. Raises SettingError for an invalid value.

    Texts are read as on the command line: time="30m", bytes="2GB", until_coverage="90%", delay="1s",
    connect_to="::127.0.0.1:8080", ca_file="ca.pem"; and one text where there may be several.
    """

    def __post_init__(self) -> None:
        for name, setting in SETTINGS.items():
            object.__setattr__(self, name, setting.of(getattr(self, name)))
        if self.recrawl_after is not None and self.refresh_min > self.recrawl_after:
            raise SettingError(
                f"--refresh-min must be at most --recrawl-after, {self.recrawl_after:g} s, not {self.refresh_min:g} s"
            )
        if self.respect_usage and self.ignore_robots:
            raise SettingError("--respect-usage needs robots.txt, and --ignore-robots ignores it; leave one out")

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "CrawlSettings":
        """Settings by name, as they are given here and now.

        Raises SettingError, also for a name that no setting has.
        """
        for name in given:
            if name not in SETTINGS:
                way_out = hint(name, SETTINGS, "docs/settings.md has them all")
                raise SettingError(f"no setting is called {name!r}; {way_out}")
        return cls(**given)

    @property
    def has_secrets(self) -> bool:
        """True if requests to some hosts carry secrets."""
        return bool(self.auth) or self.client_cert is not None or any(header.is_secret for header in self.header)

    @property
    def agent(self) -> str:
        """The User-Agent header: the crawler's name and contact."""
        return f"{self.user_agent} (+{self.contact})" if self.contact else self.user_agent

    @property
    def sender(self) -> str | None:
        """The From header (RFC 9110 10.1.2), which takes a mail address only."""
        return self.contact if is_mail_address(self.contact) else None

    @property
    def keeps_text(self) -> bool:
        """True if the text of pages is kept; the index is built from it."""
        return self.text or self.search

    @property
    def extracts(self) -> bool:
        """True if items are extracted from pages."""
        return bool(self.extract or self.extract_structured)

    @property
    def refreshes(self) -> bool:
        """True if read pages are fetched again when due."""
        return self.refresh or self.recrawl_after is not None or self.discovery < 1.0

    @property
    def discovery_share(self) -> float:
        """Share of the fetches for pages never read. With refreshes, 1 would leave nothing for them."""
        return DISCOVERY_BESIDE_REFRESH if self.refreshes and self.discovery >= 1.0 else self.discovery

    @property
    def delay_per_address(self) -> float:
        """Seconds between two requests to one IP address; 0 for no limit."""
        return self.delay if self.ip_delay is None else self.ip_delay

    def to_json(self, folder: Path) -> str:
        """The settings for a store in `folder`, to resume the crawl and to explain it later.

        Headers, and logins for hosts or a proxy, are left out: they may be secret.
        """
        shown = self.shown()
        del shown["header"]
        return json.dumps(_with_paths(shown, lambda path: kept_path(path, folder)))

    def shown(self) -> dict[str, Any]:
        """The settings by name, as JSON values, without secrets."""
        shown = {name: setting.hide(getattr(self, name)) for name, setting in SETTINGS.items()}
        return {name: str(value) if isinstance(value, Path) else value for name, value in shown.items()}

    def not_default(self) -> dict[str, Any]:
        """The settings that differ from their defaults by name, as JSON values, without secrets."""
        shown = self.shown()
        return {name: shown[name] for name, one in SETTINGS.items() if getattr(self, name) != one.default}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "CrawlSettings":
        """Settings as the store keeps them, to explain a crawl; files that they name may be gone."""
        return cls(**{name: value for name, value in kept.items() if name in SETTINGS and name not in _FILES})


def profile_of(name: str, folder: Path) -> dict[str, Any]:
    """The settings of a profile. folder: of the store, beside which an archive is kept."""
    return {key: folder / value if key == "archive" else value for key, value in PROFILES[name].items()}


def in_full(kept: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Settings kept by a store in `folder`, with absolute paths."""
    return _with_paths(kept, lambda path: whole_path(path, folder))


def lasting(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that the next run inherits."""
    return {name: value for name, value in kept.items() if name in SETTINGS and ONE_RUN not in SETTINGS[name].marks}


def _with_paths(settings: Mapping[str, Any], changed: Callable[[str], str]) -> dict[str, Any]:
    """Settings with `changed` applied to each path; malformed values are left for the reader to reject."""

    def of(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [of(one) for one in value]
        return changed(value) if isinstance(value, str) else value

    return {name: of(value) if name in _PATHS else value for name, value in settings.items()}
