"""A child of a sandbox: calls one function again and again, until its standard input ends.

    python -m minicrawl.sandbox.child

A message is a pickle behind its length. The first has MODULE:FUNCTION, sys.path and the cage; its answer says that the
child is ready, and with True that it can read no more files than it should. Each later one has the arguments of a call.
An answer is MessagePack behind its length: the result and the error as texts, one of them None. No answer is ever
unpickled, and no exception of foreign code recreated elsewhere: who asked decodes an answer by the type that the
function returns.
"""

import os
import pickle
import struct
import sys
import traceback
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from typing import Any, BinaryIO  # Any: callables

from minicrawl.sandbox.cage import Cage, enter
from minicrawl.system import manage_memory

LENGTH = struct.Struct(">Q")


def framed(body: bytes) -> bytes:
    """A message behind its length."""
    return LENGTH.pack(len(body)) + body


def packed(message: object) -> bytes:
    """A message to a process of ours, which unpickles it: nothing that a caged process says may go this way."""
    return framed(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


@cache
def decoder(kind: Any) -> Callable[[bytes], Any]:
    """What decodes MessagePack of a type. It raises ValueError for anything else."""
    from msgspec.msgpack import Decoder  # noqa: PLC0415 - a crawl that starts no process needs none of it

    decode: Callable[[bytes], Any] = Decoder(kind).decode
    return decode


def line_of(error: BaseException, most: int = 1_000) -> str:
    """An error in one line, even if its own methods fail."""
    try:
        text = " ".join(f"{type(error).__name__}: {error}".splitlines())
    except Exception:
        text = type(error).__name__
    return sayable(text if len(text) <= most else f"{text[:most]}...")


def trace_of(error: BaseException) -> str:
    """The traceback of an error, as Python prints it."""
    try:
        return sayable("".join(traceback.format_exception(error))[-10_000:])
    except Exception:
        return ""


def sayable(text: str) -> str:
    """A text without lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer messages until the input ends, or breaks off in a message as the crawl was killed."""
    opening = _read(requests)
    if opening is None:
        return
    from msgspec.msgpack import encode  # noqa: PLC0415 - as above

    call, is_fenced = _opened(*opening)
    own = os.getpid()
    _write(answers, encode((is_fenced, None)))
    while (arguments := _read(requests)) is not None:
        try:
            answer = encode((call(*arguments), None))
        except BaseException as error:  # foreign code may exit, but not end this process
            answer = encode((None, (line_of(error), trace_of(error))))
        if os.getpid() != own:  # a fork of this process, made by the function
            os._exit(0)
        _write(answers, answer)


def _opened(function: str, path: list[str], cage: Cage) -> tuple[Callable[..., Any], bool]:
    """The function, imported before this process is in its cage; and what `enter` says of that."""
    sys.path[:] = path
    module, _, name = function.partition(":")
    call: Callable[..., Any] = getattr(import_module(module), name)
    return call, enter(cage)


def _read(requests: BinaryIO) -> Any:
    head = requests.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    message = requests.read(length)
    return pickle.loads(message) if len(message) == length else None


def _write(answers: BinaryIO, answer: bytes) -> None:
    answers.write(framed(answer))
    answers.flush()


def main() -> None:
    """Serve on private copies of the pipes: the function reads an empty input, and prints to standard error."""
    manage_memory()
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    for pipe in (requests, answers):
        os.register_at_fork(after_in_child=partial(os.close, pipe.fileno()))
    try:
        serve(requests, answers)
    except (OSError, ValueError):  # nobody reads it any more, or the function has closed the pipes
        os._exit(1)


if __name__ == "__main__":
    main()
