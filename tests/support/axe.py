"""What axe-core finds in a page that a browser shows: nothing serious, or the test fails."""

import os
from pathlib import Path
from typing import Any

import pytest

_GRAVE = ("serious", "critical")
_ASK = """async (grave) => {
  const found = await axe.run(document, {resultTypes: ["violations"]});
  return found.violations.filter((one) => grave.includes(one.impact))
    .flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 160)} ${node.failureSummary}`));
}"""


def axe_source() -> str:
    """The script of axe-core, whose file the environment variable MINICRAWL_AXE names; else the test is skipped."""
    path = os.environ.get("MINICRAWL_AXE")
    if not path:
        pytest.skip("MINICRAWL_AXE does not name axe.min.js of axe-core")
    return Path(path).read_text(encoding="utf-8")


def grave_findings(page: Any) -> list[str]:
    """The serious and critical findings in a page of playwright as it is shown now."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(f"() => {{ {axe_source()} }}")
    found: list[str] = page.evaluate(_ASK, _GRAVE)
    return found
