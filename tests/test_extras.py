"""A plain installation crawls; what needs more says which extra brings it."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.small_web import small_web

NEEDS_SCIPY = "Error: this needs scipy; run: pip install 'minicrawl[analysis]'\n"


def plain(*words: object) -> subprocess.CompletedProcess[str]:
    """Run minicrawl as if no extra were installed."""
    code = (
        "import sys; "
        "extras = ['aiohttp', 'scipy', 'numba', 'matplotlib', 'pyarrow', 'playwright', 'ray']; "
        "sys.modules.update(dict.fromkeys(extras)); "
        "from minicrawl.__main__ import run; run()"
    )
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], capture_output=True, text=True, check=False, timeout=120
    )


def test_plain_installation_crawls_and_reads(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with small_web() as port:
        seed = f"http://127.0.0.1:{port}/"
        done = plain("crawl", seed, "--scope", "host", "--delay", "0", "--allow-private", "--store", store)
    assert (done.returncode, done.stderr) == (0, done.stderr)
    for words in (["top"], ["status"], ["why", seed], ["check"], ["export", tmp_path / "ranks.csv"]):
        done = plain(*words, "--store", store)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "ranks.csv").read_text().count("\n") == 6
    for words in (["rank"], ["verify"], ["graph", "stats"], ["top", "--sites"], ["compare", "importance", "inlinks"]):
        done = plain(*words, "--store", store)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", NEEDS_SCIPY)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("demo", "Error: the demo needs aiohttp; run: pip install 'minicrawl[demo]'\n"),
        (
            "crawl http://a.test/ --partitions 2 --ray auto --store x",
            "Error: several machines need Ray; run: pip install 'minicrawl[cluster]'\n",
        ),
        ("lab figure 2", "Error: the lab needs numba and matplotlib; run: pip install 'minicrawl[lab]'\n"),
    ],
)
def test_extra_that_is_missing_is_named(words: str, sentence: str) -> None:
    done = plain(*words.split())
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


def test_a_crawl_that_cannot_render_says_so_before_there_is_a_store(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    done = plain("crawl", "http://h.test/", "--render", "/app", "--store", store)
    sentence = "Error: --render needs playwright; run: pip install 'minicrawl[render]'\n"
    assert (done.returncode, done.stdout, done.stderr, store.exists()) == (2, "", sentence, False)
