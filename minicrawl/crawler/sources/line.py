"""The line between the crawl and a worker: messages over a pair of connected sockets."""

import pickle
import socket
from typing import Any  # Any: messages

from minicrawl.sandbox.child import LENGTH, packed
from minicrawl.system import is_unread

_AT_ONCE = 1 << 16


class Line:
    """One end of a line. A message is a pickle behind its length."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._came = bytearray()

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, message: object) -> None:
        """Send a message. Blocks while the other end does not read."""
        self._socket.sendall(packed(message))

    @property
    def is_unread(self) -> bool:
        """True if the other end has yet to read something."""
        return is_unread(self._socket)

    def receive(self) -> list[Any]:
        """All messages that have come, none if the next one is not complete yet. Blocks until something comes.

        Raises EOFError after the last message of an end that was closed.
        """
        piece = self._socket.recv(_AT_ONCE)
        if not piece:
            raise EOFError
        self._came += piece
        messages, start = [], 0
        with memoryview(self._came) as came:
            while start + LENGTH.size <= len(came):
                begin = start + LENGTH.size
                end = begin + LENGTH.unpack_from(came, start)[0]
                if end > len(came):
                    break
                messages.append(pickle.loads(came[begin:end]))
                start = end
        del self._came[:start]
        return messages

    def close(self) -> None:
        self._socket.close()
