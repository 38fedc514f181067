"""The size of the tree against the budgets in .ci/limits.toml."""

import tomllib

from support.documents import PAGES, ROOT

ENDINGS = (".py", ".sql", ".js", ".css")


def lines(folder: str, endings: tuple[str, ...] = (".py",)) -> int:
    files = (file for file in (ROOT / folder).rglob("*") if file.suffix in endings and ".min." not in file.name)
    return sum(file.read_bytes().count(b"\n") for file in files if "uplot" not in file.name.lower())


def test_the_tree_is_within_its_budgets() -> None:
    budgets = tomllib.loads((ROOT / ".ci/limits.toml").read_text())
    found = {"product": lines("minicrawl", ENDINGS), "tests": lines("tests"), "bench": lines("bench")}
    found["words"] = sum(len(page.read_text().split()) for page in PAGES)
    over = [f"{name}: {found[name]:,} of {most:,}" for name, most in budgets.items() if found[name] > most]
    assert not over, f"over budget, so remove what is needless: {'; '.join(over)}"
