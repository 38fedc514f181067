"""The site with planted faults, crawled once."""

from collections.abc import Iterator
from typing import Any

import pytest
from support.faulty_site import HOME, served
from support.origins import PEM

from minicrawl.api import crawl
from minicrawl.settings import PROFILES
from minicrawl.store.reader import Store, open_store


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Its store, with the parts of its pages."""
    folder = tmp_path_factory.mktemp("faulty")
    own: dict[str, Any] = {**PROFILES["audit"], "archive": str(folder / "archive"), "requisites": True}
    with served() as connect_to:
        given: dict[str, Any] = {"delay": 0.0, "allow_private": True, "ca_file": PEM, "connect_to": connect_to}
        crawl([HOME], folder / "crawl.db", **own, **given)
    with open_store(folder / "crawl.db") as store:
        yield store
