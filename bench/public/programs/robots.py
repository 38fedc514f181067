"""Verdicts by a parser of robots.txt: a list of robots.txt, product token and URL in, whether each may be fetched out.

PYTHON robots.py PARSER < QUESTION          null: the parser failed
"""

import json
import sys
import time
from collections.abc import Callable
from importlib import import_module as load
from typing import Any


def protego(text: str, agent: str, url: str) -> Any:
    return load("protego").Protego.parse(text).can_fetch(url, agent)


def robotspy(text: str, agent: str, url: str) -> Any:
    return load("robots").RobotsParser.from_string(text).can_fetch(agent, url)


def google(text: str, agent: str, url: str) -> Any:
    matcher = load("jwm.robotstxt.googlebot").RobotsMatcher()
    return matcher.OneAgentAllowedByRobots(text, agent, url)


def fast(text: str, agent: str, url: str) -> Any:
    return load("robotstxt").RobotsMatcher().is_allowed(text, agent, url)


def ported(text: str, agent: str, url: str) -> Any:
    matcher = load("gpyrobotstxt.robots_cc").RobotsMatcher()
    return matcher.one_agent_allowed_by_robots(text.encode(), agent, url)


def reppy(text: str, agent: str, url: str) -> Any:
    return load("reppy.robots").Robots.parse("https://h.test/robots.txt", text).allowed(url, agent)


def exclusion(text: str, agent: str, url: str) -> Any:
    rules = load("robotexclusionrulesparser").RobotExclusionRulesParser()
    rules.parse(text)
    return rules.is_allowed(agent, url)


def standard(text: str, agent: str, url: str) -> Any:
    rules = load("urllib.robotparser").RobotFileParser()
    rules.parse(text.splitlines())
    return rules.can_fetch(agent, url)


PARSERS: dict[str, Callable[[str, str, str], Any]] = {
    "protego": protego,
    "robotspy": robotspy,
    "Google's robotstxt": google,
    "fast-robotstxt": fast,
    "gpyrobotstxt": ported,
    "reppy": reppy,
    "robotexclusionrulesparser": exclusion,
    "urllib.robotparser": standard,
}


def tried(verdict: Callable[[str, str, str], Any], case: tuple[str, str, str]) -> bool | None:
    try:
        return bool(verdict(*case))
    except Exception:  # whatever a parser raises is no verdict
        return None


def main() -> None:
    verdict, cases = PARSERS[sys.argv[1]], json.load(sys.stdin)
    tried(verdict, ("", "a", "https://h.test/"))  # to import it
    started = time.process_time()
    verdicts = [tried(verdict, case) for case in cases]
    print(json.dumps({"verdicts": verdicts, "seconds": time.process_time() - started}))


if __name__ == "__main__":
    main()
