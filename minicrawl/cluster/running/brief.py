"""The first message to a partition: what it needs to begin or to go on."""

import pickle
import struct
from dataclasses import dataclass
from pathlib import Path

from minicrawl import log
from minicrawl.cluster.folder import Folder
from minicrawl.cluster.running.post import VERSION, check_version
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.settings import CrawlSettings

HEAD = struct.Struct(">IQ")
"""Version of the protocol, and length of the rest."""


@dataclass(frozen=True)
class Brief:
    """The first message to a partition. seeds: those at home in it. scope: all seeds that the crawl ever had.

    workers: number of processes that have all partitions. beside: number of partitions in its process. crawls: False:
    it only settles. is_first: not restarted.
    is_paused: it makes no requests until it is resumed. shows_progress: its reports have a `Progress`. logs: the
    outputs of the keeper's log, shared by processes of its machine. replayed: folders of archives in place of the
    network.
    """

    folder: Folder
    number: int
    settings: CrawlSettings
    seeds: Seeds
    workers: int = 1
    beside: int = 1
    scope: tuple[str, ...] = ()
    crawls: bool = True
    is_first: bool = True
    is_paused: bool = False
    shows_progress: bool = False
    logs: tuple[log.Output, ...] = ()
    replayed: tuple[Path, ...] = ()


def packed(brief: Brief) -> bytes:
    """Encode the version of the protocol, the length of the Brief, and the Brief."""
    body = pickle.dumps(brief)
    return HEAD.pack(VERSION, len(body)) + body


def unpacked(given: bytes) -> Brief:
    """Decode a Brief. Raises ConfigError for another version, before anything is unpickled."""
    check_version(HEAD.unpack_from(given)[0])
    brief: Brief = pickle.loads(given[HEAD.size :])
    return brief
