"""What a crawl says at its end of hosts that are ill, and when it goes on."""

import json
from pathlib import Path

import pytest
from support.command_line import run
from support.small_web import Pages, small_web


class Tiring(Pages):
    """Hosts of the small web; one of them refuses all but its home page and its robots.txt once it has shown one."""

    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        self.server.shown = shown = getattr(self.server, "shown", 0) + (self.path != "/robots.txt")  # type: ignore[attr-defined]
        if self.headers["Host"].startswith("ill.test") and shown > 2:
            self.answer(503, b"later")
        else:
            super().do_GET()


@pytest.mark.parametrize(("host", "waiting"), [("ill.test", 2), ("well.test", 0)])
def test_the_end_says_for_which_hosts_pages_wait_and_the_next_run_where_it_goes_on(
    tmp_path: Path, host: str, waiting: int
) -> None:
    store = tmp_path / "crawl.db"
    with small_web(Tiring) as port:
        words = [f"http://{host}/", "--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0s"]
        words += ["--scope", "host", "--patience", "0s", "--store", str(store)]
        quiet = run("crawl", *words, "-q")
        again = run("crawl", *words, "--no-progress")
        told = json.loads(run("crawl", *words, "--json", "-q").stdout)
    assert quiet.exit_code == again.exit_code == 0
    is_ill = host == "ill.test"
    line = f"1 host is ill (1 down): {waiting} pages wait; the next run tries it first."
    assert (line in quiet.stdout) == is_ill
    assert ("only pages of ill hosts are left, and --patience has run out." in quiet.stdout) == is_ill
    assert (f"{waiting} waiting for ill hosts" in quiet.stdout) == is_ill
    assert ("which ended with ill hosts" in again.stderr) == is_ill
    assert (f"{waiting} wait ({waiting} for ill hosts)" in again.stderr) == is_ill
    assert (told["ill_hosts"], told["ill_pages"]) == (({"down": 1}, waiting) if is_ill else ({}, 0))
    assert told["unasked"]["ill"] == waiting
