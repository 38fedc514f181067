"""The line between the crawl and a worker: messages over a pair of connected sockets."""

import socket

from minicrawl.sandbox.child import LENGTH, framed
from minicrawl.system import is_unread

_AT_ONCE = 1 << 16
_LONGEST = 1 << 32
"""Bytes of a message. A longer one is a fault of the other end."""


class Line:
    """One end of a line. A message is bytes behind their length: from the crawl a pickle, to it MessagePack."""

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self._came = bytearray()

    def fileno(self) -> int:
        return self._socket.fileno()

    def send(self, message: bytes) -> None:
        """Send a message. Blocks while the other end does not read."""
        self._socket.sendall(framed(message))

    @property
    def is_unread(self) -> bool:
        """True if the other end has yet to read something."""
        return is_unread(self._socket)

    def receive(self) -> list[bytes]:
        """All messages that have come, none if the next one is not complete yet. Blocks until something comes.

        Raises EOFError after the last message of an end that was closed, or at one that is too long.
        """
        piece = self._socket.recv(_AT_ONCE)
        if not piece:
            raise EOFError
        self._came += piece
        messages, start = [], 0
        with memoryview(self._came) as came:
            while start + LENGTH.size <= len(came):
                begin = start + LENGTH.size
                (length,) = LENGTH.unpack_from(came, start)
                if length > _LONGEST:
                    raise EOFError
                end = begin + length
                if end > len(came):
                    break
                messages.append(bytes(came[begin:end]))
                start = end
        del self._came[:start]
        return messages

    def close(self) -> None:
        self._socket.close()
