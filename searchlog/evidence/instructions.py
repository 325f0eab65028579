"""Does a text speak to a model? A small set of patterns and words in many languages, by what they try. Pure.

It is a label for the reader, no filter and no defence: an article about such attacks is labelled too, and a careful
attacker is not. What protects the model is that page text stands in fences it cannot forge. A pattern asks for an order
and for something only a model has (instructions it was given, a user of its own), so that manuals, which are full of
orders, stay free. Read as well are the cheap disguises: look-alike letters, accents, digits for letters, letters set
apart, Base64, ROT13 and text written backwards.
"""

from __future__ import annotations

import base64
import codecs
import re

from searchlog.evidence.overrides import overrides
from searchlog.spoofing.confusable import folded, skeleton

__all__ = ["instruction_like"]

_MODEL = (
    r"(?:ai(?: (?:assistant|agent|model|system|language model|chatbot|bot|crawler)s?)?|llms?|(?:large )?language "
    r"models?)"
)
_GIVEN = r"(?:instructions?|prompts?|directions?|guidelines?|directives?|orders)"
# where an order begins: a line, a sentence, or after a word of address
_BEGIN = r"(?:^|[.!?:;,>)\]\"'*#|\u2026-] {0,2}|\b(?:please|kindly|now|then|must|should|instead|just) )"
# "ignore what you were told": a verb, then within a few words the thing to be forgotten
_OVERRIDE = (
    r"(?<!n't )(?<!not )(?<!never )\b(?:ignore|disregard|forget|discard|(?:put|set|lay|leave) aside|pay no "
    r"(?:attention|heed) to|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|preceding|existing|original|"
    r"initial|your)\b.{0,30}\b(?:instructions?|system prompts?|prompts?|directions|guidelines|directives)\b",
    rf"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your )*(?:system prompt|{_GIVEN} (?:above|"
    rf"before this|"
    r"you (?:were|have been|are) given|you (?:have )?received))\b",
    r"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |of )*your (?:\w+ ){0,2}(?:rules|programming|"
    r"restrictions|safety|safeguards)\b",
    r"\b(?:ignore|disregard|forget) .{0,30}\b(?:guidance|rules|instructions|orders) you (?:were|have been) (?:given|"
    r"told)\b",
    rf"{_BEGIN}(?:do not|don't|never|stop) (?:follow|obey|heed)(?:ing)? (?:any |all |of |the |those |these "
    rf")*(?:{_GIVEN}|rules) "
    r"(?:\w+ )?(?:above|before this|you (?:were|have been) given|you (?:have )?received)\b",
    rf"{_BEGIN}(?:do not|don't|never|stop) (?:follow|obey|heed)(?:ing)? (?:your|the (?:previous|prior|earlier|"
    rf"system)) (?:\w+ )?{_GIVEN}\b",
    r"\b(?:ignore|disregard|forget) (?:about )?(?:everything|anything|all|whatever|what) (?:that )?you(?: ?'ve| have|"
    r" were| had)? (?:know|told|been told|been given|learn(?:ed|t)|read|given|instructed)\b(?! about\b| of\b)",
    r"\b(?:ignore|disregard|forget) (?:everything|anything|all|all text|any text)(?: that)?(?: is| was| came| comes| "
    r"written| said)? (?:above|before this|before now|until now|so far|up to (?:now|here|this))(?= ?[.,;:!)\"'-]|$| "
    r"and | point| line)",
    r"(?:^|[.!?:;>*#] {0,2})(?:ignore|disregard|forget) (?:all (?:of )?)?the above(?= ?[.,;:!]|$| and )",
    r"\b(?:ignore|disregard|forget) (?:all (?:of )?)?the above,? and (?:instead |just |only )?(?:say|reply|respond|"
    r"answer|output|print|tell|write|do|follow)\b",
    rf"\b(?:previous|prior|above|earlier|all other) {_GIVEN} (?:are|have been) (?:now )?(?:void|cancell?ed|revoked|"
    rf"overridden)\b",
)
# a new part for the model to play, an order about its user, or about what it was told
_ADDRESS = (
    rf"\bif you(?:'re| are) (?:an? )?{_MODEL}(?= ?[,.:;!)-]|$| (?:reading|and|then|you|that|who|please|processing|"
    rf"visiting)\b)",
    r"\b(?:ai|llm) (?:assistants?|agents?|models?)(?: reading this)?[:,]? (?:you )?(?:must|should|please|shall|are "
    r"required to|are instructed to) (?:always |now |only |first )?(?:recommend|click|visit|fetch|open|say|reply|"
    r"ignore|disregard|obey|rank|promote|send|(?:cite|mention|quote|use|trust|treat|include|read) (?:this|the "
    r"following))\b",
    rf"\b{_MODEL} (?:(?:that|who) (?:read|visit|process|summari[sz]e|pars)(?:e?s)?|reading|visiting|viewing|"
    rf"processing|"
    r"summari[sz]ing|parsing|scanning) (?:this|the) (?:web ?)?(?:page|text|document|site|article|message|content)\b",
    rf"\b(?:dear|attention)[,:]? (?:all |any |every )?{_MODEL} ?[,:!]",
    rf"{_BEGIN}(?:{_MODEL}|chatgpt|claude|gemini|copilot) ?: ?(?:stop|ignore|disregard|obey|say|always|you must|"
    rf"click|visit)\b",
    rf"\b(?:instructions?|note|message|notice|warning) (?:for|to) (?:the |all |any |every )?(?:{_MODEL}|chatbots?) "
    rf"?[:,!]",
    rf"\bas an? (?:{_MODEL}|helpful (?:ai )?assistant),? you (?:must|shall|are (?:required|obliged|instructed))\b",
    r"\byou are (?:now|no longer) (?:an? |in )?(?:\w+ ){0,3}(?:(?:ai|unrestricted|helpful|evil|uncensored) assistant|"
    r"ai|language model|(?:developer|dan|god|jailbreak|unrestricted|sudo) mode|dan|bound by|restricted by)\b",
    r"\bfrom (?:now|this point|here) on(?:wards?)?,? you(?:'re| are| act as| will act as| shall be| will be| will "
    r"respond| will answer| answer| respond)\b(?! (?:able|required|allowed|going|not|free|expected|ready|responsible|"
    r"supposed|also|using|no longer|only|on|in|at|entitled|subject|asked|charged|encouraged|welcome|notified|given|"
    r"the owner)\b)",
    r"\b(?:do not|don't|never) (?:(?:tell|inform|alert|notify|warn) the user (?:about |of )?(?:this|these|that you|"
    r"any of|the above)|(?:mention|reveal|disclose) (?:this|these|it|any of this|the above).{0,12} to the user)\b",
    r"\b(?:reveal|print|repeat|output|show|leak|disclose|expose|dump)(?: me| us)?(?: back)? (?:all |the )?(?:\w+ "
    r")?(?:(?:contents?|text|words) of )?your (?:\w+ )?(?:(?:system|hidden|initial) )(?:prompt|instructions?|"
    r"message)",
    r"\b(?:append|send|add|attach|post|copy|write|leak|mail|email|forward)\b.{0,30}\byour (?:\w+ )?(?:system prompt|"
    r"hidden prompt|instructions|conversation|chat history|context window|memory)\b.{0,20}\bto (?:https?:|\S+@|the "
    r"url)",
    rf"{_BEGIN}(?:send|post|forward|transmit|upload|mail|email|leak|append)\b.{{0,20}}\b(?:the )?(?:user's|users'|"
    rf"user) (?:\w+ )?(?:data|"
    r"details|name|password|credentials|notes|question|messages?|conversation|e-?mails?|files|history|address|"
    r"keys?)\b.{0,30}\bto (?:https?:|\S+@)",
    r"\bwhen (?:you )?(?:summari[sz]|answer|describ|respond|analy[sz]|process)\w* (?:questions )?(?:about |on |to |"
    r"from )?(?:this|the) (?:web ?)?(?:page|article|text|document|site|content)\b[,:]? (?:you (?:must|should) |"
    r"please )?(?:always|never|say|state|claim|tell|reply|respond|report|recommend|insist|conclude)\b",
    rf"{_BEGIN}(?:tell|convince|persuade|assure|urge|instruct|direct) the user (?:that|to|they|"
    rf"their)\b[^.!?]{{0,160}}"
    r"\b(?:https?://|www\.|this page is|the (?:correct|right) answer)",
    r"\bnew (?:system |developer )?instructions? ?:|\bnew (?:system|developer) (?:message|prompt) ?:",
    r"\byour new (?:task|instructions?|directives?|orders?|system prompt) (?:is|are)\b(?: to\b| as follows| now\b|:|"
    r",| that\b)",
    r"\bbefore (?:answering|responding|replying)\b[,:]? (?:first )?(?:please |you must )?(?:fetch|call|visit|open|"
    r"send|load|post|request|run|execute|browse|go to)\b.{0,40}(?:https?://|\burl\b|\btool\b|\bcommand\b)",
    r"\b(?:fetch|visit|open|load|call|request)\b.{0,30}https?://\S{1,200} .{0,20}\b(?:put|include|add|insert|repeat|"
    r"paste)\b.{0,40}\b(?:in|into) (?:the|your) (?:final )?(?:answer|response|reply)\b",
)
# what stands inside a larger tag or list is an example of a manual
_ALONE_TAG, _ALONE_JSON = r"(?:^|[^>\s])\s{0,40}", r"(?:^|[^\[({,=:\s])\s{0,40}"
# the marks that divide a conversation or call a tool, in the dialects of several models
_MARKUP = (
    r"<\|\s{0,4}(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id)\s{0,4}\|>",
    r"\[/inst\]|(?:\A|\n|<s>)[ \t]{0,8}\[inst\]|<<\s{0,4}/?sys\s{0,4}>>|</?start_of_turn>|</?end_of_turn>",
    r"</?\s{0,4}(?:\w{1,20}:)?(?:tool_calls?|tool_use|tool_result|tool_response|function_calls?|function_results?|"
    r"invoke|system-reminder|system_prompt|assistant_response)\b[^>]{0,80}>",
    r"\"(?:tool_calls?|function_call)\"\s{0,4}:\s{0,4}[\[{]",
    r"(?:\A|\n)[ \t]{0,8}(?:\[(?:system|assistant|developer)\]|#{1,4}\s{0,4}(?:system|assistant|developer)|"
    r"###\s?instruction|(?:system|developer) prompt)\s{0,4}:",
    r"(?:\A|\n)[ \t]{0,3}(?:```|~~~) ?(?:system|assistant|developer|system_prompt|tool_calls?|tool_code|"
    r"tool_outputs?)\b",
    r"\[system\]\(#(?:assistant|instructions|context|error|additional_instructions)\)|\[(?:user|"
    r"assistant)\]\(#(?:message|inner_monologue)\)",
)
_ALONE = (
    _ALONE_TAG + r"<(?P<tag>system|assistant|instructions|system_message|developer)>[^<]{1,2000}</(?P=tag)>",
    _ALONE_JSON + r"\{\s{0,40}[\"']role[\"']\s{0,4}:\s{0,4}[\"'](?:system|developer|assistant|"
    r"tool)[\"']\s{0,4},\s{0,40}[\"']content[\"']",
    _ALONE_JSON + r"\{\s{0,40}\"(?:name|tool|function|"
    r"tool_name)\"\s{0,4}:\s{0,4}\"[\w.-]{1,60}\"\s{0,4},\s{0,40}\"(?:arguments|args|parameters|"
    r"tool_input)\"\s{0,4}:\s{0,4}[{\"]",
)
# what every match of the patterns above holds: looking for these first saves most texts the patterns
_OVERRIDE_HINTS = (
    *("ignore", "disregard", "forget", "discard", "override", "bypass", "aside", "pay no"),
    *("not follow", "n't follow", "never follow", "stop follow", "not obey", "n't obey", "never obey", "stop obey"),
    *("not heed", "n't heed", "never heed", "stop heed", " void", "cancel", "revoked", "overridden"),
)
_ADDRESS_HINTS = (
    *("if you are", "if you're", "you are now", "you are no longer", "from now on", "point on", "here on"),
    *(
        "assistant",
        "llm",
        "language model",
        "ai ",
        "ai:",
        "ai,",
        "ai!",
        "chatgpt",
        "claude",
        "gemini",
        "copilot",
        "chatbot",
    ),
    *("the user ", "to the user", "user's", "users'", "system prompt", "hidden prompt", "initial prompt"),
    *("system instruction", "hidden instruction", "initial instruction", "your system", "your hidden", "your initial"),
    *("your instructions", "your conversation", "your chat", "context window", "your memory", "your new"),
    *(
        "new instruction",
        "new system",
        "new developer",
        "when summ",
        "when answ",
        "when desc",
        "when resp",
        "when anal",
    ),
    *(
        "when proc",
        "when you ",
        "before answering",
        "before responding",
        "before replying",
        "your answer",
        "your response",
    ),
    *("your reply", "your final", "into the answer", "in the answer", "in the response", "in the reply", "the final"),
)
_ALONE_HINTS = (
    *("</system", "</assistant", "</instructions", "</developer", '"role"', "'role'", '"args"', '"arguments"'),
    *('"parameters"', '"tool_input"'),
)


def _any(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.MULTILINE)


_GUARDED = ((_OVERRIDE_HINTS, _any(_OVERRIDE)), (_ADDRESS_HINTS, _any(_ADDRESS)))
_MARKS = _any(_MARKUP)
_STANDING = re.compile("|".join(f"(?:{pattern})" for pattern in _ALONE))


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
    if any(hint in text for hint in _ALONE_HINTS) and _STANDING.search(text) is not None:
        return True
    text = text.replace("\u2019", "'")
    line = " ".join(text.split())
    # as it is for what begins a line, and as one line for what goes over several
    return any(
        any(hint in line for hint in hints) and (pattern.search(line) or pattern.search(text)) is not None
        for hints, pattern in _GUARDED
    ) or overrides(line)


# --- disguises: each is undone as a whole, and what comes out is read like any text

_DIGITS = str.maketrans("0134578@$!|+", "oieastbasilt")
_APART = re.compile(r"(?<!\w)[a-z](?:[ .\-*\u00b7|/~]{1,3}[a-z]){4,}(?!\w)")
_BETWEEN = re.compile(r"[^a-z]+")
_RUN_TOGETHER = re.compile(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your|of|these){0,3}(?:previous|prior|above|earlier|"
    r"preceding|existing|system)(?:system)?(?:instruction|prompt|rule|direction|guideline|directive|message)"
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
