"""Calls in children: limited in CPU time and memory, and none of them ends more than itself."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest
from support.patience import PATIENCE
from support.sandbox_calls import WAYS, called, does, landlock, tries

from minicrawl.sandbox.cage import FILTER, OPEN, Cage, cage_of
from minicrawl.sandbox.sandbox import ChildDiedError, ChildError, Limits, Sandbox
from minicrawl.system import cpu_seconds

AMPLE = Limits(cpu=3600.0, still=3600.0)
"""What no test comes near."""
FORKING = AMPLE._replace(cage=Cage(forks=True))
only_linux = pytest.mark.skipif(sys.platform != "linux", reason="cages are for Linux")


def is_gone(pid: int) -> bool:
    """True if the process has ended, even if nobody has waited for it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not is_so():
            await asyncio.sleep(0.005)


async def test_files_of_the_working_folder_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not those of another version of the package, nor modules with the names of others."""
    for name in ("minicrawl/__init__.py", "numpy.py", "pickle.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("raise SystemExit('a stranger')\n")
    monkeypatch.chdir(tmp_path)
    async with aclosing(Sandbox(does, AMPLE)) as sandbox:
        assert await sandbox.call("nothing") == "nothing"


@pytest.mark.parametrize(
    ("what", "limits", "kind", "text"),
    [
        ("burn", Limits(cpu=0.2, still=3600.0), ChildError, "it took more than 0.2 s of CPU time"),
        ("sleep", Limits(cpu=3600.0, still=2.0), ChildDiedError, "it stood still for 2 s"),
        ("doze", Limits(cpu=3600.0, still=2.0), ChildDiedError, "it stood still for 2 s"),
        ("stop", Limits(cpu=3600.0, still=2.0), ChildDiedError, "it stood still for 2 s"),
        ("ignore", Limits(cpu=3600.0, still=2.0), ChildDiedError, "it stood still for 2 s"),
        ("bomb", FORKING._replace(cpu=0.1), ChildError, "it took more than 0.1 s of CPU time"),
        ("allocate", AMPLE, ChildError, "MemoryError: "),
        ("exit", AMPLE, ChildError, "SystemExit: 5"),
        ("interrupt", AMPLE, ChildError, "KeyboardInterrupt: "),
        ("raise", AMPLE, ChildError, "UnspeakableError"),
        ("exit at once", AMPLE, ChildDiedError, "its process ended (exit code 5)"),
        ("kill", AMPLE, ChildDiedError, "its process was killed (SIGKILL)"),
        ("close", AMPLE, ChildDiedError, "its process ended (exit code 1)"),
    ],
    ids=str,
)
async def test_a_call_that_comes_to_nothing_says_why_and_the_next_one_is_answered(
    what: str, limits: Limits, kind: type[ChildError], text: str
) -> None:
    async with aclosing(Sandbox(does, limits)) as sandbox:
        with pytest.raises(ChildError) as raised:
            await sandbox.call(what)
        assert (type(raised.value), str(raised.value)) == (kind, text)
        assert await sandbox.call("nothing", 1) == "nothing"


@only_linux
@pytest.mark.parametrize("what", ["bomb", "run"])
async def test_a_child_that_only_parses_starts_no_process(what: str) -> None:
    async with aclosing(Sandbox(does, AMPLE)) as sandbox:
        with pytest.raises(ChildError, match="PermissionError: "):
            await sandbox.call(what)
        assert await sandbox.call("nothing") == "nothing"


SAID = {way: "ChildDiedError" for way in WAYS if way.startswith(("a pickle", "an answer", "an error"))}
NO_SOCKET = dict.fromkeys(
    (
        *("IPv4", "IPv6", "a local socket", "a pair of sockets", "netlink", "packets", "the host of a virtual machine"),
        *("a socket of another ABI", "io_uring"),
    ),
    "EAFNOSUPPORT",
)
BY_LANDLOCK = (
    *("its file of memory", "a secret file", "a folder of secrets", "the passwords of the system"),
    *("the environment of the crawl", "its own first environment"),
)
OF_PARSERS = (
    *BY_LANDLOCK[1:],
    *("a file", "a link", "a folder", "removing a file", "a program", "a program in memory", "a process"),
    *("rights of a file", "the owner of a file", "times of a file", "attributes of a file", "the attributes of one"),
    *("the priority of the crawl", "its processors", "its scheduling", "the clock", "the name of the host"),
    "signals when a pipe is ready",
)


@only_linux
@pytest.mark.parametrize("forks", [False, True])
async def test_no_way_leads_out_of_a_cage(tmp_path: Path, forks: bool) -> None:
    """Of hooks, which may start programs and use files, or of a parser."""
    (tmp_path / "there").touch()
    before = (tmp_path / "there").stat()
    left_out = {*(OF_PARSERS if forks else ()), *(BY_LANDLOCK if landlock() < 4 else ())}
    asked = [way for way in WAYS if way not in left_out]
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        wanted = dict.fromkeys(asked, "EPERM") | SAID | NO_SOCKET | {"much memory": "ENOMEM"}
        wanted |= dict.fromkeys((*BY_LANDLOCK, "a file"), "EACCES")
        found = {}
        async with aclosing(Sandbox(tries, AMPLE._replace(cage=Cage(forks=forks), answer=10_000))) as sandbox:
            for way in asked:
                try:
                    found[way] = await sandbox.call(way, str(tmp_path), server.getsockname()[1])
                except ChildError as error:
                    found[way] = type(error).__name__
        assert found == {way: wanted[way] for way in asked}
        with pytest.raises(BlockingIOError):
            server.accept()
    assert list(tmp_path.iterdir()) == [tmp_path / "there"]
    assert (tmp_path / "there").stat() == before


async def environment_of(limits: Limits) -> set[str]:
    async with aclosing(Sandbox(does, limits)) as sandbox:
        with pytest.raises(ChildError) as raised:
            await sandbox.call("environment")
    return set(str(raised.value).removeprefix("ValueError: ").split(","))


async def test_the_environment_of_the_crawl_is_that_of_hooks_and_not_of_parsers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "x")
    assert "SECRET_TOKEN" in await environment_of(FORKING)
    assert await environment_of(AMPLE) <= {"OPENBLAS_NUM_THREADS", "PYTHONPATH", "LC_CTYPE"}


@only_linux
async def test_a_parser_imports_what_it_needs_when_it_needs_it() -> None:
    """Modules of the interpreter, of packages and of the system's libraries."""
    async with aclosing(Sandbox(does, AMPLE)) as sandbox:
        for module in ("encodings.cp037", "xml.dom.minidom", "sqlite3", "lxml.html", "pypdf", "chardetng_py"):
            assert await sandbox.call("import", module) == "import"


OLD = """
import asyncio, logging
from minicrawl.sandbox.cage import Cage
from minicrawl.sandbox.sandbox import Limits, Sandbox
from support.sandbox_calls import refuse_landlock, tries

async def main():
    refuse_landlock()
    for cage in (Cage(forks=True), Cage(), Cage()):
        sandbox = Sandbox(tries, Limits(3600.0, 3600.0, cage))
        print(*[await sandbox.call(way, "/", 0) for way in ("the passwords of the system", "rights of a file", "IPv4")])
        await sandbox.aclose()

logging.basicConfig(format="%(message)s")
asyncio.run(main())
"""


@only_linux
def test_a_system_that_lets_a_parser_read_all_is_told_once() -> None:
    """As before Linux 5.13: the rest of the cage stands, and no hook is promised that."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", OLD]
    ended = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=PATIENCE)
    hook, *parsers = ended.stdout.splitlines()
    assert hook == "done ENOENT EAFNOSUPPORT"
    assert parsers == ["done EPERM EAFNOSUPPORT"] * 2
    assert ended.stderr.count("can read your files") == 1
    assert len(ended.stderr.splitlines()) == 1


@only_linux
@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
async def test_a_child_has_no_network_unless_it_is_given(kind: int) -> None:
    async def connected(cage: Cage) -> object:
        async with aclosing(Sandbox(does, AMPLE._replace(cage=cage))) as sandbox:
            await sandbox.call("nothing")
            found.append(cage_of(*sandbox.pids))
            return await sandbox.call("connect", server.getsockname()[1], socket.AF_INET, kind)

    found = list[str]()
    with socket.socket(socket.AF_INET, kind) as server:
        server.bind(("127.0.0.1", 0))
        if kind == socket.SOCK_STREAM:
            server.listen()
        with pytest.raises(ChildError, match="Address family not supported by protocol"):
            await connected(Cage(forks=True))
        assert await connected(Cage(network=True)) == "connect"
    assert found == [FILTER, OPEN]


async def test_a_child_with_network_where_it_should_have_none_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("minicrawl.sandbox.sandbox.cage_of", lambda _: OPEN)
    for limits in (AMPLE._replace(cage=Cage(network=True)), AMPLE, AMPLE):
        async with aclosing(Sandbox(does, limits)) as sandbox:
            await sandbox.call("nothing")
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "processes for large pages and hooks can use the network"
    ]


@pytest.mark.parametrize("what", ["fork", "print", "read", "chdir"])
async def test_what_a_function_does_to_its_process_stays_there(what: str, capfd: pytest.CaptureFixture[str]) -> None:
    folder = Path.cwd()
    async with aclosing(Sandbox(does, FORKING)) as sandbox:
        assert await sandbox.call(what) == what
        assert await sandbox.call("nothing") == "nothing"
    assert Path.cwd() == folder
    printed = capfd.readouterr()
    assert printed.out == ""
    assert sorted(printed.err.split()) == (["printed", "written"] if what == "print" else [])


async def test_what_a_child_prints_has_no_control_characters(capfd: pytest.CaptureFixture[str]) -> None:
    async with aclosing(Sandbox(does, AMPLE)) as sandbox:
        await sandbox.call("steer")
    printed = capfd.readouterr().err
    assert (printed[-1:], printed[:-1].isprintable()) == ("\n", True)
    assert (printed[0], "ok \ud55c" in printed) == ("a", True)


async def test_a_function_may_keep_something_and_children_are_used_again() -> None:
    async with aclosing(Sandbox(called, AMPLE)) as sandbox:
        (pid, first), *others = [await sandbox.call() for _ in range(3)]
    assert (first, others) == (1, [(pid, 2), (pid, 3)])


async def test_the_start_of_a_child_counts_for_no_call() -> None:
    """It imports its function, which takes more than the call may."""
    limit = 0.01
    async with aclosing(Sandbox(does, Limits(cpu=limit, still=3600.0))) as sandbox:
        await sandbox.call("nothing")
        assert cpu_seconds(sandbox.pids[0]) > limit


async def test_time_for_which_a_child_is_not_let_run_counts_for_nothing() -> None:
    """As on a busy machine: a stopped child gets no CPU. One that goes on after twenty looks has its call answered."""
    async with aclosing(Sandbox(does, Limits(cpu=0.5, still=3600.0))) as sandbox:
        await sandbox.call("nothing")
        (pid,) = sandbox.pids
        call = asyncio.create_task(sandbox.call("stop"))
        await until(lambda: Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
        async with asyncio.timeout(PATIENCE):
            for _ in range(20):
                await asyncio.sleep(0.05)
        os.kill(pid, signal.SIGCONT)
        assert await call == "stop"


async def test_as_many_children_as_there_may_be_work_side_by_side() -> None:
    async with aclosing(Sandbox(does, AMPLE, most=2)) as sandbox:
        calls = [asyncio.create_task(sandbox.call("stop")) for _ in range(4)]
        await until(lambda: len(sandbox.pids) == 2)
        while not all(call.done() for call in calls):
            for pid in sandbox.pids:
                os.kill(pid, signal.SIGCONT)
            await asyncio.sleep(0.005)
        assert len(sandbox.pids) == 2
        assert [await call for call in calls] == ["stop"] * 4


async def test_calls_begin_in_the_order_of_their_arrival() -> None:
    async with aclosing(Sandbox(called, AMPLE, most=4)) as sandbox:
        answers, pids = await asyncio.gather(*(sandbox.call() for _ in range(20))), sandbox.pids
    for pid in pids:
        own = [number for of, number in answers if of == pid]
        assert own == list(range(1, len(own) + 1))
    assert {pid for pid, _ in answers} <= set(pids)


async def test_a_child_that_dies_takes_only_its_own_call() -> None:
    async with aclosing(Sandbox(does, AMPLE, most=3)) as sandbox:
        calls = [asyncio.create_task(sandbox.call("stop")) for _ in range(4)]
        await until(lambda: len(sandbox.pids) == 3)
        first, *others = sandbox.pids
        os.kill(first, signal.SIGKILL)
        while not all(call.done() for call in calls):
            for pid in sandbox.pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
            await asyncio.sleep(0.005)
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert sorted(map(str, answers)) == ["its process was killed (SIGKILL)", "stop", "stop", "stop"]
        assert len(sandbox.pids) <= 3
        assert first not in sandbox.pids
        assert set(others) <= set(sandbox.pids)


async def test_a_child_without_work_ends_and_another_one_starts_when_there_is_some() -> None:
    async with aclosing(Sandbox(does, AMPLE, idle=0.0)) as sandbox:
        await sandbox.call("nothing")
        (pid,) = sandbox.pids
        await until(lambda: not sandbox.pids and is_gone(pid))
        assert await sandbox.call("nothing") == "nothing"


async def test_a_call_that_nobody_waits_for_is_ended() -> None:
    async with aclosing(Sandbox(does, AMPLE)) as sandbox:
        await sandbox.call("nothing")
        (pid,) = sandbox.pids
        call = asyncio.create_task(sandbox.call("burn"))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert sandbox.pids == []
    assert is_gone(pid)


async def test_nothing_is_left_of_what_a_child_has_started(tmp_path: Path) -> None:
    written = tmp_path / "pid"
    async with aclosing(Sandbox(does, FORKING)) as sandbox:
        await sandbox.call("fork and burn", str(written))
        await until(lambda: written.exists() and written.read_text() != "")
    await until(lambda: is_gone(int(written.read_text())))


CRAWL = """
import asyncio, sys
from minicrawl.sandbox.cage import FILTER, OPEN, Cage, cage_of
from minicrawl.sandbox.sandbox import Limits, Sandbox
from support.sandbox_calls import does

async def main():
    sandbox = Sandbox(does, Limits(3600.0, 3600.0))
    await sandbox.call("nothing")
    calling = asyncio.ensure_future(sandbox.call(sys.argv[1]))
    print(*sandbox.pids, flush=True)
    await calling

asyncio.run(main())
"""


@pytest.mark.parametrize("what", ["burn", "sleep"])
async def test_a_child_dies_with_the_crawl_whatever_it_does(what: str) -> None:
    tests = os.pathsep.join(sys.path)
    crawl = subprocess.Popen(
        [sys.executable, "-c", CRAWL, what], stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": tests}
    )
    assert crawl.stdout is not None
    with crawl.stdout as printed:
        pid = int(printed.readline())
    assert not is_gone(pid)
    crawl.kill()
    crawl.wait()
    await until(lambda: is_gone(pid))
