"""Names are looked up once in ten minutes, those that do not exist once a minute, by a server that need not answer."""

import asyncio
import socket
from typing import Any

import aiodns
import pytest

from minicrawl.timing import STANDARD, Timing
from minicrawl.web.net.addresses import GRACE, DnsCache, NameServerError

NOT_FOUND = aiodns.error.DNSError(aiodns.error.ARES_ENOTFOUND, "Domain name not found")
FAILED = aiodns.error.DNSError(aiodns.error.ARES_ESERVFAIL, "DNS server returned general failure")
NO_ANSWER = aiodns.error.DNSError(aiodns.error.ARES_ETIMEOUT, "Timeout while contacting DNS servers")


class NameServer(DnsCache):
    """Answers from a list, and counts."""

    def __init__(self, *answers: Any, most: int = 100_000) -> None:
        self.now, self.asked, self.answers = 0.0, 0, list(answers)
        super().__init__(clock=lambda: self.now, most=most)

    async def look_up(self, name: str) -> tuple[str, ...]:
        self.asked += 1
        answer: tuple[str, ...] | BaseException = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def answer(self, now: float = 0.0, grace: float = 0.0) -> tuple[str, ...]:
        self.now = now
        return asyncio.run(self.addresses("a.test", grace))

    def ask(self, now: float = 0.0, grace: float = 0.0) -> tuple[str, ...] | str:
        """The addresses of a name at a time, or the failure."""
        try:
            return self.answer(now, grace)
        except socket.gaierror as error:
            return str(error).partition(": ")[2]


def test_an_answer_holds_for_its_lifetime() -> None:
    server = NameServer(("192.0.2.1",), ("192.0.2.2",))
    assert [server.ask(0.0), server.ask(STANDARD.name - 1)] == [("192.0.2.1",)] * 2
    assert server.asked == 1
    assert server.ask(STANDARD.name) == ("192.0.2.2",)


def test_a_connection_goes_where_it_was_said_to_go() -> None:
    """The address was asked for just before the answer ran out; the connection is made after that."""
    server = NameServer(("192.0.2.1",))
    assert server.ask(0.0) == server.ask(STANDARD.name + GRACE - 1, grace=GRACE) == ("192.0.2.1",)


NO_DATA = aiodns.error.DNSError(aiodns.error.ARES_ENODATA, "DNS server returned answer with no data")


@pytest.mark.parametrize(
    ("failure", "passes"),
    [
        *((failure, False) for failure in (NOT_FOUND, NO_DATA, UnicodeError("label empty"), ())),
        *((failure, True) for failure in (FAILED, NO_ANSWER, TimeoutError())),
    ],
    ids=repr,
)
def test_a_failure_holds_for_a_minute_and_shorter_if_it_may_pass(failure: object, passes: bool) -> None:
    server = NameServer(failure, ("192.0.2.1",))
    lifetime = STANDARD.no_name_server if passes else STANDARD.no_name
    for now in (0.0, lifetime - 1):
        with pytest.raises(socket.gaierror) as error:
            server.answer(now)
        assert isinstance(error.value, NameServerError) is passes
    assert server.asked == 1
    assert server.ask(lifetime) == ("192.0.2.1",)


def test_a_page_that_is_tried_again_asks_the_name_server_again() -> None:
    assert STANDARD.no_name_server <= STANDARD.retry


@pytest.mark.parametrize("failure", [FAILED, NO_ANSWER, TimeoutError()], ids=repr)
def test_an_old_answer_stands_in_where_the_name_server_fails(failure: Exception) -> None:
    server = NameServer(("192.0.2.1",), failure, ("192.0.2.2",))
    server.ask(0.0)
    assert server.ask(STANDARD.name) == ("192.0.2.1",)
    assert server.ask(STANDARD.name + STANDARD.no_name) == ("192.0.2.2",)


def test_an_old_answer_does_not_stand_in_for_a_name_that_is_no_more() -> None:
    server = NameServer(("192.0.2.1",), NOT_FOUND)
    server.ask(0.0)
    assert server.ask(STANDARD.name) == "Domain name not found"


def test_what_is_kept_is_bounded() -> None:
    server = NameServer(*[("192.0.2.1",)] * 10, most=3)
    for number in range(10):
        asyncio.run(server.addresses(f"h{number}"))
    assert list(server._kept) == ["h7", "h8", "h9"]


async def test_a_silent_name_server_is_given_up() -> None:
    """On a real socket that never answers."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
        deaf.bind(("127.0.0.1", 0))
        silent, port = DnsCache(Timing(look_up=0.05)), deaf.getsockname()[1]
        silent._resolver = aiodns.DNSResolver(nameservers=["127.0.0.1"], udp_port=port, timeout=1.0)
        with pytest.raises(socket.gaierror, match="the name server does not answer"):
            await silent.addresses("a.example.org")
        await silent.close()


async def test_the_hosts_file_is_honoured() -> None:
    real = DnsCache()
    assert set(await real.addresses("localhost")) & {"127.0.0.1", "::1"}
    await real.close()
