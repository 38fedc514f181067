"""`minicrawl cluster start`, `join` and `stop`, and crawls on several machines, where none of these runs."""

import json
from pathlib import Path

import pytest
from support.cluster_runs import SEEDS, crawled_by_command
from support.command_line import answer, run

from minicrawl.cli.cluster_machines import warn_of_away
from minicrawl.cluster.folder import Folder, Place, found
from minicrawl.cluster.machines.machine import first


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No machine of the user's."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("MINICRAWL_TOKEN", "0" * 64)


@pytest.fixture(scope="module")
def spread(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl whose second partition is on another machine."""
    path, _ = crawled_by_command(tmp_path_factory.mktemp("spread"))
    found(path).keep_place(1, Place("/disk/web/c1", 0, "beta"))
    return path


REFUSED = {
    "address": ("start --address localhost", 2, "localhost is no address that others reach"),
    "name": ("start --name a/b", 2, "'a/b' is no name of a machine"),
    "port": ("start --port 80", 2, "80 is not in the range"),
    "head": ("join alpha --folder disk", 2, "alpha is no HOST:PORT of a first machine"),
    "folder": ("join 127.0.0.1:6399", 2, "Missing option '--folder'"),
    "no own address": ("join 10.0.0.1:6399 --folder disk", 2, "name with --address the address of this machine"),
    "nothing to stop": ("stop", 2, "no machine has been started here"),
}


@pytest.mark.parametrize(("words", "code", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_mistake_gets_one_sentence(words: str, code: int, message: str) -> None:
    result = run("cluster", *words.split())
    assert (result.exit_code, message in result.stderr, "Traceback" in result.stderr) == (code, True, False)


def test_a_token_that_is_none_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINICRAWL_TOKEN", "my-secret")
    result = run("cluster", "join", "127.0.0.1:6399", "--folder", "disk")
    assert (result.exit_code, "that is no token" in result.stderr, "my-secret" in result.output) == (2, True, False)


def test_nobody_is_asked_for_a_token_where_nobody_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINICRAWL_TOKEN", raising=False)
    result = run("cluster", "join", "127.0.0.1:6399", "--folder", "disk")
    assert (result.exit_code, result.stderr.splitlines()) == (
        2,
        ["Error: the token is missing; MINICRAWL_TOKEN has to be what 'minicrawl cluster start' has printed there"],
    )


def test_new_crawls_on_machines_need_one_that_is_started(tmp_path: Path) -> None:
    result = run("crawl", *SEEDS, "--store", tmp_path / "web", "--partitions", "2", "--machines")
    assert (result.exit_code, "'minicrawl cluster start', or 'join', lets it" in result.stderr) == (3, True)
    assert not (tmp_path / "web").exists()


def test_status_says_where_partitions_are_although_nobody_can_be_asked(spread: Path) -> None:
    result = run("cluster", "status", "--store", spread)
    assert (result.exit_code, "this machine shares no crawls now" in result.stderr) == (0, True)
    assert "2 partitions on 2 machines" in result.stdout
    assert [line.split()[:2] for line in result.stdout.splitlines()[-2:]] == [["0", "here"], ["1", "beta"]]
    rows = answer("cluster", "status", "--store", spread)["partitions"]
    assert [(row["machine"], row["folder"]) for row in rows] == [(None, "."), ("beta", "/disk/web/c1")]


class BetaAway:
    def away(self, folder: Folder) -> list[tuple[int, str]]:
        return [(number, str(place.machine)) for number, place in enumerate(folder.places) if place.machine == "beta"]


def test_a_crawl_says_for_which_machine_it_waits(spread: Path, capsys: pytest.CaptureFixture[str]) -> None:
    warn_of_away(BetaAway(), found(spread))
    assert capsys.readouterr().err.startswith(
        "Warning: machine beta is away, and the crawl waits for it, with partition 1; let it join again"
    )


NEED_ALL = ["top", "export ranks.csv", "crawl", "why http://h0.test/", "check", "verify", "index", "search a"]
NEED_ALL += ["backup copy", "move 1 elsewhere", "move 0 --machine beta"]


@pytest.mark.parametrize("command", NEED_ALL)
def test_what_needs_all_stores_says_that_this_machine_shares_none(command: str, spread: Path) -> None:
    result = run("cluster", *command.split(), "--store", spread)
    assert (result.exit_code, "this machine shares no crawls now" in result.stderr) == (3, True)


@pytest.mark.parametrize("command", ["top", "crawl", "backup copy", "move 0 --machine beta"])
def test_a_python_without_ray_says_so_where_another_one_has_started_the_machine(
    command: str, spread: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("minicrawl.cluster.machines.machine.found", lambda: first("alpha", "127.0.0.1", 6399))
    monkeypatch.setattr("minicrawl.cluster.machines.machine.find_spec", lambda _: None)
    result = run("cluster", *command.split(), "--store", spread)
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: several machines need Ray; run: pip install 'minicrawl[cluster]'\n",
    )
    status = run("cluster", "status", "--store", spread)
    assert (status.exit_code, "Warning: several machines need Ray" in status.stderr) == (0, True)
    assert "2 partitions on 2 machines" in status.stdout


def test_what_knows_one_machine_names_the_one_that_has_a_store(spread: Path) -> None:
    result = run("cluster", "rebalance", "--store", spread)
    assert (result.exit_code, "partition 1 is on machine beta" in result.stderr) == (3, True)
    assert "'minicrawl cluster move' takes a partition to another machine" in result.stderr


def test_a_move_says_where_to(spread: Path) -> None:
    result = run("cluster", "move", "1", "--store", spread)
    assert (result.exit_code, "name a FOLDER, or a machine with --machine" in result.stderr) == (2, True)


def test_a_crawl_of_one_machine_stays_there(tmp_path: Path) -> None:
    path, _ = crawled_by_command(tmp_path)
    before = json.loads((path / "cluster.json").read_text())
    result = run("crawl", "--store", path, "--machines")
    assert (result.exit_code, "is on this machine alone, and stays there" in result.stderr) == (2, True)
    assert json.loads((path / "cluster.json").read_text()) == before
