"""Types of settings in Python, by name: values, or texts as on the command line."""

from __future__ import annotations  # for help that shows types as they are written here

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypedDict

from minicrawl.settings.crawl import AsBefore
from minicrawl.settings.requests import ConnectTo


class AdjustableSettings(TypedDict, total=False):
    """Settings that may be changed while a crawl runs."""

    pages: int | str | AsBefore | None
    time: float | str | AsBefore | None
    bytes: int | str | AsBefore | None
    until_coverage: float | str | AsBefore | None
    scope: str | AsBefore
    allow: str | Iterable[str] | AsBefore
    deny: str | Iterable[str] | AsBefore
    max_depth: int | str | AsBefore | None
    html_only: bool | AsBefore
    sitemaps: bool | AsBefore
    delay: float | str | AsBefore
    ip_delay: float | str | AsBefore | None
    per_host: int | str | AsBefore
    concurrency: int | str | AsBefore
    workers: int | str | AsBefore
    boost: str | Iterable[str] | AsBefore


class GivenSettings(AdjustableSettings, total=False):
    """All settings of a crawl."""

    retry: str | Iterable[str] | AsBefore
    host_pages: str | Iterable[str] | AsBefore
    host_delay: str | Iterable[str] | AsBefore
    traps: bool | AsBefore
    keep_parameters: bool | AsBefore
    probe: bool | AsBefore
    merge_duplicates: bool | AsBefore
    ignore_robots: bool | AsBefore
    respect_usage: str | Iterable[str] | AsBefore
    strategy: str | AsBefore
    surfer: str | AsBefore
    jump: str | AsBefore
    discovery: float | str | AsBefore
    refresh: bool | AsBefore
    refresh_min: float | str | AsBefore
    recrawl_after: float | str | AsBefore | None
    refresh_rule: str | Iterable[str] | AsBefore
    topic: str | AsBefore
    on_change: str | AsBefore
    text: bool | AsBefore
    pdf: bool | AsBefore
    audit: bool | AsBefore
    extract: str | Iterable[str] | AsBefore
    extract_rule: str | Mapping[str, object] | Iterable[str | Mapping[str, object]] | AsBefore
    extract_structured: bool | AsBefore
    items: str | AsBefore
    hook: str | Iterable[str] | AsBefore
    hook_timeout: float | str | AsBefore
    hook_network: bool | AsBefore
    search: bool | AsBefore
    render: str | Iterable[str] | AsBefore
    chromium: str | Path | AsBefore | None
    render_timeout: float | str | AsBefore
    screenshots: bool | AsBefore
    archive: str | Path | AsBefore | None
    from_archive: str | Path | Iterable[str | Path] | AsBefore
    archive_size: int | str | AsBefore
    dedup: bool | AsBefore
    archive_types: str | Iterable[str] | AsBefore
    archive_noarchive: bool | AsBefore
    requisites: bool | AsBefore
    requisites_bytes: int | str | AsBefore | None
    contact: str | AsBefore
    user_agent: str | AsBefore
    header: str | Iterable[str] | AsBefore
    sign: str | Path | AsBefore | None
    signature_agent: str | AsBefore
    auth: str | Iterable[str] | AsBefore
    netrc: bool | AsBefore
    client_cert: str | Iterable[str] | AsBefore
    cookies: bool | AsBefore
    cookie_file: str | Path | AsBefore | None
    proxy: str | Iterable[str] | AsBefore
    connect_to: str | ConnectTo | Iterable[str | ConnectTo] | AsBefore
    ca_file: str | Path | AsBefore | None
    allow_private: bool | AsBefore
    timeout: float | str | AsBefore
    max_size: int | str | AsBefore


ADJUSTABLE = frozenset(AdjustableSettings.__annotations__)
