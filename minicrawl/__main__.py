"""The program: python -m minicrawl, or the command of that name. Ctrl-C ends it quietly, and
SIGTERM with a word, from its first moment on."""

import os
import signal
import sys

_INTERRUPTED, _TERMINATED, _LAST_STREAM = 130, 143, 2


def run() -> None:
    """The command line."""
    if os.name != "posix":
        raise SystemExit("minicrawl needs Linux or macOS; on Windows, install it in WSL")
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else Ctrl-C is not for us
        signal.signal(signal.SIGINT, _leave)
    signal.signal(signal.SIGTERM, _end)
    _open_streams()
    # Only now: ctypes opens a file of its own, which would get the number of a closed stream.
    from minicrawl.system import collect_seldom  # noqa: PLC0415

    collect_seldom()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no crawl multiplies matrices, and idle threads cost CPU
    from minicrawl.cli import main  # noqa: PLC0415

    main(prog_name="minicrawl")


def _open_streams() -> None:
    """Let closed standard streams lead nowhere, so that no file that is opened gets their numbers."""
    while (opened := os.open(os.devnull, os.O_RDWR)) <= _LAST_STREAM:
        os.set_inheritable(opened, True)
    os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (
        stream or open(number, mode)  # noqa: SIM115 - for all of the program
        for number, (stream, mode) in enumerate(((sys.stdin, "r"), (sys.stdout, "w"), (sys.stderr, "w")))
    )


def _leave(*_: object) -> None:
    """Exit with status 130. Committed work is kept; transactions under way are rolled back."""
    raise SystemExit(_INTERRUPTED)


def _end(*_: object) -> None:
    """Exit with status 143, and say so, as nobody may have meant this process; all else is as for Ctrl-C."""
    os.write(2, b"Ended by SIGTERM.\n")
    raise SystemExit(_TERMINATED)


if __name__ == "__main__":
    run()
