"""Language tags (BCP 47, RFC 5646), as hreflang names them: those that the IANA registry has, as far as we know it.

Known are all languages and regions of two letters, deprecated ones too. A language of three letters, a script, a
variant or a region of three digits is accepted if it has the right form.
"""

import re

_ISO_639_1 = """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee
    el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io
    is it iu iw ja ji jv jw ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk
    ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc
    sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve
    vi vo wa wo xh yi yo za zh zu
"""
_ISO_3166_1 = """
    aa ac ad ae af ag ai al am an ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt
    bu bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cp cq cr cs cu cv cw cx cy cz dd de dg dj dk dm do dz ea
    ec ee eg eh er es et eu ez fi fj fk fm fo fr fx ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk
    hm hn hr ht hu ic id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk
    lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl
    no np nr nt nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj
    sk sl sm sn so sr ss st su sv sx sy sz ta tc td tf tg th tj tk tl tm tn to tp tr tt tv tw tz ua ug um un us
    uy uz va vc ve vg vi vn vu wf ws yd ye yt yu za zm zr zw zz
"""
"""And what the registry has besides."""
_LANGUAGES, _REGIONS = frozenset(_ISO_639_1.split()), frozenset(_ISO_3166_1.split())
_PRIVATE = re.compile("q[m-z]|x[a-z]")
_TAG = re.compile(
    "(?P<language>[a-z]{2,3})(?:-[a-z]{3}){0,3}(?:-[a-z]{4})?(?:-(?P<region>[a-z]{2}|[0-9]{3}))?"
    "(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?"
)


def is_language_tag(text: str) -> bool:
    """True if a text has the form of a tag, and its language and region of two letters are registered."""
    tag = _TAG.fullmatch(text.lower())
    if tag is None:
        return False
    language, region = tag["language"], tag["region"] or ""
    is_region = len(region) != 2 or region in _REGIONS or _PRIVATE.fullmatch(region) is not None
    return is_region and (len(language) == 3 or language in _LANGUAGES)
