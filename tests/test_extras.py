"""A plain installation crawls; what needs more says which extra brings it."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.patience import PATIENCE
from support.sites import HOME, crawl
from support.small_web import small_web

from minicrawl.installed import adding
from minicrawl.settings import SETTINGS

NEEDS_SCIPY = f"Error: this needs scipy; run: {adding('analysis')}\n"


def without_extras(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run some Python as if no extra were installed."""
    hidden = (
        "import sys; "
        "extras = ['aiohttp', 'scipy', 'numba', 'matplotlib', 'pyarrow', 'playwright', 'pypdf', 'ray']; "
        "sys.modules.update(dict.fromkeys(extras)); "
    )
    return subprocess.run(
        [sys.executable, "-c", hidden + code, *words], capture_output=True, text=True, check=False, timeout=PATIENCE
    )


def plain(*words: object) -> subprocess.CompletedProcess[str]:
    """Run minicrawl as if no extra were installed."""
    return without_extras("from minicrawl.__main__ import run; run()", *map(str, words))


def test_plain_installation_crawls_and_reads(tmp_path: Path, store: Path) -> None:
    with small_web() as port:
        seed = f"http://127.0.0.1:{port}/"
        done = plain("crawl", seed, "--scope", "host", "--delay", "0", "--allow-private", "--store", store)
    assert (done.returncode, done.stderr) == (0, done.stderr)
    for words in (["top"], ["why", seed], ["export", tmp_path / "ranks.csv"]):
        done = plain(*words, "--store", store)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "ranks.csv").read_text().count("\n") == 6
    for words in (["rank"], ["top", "--sites"]):
        done = plain(*words, "--store", store)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", NEEDS_SCIPY)


def test_plain_installation_has_the_dashboard_and_the_report(tmp_path: Path, store: Path) -> None:
    crawl({HOME: ["/a"], HOME + "a": [HOME]}, store, [HOME])
    report = plain("report", tmp_path / "report.html", "--store", store)
    assert (report.returncode, report.stderr) == (0, "")
    look = (
        "from minicrawl.dashboard import serving; from minicrawl.dashboard.readings import Readings; "
        "from pathlib import Path; readings = Readings(Path(sys.argv[1])); "
        "print(readings.hosts()['count'])"
    )
    done = without_extras(look, str(store))
    assert (done.stdout, done.stderr) == ("1\n", "")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("demo", f"Error: the demo needs aiohttp; run: {adding('demo')}\n"),
        (
            "crawl http://a.test/ --partitions 2 --ray auto --store x",
            f"Error: partitions need Ray; run: {adding('cluster')}\n",
        ),
        ("lab opic 2", f"Error: the lab needs matplotlib; run: {adding('lab')}\n"),
    ],
)
def test_extra_that_is_missing_is_named(words: str, sentence: str) -> None:
    done = plain(*words.split())
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (f"--{name} {value}", f"--{name} needs {library}; run: {adding(name)}")
        for name, value, library in (("render", "/app", "playwright"), ("pdf", "", "pypdf"))
        if name in SETTINGS
    ],
)
def test_a_crawl_that_lacks_a_library_says_so_before_there_is_a_store(store: Path, words: str, sentence: str) -> None:
    done = plain("crawl", "http://h.test/", *words.split(), "--store", store)
    assert (done.returncode, done.stdout, done.stderr, store.exists()) == (2, "", f"Error: {sentence}\n", False)
