"""A new store of what can be read in one: all of a sound one. Damaged ones: see test_damage."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.sites import crawl, crawled_once, random_site, rows

from minicrawl.cli import main
from minicrawl.crawler.salvage import salvage
from minicrawl.errors import SettingError

SITE, SEEDS = random_site(2, pages=90)
sound = crawled_once(SITE, SEEDS, pages=60)


def test_sound_store_is_salvaged_whole(sound: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.db"
    _, _, again = salvage(sound, saved)
    query = "SELECT url, state, reason, depth, inlinks, title, status FROM ranks ORDER BY id"
    assert rows(saved, query) == rows(sound, query)
    assert again == 0
    importance = "SELECT importance FROM ranks ORDER BY id"
    expected = [value for (value,) in rows(sound, importance)]
    assert [value for (value,) in rows(saved, importance)] == pytest.approx(expected, abs=1e-6)
    whole = tmp_path / "whole.db"
    for store in (saved, sound):
        whole.write_bytes(store.read_bytes())
        report, _ = crawl(SITE, whole, [])
        assert (report.reason, report.known) == ("nothing-left", len(rows(whole, "SELECT 1 FROM pages")))


def test_command_salvages(sound: Path, tmp_path: Path) -> None:
    file = tmp_path / "saved.db"
    result = CliRunner().invoke(main, ["salvage", str(file), "--store", str(sound)])
    assert (result.exit_code, result.output.split(": ")[0]) == (0, str(file))
    with pytest.raises(SettingError, match="already exists"):
        salvage(sound, file)
    assert CliRunner().invoke(main, ["salvage", "x.db", "--store", str(tmp_path / "none.db")]).exit_code == 3


@pytest.mark.parametrize("limit", [1_000, 150_000])
def test_nothing_is_left_behind_where_the_disk_is_full(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, limit: int
) -> None:
    """Be it full while the schema is written, or the pages."""
    sound, home = tmp_path_factory.mktemp("sound") / "crawl.db", "http://a.test/"
    crawl({home: [f"{home}{number}/{'x' * 300}" for number in range(500)]}, sound, [home], pages=1)
    told = subprocess.run(
        [sys.executable, "-m", "minicrawl", "salvage", str(tmp_path / "saved.db"), "--store", str(sound)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # half a compiled module would be in everybody's way
        check=False,
        capture_output=True,
        text=True,
    )
    assert told.returncode == 3
    assert told.stderr.startswith("Error: the disk that holds")
    assert told.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
