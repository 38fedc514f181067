"""Pages and forms as a browser asks for them: with cookies, and through redirects to the last page.

For logins alone: a crawl's own requests are those of fetch.py. Nothing of this is shown to a capture.
"""

import asyncio
from collections.abc import Callable, Set
from typing import NamedTuple, Self
from urllib.parse import urljoin

from minicrawl.errors import FetchError
from minicrawl.timing import STANDARD
from minicrawl.web.http.body import Body
from minicrawl.web.http.connection_pool import ConnectionPool, WireTransport
from minicrawl.web.http.cookies import CookieJar
from minicrawl.web.http.credentials import Headers, Proxies, proxies_of_environment
from minicrawl.web.http.fetch import FetchOptions, own_fields, tls_client
from minicrawl.web.http.response_fields import HTML_TYPES, REDIRECTS, ResponseFields, media_type
from minicrawl.web.http.transport import Answer, as_fields, replaced
from minicrawl.web.net.addresses import Resolver
from minicrawl.web.urls.keys import authority, origin_of
from minicrawl.web.urls.normalise import normalise

_MOST_HOPS = 10
_KEEPS_FORM = {307, 308}
_MOST = 4 * 10**6  # bytes of a page


class Browsed(NamedTuple):
    """A page at the end of its redirects. `body`: b"" if it is not HTML."""

    url: str
    status: int
    body: bytes
    content_type: str | None


class Browsing:
    """Asks one server after another as a browser does, with the cookies of a jar. clock: Unix seconds."""

    def __init__(self, options: FetchOptions, clock: Callable[[], float], seed_origins: Set[str] = frozenset()) -> None:
        """Raises SettingError."""
        resolver = Resolver(options.connect_to, options.allow_private, STANDARD)
        self._options, self._clock = options, clock
        self._given = Headers(options.header, seed_origins, options.auth)
        proxies = Proxies(options.proxy, proxies_of_environment(), resolver.is_taken_elsewhere)
        pool = ConnectionPool(resolver, tls_client(options, seed_origins), STANDARD, most_idle=1)
        self._transport = WireTransport(pool, proxies or None)

    async def get(self, url: str, jar: CookieJar) -> Browsed:
        """The page at a normalised URL. Raises FetchError."""
        return await self._asked(url, jar, None, None)

    async def send(self, url: str, form: bytes, page: str, jar: CookieJar) -> Browsed:
        """The page that answers a form, sent from a page. Raises FetchError."""
        return await self._asked(url, jar, form, page)

    async def _asked(self, url: str, jar: CookieJar, form: bytes | None, page: str | None) -> Browsed:
        try:
            async with asyncio.timeout(self._options.timeout):
                for _ in range(_MOST_HOPS + 1):
                    answer = await self._answer(url, jar, form, page)
                    fields = ResponseFields(answer.fields)
                    jar.take(url, fields.each(b"set-cookie"), self._clock())
                    to = normalise(urljoin(url, fields.location)) if fields.location else None
                    if answer.status not in REDIRECTS or to is None:
                        return await self._read(url, answer, fields)
                    await answer.aclose()
                    if answer.status not in _KEEPS_FORM:
                        form = None
                    if form is not None and origin_of(to) != origin_of(url):
                        raise FetchError("bad-response", f"it sends the form on to {origin_of(to)}")
                    url = to
                raise FetchError("redirect-loop", f"more than {_MOST_HOPS} redirects")
        except TimeoutError as error:
            raise FetchError("timeout", f"no answer within {self._options.timeout:g} seconds") from error

    async def _answer(self, url: str, jar: CookieJar, form: bytes | None, page: str | None) -> Answer:
        origin = origin_of(url)
        fields = [("Host", authority(f"{origin}/"))]
        if page is not None:  # other origins see no more of it than its own
            fields.append(("Referer", page if origin_of(page) == origin else f"{origin_of(page)}/"))
        if form is not None:
            fields += [("Origin", origin_of(page or url)), ("Content-Type", "application/x-www-form-urlencoded")]
            fields.append(("Content-Length", str(len(form))))
        if (cookies := jar.header(url, self._clock())) is not None:
            fields.append(("Cookie", cookies))
        own = (*as_fields(fields), *own_fields(self._options))
        given = replaced(own, as_fields(self._given.going_to(origin)))
        return await self._transport.ask(url, given, self._options.sign, form)

    async def _read(self, url: str, answer: Answer, fields: ResponseFields) -> Browsed:
        try:
            body = b""
            if media_type(fields.content_type) in HTML_TYPES or fields.content_type is None:
                body, _ = await Body(answer, 0).decoded(fields.joined(b"content-encoding"), _MOST, only=None)
            return Browsed(url, answer.status, body, fields.content_type)
        finally:
            await answer.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._transport.aclose()
