"""A capability that nothing in the product knows: one file, with its own table and its line in `why`."""

from collections.abc import Iterable
from pathlib import Path
from typing import Self

import httpx
from support.sites import Server, faults_in
from support.skipping import run

from minicrawl.analysis.explain import explain
from minicrawl.cli.why import explanation_lines
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.parts.all_parts import ALL_PARTS
from minicrawl.crawler.run import crawl_with
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.model import Fetched
from minicrawl.store.reader import Store, open_store
from minicrawl.store.writer import Writer

HOME, OTHER = "http://a.test/", "http://b.test/"
FILE = "/.well-known/security.txt"


class SecurityTxt(Part):
    """Asks every origin once for its security.txt (RFC 9116), in place of its next page."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._found: dict[str, int | None] = {}
        self._asked: set[str] = set()

    @classmethod
    def of(cls, opening: Opening) -> Self:
        return cls(opening.state.writer)

    @staticmethod
    def explain(store: Store, page: int) -> Iterable[str]:
        for _, status in store.part_rows("security_txt", origin_of(store.page_table.url(page))):
            yield f"security    {'there' if status == 200 else 'none'}: {FILE} was answered with {status}"

    def due_probe(self, origin: str) -> str | None:
        if origin in self._asked or self._writer.part_rows("security_txt", origin):
            return None
        self._asked.add(origin)
        return origin + FILE

    def put_back_probe(self, url: str) -> None:
        self._asked.discard(origin_of(url))

    def on_probe(self, fetched: Fetched, now: float) -> None:
        self._found[origin_of(fetched.url)] = fetched.status

    def save(self, writer: Writer) -> None:
        writer.save_part_rows("security_txt", ("origin", "status"), self._found.items())
        self._found.clear()


class WithContact(Server):
    def _answer(self, request: httpx.Request) -> httpx.Response:
        if str(request.url) == HOME + FILE[1:]:
            self.asked.append(str(request.url))
            return httpx.Response(200, text="Contact: mailto:security@a.test")
        return super()._answer(request)


def notes(store: Path, url: str) -> tuple[str, ...]:
    with open_store(store) as reader:
        found = explain(reader, url, [*ALL_PARTS, SecurityTxt])
        assert all(f"  {note}" in explanation_lines(found) for note in found.notes)
        return found.notes


def test_a_capability_is_one_file(tmp_path: Path) -> None:
    store, pages = tmp_path / "crawl.db", [f"{HOME}{name}" for name in "abcd"]
    server = WithContact({HOME: [*pages, OTHER], OTHER: [HOME], **{page: [HOME] for page in pages}})
    for limit in (3, None):  # the second run has the answers of the first
        options = {"pages": limit, "delay": 0.0, "concurrency": 1}
        seeds = Seeds([HOME] if limit else [])
        run(crawl_with(options, seeds, store, parts=[*ALL_PARTS, SecurityTxt], transport=server), grace=0.0)
    assert sorted(url for url in server.asked if url.endswith(FILE)) == [HOME + FILE[1:], OTHER + FILE[1:]]
    assert (
        notes(store, HOME)
        == notes(store, pages[0])
        == ("security    there: /.well-known/security.txt was answered with 200",)
    )
    assert notes(store, OTHER) == ("security    none: /.well-known/security.txt was answered with 404",)
    assert faults_in(store) == []
