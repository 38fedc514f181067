"""Who is refused: all that another page, another user or a rebound name can send."""

import pytest

from minicrawl.dashboard.http_server import Guard, Request

GUARD = Guard(8000, "the-right-token")
OURS = {"host": "127.0.0.1:8000", "authorization": "Bearer the-right-token"}
POST = {**OURS, "origin": "http://127.0.0.1:8000", "content-type": "application/json"}


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", OURS, None),
        ("POST", POST, None),
        ("GET", {**OURS, "host": "localhost:8000", "origin": "http://localhost:8000"}, None),
        ("GET", {**OURS, "host": "[::1]:8000"}, None),
        ("GET", {**OURS, "host": "LOCALHOST:8000", "sec-fetch-site": "same-origin"}, None),
        ("POST", {**POST, "content-type": "Application/JSON; charset=utf-8"}, None),
        # no token, a wrong one
        ("GET", {"host": "127.0.0.1:8000"}, 401),
        ("GET", {**OURS, "authorization": "Bearer the-wrong-token"}, 401),
        ("GET", {**OURS, "authorization": "Basic the-right-token"}, 401),
        ("GET", {**OURS, "authorization": "Bearer the-right-token\xe9"}, 401),
        # a name that was rebound to loopback
        ("GET", {**OURS, "host": "evil.test"}, 421),
        ("GET", {**OURS, "host": "127.0.0.1:8001"}, 421),
        ("GET", {**OURS, "host": "127.0.0.1"}, 421),
        ("GET", {**OURS, "host": "127.0.0.1:8000.evil.test"}, 421),
        ("GET", {"authorization": "Bearer the-right-token"}, 421),
        # a page from elsewhere
        ("GET", {**OURS, "origin": "http://evil.test"}, 403),
        ("POST", {**POST, "origin": "null"}, 403),
        ("POST", {**POST, "origin": "http://127.0.0.1:8001"}, 403),
        ("POST", {**POST, "origin": "https://127.0.0.1:8000"}, 403),
        ("GET", {**OURS, "sec-fetch-site": "cross-site"}, 403),
        # what a form can send
        ("POST", {**POST, "content-type": "text/plain"}, 415),
        ("POST", {**POST, "content-type": "application/x-www-form-urlencoded"}, 415),
        ("POST", {name: value for name, value in POST.items() if name != "content-type"}, 415),
    ],
)
def test_requests_are_refused_or_not(method: str, headers: dict[str, str], status: int | None) -> None:
    refusal = GUARD.refusal(Request(method, "/api/now", headers=headers), needs_token=True)
    assert (refusal and refusal.status) == status


def test_the_page_itself_needs_no_token_but_all_else() -> None:
    headers = {"host": "127.0.0.1:8000"}
    assert GUARD.refusal(Request("GET", "/", headers=headers), needs_token=False) is None
    refusal = GUARD.refusal(Request("GET", "/", headers={"host": "evil.test"}), needs_token=False)
    assert refusal is not None
    assert refusal.status == 421


def test_on_the_port_of_http_the_name_stands_alone() -> None:
    assert Guard(80, "t").refusal(Request("GET", "/", headers={"host": "localhost"}), needs_token=False) is None
