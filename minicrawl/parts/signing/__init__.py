"""Signed requests (--sign, --signature-agent): each request has a signature of its own, by Web Bot Auth
(docs/identity.md). `keys` makes, reads and publishes the keys."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: settings as given

from minicrawl import installed
from minicrawl.errors import SettingError
from minicrawl.parts.part import Part, own
from minicrawl.setting import Kind, file, https_origin, read_text, setting

if TYPE_CHECKING:
    from minicrawl.crawler.sources.local import Equipment, SourceSpec
    from minicrawl.settings import CrawlSettings
    from minicrawl.web.http.transport import Sign

_HTTPS_FILE = re.compile(r"(https://[^/]+)(/[\w.~%!$&'()*+,;=:@/?-]+)", re.IGNORECASE | re.ASCII)


def _read_signature_agent(name: str, given: Any) -> str:
    """An https origin, or the URL of a file there, with its origin spelt as `https_origin` does."""
    match = _HTTPS_FILE.fullmatch(read_text(name, given))
    return https_origin(name, match[1]) + match[2] if match else https_origin(name, given)


_AGENT: Kind = {"read": _read_signature_agent, "metavar": "URL"}


@dataclass(frozen=True)
class SigningSettings:
    sign: Path | None = setting(
        None,
        file("KEYFILE"),
        "Sign requests with this key (Web Bot Auth). 'minicrawl key new FILE' makes one. Needs --signature-agent.",
    )
    signature_agent: str = setting(
        "",
        _AGENT,
        "Say where you publish the key of --sign, as 'minicrawl key directory' prints it: at an https origin, or "
        "the directory's URL if verifiers want that.",
    )


class Signing(Part):
    """Signs all requests, in the processes that send them."""

    SETTINGS, TOPIC = SigningSettings, "identity"

    @staticmethod
    def check(settings: "CrawlSettings") -> None:
        asked = own(settings, SigningSettings)
        if (asked.sign is None) != (not asked.signature_agent):
            raise SettingError(
                "--sign KEYFILE and --signature-agent URL go together: a key, and where it is published; give "
                "both, or --forget both"
            )
        _sign(asked)

    @staticmethod
    def equip(spec: "SourceSpec", equipment: "Equipment") -> None:
        equipment.sign = _sign(own(spec.settings, SigningSettings))


def _sign(asked: SigningSettings) -> "Sign | None":
    if asked.sign is None:
        return None
    try:
        from minicrawl.parts.signing.keys import Signer, read_key  # noqa: PLC0415 - few crawls sign
    except ImportError as error:
        raise SettingError(f"--sign needs cryptography; run: {installed.adding('sign')}") from error
    return Signer(read_key(asked.sign), asked.signature_agent).signed
