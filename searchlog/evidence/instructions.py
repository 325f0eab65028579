"""Does a text speak to a model? A small set of patterns in several languages, by what they try. Pure.

It is a label for the reader, no filter and no defence: an article about such attacks is labelled too, and a careful
attacker is not. What protects the model is that page text stands in fences it cannot forge. Read as well are the cheap
disguises: look-alike letters, accents, digits for letters, letters set apart, Base64, ROT13 and text written backwards.
"""

from __future__ import annotations

import base64
import codecs
import re
import unicodedata

from searchlog.spoofing.confusable import folded, skeleton

__all__ = ["instruction_like"]

# "ignore what you were told": a verb, then within a few words the thing to be forgotten
_OVERRIDE = [
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|preceding|existing|"
    r"system|your)\b.{0,30}\b(?:instructions?|prompts?|rules?|directions?|guidelines?|directives?|messages?)\b",
    r"\b(?:ignorier|vergiss|missachte)\w*.{0,40}\b(?:vorherig|bisherig|obig|vorangegangen|alle)\w*.{0,30}"
    r"\b(?:anweisung|instruktion|regel|vorgabe|befehl)",
    r"\b(?:ignore[zrs]?|oublie[zrs]?)\b.{0,40}\b(?:instructions?|consignes?|règles?|directives?)\b.{0,40}"
    r"\b(?:précédent|antérieur|ci-dessus)",
    r"\b(?:ignor[ae]n?|olvid[ae]n?|olvide)\b.{0,40}\b(?:instrucciones|indicaciones|reglas|órdenes)\b.{0,40}"
    r"\b(?:anterior|previ)",
    r"\b(?:ignor[ae]|esqueç?[ae])\b.{0,40}\b(?:instruções|regras|ordens)\b.{0,40}\b(?:anterior|prévi|acima)",
    r"\b(?:ignora|dimentica)\w*\b.{0,40}\b(?:istruzioni|regole|ordini)\b.{0,40}\b(?:precedent|sopra)",
    r"(?:игнорируй|проигнорируй|забудь)\w*.{0,40}(?:предыдущ|прежн|вышеуказан|все).{0,30}(?:инструкц|указан|правил|команд)",
    r"(?:忽略|无视|無視|忘记|忘記|不要理会|不要理會).{0,16}(?:指令|指示|提示|说明|說明|规则|規則|命令)",
    r"(?:以前|これまで|上記|上|前|すべて|全て|システム).{0,10}(?:指示|命令|ルール|プロンプト).{0,10}(?:無視|忘れ)",
    r"(?:이전|위의|앞의|기존|모든).{0,12}(?:지시|명령|규칙|프롬프트).{0,8}(?:무시|잊)",
    r"(?:تجاهل|انس|تجاهلي|تجاهلوا).{0,30}(?:التعليمات|الأوامر|القواعد|الإرشادات)",
    r"(?:पिछले|पिछली|पहले|उपरोक्त|सभी).{0,20}(?:निर्देश|आदेश|नियम).{0,20}(?:अनदेखा|नज़रअंदाज|भूल|उपेक्षा)",
    r"(?:আগের|পূর্বের|পূর্ববর্তী|সমস্ত|সব).{0,20}(?:নির্দেশ|নিয়ম|আদেশ).{0,20}(?:উপেক্ষা|ভুলে|অগ্রাহ্য)",
    r"(?:دستورالعمل|دستور|راهنمایی|قوانین).{0,30}(?:قبلی|پیشین|بالا).{0,20}(?:نادیده|فراموش)",
    r"(?:התעלם|התעלמי|התעלמו|שכח|שכחו).{0,30}(?:הוראות|הנחיות|כללים|פקודות)",
    r"(?:เพิกเฉย|ละเว้น|ไม่ต้องสนใจ|ลืม).{0,30}(?:คำสั่ง|คำแนะนำ|กฎ).{0,30}(?:ก่อนหน้า|ข้างต้น|ทั้งหมด)",
    r"\b(?:negeer|vergeet)\b.{0,40}\b(?:vorige|eerdere|bovenstaande|voorgaande|alle)\b.{0,30}\b(?:instructies|"
    r"aanwijzingen|regels|opdrachten)",
    r"\b(?:ignorera?|glöm|glem|bortse från)\b.{0,40}\b(?:tidigare|föregående|tidligere|foregående|forrige)\b.{0,30}"
    r"\b(?:instruktion|instruks|anvisning|regler)",
    r"\b(?:unohda|ohita|jätä huomiotta)\b.{0,40}\b(?:aiemmat|aikaisemmat|edelliset|kaikki)\b.{0,30}\b(?:ohje|sään)",
    r"\b(?:z?ignoruj|zapomnij)\w*.{0,40}\b(?:poprzedni|wcześniejsz|powyższ|wszystki)\w*.{0,30}\b(?:instrukcj|polece|zasad)",
    r"\b(?:ignoruj|zapomeň)\w*.{0,40}\b(?:předchozí|předešl|všechny)\w*.{0,30}\b(?:pokyn|instrukc|pravid|příkaz)",
    r"(?:ігноруй|забудь)\w*.{0,40}(?:попередн|усі|всі).{0,30}(?:інструкц|вказівк|правил|команд)",
    r"\b(?:ignoră|ignorați|uită|uitați)\b.{0,30}\b(?:instrucțiuni|reguli|comenzi)\w*.{0,30}"
    r"(?:anterioare|precedente|de mai sus)",
    r"\b(?:hagyd figyelmen kívül|felejtsd el)\b.{0,40}\b(?:korábbi|előző|fenti|összes)\b.{0,30}\b(?:utasítás|szabály)",
    r"(?:αγνόησε|αγνοήστε|ξέχασε|ξεχάστε).{0,40}(?:προηγούμεν|παραπάνω|όλες).{0,30}(?:οδηγίες|εντολές|κανόνες)",
    r"(?:önceki|yukarıdaki|tüm|bütün).{0,30}(?:talimat|yönerge|komut|kural)\w*.{0,30}(?:yok say|görmezden gel|unut|"
    r"dikkate alma)",
    r"(?:bỏ qua|phớt lờ|quên).{0,30}(?:hướng dẫn|chỉ dẫn|chỉ thị|lệnh|quy tắc).{0,30}(?:trước|ở trên)",
    r"\b(?:abaikan|lupakan)\b.{0,30}\b(?:instruksi|perintah|petunjuk|aturan)\b.{0,30}\b(?:sebelumnya|di atas)",
]
# a new part for the model to play, or an order to keep something from its user
_ADDRESS = [
    r"\bif you(?:'re| are) an? (?:ai|llm|language model|assistant|agent|chatbot|bot)\b",
    r"\b(?:ai|llm) (?:assistants?|agents?|models?)(?: reading this)?[:,]? (?:you )?(?:must|should|please|are required|"
    r"are instructed)\b",
    r"\byou are (?:now|no longer) (?:an? |in )?(?:\w+ ){0,3}(?:assistant|ai|model|mode|dan|bound|restricted)\b",
    r"\b(?:do not|don't|never) (?:tell|inform|mention (?:this|it) to|reveal (?:this|it) to|alert|notify) the user\b",
    r"\b(?:reveal|print|repeat|output|show|leak)\b.{0,20}\b(?:system|hidden|initial) (?:prompt|instruction|message)",
    r"\b(?:new|updated|important|urgent|real) (?:system )?instructions?\s*(?:for (?:the |all )?(?:ai|assistant|model|"
    r"llm|agent)s?)?\s*:",
    r"\bbefore (?:answering|responding|replying)\b[,:]? (?:first )?(?:please )?(?:fetch|call|visit|open|send|load|post|"
    r"request|run|execute|browse|go to)\b",
    r"\b(?:fetch|visit|open|load|call|request|send|post)\b.{0,30}https?://\S{1,200}.{0,80}\b(?:the|your) (?:final )?"
    r"(?:answer|response|reply|notes|conversation)\b",
    r"\b(?:instructions?|note|message|attention) (?:for|to) (?:the |all |any )?(?:ai|llm|language model|assistant|"
    r"chatbot)s?\b",
]
# the marks that divide a conversation or call a tool, in the dialects of several models
_MARKUP = [
    r"<\|\s*(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id)\s*\|>",
    r"\[/?inst\]|<<\s*/?sys\s*>>|</?start_of_turn>|</?end_of_turn>",
    r"</?\s*(?:\w+:)?(?:tool_call|tool_calls|tool_use|tool_result|tool_response|function_calls?|function_results?|invoke|"
    r"system-reminder|system_prompt|assistant_response)\b[^>]{0,80}>",
    r"\"(?:tool_calls?|function_call)\"\s*:\s*[\[{]",
    r"(?:^|\n)[ \t]{0,8}(?:\[(?:system|assistant|developer)\]|#{1,4}\s*(?:system|assistant|developer)|"
    r"(?:system|developer) (?:prompt|message|instructions?)|"
    r"(?:human|user)\s*:[^\n]{0,400}\n{1,3}[ \t]{0,8}assistant)\s*:",
    r"(?:^|\n)[ \t]{0,8}(?:system|assistant|developer)\s*:\s*(?:you|your|ignore|always|never|do not|the user)\b",
]
# what every match of the patterns above holds: looking for these first saves most texts the patterns
_OVERRIDE_HINTS = (
    *(
        "ignor",
        "disregard",
        "forget",
        "overrid",
        "bypass",
        "vergiss",
        "missacht",
        "oubli",
        "olvid",
        "esque",
        "dimentic",
    ),
    *("игнорируй", "забудь", "忽略", "无视", "無視", "忘", "不要理", "무시", "잊", "تجاهل", "انس"),
    *("अनदेखा", "नज़रअंदाज", "भूल", "उपेक्षा", "উপেক্ষা", "ভুলে", "অগ্রাহ্য", "نادیده", "فراموش", "התעלם", "התעלמ", "שכח"),
    *(
        "เพิกเฉย",
        "ละเว้น",
        "ไม่ต้องสนใจ",
        "ลืม",
        "negeer",
        "vergeet",
        "glöm",
        "glem",
        "bortse",
        "unohda",
        "ohita",
        "huomiotta",
    ),
    *("zapomnij", "zapomeň", "ігноруй", "uită", "uitați", "figyelmen", "felejtsd", "αγνό", "αγνοή", "ξέχασ", "ξεχάσ"),
    *("talimat", "yönerge", "komut", "kural", "bỏ qua", "phớt lờ", "quên", "abaikan", "lupakan"),
)
_ADDRESS_HINTS = (
    *("if you", "you are", "the user", "prompt", "instruction", "system", "assistant", "chatbot", "llm", "model"),
    *("ai ", "for ai", "to ai", "the ai", "all ai", "any ai", "before answering", "before respon", "before replying"),
    *("http://", "https://"),
)


def _any(patterns: list[str]) -> re.Pattern[str]:
    return re.compile(unicodedata.normalize("NFKC", "|".join(f"(?:{p})" for p in patterns)))


_GUARDED = (
    (tuple(unicodedata.normalize("NFKC", hint) for hint in _OVERRIDE_HINTS), _any(_OVERRIDE)),
    (_ADDRESS_HINTS, _any(_ADDRESS)),
)
_MARKS = _any(_MARKUP)


def instruction_like(text: str) -> bool:
    """Whether a text, already free of invisible characters, addresses a model rather than a reader.

    Time grows with the length of the text alone.
    """
    plain = folded(text).lower()
    if _speaks(plain):
        return True
    bare = skeleton(text)
    return (bare != plain and _speaks(bare)) or _disguised(bare) or _encoded(text)


def _speaks(text: str) -> bool:
    """Whether one of the patterns is in a lower-case text."""
    if _MARKS.search(text) is not None:
        return True
    line = " ".join(text.split())
    return any(any(hint in line for hint in hints) and pattern.search(line) is not None for hints, pattern in _GUARDED)


# --- disguises: each is undone as a whole, and what comes out is read like any text

_DIGITS = str.maketrans("0134578@$!|+", "oieastbasilt")
_APART = re.compile(r"(?<!\w)[a-z](?:[ .\-*\u00b7|/~]{1,3}[a-z]){4,}(?!\w)")
_BETWEEN = re.compile(r"[^a-z]+")
_RUN_TOGETHER = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your|of|these){0,3}(?:previous|prior|above|earlier|preceding|"
    r"existing|system)(?:system)?(?:instruction|prompt|rule|direction|guideline|directive|message)"
)
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{24,4000}={0,2}(?![\w+/=-])")
_CODES_MAX = 16
"""Words of a text that are tried as Base64."""
_TURNED = (("vafgehpgvba", "cebzcg"), ("snoitcurtsni", "tpmorp"))
"""`instruction` and `prompt` in ROT13, and written backwards."""


def _disguised(text: str) -> bool:
    """Whether a lower-case text gives an order in digits for letters, in letters set apart, turned or run together."""
    out = [text.translate(_DIGITS)] if _DIGIT.search(text) is not None else []
    together = _APART.sub(lambda match: _BETWEEN.sub("", match[0]), text)
    if together != text:
        out.append(together)
        if _RUN_TOGETHER.search(together) is not None:
            return True
    if any(hint in text for hint in _TURNED[0]):
        out.append(codecs.decode(text, "rot13"))
    if any(hint in text for hint in _TURNED[1]):
        out.append(text[::-1])
    return any(map(_speaks, out))


_DIGIT = re.compile(r"[a-z][0134578@$!|+]{1,3}[a-z]|\b[0134578@$!|]{1,2}[a-z]+[0134578@$!|]")


def _encoded(text: str) -> bool:
    """Whether a word of the text is an order in Base64."""
    for count, match in enumerate(_BASE64.finditer(text)):
        if count >= _CODES_MAX:
            break
        word = match[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            plain = base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode("utf-8")
        except ValueError:
            continue
        if plain.isprintable() and _speaks(plain.lower()):
            return True
    return False
