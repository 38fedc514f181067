"""The program: python -m minicrawl, or the command of that name. Ctrl-C ends it quietly, from its first moment on."""

import os
import signal

from minicrawl.garbage import collect_seldom

_INTERRUPTED = 130


def run() -> None:
    """The command line."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else Ctrl-C is not for us
        signal.signal(signal.SIGINT, _leave)
    collect_seldom()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no crawl multiplies matrices, and idle threads cost CPU
    from minicrawl.cli import main  # noqa: PLC0415

    main(prog_name="minicrawl")


def _leave(*_: object) -> None:
    """Exit with status 130. Committed work is kept; transactions under way are rolled back."""
    raise SystemExit(_INTERRUPTED)


if __name__ == "__main__":
    run()
