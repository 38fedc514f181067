"""The size of the tree against .ci/limits.toml, whose numbers only ever fall."""

import tomllib

from support.documents import PAGES, ROOT

ENDINGS = (".py", ".sql", ".js", ".css")


def lines(folder: str, endings: tuple[str, ...] = (".py",)) -> int:
    files = (file for file in (ROOT / folder).rglob("*") if file.suffix in endings and ".min." not in file.name)
    return sum(file.read_bytes().count(b"\n") for file in files if "uplot" not in file.name.lower())


def test_the_tree_is_no_larger_than_its_limits() -> None:
    limits = tomllib.loads((ROOT / ".ci/limits.toml").read_text())
    found = {"product": lines("minicrawl", ENDINGS), "tests": lines("tests"), "bench": lines("bench")}
    found["words"] = sum(len(page.read_text().split()) for page in PAGES)
    over = {name: (count, limits[name]) for name, count in found.items() if count > limits[name]}
    assert not over, "remove as much as you add; a limit is never raised"
    loose = {name: count for name, count in found.items() if count < 0.98 * limits[name]}
    assert not loose, "lower the limits in .ci/limits.toml to what is there"
