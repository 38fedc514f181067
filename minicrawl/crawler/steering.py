"""Change a crawl while it runs: settings, seeds, bans, the next page. At once, or not at all.

Each change is made between two answers, and is in the store with the next commit. A fault in it raises a ConfigError,
before anything has changed.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any  # Any: settings as given

from minicrawl import log
from minicrawl.crawler.admission.seeds import Seeds, guesses, names, spelled
from minicrawl.crawler.books.stored_forms import ASKED_FIRST, BANNED_HOSTS, asked_first, banned_hosts
from minicrawl.crawler.due_requests import DueRequests
from minicrawl.crawler.engine import Engine
from minicrawl.crawler.hosts.clocks import Host
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.remembered_settings import shown
from minicrawl.errors import SettingError
from minicrawl.events import HostBanned, HostUnbanned, PageAskedAgain, SeedsAdded, SettingChanged
from minicrawl.model import READ, State
from minicrawl.setting import LIVE
from minicrawl.settings import SETTINGS, CrawlSettings, option
from minicrawl.store.declaration import MetaValue
from minicrawl.store.writer import Writer
from minicrawl.web.urls.keys import origin_of, politeness_key


def adjusted(settings: CrawlSettings, given: Mapping[str, Any]) -> CrawlSettings:
    """The settings with some changed. Raises SettingError, also for one that cannot change while a crawl runs."""
    CrawlSettings.of(given)
    for name in given:
        if name not in SETTINGS or LIVE not in SETTINGS[name].marks:
            others = ", ".join(name for name, setting in SETTINGS.items() if LIVE in setting.marks)
            raise SettingError(
                f"{option(name)} cannot change while a crawl runs: stop it, and start it again with another value; "
                f"you can change {others}"
            )
    return replace(settings, **given)


class Changes:
    """Makes changes, tells of them, and has them saved. `settings`: the present ones.

    Invariant: a commit writes the settings, bans and next pages that are in memory.
    """

    def __init__(self, settings: CrawlSettings, intake: Intake, requests: DueRequests, engine: Engine) -> None:
        self._folder = intake.state.writer.path.parent
        self.settings, self._settings_json = settings, settings.to_json(self._folder)
        self._intake, self._state = intake, intake.state
        self._accounts, self._frontier = intake.state.accounts, intake.state.frontier
        self._waiting = self._frontier.pages
        self._requests = requests
        self._engine = engine
        self._tell = engine.events.tell
        for name in banned_hosts(self._state.writer):
            if (host := self._state.hosts.known(name)) is not None:
                self._frontier.ban(host, 0.0)
        for page in asked_first(self._state.writer):
            self._frontier.put_first(page, 0.0)
        self._kept = self._meta()
        intake.savers.append(self.save)
        if settings.until_coverage is not None:
            self._accounts.coverage.ends_crawl = True

    def save(self, writer: Writer) -> None:
        state = self._meta()
        if state != self._kept:
            writer.save_meta(state)
            self._kept = state

    # Settings.

    def adjust(self, settings: CrawlSettings, now: float) -> tuple[SettingChanged, ...]:
        """Go on with other settings, see `adjusted`, and return the changes; workers are changed elsewhere."""
        before, self.settings, self._settings_json = self.settings, settings, settings.to_json(self._folder)
        changed = {name for name in SETTINGS if getattr(before, name) != getattr(settings, name)}
        self._engine.adjust(settings)
        self._requests.settings = settings
        self._intake.on_settings(settings, changed, now)
        events = tuple(
            SettingChanged(now, name, shown(name, getattr(before, name)), shown(name, getattr(settings, name)))
            for name in SETTINGS
            if name in changed
        )
        for event in events:
            self._tell(event)
        return events

    # Seeds and pages.

    def add_seeds(self, seeds: Seeds, now: float) -> int:
        """Make seeds known, and ask again for those that were given up. Returns the number of new ones."""
        intake = self._intake
        seeds = self._spelled(seeds)
        size = intake.state.accounts.size
        intake.add_seeds(seeds.urls, now, seeds.guessed)
        for page in intake.state.urls.find(seeds.urls):
            if page is not None and page < size and self._is_given_up(page):
                self._ask_again(page, now)
        new = intake.state.accounts.size - size
        self._tell(SeedsAdded(now, len(seeds.urls), new))
        return new

    def ask_again(self, text: str, now: float) -> str:
        """Make the page of a URL next on its host, even if it was read or given up before.

        Returns the URL by which the page is known.
        """
        url, page = self._known_page(text)
        pages = self._state.pages
        if self._accounts.had_turn[page] and pages.last_state(page) == State.GONE:
            raise SettingError(f"{url} is gone: the last fetch did not find it")
        self._ask_again(page, now)
        self._tell(PageAskedAgain(now, url))
        return url

    def _ask_again(self, page: int, now: float) -> None:
        intake, frontier = self._intake, self._frontier
        is_given_up = self._is_given_up(page)
        if is_given_up:
            intake.state.accounts.unvisit(page)
            intake.state.pages.ask_again(page)
            intake.robots.forget_failure(origin_of(intake.state.urls.url(page)), now)
        frontier.put_first(page, now, is_new=is_given_up)

    def _is_given_up(self, page: int) -> bool:
        """True if nothing was found at a page in its last turn, and it waits for no other."""
        if not self._accounts.had_turn[page]:
            return False
        state = self._state.pages.last_state(page)
        return state not in READ and state != State.GONE and self._waiting.is_given_up(page)

    # Bans.

    def ban(self, text: str, now: float) -> str:
        """Ban a host: request nothing more of it; its pages wait. Returns its name."""
        host = self._known_host(text)
        self._frontier.ban(host, now)
        self._tell(HostBanned(now, host.name))
        log.event("host-banned", host=host.name)
        return host.name

    def unban(self, text: str, now: float) -> str:
        """Lift a ban: the pages of the host have their turns again. Returns its name."""
        host = self._known_host(text)
        if not host.is_banned:
            raise SettingError(f"{host.name} is not banned; banned are: {', '.join(self.banned()) or 'none'}")
        self._frontier.ban(host, now, is_banned=False)
        self._tell(HostUnbanned(now, host.name))
        log.event("host-unbanned", host=host.name)
        return host.name

    def banned(self) -> tuple[str, ...]:
        return tuple(host.name for host in self._frontier.banned())

    # Reading texts, and saving.

    def _known_page(self, text: str) -> tuple[str, int]:
        """URL and number of the page named by a text."""
        meant = names(text)
        if not meant:
            raise SettingError(f"{text!r} is not an http or https URL")
        urls = self._spelled(Seeds(meant)).urls
        for url, page in zip(urls, self._state.urls.find(urls), strict=True):
            if page is not None:
                return url, page
        raise SettingError(f"{urls[0]} is not known to this crawl; add it as a seed")

    def _known_host(self, text: str) -> Host:
        meant = guesses(text)
        name = politeness_key(meant[0]) if meant else text
        host = self._state.hosts.known(name)
        if host is None:
            raise SettingError(f"{name} is not a host of this crawl")
        return host

    def _spelled(self, seeds: Seeds) -> Seeds:
        find = self._state.urls.find

        def known(urls: list[str]) -> set[str]:
            return {url for url, page in zip(urls, find(urls), strict=True) if page is not None}

        return spelled(seeds, known, keep_parameters=self.settings.keep_parameters)

    def _meta(self) -> dict[str, MetaValue]:
        return {
            "settings": self._settings_json,
            BANNED_HOSTS: json.dumps(self.banned()),
            ASKED_FIRST: json.dumps(sorted(self._waiting.first)),
        }
