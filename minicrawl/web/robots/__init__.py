"""Rules of sites for robots: the robots exclusion protocol (RFC 9309), and preferences on the use of what is read.

    >>> rules = RobotsRules.parse(b"User-agent: *\\nDisallow: /private")
    >>> rules.allows("mybot", "https://example.org/private/x")
    False
    >>> rules.deciding_line("mybot", "https://example.org/private/x")
    'Disallow: /private'

rules        parsing a robots.txt, and when to ask for it again
matching     the rule that decides on a URL, also among a thousand wildcard rules
preferences  vocabularies of preferences on use, their mapping to three uses, their combination; rules on use
"""

from minicrawl.web.robots.rules import RobotsRules

__all__ = ["RobotsRules"]
