"""Misleading and slow answers: a site with the faults planted, crawled at all defaults, has those and no others."""

from pathlib import Path

import httpx
import pytest
from support.audits import Faulty, Reply, found_in
from support.behaviours import BEHAVIOURS, HOME, BehavingServer
from support.sites import EVERYTHING, crawl
from support.skipping import run

from minicrawl.api import acrawl
from minicrawl.settings import PROFILES


def test_soft_404s_are_told_and_no_broken_links_as_well(tmp_path: Path) -> None:
    server = BehavingServer(BEHAVIOURS["one folder"], "mixed", 1)
    crawl(server, tmp_path / "crawl.db", [HOME], **EVERYTHING)  # else some of them are left out
    found = found_in(tmp_path / "crawl.db", "soft-404", "broken-link")
    assert found == {"soft-404": dict.fromkeys(server.dead, 1)}


class Polite(Faulty):
    """Says of every other page that it is not there, with status 200."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        if url not in self.web and not url.endswith("/robots.txt"):
            self.web = {**self.web, url: Reply("/", title="Page not found", body="<p>Nothing is here.")}
        return await super().handle_async_request(request)


@pytest.mark.parametrize(("path", "is_last"), [("lost", True), ("shop/lost", False)])
def test_one_link_is_enough_for_a_page_that_says_it_is_not_found(path: str, is_last: bool, tmp_path: Path) -> None:
    """Even if it is the last page of its host. Nothing else is told of it, such as that it has no heading."""
    home, lost = "http://a.test/", f"http://a.test/{path}"
    if is_last:
        pages = {home: Reply("/a"), f"{home}a": Reply("/b"), f"{home}b": Reply(lost)}
    else:
        pages = {home: Reply(f"{lost} /a /b /c"), **{f"{home}{name}": Reply("/") for name in "abc"}}
    run(acrawl([home], tmp_path / "crawl.db", transport=Polite(pages), **PROFILES["audit"]), grace=0.0)
    found = found_in(tmp_path / "crawl.db")
    assert {rule for rule, targets in found.items() if lost in targets} == {"soft-404"}
    assert found["soft-404"] == {lost: 1}
