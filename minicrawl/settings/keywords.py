"""The keywords of `minicrawl.crawl` with their types, for editors: written by packaging/settings.py."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from minicrawl.web.http.header import Header
from minicrawl.web.net.routes import ConnectTo, ProxyRule


class Keywords(TypedDict, total=False):
    """Settings by name, each as a value or as the text that the command line takes."""

    pages: int | str | None
    time: float | str | None
    bytes: int | str | None
    until_coverage: float | str | None
    patience: float | str
    retry: str | Sequence[str]
    host_pages: int | str | None
    scope: str
    allow: str | Sequence[str]
    deny: str | Sequence[str]
    max_depth: int | str | None
    sitemaps: bool
    traps: bool
    keep_parameters: bool
    ask: str | Sequence[str]
    delay: float | str
    host_delay: str | Sequence[str]
    ip_delay: float | str | None
    per_host: int | str
    concurrency: int | str
    workers: int | str
    ignore_robots: bool
    respect_usage: str | Sequence[str]
    strategy: str
    jump: str
    discovery: float | str
    refresh: bool
    refresh_min: float | str
    recrawl_after: float | str | None
    boost: str | Sequence[str]
    topic: str
    text: bool
    audit: bool
    extract: str | Sequence[str]
    extract_structured: bool
    items: str
    hook: str | Sequence[str]
    search: bool
    pdf: bool
    render: str | Sequence[str]
    chromium: Path | str | None
    screenshots: bool
    archive: Path | str | None
    from_archive: str | Path | Sequence[str | Path]
    dedup: bool
    requisites: bool
    contact: str
    user_agent: str
    header: str | Sequence[str | Header]
    sign: Path | str | None
    signature_agent: str
    auth: str | Sequence[str | Header]
    cookies: bool
    cookie_file: Path | str | None
    follow_actions: bool
    proxy: str | Sequence[str | ProxyRule]
    connect_to: str | Sequence[str | ConnectTo]
    ca_file: Path | str | None
    client_cert: Path | str | None
    allow_private: bool
    timeout: float | str
    max_size: int | str
