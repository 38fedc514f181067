"""Parameters that say who follows a link, not where it leads: tracking and session ids.

A link with them is one to the page without them. What is left of the URL stays as it was, byte for byte. This is a
policy of the crawl (`--keep-parameters` switches it off), not what a URL is: minicrawl.crawl.urls.normalise keeps all.

A server may insist, and redirect to the URL with a session id: such a redirect is followed as it is.
"""

import re
from dataclasses import replace

from minicrawl.crawl.urls import normalise
from minicrawl.model import Fetched, ParsedPage

# Names that mean nothing else. Sources: Firefox's query stripping, ClearURLs' global rules, the vendors' manuals.
_TRACKING = (
    r"utm_\w+",  # Urchin, Google Analytics and who copies it
    r"gclid|gclsrc|dclid|gbraid|wbraid|gad_source|gad_campaignid|srsltid",  # Google Ads and Merchant Center
    r"_ga|_gl",  # Google's linker between domains
    r"msclkid",  # Microsoft Advertising
    r"fbclid|fb_action_ids|fb_action_types|fb_source|fb_ref",  # Facebook
    r"igshid|igsh|twclid|ttclid|li_fat_id",  # Instagram, X, TikTok, LinkedIn
    r"epik|rdt_cid|sccid",  # Pinterest, Reddit, Snapchat
    r"yclid|ymclid|ysclid|_openstat",  # Yandex
    r"mc_cid|mc_eid",  # Mailchimp
    r"_hsenc|_hsmi|__hssc|__hstc|__hsfp|hsctatracking|hsa_\w+",  # HubSpot
    r"mkt_tok",  # Marketo
    r"mtm_\w+|pk_(?:campaign|kwd|keyword|source|medium|content|cid|cpn)",  # Matomo, once Piwik
    r"itm_(?:campaign|content|medium|source|term)",  # within a site
    r"oly_anon_id|oly_enc_id|vero_id|vero_conv|wickedid|rb_clickid|s_cid|ef_id|ml_subscriber|ml_subscriber_hash",
    r"phpsessid|jsessionid|aspsessionid[a-z]+|cfid|cftoken|oscsid",  # sessions: PHP, Java, ASP, ColdFusion, osCommerce
)
# Names that sites use for content, too (article.php?sid=6993), but not with a value like this.
_SESSION = r"s|sid|sess|sessid|session|sessionid|session_id|zenid"
_ID = r"(?=[a-z]*\d)(?=\d*[a-z])[\da-z]{20,}"

_NAMED = rf"(?:amp;)?(?:(?:{'|'.join(_TRACKING)})(?:=[^&]*)?|(?:{_SESSION})={_ID})(?=&|$)"
_IN_QUERY = re.compile(rf"[?&]{_NAMED}", re.IGNORECASE | re.ASCII)
_PARAMETER = re.compile(_NAMED, re.IGNORECASE | re.ASCII)
_IN_PATH = re.compile(r";jsessionid=[^/;]*", re.IGNORECASE)


def stripped(url: str) -> str:
    """The normalised URL without parameters for tracking and sessions. Idempotent."""
    if "?" in url:
        if _IN_QUERY.search(url):
            stem, _, query = url.partition("?")
            kept = "&".join([part for part in query.split("&") if not _PARAMETER.match(part)])
            url = f"{stem}?{kept}" if kept else stem
    elif ";" not in url:
        return url
    stem, mark, query = url.partition("?")
    if ";" in stem and _IN_PATH.search(stem):
        # What is before the parameter may be a dot segment now.
        return normalise(_IN_PATH.sub("", stem) + mark + query) or url
    return url


def without_parameters(fetched: Fetched, parsed: ParsedPage) -> tuple[Fetched, ParsedPage]:
    """An answer and its page with all URLs stripped that they lead to."""
    if fetched.location:
        leads_to = normalise(fetched.location, fetched.url)
        fetched = replace(fetched, location=leads_to and _target(leads_to, fetched.url))
    text = "".join(parsed.outlinks)
    outlinks = tuple(map(stripped, parsed.outlinks)) if "?" in text or ";" in text else parsed.outlinks
    if outlinks != parsed.outlinks:
        # Of links that are the same now the first one's text stays; a dict keeps the last.
        anchors = dict(zip(reversed(outlinks), reversed(parsed.anchors), strict=True))
        distinct = tuple(dict.fromkeys(outlinks))
        parsed = replace(parsed, outlinks=distinct, anchors=tuple(anchors[url] for url in distinct))
    if parsed.canonicals or parsed.alternates or parsed.refresh is not None:
        parsed = replace(
            parsed,
            canonicals=tuple(dict.fromkeys(map(stripped, parsed.canonicals))),
            alternates=tuple(dict.fromkeys(map(stripped, parsed.alternates))),
            refresh=parsed.refresh and _target(parsed.refresh, fetched.url),
        )
    return fetched, parsed


def _target(url: str, source: str) -> str:
    """Where a redirect from `source` to `url`, both normalised, leads to."""
    plain = stripped(url)
    return url if plain == stripped(source) else plain
