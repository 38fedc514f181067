"""Ways in which a host answers, each made anew for each crawl, as some remember what they were asked."""

import socket
import ssl
import zlib
from collections.abc import Callable

import httpx
from support.ill_hosts.web import Answer, Asked, Way, page

RESET = Answer(failure=ConnectionResetError)
REFUSED = Answer(failure=ConnectionRefusedError)
NO_NAME = Answer(failure=lambda: socket.gaierror(socket.EAI_NONAME, "no such name"))
NO_TLS = Answer(failure=lambda: ssl.SSLError("handshake failed"))
SILENT = Answer(failure=lambda: httpx.ReadTimeout("nothing came"), takes=20.0)
UNCONNECTED = Answer(failure=lambda: httpx.ConnectTimeout("no connection"), takes=10.0)
WALL = Answer(body=page("Just a moment", 30))
MAINTENANCE = Answer(body="<title>Maintenance</title><p>We will be back soon.")
CHALLENGE = Answer(403, page("Attention required", 30), {"cf-mitigated": "challenge"})
LOGIN = Answer(body="<title>Log in</title><form><input type=password></form>")
REFRESH = Answer(body='<meta http-equiv=refresh content="0; url=/sorry">')
JSON = Answer(body='{"error": "too many"}', fields={"Content-Type": "application/json"})
BLANK = "<html><head><meta charset=utf-8></head><body><div id=page></div></body></html>"
UNDECODABLE = Answer(body="no gzip", fields={"Content-Encoding": "gzip"})
CUT = Answer(body="<title>It breaks off</title><p>after", is_cut=True)


def to(target: str) -> Answer:
    """A redirect."""
    return Answer(302, fields={"Location": target})


def during(seconds: float, *answers: Answer | Way, after: float = 0.0) -> Way:
    """The host says nothing else for so long. answers: in turn. after: seconds since its trouble began."""

    def way(asked: Asked) -> Answer | None:
        if not after <= asked.since < after + seconds:
            return None
        answer = answers[asked.times % len(answers)]
        return answer if isinstance(answer, Answer) else answer(asked)

    return way


def to_itself(asked: Asked) -> Answer:
    """To the page itself, which wants a cookie first."""
    return to(asked.path.partition("?")[0] if "?" in asked.path else f"{asked.path}?check={asked.times}")


def to_its_own(asked: Asked) -> Answer:
    """To a page that only this request leads to."""
    return to(f"/captcha/{asked.times}")


def among(*ways: Way) -> Way:
    """The answer of the first way that has one."""
    return lambda asked: next((answer for way in ways if (answer := way(asked)) is not None), None)


def below(answer: Answer | Way, *folders: str) -> Way:
    """The pages in some folders, or at some paths, are answered so for ever."""

    def way(asked: Asked) -> Answer | None:
        if not asked.path.startswith(folders):
            return None
        return answer if isinstance(answer, Answer) else answer(asked)

    return way


def some(answer: Answer, share: float, *, at_times: bool = False) -> Way:
    """A share of the pages, but the front page, is answered so; at_times: of the requests."""

    def way(asked: Asked) -> Answer | None:
        key = f"{asked.path} {asked.of_page if at_times else ''}"
        is_one = asked.path.startswith("/f") and zlib.crc32(key.encode()) % 1000 < share * 1000
        return answer if is_one else None

    return way


def leading_to_login(way: Callable[[Answer], Way]) -> Way:
    """What `way` answers otherwise is sent to a page for logging in."""
    return among(below(LOGIN, "/login"), way(to("/login")))


def well(asked: Asked) -> None:
    """With the page, always."""


def with_https(path: str) -> str:
    """A page that links to itself by https."""
    return f"{page(f'h0.test{path}')}<a href='https://h0.test{path}'>Read this safely</a>"


def limit(answer: Answer, *, a_minute: int = 40, ban: float = 0.0, grows: float = 1.0) -> Way:
    """More requests in a minute are answered so, and for the seconds of a ban all are. grows: factor by which each of
    these makes it longer."""
    times: list[float] = []
    until, length = 0.0, ban

    def way(asked: Asked) -> Answer | None:
        nonlocal until, length
        if asked.at < until:
            length *= grows
            until = max(until, asked.at + length) if grows > 1 else until
            return answer
        times[:] = [at for at in times if at > asked.at - 60]
        if len(times) >= a_minute:
            length = ban
            until = asked.at + ban
            return answer
        times.append(asked.at)
        return None

    return way


def bucket(answer: Answer, *, a_minute: int, burst: int) -> Way:
    """A leaky bucket: each request needs a token."""
    tokens, filled_at = float(burst), 0.0

    def way(asked: Asked) -> Answer | None:
        nonlocal tokens, filled_at
        tokens, filled_at = min(burst, tokens + (asked.at - filled_at) * a_minute / 60), asked.at
        if tokens < 1:
            return answer
        tokens -= 1
        return None

    return way


def behind_cache(seconds: float, answer: Answer) -> Way:
    """For so long only pages that were given before are answered."""
    given = set[str]()
    is_ill = during(seconds, answer)

    def way(asked: Asked) -> Answer | None:
        failed = is_ill(asked)
        if failed is None:
            given.add(asked.path)
        return None if asked.path in given else failed

    return way


def crashed_by(path: str, seconds: float) -> Way:
    """A page, when it is asked for, ends the server, which is started anew later."""
    until = 0.0

    def way(asked: Asked) -> Answer | None:
        nonlocal until
        if asked.at >= until and asked.path == path:
            until = asked.at + seconds
            return RESET
        return REFUSED if asked.at < until else None

    return way
