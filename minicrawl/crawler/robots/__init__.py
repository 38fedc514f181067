"""The robots exclusion protocol (RFC 9309).

rules     parsing a robots.txt, and when to ask for it again
matching  the rule that decides on a URL, also among a thousand wildcard rules
"""

from minicrawl.crawler.robots.rules import RobotsRules

__all__ = ["RobotsRules"]
