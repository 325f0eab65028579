"""Wikipedia: full-text search of one language's encyclopedia through the MediaWiki Action API. No key, always there.

Traps: errors come with status 200; the snippet is HTML; the timestamp is that of the last edit, not of publication;
each language is its own host. Answers hold titles and page ids, so the URL is built here by MediaWiki's rule.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from urllib.parse import quote, urlencode

from searchlog.capture.exchange import Request
from searchlog.errors import FormatError
from searchlog.search.answers.reading import Reader, code_of_tag, error_text, fit, retry_after
from searchlog.search.answers.values import html_text, json_object, text
from searchlog.search.provider import Facts, Response, Terms
from searchlog.search.query import Query
from searchlog.search.run import Run, RunOutcome
from searchlog.search.service import Service

__all__ = ["Wikipedia"]

PARSER = "mediawiki/2"

_LANGUAGES_LIST = (
    "ab ace ady af als alt am ami an ang ann anp ar arc ary arz as ast atj av avk awa ay az azb ba ban bar bat-smg "
    "bbc bcl bdr be be-tarask bew bg bi bjn blk bm bn bo bpy br bs btm bug bxr ca cbk-zam cdo ce ceb ch chr chy ckb "
    "co cr crh cs csb cu cv cy da dag de dga din diq dsb dtp dty dv dz ee el eml en eo es et eu ext fa fat ff fi "
    "fiu-vro fj fo fon fr frp frr fur fy ga gag gan gcr gd gl glk gn gom gor got gpe gu guc gur guw gv ha hak haw he "
    "hi hif hr hsb ht hu hy hyw ia iba id ie ig igl ik ilo inh io is it iu ja jam jbo jv ka kaa kab kbd kbp kcg kg "
    "kge ki kk kl km kn ko koi krc ks ksh ku kus kv kw ky la lad lb lbe lez lfn lg li lij lld lmo ln lo lt ltg lv mad "
    "mai map-bms mdf mg mhr mi min mk ml mn mni mnw mos mr mrj ms mt mwl my myv mzn nah nap nds nds-nl ne new nia nl "
    "nn no nov nqo nr nrm nso nv ny oc olo om or os pa pag pam pap pcd pcm pdc pfl pi pl pms pnb pnt ps pt pwn qu rm "
    "rmy rn ro roa-rup roa-tara rsk ru rue rw sa sah sat sc scn sco sd se sg sh shi shn si simple sk skr sl sm smn sn "
    "so sq sr srn ss st stq su sv sw syl szl szy ta tay tcy tdd te tet tg th ti tig tk tl tly tn to tpi tr trv ts tt "
    "tum tw ty tyv udm ug uk ur uz ve vec vep vi vls vo wa war wo wuu xal xh xmf yi yo za zea zgh zh zh-classical "
    "zh-min-nan zh-yue zu"
)
_LANGUAGES = frozenset(_LANGUAGES_LIST.split())
# tags whose Wikipedia is called otherwise; `als` is Tosk Albanian, and the Wikipedia of that name Alemannic
_ALIAS = {"nb": "no", "fil": "tl", "cmn": "zh", "iw": "he", "in": "id", "ji": "yi", "mo": "ro", "yue": "zh-yue",
          "zh-wuu": "wuu", "nan": "zh-min-nan", "lzh": "zh-classical", "gsw": "als", "als": "sq", "rup": "roa-rup",
          "vro": "fiu-vro", "sgs": "bat-smg", "cbk": "cbk-zam", "nrf": "nrm", "be-x-old": "be-tarask"}  # fmt: skip
# the script of a query names its language well enough where one large Wikipedia stands for the script
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("ru", re.compile("[\u0400-\u04ff]")),
)
_BUSY = ("maxlag", "ratelimited", "cirrussearch-too-busy-error")
_BROKEN = ("readonly", "cirrussearch-backend-error", "search-error", "timeout")


class Wikipedia(Service):
    """All Wikipedias; the query's language chooses one. base_url: another MediaWiki, in place of the language hosts."""

    FACTS = Facts(
        name="wikipedia",
        title="Wikipedia",
        endpoint="https://{language}.wikipedia.org/w/api.php",
        third_party="the Wikimedia Foundation",
        terms=Terms(
            "https://foundation.wikimedia.org/wiki/Policy:Terms_of_Use",
            "2026-11-29",
            "text is CC BY-SA 4.0: it may be kept and shared with attribution",
        ),
        applies=("count", "page", "language"),
        returns=("snippet",),
        count_max=50,
        limits="one request after the other; 300 characters",
        scope="encyclopedia",
        by_name=True,
    )

    def __init__(self, key: str | None = None, base_url: str | None = None, contact: str | None = None) -> None:
        super().__init__(key, base_url, contact)
        self._base = base_url.rstrip("/") if base_url else None
        if self._base is not None:
            self.facts = replace(self.facts, third_party=f"the wiki at {self._base}")

    def request(self, query: Query) -> Request:
        count = min(query.count, self.facts.count_max)
        fields = {
            "action": "query",
            "list": "search",
            "srsearch": fit(query.text, 300)[0],
            "srlimit": str(count),
            "sroffset": str((query.page - 1) * count),
            "srprop": "snippet|timestamp|wordcount",
            "format": "json",
            "formatversion": "2",
            "maxlag": "5",
        }
        url = self._host(query) + "/w/api.php?" + urlencode(fields)
        return Request("GET", url, (("Accept", "application/json"),))

    def parse(self, response: Response, query: Query) -> Run:
        wiki, guessed = _wiki(query)
        ignored = self.facts.ignored(query)
        if query.language and (guessed or self._base):
            ignored += ("language",)
        reader = Reader(self.facts, PARSER, ignored)
        refused = reader.refused(response)
        if refused is not None:
            return refused
        try:
            answer = json_object(response.body)
        except FormatError as error:
            return reader.run(RunOutcome.PARSE_ERROR, str(error))
        if "error" in answer:
            return self._error(answer, response, reader)
        found = answer.get("query")
        if not isinstance(found, dict) or not isinstance(found.get("search"), list):
            return reader.run(RunOutcome.PARSE_ERROR, "the answer has no list `query.search`")
        if self._base is None:
            reader.note(f"searched {wiki}.wikipedia.org" + (", chosen by the script of the query" if guessed else ""))
        for note in fit(query.text, 300)[1]:
            reader.note(note)
        if query.freshness or query.after or query.before:
            reader.note("when a page was first published is not told; `modified` is its last edit")
        info = found.get("searchinfo")
        if isinstance(info, dict) and text(info.get("suggestion")):
            reader.note("suggestion: " + text(info["suggestion"]))
        host = self._host(query)
        reader.walk(found["search"], lambda row: _result(row, host))
        return reader.run()

    def _host(self, query: Query) -> str:
        return self._base or f"https://{_wiki(query)[0]}.wikipedia.org"

    def _error(self, answer: dict[str, Any], response: Response, reader: Reader) -> Run:
        error = answer["error"] if isinstance(answer["error"], dict) else {}
        code = text(error.get("code")) or "unnamed"
        said = f"error {code} ({error_text(response.body)})"
        if code in _BUSY:
            return reader.run(RunOutcome.RATE_LIMITED, said, retry_after(response.headers) or 5)
        if code in _BROKEN or code.startswith("internal_api_error"):
            return reader.run(RunOutcome.UNAVAILABLE, said, retry_after(response.headers))
        if code in ("blocked", "autoblocked", "globalblocking-blockedtext-range"):
            return reader.run(RunOutcome.BLOCKED, said)
        if code == "readapidenied":
            return reader.run(RunOutcome.AUTH, said)
        return reader.run(RunOutcome.BAD_REQUEST, said)


def _wiki(query: Query) -> tuple[str, bool]:
    """Return the Wikipedia to ask, and whether it was guessed because the query names none that exists."""
    named = code_of_tag(query.language, _LANGUAGES, _ALIAS)
    if named is not None:
        return named, False
    for wiki, script in _SCRIPTS:
        if script.search(query.text):
            return wiki, True
    return "en", bool(query.language)


def _result(row: dict[str, Any], host: str) -> dict[str, Any]:
    title = text(row.get("title"))
    page = title[:1].upper() + title[1:]
    # the characters that MediaWiki leaves as they are in its own links
    url = f"{host}/wiki/" + quote(page.replace(" ", "_"), safe="/:@!$*,;()~'") if title else None
    pageid = row.get("pageid")
    words = row.get("wordcount")
    return {
        "url": url,
        "title": title,
        "snippet": html_text(row.get("snippet")),
        "extra": {
            "modified": text(row.get("timestamp"))[:40],
            "pageid": str(pageid) if type(pageid) is int and 0 < pageid < 2**53 else "",
            "word_count": str(words) if type(words) is int and 0 <= words < 2**53 else "",
        },
    }
