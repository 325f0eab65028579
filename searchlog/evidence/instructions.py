"""Does a text speak to a model? A small set of patterns in several languages, by what they try. Pure.

It is a label for the reader, no filter and no defence: an article about such attacks is labelled too, and a careful
attacker is not. What protects the model is that page text stands in fences it cannot forge.
"""

from __future__ import annotations

import re

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
    *("अनदेखा", "नज़रअंदाज", "भूल", "उपेक्षा"),
)
_ADDRESS_HINTS = (
    *("if you", "you are", "the user", "prompt", "instruction", "system", "assistant", "chatbot", "llm", "model"),
    *("ai ", "for ai", "to ai", "the ai", "all ai", "any ai"),
)
_GUARDED = (
    (_OVERRIDE_HINTS, re.compile("|".join(f"(?:{p})" for p in _OVERRIDE))),
    (_ADDRESS_HINTS, re.compile("|".join(f"(?:{p})" for p in _ADDRESS))),
)
_MARKS = re.compile("|".join(f"(?:{p})" for p in _MARKUP))


def instruction_like(text: str) -> bool:
    """Whether a text, already free of invisible characters and in NFKC, addresses a model rather than a reader."""
    text = text.lower()
    if _MARKS.search(text) is not None:
        return True
    folded = " ".join(text.split())
    return any(
        any(hint in folded for hint in hints) and pattern.search(folded) is not None for hints, pattern in _GUARDED
    )
