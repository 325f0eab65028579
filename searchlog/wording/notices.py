"""Sentences that take something back: a retraction, a correction, "out of date", "satire". In thirteen languages. Pure.

A sentence is a notice when one of these is true of it:

1. it holds a phrase that says so in itself ("expression of concern", "an earlier version of this");
2. it holds a word of standing ("retracted", "superseded", "false") and names what it speaks of ("this article", "the
   claim above");
3. it is short, and such a word is most of it, or stands first with a colon behind it ("RETRACTED: …").

Only a sentence that was not there before is news; whoever asks compares. Words are beginnings of words, in small
letters; those of scripts without blanks stand anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

__all__ = ["is_notice", "is_of_itself", "is_plain_notice", "is_pointer", "is_rebuttal", "notices_of"]

_SENTENCE_CHARS_MAX = 400
_SHORT_CHARS = 70
_PLAIN_CHARS_MAX = 160
_ENTRIES_MAX = 400
"""Notices of one page; a page that has more says nothing by one."""

_PHRASES = """
expression of concern|retraction notice|notice of retraction|retraction:|retraction of|retraction to|erratum
corrigendum
addendum|earlier version of this|previous version of this|earlier version of the|original version of this
editor's note
editors' note|editorial note|publisher's note|correction:|corrections:|correction to|correction appended
clarification:
this is satire|is satire|is a satir|satirical|work of fiction|april fool|no longer valid|no longer accurate
no longer current|no longer in force|no longer in effect|no longer maintained|no longer supported
no longer recommended
no longer up to date|no longer applies|no longer apply|no longer supports|no longer considered|has been superseded
have been superseded|superseded by|is obsolete|obsoleted by|is deprecated|is outdated|is out of date|are out of date
are outdated|do not rely|should not be relied|please disregard|disregard th|has been debunked|been discredited
been withdrawn|been retracted|was retracted|were retracted|was withdrawn|were withdrawn|been rescinded|was rescinded
been revoked|been repealed|been disproved|been disproven|been refuted|been called into question|been disputed
factual error|fact-check|fact check|contains errors|contained errors|contains inaccura|contains false
under investigation
citation needed|disputed content|neutrality of this|factual accuracy|fabricated data|data were fabricated
misinformation
do not cite|do not use this|concerns have been raised|newer version of this|eine neuere version dieser
dieser seite gibt es eine
nouvelle version de cet|nueva versión de est|newer version is available here|has since been|have since been
we have removed|we removed|we regret|we apologise|we apologize|stand corrected
lost confidence in|turned out not to be|turned out to be wrong|turned out to be false|has been recalled
have been recalled|not in force|notice of removal|removal notice|updated to correct|updated to fix an error
corrected to reflect|ne sont plus à jour|ne sont plus valables|ne sont plus en vigueur|n'est plus d'actualité
已被删除|已删除|已被撤
no longer stands by|no longer stand by|no longer endorse|no longer meets|no longer meet our|known to be wrong
known to be incorrect|known to be false|known to be inaccurate|known to be unreliable|contain errors|contain an error
contains an error|contained an error|contains serious|contains mistakes|contains incorrect|readers are alerted
readers are advised|readers should be aware|readers are warned|could not be reproduced|cannot be reproduced
do not use the figures
do not use these|do not use the data|do not use the results|should be disregarded|should be ignored
should not be cited|should be treated with caution|treat with caution|has been pulled|was pulled|been unpublished
no longer reflect|should not be used|must not be used|gilt nicht mehr|gelten nicht mehr|ne s'applique plus
ya no se aplica
archived for historical|archived content|this is an archive|historical purposes only|for reference only
not peer-reviewed
zurückgezogen|richtigstellung|korrektur:|korrigendum|berichtigung|gegendarstellung|widerruf:|anmerkung der redaktion
in einer früheren version|frühere fassung|ist veraltet|nicht mehr aktuell|nicht mehr gültig|nicht mehr gepflegt
wurde widerlegt|ist satire|überholt|außer kraft|ersetzt durch|nicht mehr empfohlen|hinweis der redaktion
rétractation|rétracté|mise en garde|expression de préoccupation|rectificatif|correction :|note de la rédaction
version antérieure de cet|version précédente de cet|n'est plus valable|n'est plus à jour|n'est plus en vigueur
obsolète
est périmé|a été retiré|ont été retiré|a été démenti|article satirique|erratum :|droit de réponse|est remplacé par
a été réfuté|est une satire
retractado|retractación|fe de errata|fe de erratas|corrección:|nota del editor|nota de la redacción|rectificación
versión anterior de este|ya no es válid|ya no está vigente|desactualizad|obsolet|ha sido retirad|fue retirad|desmentid
ha sido reemplazad|es satíric|es una sátira|expresión de preocupación|ha sido refutad|ya no se recomienda
ritrattat|ritrattazione|errata corrige|rettifica|correzione:|nota della redazione|nota dell'editore
versione precedente di questo|non è più valid|non più valid|non è più aggiornat|è stato ritirat|è stata ritirat
smentit
è superat|sostituito da|non più in vigore|è una satira|articolo satirico|espressione di preoccupazione|obsolet
retratad|retratação|errata|correção:|nota do editor|nota da redação|versão anterior deste|não é mais válid
já não é válid
desatualizad|foi retirad|foi removid|foi desmentid|substituído por|é uma sátira|já não está em vigor|obsolet
ingetrokken|rectificatie|correctie:|noot van de redactie|eerdere versie van dit|niet meer geldig|niet langer geldig
verouderd|achterhaald|vervangen door|is weerlegd|dit is satire|niet meer actueel
wycofan|sprostowanie|korekta:|errata|od redakcji|wcześniejsza wersja tego|poprzednia wersja tego|nieaktualn
przestarzał
unieważnion|zdementowan|zastąpiony przez|zastąpiona przez|stracił ważność|to satyra|został obalon|została obalon
отозван|ретракц|опровержение|исправление:|поправка:|от редакции|в предыдущей версии|более ранней версии|устарел
утратил|больше не действ|неактуальн|не актуальн|опровергнут|заменен на|заменён на|сатир|выражение обеспокоенности
признан недостоверн|недействительн
撤稿|撤回|撤销|勘误|更正|编者按|编者注|已过时|已經過時|已经过时|已失效|已废止|已作废|不再有效|不再适用|被取代
已被替代|讽刺文章
辟谣|不实信息|虚假信息|已被推翻|已被证伪|此前版本|早前版本|關注聲明|关注声明|表达关切|勘誤|撤銷|闢謠|過時|內容有誤
内容有误|已下架
論文撤回|訂正|お詫び|編集部注|編集部より|取り消され|取り下げ|撤回され|無効となり|古い情報|情報が古|最新ではあり
廃止され|失効
誤りがあり|風刺|懸念表明|以前の版|以前のバージョン|現在は有効では
철회|정정|바로잡습니다|편집자 주|편집자주|더 이상 유효하지|오래된 정보|최신 정보가 아|폐지되|취소되|무효|풍자
이전 버전|사실이 아닌 것으로
대체되었|우려 표명|오류가 있
αποσύρθηκε|αποσυρθεί|ανακλήθηκε|διόρθωση:|δεν ισχύει πλέον|geri çekil|düzeltme:|artık geçerli değil|güncelliğini yitir
bị rút lại|đã rút lại|đính chính|không còn hiệu lực|không còn đúng|ถูกถอน|ถอนบทความ|แก้ไขข้อผิดพลาด|ไม่ถูกต้องอีก|ล้าสมัย
वापस ले लिय|वापस लिय|भूल सुधार|खंडन|पुराना हो|अब मान्य नहीं|retras|rectificare|erată|nu mai este valabil|peruttu
vedetty takaisin|oikaisu:|vanhentun|ei ole enää voimassa|dragits tillbaka|tillbakadrag|dragits in|rättelse|inaktuell
trukket tilbage|trukket tilbake|rettelse:|forældet|utdatert|odvolán|stažen|oprava:|zastaral|visszavon|helyreigazítás
elavult|відклик|спростування|виправлення:|застаріл
تم سحب|سُحب|سحبت هذه|تصحيح:|تصويب|تنويه|ملاحظة المحرر|من المحرر|نسخة سابقة من هذا|لم يعد صالح|لم تعد صالح|لم يعد سار
قديمة وغير
تم إلغاء|ملغاة|محتوى ساخر|مقال ساخر|تم دحض|ثبت عدم صحة|استُبدل|تراجع عن هذا|إبداء القلق|تم التراجع
"""

_STANDING = """
retract|withdraw|superseded|supersedes|outdated|out-of-date|out of date|obsolete|deprecated|corrected|correction
refuted
debunked|disproved|disproven|discredited|false|fake|hoax|misleading|inaccurate|incorrect|erroneous|satire|satirical
fiction
fabricated|fraudulent|invalid|disputed|rescinded|revoked|repealed|cancelled|canceled|void|unreliable|unverified
amended
overturned|reversed|not valid|not true|not accurate|untrue|replaced by|no longer|in error|mistake|misquoted|misstated
been removed|been deleted|was removed|was deleted|taken down|replaced|parody|spoof|parodi|discontinued|unfounded
falsified|plagiari|recalled|suspended|expired|archived|revised
widerrufen|widerlegt|zurückgezogen|zurückgenommen|veraltet|falsch|irreführend|unrichtig|berichtigt|korrigiert
überholt|ungültig
aufgehoben|fehlerhaft|unwahr|gefälscht
rétract|retiré|obsolète|périmé|dépassé|démenti|réfuté|corrigé|erroné|inexact|trompeu|annulé|abrogé|caduc|mensong
retractad|retirad|obsolet|desactualizad|anulad|derogad|refutad|desmentid|corregid|erróne|engaños|inexact|falso|falsa
ritirat|ritrattat|superat|smentit|confutat|corrett|errat|ingannevol|inesatt|abrogat|annullat
retratad|desatualizad|revogad|refutad|corrigid|errad|enganos|desmentid|cancelad
ingetrokken|verouderd|achterhaald|weerlegd|gecorrigeerd|onjuist|misleidend|vervallen|ongeldig
wycofan|nieaktualn|przestarzał|obalon|zdementowan|skorygowan|fałszyw|nieprawdziw|mylący|mylna|uchylon|odwołan
отозван|устарел|опровергнут|исправлен|неверн|ложн|недостоверн|отменен|отменён|аннулирован|утратил
撤|谣言|謠言|勘误|恶搞|过时|過時|失效|废止|作废|更正|不实|虚假|错误|錯誤|有误|有誤|误导|誤導|讽刺|辟谣|推翻|证伪|取代
撤回|訂正|取り消|取り下げ|古く|古い|失効|廃止|誤り|虚偽|誤解|風刺|無効
철회|정정|취소|폐지|무효|오류|허위|거짓|풍자|오래된|낡은|유효하지
سحب|ملغ|قديم|تصحيح|خاطئ|مضلل|كاذب|غير صحيح|باطل|ساخر|دحض
"""

_SUBJECTS = """
article|paper|study|studies|page|post|story|report|document|publication|content|information|guideline|guidance|claim
claims
statement|version|text|entry|recommendation|advice|section|preprint|results|findings|figures|data|quote|quotation
passage
release|policy|standard|specification|above|following|below|research|author|authors|editors|publisher|published
journal|this was|this has
dieser|diese|dieses|artikel|beitrag|studie|seite|meldung|bericht|angabe|aussage|fassung|inhalt|obige|behauptung
cet article|cette|article|étude|contenu|rapport|affirmation|déclaration|informations|texte|document
este|esta|artículo|estudio|página|contenido|informe|afirmación|información|noticia|declaración
questo|questa|articolo|studio|pagina|contenuto|notizia|informazion|dichiarazion|affermazion
artigo|estudo|página|conteúdo|notícia|informaç|afirmação|relatório
dit artikel|deze|artikel|studie|pagina|bericht|inhoud|informatie|bewering
ten artykuł|ta strona|artykuł|badanie|strona|treść|informacj|twierdzen|to stwierdzenie
эта|этот|эти|данная|данный|статья|статьи|исследован|страниц|материал|информаци|утвержден|документ|публикаци|сведения
本文|此文|该文|文章|论文|論文|本页|此页|页面|网页|内容|內容|信息|資訊|资料|报道|研究|说法|声明|上述|以下|该版本|文件
指南
この|本記事|記事|論文|ページ|情報|内容|研究|発表|報告|文書|主張|上記|以下
이 기사|이 글|기사|논문|문서|페이지|내용|정보|연구|보고서|주장|위의|아래
هذا|هذه|المقال|المقالة|الدراسة|البحث|الصفحة|المحتوى|المعلومات|الادعاء|التقرير|البيان
"""

_ITSELF = """
this article|this paper|this study|this page|this post|this story|this report|this document|this publication
this content
this guideline|this guidance|this version|this information|this claim|this statement|this entry|this preprint
this policy
this specification|this standard|this recommendation|this advice|the advice on this|the information on this
diese empfehlung|diese angaben|cette recommandation|esta recomendación|article has been|paper has been
dieser artikel|diese seite|dieser beitrag|diese studie
diese fassung|dieses dokument|cet article|cette page|cette étude|ce document|cette version|este artículo|esta página
este documento|este estudio|questo articolo|questa pagina|questo documento|este artigo|esta página|este documento
dit artikel|deze pagina|dit document|ten artykuł|ta strona|ten dokument|эта статья|эта страница|страница|данная статья
этот документ|本文|此文|本页|此页|本页面|该文|此消息|この記事|本記事|このページ|この論文|この情報|이 기사|이 글
이 페이지|이 논문
هذه المقالة|هذا المقال|هذه الصفحة|هذا البحث
"""

_REBUTTING = """
not true|untrue|false|incorrect|wrong|refuted|disproved|debunked|contradict|disputed|denied|however|no longer
exaggerat
misleading|mistaken|inaccurate|superseded|reversed|overturned|revised|retracted|withdrawn|opposite|contrary|in fact
alleged|allegedly|supposedly|critics|myth|hypothetical|fictional|does not apply|not the case|not apply
none of this|none of these|none of the above|only applies
applies only|except for|unless|replaced|outdated|previously|formerly|turned out|in error|unproven|unfounded
falsch|nicht wahr|widerlegt|unwahr|jedoch|allerdings|veraltet|stimmt nicht|bestritten|angeblich|gilt nicht|früher
faux|fausse|réfuté|démenti|cependant|toutefois|contredit|erroné|prétend|n'est plus|ne s'applique pas|inexact
falso|falsa|refutad|desmentid|sin embargo|incorrect|erróne|supuesta|ya no|no es cierto|no se aplica
tuttavia|smentit|confutat|errat|presunt|non è vero|non si applica
porém|contudo|no entanto|refutad|não é verdade|supost
echter|onjuist|weerlegd|niet waar|vermeend
jednak|nieprawd|obalon|fałszyw|rzekom|nie dotyczy
однако|неверн|ложн|опровергнут|якобы|неправд|не относится
不属实|不實|不是真|错误|錯誤|虚假|并非|並非|然而|但是|被推翻|已被证伪|据称|不适用|谣言|不正确|有误
しかし|誤り|間違い|虚偽|ではありません|ではない|とされていた|否定され|反論|適用されません
그러나|하지만|사실이 아|거짓|잘못|틀린|반박|부인|적용되지
لكن|غير صحيح|خاطئ|كاذب|مزعوم|لا ينطبق|نفى|ليس صحيح
"""

_MILD = re.compile(
    "correct|revis|revers|fals|fake|void|archiv|expir|suspend|amend|mistak|fiction|replac|recall|cancel|invalid"
    "|no longer|errat|been |was |taken "
)
"""Words of standing that short lines of other kinds hold too; they count there when they are all of the line."""
_ALONE = re.compile(
    r"\W*(?:false|fake|fiction|void|archived|expired|suspended|replaced|recalled|cancelled|canceled|invalid|corrected"
    r"|correction|erratum|errata)\W*"
)
_STRONG = re.compile(
    "retract|withdrawn|superseded|debunked|disprove|refuted|discredited|rescinded|repealed|plagiar|fabricated|satir|parod"
    "|hoax|widerlegt|zurückgezogen|rétract|retractad|ritirat|ritrattat|retratad|ingetrokken|wycofan|отозван|опровергнут|撤"
    "|辟谣|철회|سحب"
)
"""Words of standing that open a line about nothing but the page."""
_POINTER = re.compile(
    r"\W*(?:read (?:also|more|next)|see also|also read|related|more (?:on|from)|don't miss|lesen sie auch"
    r"|mehr zum thema|auch interessant|(?:à )?lire aussi|lea también|leia (?:também|mais)|leggi anche|lees ook"
    r"|czytaj też|читайте также|延伸阅读|相关阅读|相關閱讀|あわせて読みたい|関連記事|관련 기사|اقرأ أيضا)"
)
_ALPHABETIC = re.compile(r"[a-z\u00df-\u024f\u0370-\u052f\u0600-\u06ff]")


def _entries(table: str) -> list[str]:
    return [entry.strip() for line in table.strip().splitlines() for entry in line.split("|") if entry.strip()]


@cache
def _pattern(table: str) -> re.Pattern[str]:
    """Return one pattern for a table: in scripts with blanks an entry begins at the beginning of a word."""
    entries = sorted(dict.fromkeys(_entries(table)), key=lambda entry: (-len(entry), entry))
    spaced = [re.escape(entry) for entry in entries if _ALPHABETIC.match(entry)]
    others = [re.escape(entry) for entry in entries if not _ALPHABETIC.match(entry)]
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(spaced)})|{'|'.join(others)}")


@cache
def _stems(table: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_entries(table)))


def is_notice(sentence: str) -> bool:
    """Return whether a sentence takes something back, by the three rules of this module."""
    small = sentence.casefold()[:_SENTENCE_CHARS_MAX]
    if _pattern(_PHRASES).search(small):
        return True
    standing = _pattern(_STANDING).search(small)
    if standing is None:
        return False
    if _pattern(_SUBJECTS).search(small):
        return True
    if len(small) <= _SHORT_CHARS // 4:
        return _MILD.match(standing[0]) is None or _ALONE.fullmatch(small) is not None or small.rstrip().endswith(":")
    before, after = small[: standing.start()], small[standing.end() :]
    if re.search(r"\w", before):
        return False
    strong = len(small) <= _SHORT_CHARS and _STRONG.match(standing[0]) is not None
    return strong or re.match(r"[^\W_]*\s*[\]):-]", after) is not None


def is_plain_notice(sentence: str) -> bool:
    """Return whether a sentence is a notice that nothing but its own page can be meant by.

    It is short, and speaks of "this article" or opens with a word of standing. For pages of which it is not known
    what they said before: many speak of what was withdrawn elsewhere.
    """
    small = sentence.casefold()
    if len(small) > _PLAIN_CHARS_MAX or not is_notice(sentence):
        return False
    if _pattern(_ITSELF).search(small):
        return True
    hit = _pattern(_STANDING).search(small) or _pattern(_PHRASES).search(small)
    if hit is None or re.search(r"\w", small[: hit.start()]):
        return False
    return len(small) <= _SHORT_CHARS // 2 or re.match(r"[^\W_]*\s*[\]):-]", small[hit.end() :]) is not None


def is_of_itself(sentence: str) -> bool:
    """Return whether a notice says that it is about the page it stands on, or is no more than a label.

    For one of several links: "Fact check: did she say that?" leads to another page, "Retraction notice" to this one's.
    """
    return len(sentence) <= _SHORT_CHARS // 2 or _pattern(_ITSELF).search(sentence.casefold()) is not None


def is_pointer(text: str) -> bool:
    """Return whether a line of links says by its first words that it leads to other pages."""
    return _POINTER.match(text.casefold()) is not None


def is_rebuttal(text: str) -> bool:
    """Return whether a text beside a passage may take back or limit what the passage says; wider than a notice."""
    return _pattern(_REBUTTING).search(text.casefold()) is not None or is_notice(text)


def notices_of(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of the sentences of a folded text that are notices. A line feed ends a sentence."""
    small = text.casefold()
    if len(small) != len(text):  # a letter that becomes two; what is looked for is in small letters without it too
        small = text.lower() if len(text.lower()) == len(text) else text
    hits: set[int] = set()
    for table in (_PHRASES, _STANDING):
        for stem in _stems(table):
            at = small.find(stem)
            count = 0
            while at >= 0 and count < _ENTRIES_MAX:
                hits.add(at)
                count += 1
                at = small.find(stem, at + len(stem))
    last = -1
    found = 0
    for hit in sorted(hits):
        if hit < last:
            continue
        start, end = _sentence_at(text, hit)
        last = end
        if is_notice(text[start:end]):
            yield start, end
            found += 1
            if found >= _ENTRIES_MAX:
                return


def _sentence_at(text: str, at: int) -> tuple[int, int]:
    """Return the sentence around a place; one that is too long is cut around it."""
    low, high = max(0, at - _SENTENCE_CHARS_MAX // 2), min(len(text), at + _SENTENCE_CHARS_MAX // 2)
    start = max(
        (text.rfind(mark, low, at) + len(mark) for mark in _ENDS if text.rfind(mark, low, at) >= 0), default=low
    )
    ends = [place + 1 for mark in _ENDS if (place := text.find(mark, at, high)) >= 0]
    return start, min(ends, default=high)


_ENDS = ("\n", ". ", "! ", "? ", "。", "؟", "।", "!", "?")
