"""Words of a question that say how it is asked, not what about: left out of matching unless a query has no others.

Small on purpose. BM25 already discounts what is common on the pages; what hurts is a question word, which is rare
there. A word that names a thing in another language (`war`, `may`, `us`) is not here. In scripts without spaces the
entries are the character bigrams that `tokens.words` makes.
"""

from __future__ import annotations

__all__ = ["STOPWORDS"]

_LISTS = """
who whom whose what which when where why how
is are was were am be been being do does did done has have had having can could might must shall should will would
the a an this that these those it its i me my we our you your he him his she her they them their there here
of to in on at by for from with without about into onto over under between through during as than and or but nor if
so not no yes then also just only any some such s t

wer wen wem was welche welcher welches wann wo warum wie ist sind waren wird werden wurde haben der das
dem des ein eine einer eines einem einen und oder in im an am auf aus bei mit von vom zu zum zur für es er sie

qui que quoi quel quelle quels quelles quand où pourquoi comment est sont était a ont le la les un une des du de d l et
ou au aux en dans sur avec il elle ils ce cette ces se

quién quiénes qué cuál cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas es fue era el los las unos unas del
al y o con por para su sus se en lo

cosa quale quali quando perché è sono era il lo gli i di da del della dei con per su nel nella e

quem qual quais quando onde como quanto são um uma os as do da dos das no na em e ao

кто кого что чего какой какая какое какие каком какую когда где куда почему как сколько был была было были есть это в
во на с со и или не из к по о об от до для за у он она оно они его её их

ποιος ποια ποιο ποιοι ποιες τι πότε πού γιατί πώς πόσο πόσα πόσοι είναι ήταν ο η το οι τα του της των τον την και σε
στο στη στην στον με από για που να ένα μια

când unde cât câtă câți câte sunt este era fost în pe și cu pentru lui din

là gì nào khi đâu tại nhiêu của và các những được trong với một đã này có từ

wanneer waar waarom hoeveel welke wie wat het een zijn werd voor

kiedy gdzie dlaczego jaki jaka jakie który która które ile jest są był była było się

ne hangi nerede nasıl neden kaç zaman bir ve ile için bu de da mi mı

من ما ماذا متى أين كيف لماذا كم هل هو هي في على إلى عن مع كان كانت التي الذي أي و أن هذا هذه

क्या कौन किस किसने किसे कब कहाँ क्यों कैसे कितने कितना कितनी है हैं था थे थी का की के में से को पर ने और यह वह एक
"""
_BIGRAMS = """
什么 怎么 么样 如何 为什 哪些 哪个 哪里 多少 是什 吗 呢
何で です ます とは どの どう なぜ いつ どこ だれ 誰が 何が 何を 何の でし まし した のか すか
무엇 언제 어디 누구 어떤 어떻 떻게 몇 입니 니까
อะไ ไร
"""

STOPWORDS = frozenset(_LISTS.split()) | frozenset(_BIGRAMS.split())
