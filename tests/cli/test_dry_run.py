"""crawl --dry-run"""

import socket
from pathlib import Path

import pytest
from support.command_line import HOME, answer, run


@pytest.fixture(autouse=True)
def _no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("nothing may be asked for")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


def test_plan_of_a_new_crawl(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("https://a.test/\nhttps://a.test/b\nhttp://b.test/?utm_source=x\n")
    words = ("--delay", "2", "--jump", "pages", "--store", tmp_path / "crawl.db", "--dry-run")
    result = run("crawl", tmp_path / "seeds.txt", *words)
    assert result.exit_code == 0
    assert result.stdout == (
        "3 pages would wait for their first request.\n"
        "First requests by host, in seconds from the start at the earliest:\n"
        "\n"
        "a.test, a request every 2 s\n"
        "      0.0  https://a.test/robots.txt\n"
        "      2.0  https://a.test/\n"
        "      4.0  https://a.test/b\n"
        "\n"
        "b.test, a request every 2 s\n"
        "      0.0  http://b.test/robots.txt\n"
        "      2.0  http://b.test/\n"
        "\n"
        "Made no requests and wrote nothing.\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["seeds.txt"]


def test_plan_of_a_crawl_that_goes_on(store: Path) -> None:
    told = answer("crawl", HOME + "b", HOME + "c", "--store", store, "--dry-run")
    assert [one["url"] for host in told["hosts"] for one in host["requests"] if one["is_page"]] == [HOME + "c"]
