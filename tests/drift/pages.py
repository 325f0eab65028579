"""Real pages to make pairs of: HTML files as captured, manuals, and paragraphs of many languages set as pages.

A page is markup and its language. Nothing here is random; `markup_of` of one source is always the same.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

__all__ = ["SHIPPED", "Sample", "samples"]

SHIPPED = Path(__file__).parents[1] / "data" / "quality"
_CHARS_MAX = 400_000


class Sample(NamedTuple):
    """One page."""

    name: str
    markup: str
    language: str


def samples(root: Path = SHIPPED, *, extra: bool = True) -> Iterator[Sample]:
    """Yield the pages under a folder laid out like the quality sample, in a fixed order."""
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        for file in sorted((folder / "html").glob("*.html.gz")) if (folder / "html").is_dir() else ():
            yield from _captured(f"{folder.name}/{file.name}", gzip.decompress(file.read_bytes()))
        pages = folder / "pages.jsonl"
        if pages.is_file():
            yield from _listed(folder.name, pages)
    if extra:
        yield from _written()


def _captured(name: str, data: bytes) -> Iterator[Sample]:
    markup = data.decode("utf-8", "replace")
    if len(markup) <= _CHARS_MAX:
        yield Sample(name, markup, "en")


def _listed(folder: str, file: Path) -> Iterator[Sample]:
    texts: dict[str, list[tuple[str, str]]] = {}
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            page = json.loads(line)
            if page.get("html"):
                yield from _captured(f"{folder}/{page['pid']}", gzip.decompress(base64.b64decode(page["html"])))
            elif page.get("text"):
                language = "zh" if folder.startswith("dureader") else page["pid"].split("-")[0]
                texts.setdefault(language, []).append((page["title"].replace("_", " "), page["text"]))
    for language, items in sorted(texts.items()):
        groups = iter(items)
        for number in range(200):
            group = list(islice(groups, 4))
            if not group:
                break
            yield Sample(f"{folder}/{language}-{number}", _set(group), language)


def _set(texts: list[tuple[str, str]]) -> str:
    """Return texts as one page: a section each."""
    sections = []
    for title, text in texts:
        lines = [line.strip() for line in text.split("\n") if line.strip()][:40]
        sections.append(f"<h2>{html.escape(title)}</h2>\n" + "\n".join(f"<p>{html.escape(line)}</p>" for line in lines))
    name = html.escape(texts[0][0])
    return (
        f"<!doctype html><html><head><meta charset=utf-8><title>{name}</title></head><body>"
        f"<nav><ul><li><a href=/>1</a></li><li><a href=/a>2</a></li></ul></nav><main><article><h1>{name}</h1>\n"
        + "\n".join(sections)
        + "</article></main><footer><p>© 2020</p></footer></body></html>"
    )


def _written() -> Iterator[Sample]:
    for language, (title, heading, lead_in, items, *paragraphs) in sorted(_TEXTS.items()):
        body = "".join(f"<p>{text}</p>" for text in paragraphs[:2])
        listed = "".join(f"<li>{item}</li>" for item in items.split("|"))
        rest = "".join(f"<p>{text}</p>" for text in paragraphs[2:])
        yield Sample(
            f"written/{language}",
            f"<!doctype html><html lang={language}><head><meta charset=utf-8><title>{title}</title></head><body>"
            f"<header><nav><a href=/>A</a> <a href=/b>B</a></nav></header><main><article><h1>{title}</h1>{body}"
            f"<h2>{heading}</h2><p>{lead_in}</p><ul>{listed}</ul>{rest}</article></main></body></html>",
            language,
        )


_TEXTS: dict[str, tuple[str, ...]] = {
    "de": (
        "Der Stausee im Harz",
        "Betrieb",
        "Der Betreiber nennt drei Gründe:",
        "Der Wasserstand ist seit 2018 um 4 Meter gesunken|Die Pumpen laufen nur noch 6 Stunden am Tag"
        "|Eine neue Leitung aus Goslar ist nicht geplant",
        "Die Talsperre wurde am 12. März 1956 eingeweiht und fasst 46 Millionen Kubikmeter Wasser. Sie versorgt rund "
        "700.000 Menschen in Norddeutschland. Im Sommer ist das Baden nicht erlaubt.",
        "Der Ingenieur Karl Brandes leitete den Bau sieben Jahre lang. Die Kosten stiegen dabei um 31 Prozent, ohne "
        "dass der Landtag zustimmen musste.",
        "Die Anlage erzeugt mehr Strom als geplant. Messungen vom August 2021 zeigen 15 mg Nitrat je Liter.",
    ),
    "fr": (
        "Le pont de la vallée",
        "Circulation",
        "La mairie donne trois raisons :",
        "Le trafic a augmenté de 12 % depuis 2016|Les camions de plus de 19 tonnes ne passent plus"
        "|Le péage reste fixé à 3,50 euros",
        "Le pont a été ouvert le 4 juillet 1931 et mesure 270 mètres. Il n'est pas éclairé la nuit, et les piétons y "
        "passent librement. Environ 8 000 voitures le traversent chaque jour.",
        "L'architecte Jean Moreau a dirigé les travaux pendant cinq ans. Aucun ouvrier n'a été blessé, selon le "
        "rapport de la préfecture de Lyon.",
        "La vitesse y est limitée à 50 km/h. Les riverains demandent moins de bruit et davantage d'arbres.",
    ),
    "es": (
        "La biblioteca del puerto",
        "Servicios",
        "La directora explica tres cambios:",
        "El préstamo dura 21 días|La sala de lectura abre 9 horas al día|No se cobra por las copias",
        "La biblioteca abrió sus puertas el 3 de mayo de 1987 y guarda 120.000 libros. Nunca ha cerrado por obras. "
        "Recibe a unas 900 personas cada día, sobre todo en invierno.",
        "Según María Torres, el presupuesto aumentó un 8,5 por ciento en 2019. Los vecinos de Cádiz pidieron más "
        "horarios antes del verano.",
        "El edificio no tiene ascensor. El ayuntamiento prometió 2 millones de euros para la reforma.",
    ),
    "it": (
        "Il mulino sul fiume",
        "Attività",
        "Il gestore elenca tre regole:",
        "La visita dura 45 minuti|I gruppi non superano 20 persone|Il biglietto costa 6 euro",
        "Il mulino fu costruito nel 1742 e macina ancora 30 quintali di grano al giorno. Non usa energia elettrica. "
        "La ruota pesa 4 tonnellate ed è di legno.",
        "Secondo Paolo Ricci, i visitatori sono aumentati del 15 per cento dopo il restauro del marzo 2014.",
        "Il fiume non è navigabile in estate. A dicembre l'acqua sale di due metri.",
    ),
    "pt": (
        "A estação antiga",
        "Obras",
        "A empresa indica três prazos:",
        "O telhado fica pronto em 14 meses|A fachada não será pintada|O relógio volta em junho de 2023",
        "A estação foi inaugurada em 18 de outubro de 1916 e recebe 42.000 passageiros por dia. Não há bilheteira aos "
        "domingos. Os comboios partem a cada 25 minutos.",
        "O arquiteto Manuel Costa gastou menos 7 por cento do que o previsto, segundo a Câmara do Porto.",
        "O piso resiste a temperaturas de 60 °C. Ninguém ficou ferido durante as obras.",
    ),
    "nl": (
        "De sluis bij het dorp",
        "Beheer",
        "Het waterschap noemt drie punten:",
        "De sluis opent om 7 uur|Schepen langer dan 38 meter mogen niet door|Het tarief is 11 euro",
        "De sluis werd in 1923 gebouwd en schut 14.000 schepen per jaar. In de winter is er geen bediening. De deuren "
        "wegen 22 ton en zijn van staal.",
        "Volgens Jan de Boer daalde het water in april 2020 met 9 procent.",
        "De brug is nooit vernieuwd. Er komen meer fietsers dan auto's voorbij.",
    ),
    "pl": (
        "Zamek nad jeziorem",
        "Zwiedzanie",
        "Muzeum podaje trzy zasady:",
        "Bilet kosztuje 18 złotych|Wycieczka trwa 50 minut|Nie wolno robić zdjęć",
        "Zamek zbudowano w 1364 roku, a jego mury mają 12 metrów wysokości. Nigdy nie został zdobyty. Co roku "
        "odwiedza go 65 000 osób.",
        "Według Anny Nowak remont kosztował 3 miliony złotych i trwał krócej niż planowano.",
        "Jezioro nie zamarza przed styczniem. Woda ma wtedy 4 stopnie.",
    ),
    "ru": (
        "Маяк на мысу",
        "Работа",
        "Смотритель называет три правила:",
        "Огонь горит 11 часов в сутки|Посторонним вход не разрешён|Ремонт займёт 6 месяцев",
        "Маяк построили в 1862 году, его высота составляет 34 метра. Он никогда не закрывался. Свет виден на "
        "расстоянии 27 километров, и корабли проходят мимо без опасности.",
        "По словам Ивана Петрова, расходы выросли на 19 процентов после зимы 2017 года.",
        "Остров не заселён. В августе туда приезжает больше людей, чем в мае.",
    ),
    "ja": (
        "川沿いの図書館",
        "利用案内",
        "館長は三つの点を挙げている:",
        "貸出は14日間である|館内での食事はできない|駐車場は30台分ある",
        "図書館は1978年4月5日に開館し、蔵書は約25万冊である。日曜日は開いていない。利用者は一日に600人を超える。",
        "田中一郎館長によると、昨年の費用は8パーセント増えた。建物は地震の前に補強された。",
        "屋上の温度は夏に45度まで上がる。隣の公園には入れません。",
    ),
    "ko": (
        "강가의 도서관",
        "이용 안내",
        "관장은 세 가지를 말한다:",
        "대출 기간은 14일이다|건물 안에서는 음식을 먹을 수 없다|주차장은 30대까지 쓸 수 있다",
        "도서관은 1978년 4월 5일에 문을 열었고 책은 약 25만 권이다. 일요일에는 열지 않는다. "
        "하루 이용자는 600명을 넘는다.",
        "김영수 관장에 따르면 지난해 비용은 8퍼센트 늘었다. 건물은 지진 전에 보강되었다.",
        "옥상의 온도는 여름에 45도까지 오른다. 옆 공원에는 들어갈 수 없다.",
    ),
    "ar": (
        "مكتبة الميناء",
        "الخدمات",
        "تذكر المديرة ثلاثة أمور:",
        "تستمر الإعارة 21 يوما|تفتح القاعة 9 ساعات في اليوم|لا تدفع أي رسوم",
        "افتتحت المكتبة في 3 مايو 1987 وتضم 120000 كتاب. لم تغلق أبوابها أبدا. ويزورها نحو 900 شخص كل يوم في الشتاء.",
        "وفقا لأحمد سالم فقد زادت الميزانية بنسبة 8 في المئة في عام 2019.",
        "ليس في المبنى مصعد. ووعدت البلدية بدفع 2 مليون دولار قبل الصيف.",
    ),
    "zh": (
        "河边的图书馆",
        "使用说明",
        "馆长提出三点:",
        "借书期限为14天|馆内不可以吃东西|停车场有30个车位",
        "图书馆于1978年4月5日开馆,藏书约二十五万册。星期日不开放。每天的读者超过600人。",
        "馆长王建国说,去年的费用增加了8%。这座楼在地震之前加固过。",
        "屋顶的温度夏天可达45度。旁边的公园没有围墙。",
    ),
}
