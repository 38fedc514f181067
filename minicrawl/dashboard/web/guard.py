"""Access control. A server on loopback can be reached by every page that a browser on this machine shows.

Host      a page that has rebound its own name to 127.0.0.1 sends that name, not ours. 421
Origin    a page from elsewhere: the browser sends its origin. 403
token     a client without our printed URL: another user, a page that guesses. 401
JSON      a form of another page cannot send it. 415
"""

import hmac
from dataclasses import dataclass

from minicrawl.dashboard.web.http_server import Answer, Request, refused

_NAMES = ("127.0.0.1", "localhost", "[::1]")
_SAME = ("same-origin", "none")
"""Values of Sec-Fetch-Site for our page, and for a typed address."""


@dataclass(frozen=True)
class Guard:
    """Refuses requests. `port`: our own; `token`: required for all but the page itself."""

    port: int
    token: str

    def refusal(self, request: Request, *, needs_token: bool) -> Answer | None:
        """The answer to a refused request; None if it is allowed."""
        headers = request.headers
        hosts = {f"{name}:{self.port}" for name in _NAMES} | (set(_NAMES) if self.port == 80 else set())
        if headers.get("host", "").lower() not in hosts:
            return refused(421, "this server answers as 127.0.0.1 and localhost only")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if (origin is not None and origin.lower() not in {f"http://{host}" for host in hosts}) or site not in _SAME:
            return refused(403, "no other page may ask this server")
        if needs_token and not self.has_token(request):
            return refused(401, "the token is missing or wrong: take the one that minicrawl has printed")
        if request.method == "POST" and request.media_type != "application/json":
            return refused(415, "only JSON is taken")
        return None

    def has_token(self, request: Request) -> bool:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        is_right = hmac.compare_digest(token.strip().encode("latin-1", "replace"), self.token.encode("latin-1"))
        return scheme.lower() == "bearer" and is_right
