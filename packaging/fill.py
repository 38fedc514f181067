"""Writes version, address and digest of a published sdist into the recipes for Homebrew and conda-forge.

python packaging/fill.py dist/minicrawl-1.0.0.tar.gz https://files.pythonhosted.org/packages/.../minicrawl-1.0.0.tar.gz
"""

import re
import sys
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent
RECIPES = (HERE / "homebrew" / "minicrawl.rb", HERE / "conda" / "recipe.yaml")


def filled(recipe: str, version: str, url: str, digest: str) -> str:
    """A recipe with these."""
    recipe = re.sub(r"^(  version: )[\d.]+$", rf"\g<1>{version}", recipe, count=1, flags=re.MULTILINE)
    recipe = re.sub(r"^(  url:? \"?)[^\"\n]+", rf"\g<1>{url}", recipe, count=1, flags=re.MULTILINE)
    return re.sub(r"^(  sha256:? \")[0-9a-f]{64}", rf"\g<1>{digest}", recipe, count=1, flags=re.MULTILINE)


def run(sdist: Path, url: str) -> None:
    """Fill in the recipes for an sdist that is published at `url`."""
    version = sdist.name.removesuffix(".tar.gz").rpartition("-")[2]
    digest = sha256(sdist.read_bytes()).hexdigest()
    for recipe in RECIPES:
        recipe.write_text(filled(recipe.read_text("utf-8"), version, url, digest), "utf-8")


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2])
