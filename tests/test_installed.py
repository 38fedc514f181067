"""The command that adds an extra fits how minicrawl was installed."""

import os
import shlex
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from importlib.metadata import PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from support.documents import ROOT
from support.patience import PATIENCE

from minicrawl.installed import By, Installation, found

TREE, WHEEL = "/home/me/it's mine", "/home/me/my files/minicrawl-1.0.0-py3-none-any.whl"
GIT = "git+https://git.test/minicrawl@v1"
PYTHON = "/home/me/an env/bin/python"


@pytest.mark.parametrize(
    ("installation", "command"),
    [
        (Installation(By.PIP), "pip install 'minicrawl[mcp]'"),
        (Installation(By.PIP, python=PYTHON), "'/home/me/an env/bin/python' -m pip install 'minicrawl[mcp]'"),
        (Installation(By.PIP, TREE, editable=True), """pip install -e '/home/me/it'"'"'s mine[mcp]'"""),
        (Installation(By.PIP, GIT), f"pip install 'minicrawl[mcp] @ {GIT}'"),
        (Installation(By.OUTER_PIP, python="/env/bin/python"), "pip --python /env/bin/python install 'minicrawl[mcp]'"),
        (Installation(By.UV), "uv pip install 'minicrawl[mcp]'"),
        (Installation(By.UV_TOOL, "/src", editable=True), "uv tool install -e '/src[mcp]'"),
        (
            Installation(By.UV_TOOL, extras=frozenset({"render", "demo"}), beside=("igraph>=0.11", "ray")),
            "uv tool install '--with=igraph>=0.11' --with=ray 'minicrawl[demo,mcp,render]'",
        ),
        (
            Installation(By.UVX, arguments=("key", "new", "a key.pem")),
            "uvx --from 'minicrawl[mcp]' minicrawl key new 'a key.pem'",
        ),
        (Installation(By.PIPX, WHEEL, extras=frozenset({"mcp"})), f"pipx install --force '{WHEEL}[mcp]'"),
        (Installation(By.CONDA), "conda install --channel conda-forge mcp httpx2"),
        (Installation(By.IMAGE), "docker build --build-arg EXTRAS=mcp --tag minicrawl ."),
        (Installation(By.SYSTEM, WHEEL), f"pipx install '{WHEEL}[mcp]'"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.by.value,
)
def test_command_adds_the_extra_as_the_rest_was_installed(installation: Installation, command: str) -> None:
    assert installation.adding("mcp", ("mcp", "httpx2")) == command


def metadata(folder: Path, **files: str) -> PathDistribution:
    """A distribution with these metadata."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name.replace("_json", ".json")).write_text(text)
    return PathDistribution(folder)


@pytest.mark.parametrize(
    ("url", "origin", "editable"),
    [
        ("{}", "minicrawl", False),
        ('{"url": "file://HERE", "dir_info": {"editable": true}}', "HERE", True),
        ('{"url": "file://HERE/m%20%27.whl", "archive_info": {}}', "HERE/m '.whl", False),
        ('{"url": "file://HERE/gone.whl", "archive_info": {}}', "minicrawl", False),
        ('{"url": "https://a.test/m", "vcs_info": {"vcs": "git", "commit_id": "1f"}}', "git+https://a.test/m", False),
        (
            '{"url": "https://a.test/m", "vcs_info": {"vcs": "git", "requested_revision": "v1", "commit_id": "1f"}}',
            "git+https://a.test/m@v1",
            False,
        ),
    ],
)
def test_origin_is_where_it_came_from(tmp_path: Path, url: str, origin: str, editable: bool) -> None:
    (tmp_path / "m '.whl").touch()
    of = metadata(tmp_path / "m.dist-info", direct_url_json=url.replace("HERE", str(tmp_path)))
    assert found(of, tmp_path).origin == origin.replace("HERE", str(tmp_path))
    assert found(of, tmp_path).editable is editable


@pytest.mark.parametrize(("noted", "by"), [("docker", By.IMAGE), ("conda", By.CONDA), ("pip", By.PIP), ("", By.PIP)])
def test_note_of_the_installer_tells_who_it_was(tmp_path: Path, noted: str, by: By) -> None:
    pytest.importorskip("pip")
    assert found(metadata(tmp_path / "m.dist-info", INSTALLER=f"{noted}\n"), tmp_path).by is by


def test_python_that_the_system_keeps_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "EXTERNALLY-MANAGED").touch()
    monkeypatch.setattr(os, "__file__", str(tmp_path / "os.py"))
    of = metadata(tmp_path / "m.dist-info", INSTALLER="pip")
    assert found(of, Path(sys.base_prefix)).adding("mcp") == "pipx install 'minicrawl[mcp]'"
    assert found(of, tmp_path).by is not By.SYSTEM


# Real installations, from a shelf that has minicrawl and something called like each library that it needs.

SAYS_SO = 'print("the extra is there")\nraise SystemExit\n'
EXTRA = ("aiohttp", "scipy")
"""What the extra demo brings."""


def write_wheel(shelf: Path, name: str, version: str, files: Mapping[str, str]) -> None:
    about = f"{name}-{version}.dist-info"
    files = {
        **files,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    with zipfile.ZipFile(shelf / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
        wheel.writestr(f"{about}/RECORD", "".join(f"{path},,\n" for path in [*files, f"{about}/RECORD"]))


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of wheels: minicrawl's, and one for each library. Two of them lend the libraries of this process."""
    shelf = tmp_path_factory.mktemp("a shelf")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(shelf)]
    subprocess.run([*build, str(ROOT)], check=True, timeout=PATIENCE)
    lent = tmp_path_factory.mktemp("lent")
    for one in Path(sysconfig.get_path("purelib")).iterdir():
        if not one.name.lower().startswith(("pip", "minicrawl", "_minicrawl", *EXTRA)) and one.suffix != ".pth":
            (lent / one.name).symlink_to(one)
    needed = [*(distribution("minicrawl").requires or ()), "editables>=0.3"]  # of dev, too: what builds it
    for requirement in map(Requirement, needed):
        name = requirement.name.replace("-", "_")
        least = next((each.version for each in requirement.specifier if each.operator == ">="), "1")
        files = {f"{name}.py": SAYS_SO} if name in EXTRA else {}
        write_wheel(shelf, name, least, {f"{name}.pth": f"{lent}\n"} if name in {"click", "hatchling"} else files)
    return shelf


class Machine:
    """A user's programs and folders, and an index that is a shelf."""

    def __init__(self, home: Path, shelf: Path) -> None:
        self.home, self.wheel = home, next(shelf.glob("minicrawl-*.whl"))
        self.bin = home / "bin"
        programs = sysconfig.get_path("scripts")
        self._environment = {
            "HOME": str(home),
            "PATH": f"{self.bin}:{programs}:{os.defpath}",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": shelf.as_uri(),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "UV_NO_INDEX": "1",
            "UV_OFFLINE": "1",
            "UV_FIND_LINKS": str(shelf),
            "UV_PYTHON_PREFERENCE": "only-system",
            "UV_TOOL_BIN_DIR": str(self.bin),
            "PIPX_BIN_DIR": str(self.bin),
            "PIPX_HOME": str(home / "pipx"),
            "PIPX_DEFAULT_PYTHON": sys.executable,
        }

    def run(self, command: str, *, active: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a line of the shell, in an environment that is active or none."""
        environment = dict(self._environment)
        if active is not None:
            environment |= {"VIRTUAL_ENV": str(active), "PATH": f"{active}/bin:{environment['PATH']}"}
        return subprocess.run(
            command,
            shell=True,
            cwd=self.home,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def filled(self, command: str) -> str:
        """A command with the path of the wheel for WHEEL, and that of a source tree for TREE."""
        tree = self.home / "its source"
        tree.mkdir()
        for name in ("minicrawl", "pyproject.toml", "README.md", "LICENSE"):
            (tree / name).symlink_to(ROOT / name)
        return command.replace("WHEEL", shlex.quote(str(self.wheel))).replace("TREE", shlex.quote(str(tree)))

    def must(self, command: str, *, active: Path | None = None) -> str:
        """The output of a line that works."""
        done = self.run(command, active=active)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout


@pytest.fixture
def machine(tmp_path: Path, shelf: Path) -> Machine:
    home = tmp_path / "it's home"
    home.mkdir()
    return Machine(home, shelf)


def told(machine: Machine, program: str, active: Path | None = None) -> str:
    """The command that a demo without its extra names."""
    done = machine.run(f"{program} demo", active=active)
    assert done.returncode == 2, (done.stdout, done.stderr)
    first, _, command = done.stderr.rstrip("\n").rpartition("; run: ")
    assert first.endswith("Error: the demo needs aiohttp")
    return command


def environment_with(machine: Machine, install: str, *, pip: bool = True, active: bool = False) -> tuple[str, Path]:
    """A new virtual environment with minicrawl, installed by this line; the path of the program there, too."""
    place = machine.home / "an env"
    machine.must(f"{shlex.quote(sys.executable)} -m venv {'' if pip else '--without-pip'} {shlex.quote(str(place))}")
    machine.must(install.replace("PYTHON", shlex.quote(f"{place}/bin/python")), active=place if active else None)
    return shlex.quote(f"{place}/bin/minicrawl"), place


@pytest.mark.slow
@pytest.mark.parametrize(
    ("install", "how"),
    [
        ("pip install -q minicrawl", {"active": True}),
        ("PYTHON -m pip install -q -e TREE", {}),
        ("uv pip install -q WHEEL", {"pip": False, "active": True}),
    ],
)
def test_command_named_in_an_environment_adds_the_extra(machine: Machine, install: str, how: dict[str, bool]) -> None:
    program, place = environment_with(machine, machine.filled(install), **how)
    active = place if how.get("active") else None
    command = told(machine, program, active)
    assert any(str(place) in word for word in shlex.split(command)) is (active is None)
    machine.must(command, active=active)
    assert machine.run(f"{program} demo").stdout == "the extra is there\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "install",
    [
        "uv tool install -q 'minicrawl[parquet]>=1'",
        "pipx install WHEEL'[parquet]'",
    ],
)
def test_command_named_by_a_tool_adds_the_extra_and_keeps_others(machine: Machine, install: str) -> None:
    machine.must(machine.filled(install))
    machine.must(told(machine, "minicrawl"))
    assert machine.run("minicrawl demo").stdout == "the extra is there\n"
    assert list(machine.home.glob("**/site-packages/pyarrow-*.dist-info"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "spec"), [("uvx -q --from SPEC minicrawl", "WHEEL"), ("pipx run --spec SPEC minicrawl", "minicrawl")]
)
def test_command_named_in_a_run_without_installation_has_the_extra(machine: Machine, run: str, spec: str) -> None:
    command = told(machine, machine.filled(run.replace("SPEC", spec)))
    assert machine.run(command).stdout.endswith("the extra is there\n")
