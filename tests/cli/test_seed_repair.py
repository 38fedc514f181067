"""'minicrawl seeds repair'."""

from pathlib import Path

import pytest
from support.command_line import HOME, SITE, run
from support.sites import Site, crawl

from minicrawl.crawler.admission.seeds import read_seeds


@pytest.fixture
def stores(tmp_path: Path) -> tuple[Path, Path, Path]:
    """An old crawl, a newer one without the page /a, and the seeds."""
    newer: Site = {**SITE, HOME: ["/b", "http://b.test/"], HOME + "a": 404}
    crawl(SITE, tmp_path / "old.db", [HOME])
    crawl(newer, tmp_path / "new.db", [HOME])
    (tmp_path / "seeds.txt").write_text(f"{HOME}a\n{HOME}\n")
    return tmp_path / "old.db", tmp_path / "new.db", tmp_path / "seeds.txt"


def test_seeds_are_judged_replaced_and_written(stores: tuple[Path, Path, Path], tmp_path: Path) -> None:
    old, new, seeds = stores
    out = tmp_path / "repaired.txt"
    result = run("seeds", "repair", seeds, "--old", old, "--store", new, "-o", out)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == f"replaced  {HOME}a (error in the newer crawl)"
    assert lines[1].startswith(f"          now {HOME}b, similarity 0.")
    assert lines[2] == f"survived  {HOME}"
    assert "2 seeds: 1 survived, 0 unread, 1 replaced, 0 lost." in lines
    assert lines[-1] == f"2 seeds written to {out}"
    assert read_seeds([str(out)]) == [HOME + "b", HOME]


def test_what_stands_before_the_subcommand_is_refused(stores: tuple[Path, Path, Path]) -> None:
    old, new, seeds = stores
    result = run("seeds", "--n", "3", "repair", seeds, "--old", old, "--store", new)
    assert (result.exit_code, "--n stands before 'repair'" in result.stderr) == (2, True)
