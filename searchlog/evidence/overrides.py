"""Orders to forget what one was told, in languages other than English: three kinds of words close together. Pure.

A row is a language: verbs that give the order, words for what came before, words for instructions. All three must stand
in one sentence, in whatever order the language has them. Words are stems in lower case; verbs are in the imperative
where the language has one, as the news report in the third person who ignores which rules.
"""

from __future__ import annotations

import unicodedata

__all__ = ["overrides"]

_ROWS = (
    # Germanic
    ("ignoriere |ignoriert |ignorieren sie|vergiss |vergesst |missachte |missachten sie|folge nicht|befolge nicht",
     "vorherig|bisherig|obig|vorangegangen|frühere|ursprünglich|deine |alle ",
     "anweisung|instruktion|vorgabe|befehl|richtlinie"),
    ("negeer|vergeet|ignoreer|volg niet", "vorige|eerdere|bovenstaande|voorgaande|voorafgaande|bogenoemde|alle ",
     "instructies|aanwijzing|opdrachten|richtlijn|instruksies|opdragte|aanwysings"),
    ("ignorera |ignorer |glöm |glem |bortse från|se bort fra|följ inte|ikke følg",
     "tidigare|föregående|tidligere|foregående|forrige|ovanstående|ovenstående|ovenfor|ovan",
     "instruktion|instruks|anvisning|retningslinj|riktlinj|regler"),
    ("hunsaðu|gleymdu", "fyrri|öll", "leiðbeining|fyrirmæl|regl"),
    # Romance
    ("ignore|oublie|ne tiens pas compte|ne tenez pas compte|fais abstraction|"
     "faites abstraction|ne suis pas les|ne suivez pas",
     "précédent|antérieur|ci-dessus|plus haut|préalable", "instructions|consignes|directives|règles"),
    ("ignora|ignore|olvida|olvide|no hagas caso|haz caso omiso|haga caso omiso|no sigas|descarta",
     "anterior|previa|previo|de arriba", "instruccion|indicacion|reglas|órdenes|directrices"),
    ("ignore|ignora|esqueç|esquece|desconsider|não siga", "anterior|prévi|acima",
     "instruç|instruci|regras|ordens|ordes|diretriz"),
    ("ignora|ignori|dimentica|trascura|non seguire|non tenere conto", "precedent|sopra|ricevut",
     "istruzion|regole|ordini|direttiv"),
    ("ignora|ignoreu|oblida|oblideu|no facis cas|no feu cas|no segueixis", "anterior|prèvi|de dalt|precedent",
     "instruccion|indicacion|regles|ordres|directri"),
    ("ignoră|ignorați|ignora|uită |uitați|nu urma|nu ține cont", "anterioar|precedent|de mai sus",
     "instrucțiun|instructiun|reguli|comenzi|indicații"),
    # Finno-Ugric
    ("unohda|ohita|jätä huomiotta|jätä huomioimatta|älä noudata|sivuuta", "aiem|aikaisem|edelli|edellä|kaikki|yllä",
     "ohjeet|ohjei|sään|käsky|määräy"),
    ("ignoreeri|unusta|eira|ära järgi|jäta tähelepanuta", "eelnev|varasem|eelmis|ülaltoodud|kõik|eespool",
     "juhis|juhend|käsk|käske|korraldus|reegl"),
    ("hagyd figyelmen kívül|hagyja figyelmen kívül|felejtsd el|ignoráld|ne vedd figyelembe",
     "korábbi|előző|fenti|összes|eddigi|minden", "utasítás|szabály|instrukció|parancs"),
    # Baltic
    ("ignoruok|pamiršk|nepaisyk|nekreipk dėmesio", "ankstesn|anksčiau|aukščiau|visus|visas|visų|prieš tai",
     "instrukcij|nurodym|taisykl|komand"),
    ("ignorē|aizmirsti|neņem vērā", "iepriekšēj|visas|visus|augstāk", "instrukcij|norādījum|noteikum"),
    # Slavic
    ("ignoruj|zignoruj|zapomnij|pomiń|nie stosuj się", "poprzedni|wcześniejsz|powyższ|dotychczasow",
     "instrukcj|polece|wytyczn|zasad"),
    ("ignoruj|zapomeň|nedbej|neřiď se", "předchozí|předešl|všechny|výše uveden|dosavadní",
     "pokyn|instrukc|pravid|příkaz"),
    ("ignoruj|zabudni|nevšímaj", "predchádzajúc|predošl|všetky|vyššie", "pokyn|inštrukci|pravid|príkaz"),
    ("ignoriraj|prezri|pozabi|ne upoštevaj", "prejšnj|predhodn|zgornj", "navodil|ukaz|pravil"),
    ("ignoriraj|zanemari|zaboravi|ignoriši|ne slijedi", "prethodn|ranij|gornj|dosadašnj|sve ",
     "uput|instrukcij|pravil|naredb|naloge|smjernic"),
    ("игнориши|занемари|заборави|игнорирај", "претходн|раниј|сва |све |сите",
     "упутств|упатств|инструкци|правил|наредб"),
    ("игнорирай|пренебрегни|пренебрегнете|забрави|забравете|не обръщай внимание|не следвай",
     "предишн|предходн|горн|досегашн|всички",
     "инструкци|указани|правил|заповед|команд|нареждан"),
    ("игнорируй|проигнорируй|забудь|не обращай внимания|не следуй|не выполняй",
     "предыдущ|прежн|вышеуказан|выше|ранее|все |всё ",
     "инструкц|указани|правил|команд|приказ"),
    ("ігноруй|проігноруй|забудь|не зважай|не виконуй", "попередн|усі |всі |вище|раніше",
     "інструкц|вказівк|правил|команд|наказ"),
    # other languages of Europe and the Caucasus
    ("αγνόησε|αγνοήστε|ξέχασε|ξεχάστε|παράβλεψε|μην ακολουθ", "προηγούμεν|παραπάνω|όλες", "οδηγί|εντολ|κανόν"),
    ("injoro|shpërfill|harro ", "mëparshme|të gjitha|sipër", "udhëzim|rregull|urdhër"),
    ("alde batera utzi|ahaztu|ez ikusi egin", "aurreko|guzti", "jarraibide|argibide|agindu"),
    ("anwybydd|anghofi", "blaenorol|uchod|holl", "cyfarwydd|rheol"),
    ("անտեսիր|անտեսեք|մոռացիր", "նախորդ|վերոնշյալ|բոլոր", "հրահանգ|ցուցում|կանոն"),
    ("უგულებელყ|დაივიწყე", "წინა|ყველა|ზემო", "ინსტრუქცი|მითითებ|ბრძანებ"),
    ("yok say|görmezden gel|unut |unut.|unut!|unut,|unutun |dikkate alma|göz ardı et",
     "önceki|yukarıdaki|tüm |bütün |daha önce",
     "talimat|yönerge|komut|kural"),
    # Semitic and Persian
    ("تجاهل |تجاهلي |تجاهلوا |انس |لا تتبع", "السابق|أعلاه|السالفة|جميع|كل ",
     "التعليمات|الأوامر|القواعد|الإرشادات|التوجيهات"),
    ("התעלם|התעלמי|התעלמו|שכח|תתעלם|אל תציית", "קודמ|לעיל|שקיבלת|כל ", "הוראות|הנחיות|כללים|פקודות"),
    ("نادیده|فراموش کن|توجه نکن", "قبلی|پیشین|بالا|تمام|همه", "دستور|راهنمایی|قوانین"),
    # India
    ("अनदेखा|अनदेखी|नज़रअंदाज|नजरअंदाज|भूल जा|उपेक्षा|ध्यान न द", "पिछल|पहले|उपरोक्त|सभी|ऊपर",
     "निर्देश|आदेश|नियम|हिदायत"),
    ("दुर्लक्ष|विसरून जा|विसरा", "मागील|आधीच्या|पूर्वीच्या|सर्व|वरील", "सूचना|आदेश|नियम|निर्देश"),
    ("উপেক্ষা|ভুলে যা|অগ্রাহ্য", "আগের|পূর্বের|পূর্ববর্তী|সমস্ত|সব|উপরের", "নির্দেশ|নিয়ম|আদেশ"),
    ("نظرانداز|نظر انداز|بھول جا", "پچھل|سابقہ|تمام|اوپر", "ہدایات|احکامات|قواعد"),
    ("અવગણ|ભૂલી જા", "અગાઉ|પહેલા|બધી|બધા|ઉપર", "સૂચના|આદેશ|નિયમ|નિર્દેશ"),
    ("ਅਣਡਿੱਠ|ਨਜ਼ਰਅੰਦਾਜ਼|ਭੁੱਲ ਜਾ", "ਪਿਛਲ|ਸਾਰ|ਪਹਿਲ", "ਹਦਾਇਤ|ਨਿਰਦੇਸ਼|ਹੁਕਮ|ਨਿਯਮ"),
    ("புறக்கணி|மறந்துவிடு|மறந்து விடு|பின்பற்ற வேண்டாம்|பின்பற்றாதே", "முந்தைய|முன்பு|மேலே|மேற்கண்ட|அனைத்து|எல்லா",
     "வழிமுறை|அறிவுறுத்தல்|கட்டளை|விதிக|உத்தரவு"),
    ("విస్మరించ|పట్టించుకోవద్దు|మర్చిపో|మరచిపో", "మునుప|గత |అన్ని|పైన", "సూచన|ఆదేశ|నియమ|నిర్దేశ"),
    ("അവഗണിക്ക|മറന്നേക്ക|മറക്കുക", "മുൻ|മുമ്പ|എല്ലാ|മുകളിൽ", "നിർദ്ദേശ|നിർദേശ|കൽപ്പന|ആജ്ഞ"),
    ("ನಿರ್ಲಕ್ಷಿಸ|ಕಡೆಗಣಿಸ|ಮರೆತುಬಿಡ", "ಹಿಂದಿನ|ಎಲ್ಲಾ|ಮೇಲಿನ", "ಸೂಚನೆ|ಆದೇಶ|ನಿಯಮ|ನಿರ್ದೇಶ"),
    # South-East Asia and Africa
    ("bỏ qua|phớt lờ|quên |lờ đi|không làm theo", "trước|ở trên|bên trên", "hướng dẫn|chỉ dẫn|chỉ thị|lệnh|quy tắc"),
    ("abaikan|lupakan|jangan ikuti|hiraukan", "sebelum|di atas|terdahulu",
     "instruksi|perintah|petunjuk|aturan|arahan"),
    ("huwag pansinin|balewalain|kalimutan|huwag sundin|isantabi", "nakaraan|naun|nasa itaas|lahat|dati",
     "tagubilin|utos|instruksi|panuto|patakaran|alituntunin"),
    ("puuza|puuzia|puuzeni|sahau|usifuate|achana na|usizingatie",
     "awali|iliyopita|yaliyopita|zilizopita|tangul|hapo juu|yote|zote",
     "maagizo|maelekezo|amri|kanuni"),
    ("เพิกเฉย|ละเว้น|ไม่ต้องสนใจ|อย่าสนใจ|ลืม|ละเลย|อย่าทำตาม", "ก่อนหน้า|ข้างต้น|ทั้งหมด|ด้านบน",
     "คำสั่ง|คำแนะนำ|กฎ"),
    ("လျစ်လျူရှု|မေ့", "ယခင်|အထက်|အားလုံး", "ညွှန်ကြားချက်|အမိန့်"),
    ("មិនអើពើ|បំភ្លេច", "មុន|ខាងលើ|ទាំងអស់", "ការណែនាំ|បញ្ជា"),
    # East Asia
    ("忽略|无视|無視|忽视|忽視|忘记|忘記|不要理会|不要理會|不要遵循|不要遵守",
     "之前|以前|以上|上面|先前|上述|所有|前面|全部|一切|原有|系统|系統", "指令|指示|提示词|提示詞|命令|规则|規則"),
    ("無視|忘れて|忘れろ|従わない|従うな", "以前|これまで|上記|上の|前の|すべて|全て|システム|今まで|先ほど",
     "指示|命令|ルール|プロンプト"),
    ("무시하|무시해|잊어|잊으|따르지 마", "이전|위의|앞의|기존|모든|앞선|지금까지", "지시|명령|규칙|프롬프트|지침"),
)  # fmt: skip


def _words(joined: str) -> tuple[str, ...]:
    return tuple(unicodedata.normalize("NFKC", joined).split("|"))


_LANGUAGES = tuple((_words(verbs), _words(before), _words(nouns)) for verbs, before, nouns in _ROWS)
_NEAR, _NEAR_DENSE = 60, 20
"""Characters before and after a verb in which the other words must stand; fewer where a character is a word."""
_UNSPACED = (("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"), ("\u2e80", "\ua4cf"))
"""Thai and Lao, Burmese, Khmer, Chinese and Japanese: no space comes before a word."""


def overrides(line: str) -> bool:
    """Whether a lower-case text in NFKC, without line breaks, orders to forget earlier instructions."""
    line += " "
    return any(
        _given(line, verb, before, nouns) for verbs, before, nouns in _LANGUAGES for verb in verbs if verb in line
    )


def _given(line: str, verb: str, before: tuple[str, ...], nouns: tuple[str, ...]) -> bool:
    """Whether one use of the verb has a word of either kind in its sentence."""
    spaced = not any(first <= verb[0] <= last for first, last in _UNSPACED)
    near = _NEAR_DENSE if "\u2e80" <= verb[0] <= "\ua4cf" else _NEAR
    at = line.find(verb)
    while at >= 0:
        end = at + len(verb)
        if not (spaced and at and line[at - 1].isalpha()):
            around = _sentence(line[max(0, at - near) : at], line[at:end], line[end : end + near])
            if any(word in around for word in before) and any(word in around for word in nouns):
                return True
        at = line.find(verb, end)
    return False


def _sentence(left: str, verb: str, right: str) -> str:
    for mark in (". ", "! ", "? ", "\u3002"):
        left = left.rpartition(mark)[2]
        right = right.partition(mark)[0]
    return left + verb + right
