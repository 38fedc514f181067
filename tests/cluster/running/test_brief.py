"""The first message to a partition: of this minicrawl alone."""

from pathlib import Path

import pytest
from support.cluster_runs import folder_at

from minicrawl.cluster.running.brief import Brief, packed, unpacked
from minicrawl.cluster.running.post import VERSION
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.errors import ConfigError
from minicrawl.settings import CrawlSettings


def test_a_brief_arrives_as_it_was_and_that_of_another_version_is_not_read(tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 2)
    brief = Brief(folder, 1, CrawlSettings.of({"delay": "2s"}), Seeds(["http://h1.test/"]), scope=("http://h0.test/",))
    assert unpacked(packed(brief)) == brief
    other = (VERSION + 1).to_bytes(4, "big") + packed(brief)[4:-1] + b"?"
    with pytest.raises(ConfigError, match="another minicrawl's"):
        unpacked(other)
