"""Units of measure and money: how they are written, and what one is in another of its kind. Pure.

A unit has a code (`kg`, `km/h`, `USD`, `percent`). A sign that may stand for several (`pound`, `$`, `元`) has the codes
of all, with `|` between. Money has no factors: what a currency was worth is nowhere in a text.
"""

from __future__ import annotations

import re
from fractions import Fraction

__all__ = ["CURRENCY_BEFORE", "UNIT_AFTER", "common", "converted", "unit_of"]

_TABLE = """
[part]
percent 1: % percent per_cent pct percentage_points percentage_point prozent prozentpunkte por_ciento pour_cent
    per_cento por_cento procent процент процента процентов 个百分点 百分点 パーセント 퍼센트 प्रतिशत بالمئة
    بالمائة في_المئة في_المائة yüzde phần_trăm persen
permille 1/10: ‰ per_mille
[length]
nm 1/1000000000: nm nanometers nanometres nanometer nanometre 纳米
um 1/1000000: µm μm um micrometers micrometres micron microns 微米
mm 1/1000: mm millimeters millimetres millimeter millimetre 毫米 мм
cm 1/100: cm centimeters centimetres centimeter centimetre 厘米 公分 см सेमी सेंटीमीटर سم
m 1: m meters metres meter metre mètres metri metros 米 公尺 м метров метра メートル 미터 मीटर متر متراً
km 1000: km kms kilometers kilometres kilometer kilometre kilomètres kilometern chilometri kilómetros 公里 千米
    км километров キロメートル 킬로미터 किमी किलोमीटर كم كيلومتر كيلومترا
inch 0.0254: inch inches in. 英寸 英吋
ft 0.3048: ft feet foot ft. 英尺 फीट फुट قدم
yd 0.9144: yd yards yard yds 码
mi 1609.344: mi miles mile mi. 英里 哩 मील ميل
nmi 1852: nautical_miles nautical_mile nmi 海里
ly 9460730472580800: light-years light_years light-year light_year 光年
li 500: 华里
[area]
m2 1: m² m2 m^2 sq_m sqm square_meters square_metres square_meter square_metre 平方米 平米 ㎡ кв._м
km2 1000000: km² km2 km^2 sq_km square_kilometers square_kilometres square_kilometer square_kilometre 平方公里
    平方千米 кв._км किमी² वर्ग_किलोमीटर वर्ग_किमी كم² كيلومتر_مربع
ha 10000: ha hectares hectare hektar 公顷 га
acre 4046.8564224: acres acre 英亩
mi2 2589988.110336: mi² mi2 sq_mi square_miles square_mile 平方英里 ميل_مربع वर्ग_मील
ft2 0.09290304: ft² ft2 sq_ft sqft square_feet square_foot 平方英尺
mu 2000/3: 亩
[volume]
ml 1/1000: ml mL milliliters millilitres milliliter millilitre 毫升
cl 1/100: cl
l 1: l L liters litres liter litre 升 公升 литров लीटर لتر
m3 1000: m³ m3 m^3 cubic_meters cubic_metres cubic_meter 立方米
km3 1000000000000: km³ km3 cubic_kilometers cubic_kilometres 立方公里
gal 3.785411784: gallons gallon gal 加仑
bbl 158.987294928: barrels barrel 桶
[mass]
ug 1/1000000000: µg μg mcg micrograms microgram 微克
mg 1/1000000: mg milligrams milligram 毫克 мг
g 1/1000: g grams gram grammes 克 г ग्राम
kg 1: kg kgs kilograms kilogram kilogrammes kilos kilo 公斤 千克 кг किग्रा किलोग्राम كجم كيلوغرام
jin 1/2: 斤 市斤
t 1000: t tonnes tonne metric_tons metric_ton tons ton tonnen 吨 公吨 тонн टन طن
lb 0.45359237: lb lbs lb. 磅
oz 0.028349523125: oz ounces ounce 盎司
st 6.35029318: stone
[time]
ns 1/1000000000: ns nanoseconds nanosecond 纳秒
us 1/1000000: µs μs microseconds microsecond 微秒
ms 1/1000: ms milliseconds millisecond msec 毫秒
s 1: s sec secs seconds second sekunden secondes segundos 秒 秒钟 секунд सेकंड ثانية
min 60: min mins minutes minute minuten 分钟 минут मिनट دقيقة
h 3600: h hr hrs hours hour stunden heures horas 小时 时 個小時 個鐘 часов часа 時間 시간 घंटे घंटा ساعة ساعات
day 86400: days day tage jours días giorni dagen 天 日间 дней दिन يوم أيام
week 604800: weeks week wochen semaines 周 星期 个星期 礼拜 недель सप्ताह أسبوع
month 2629746: months month monate mois meses 个月 月间 месяцев महीने شهر أشهر
year 31556952: years year yrs yr jahre jahren ans años anni jaar 年 年间 周年 岁 歲 years_old year-old лет года
    साल वर्ष سنة سنوات عام عاما
decade 315569520: decades decade
century 3155695200: centuries
[speed]
m/s 1: m/s mps meters_per_second metres_per_second 米/秒 米每秒
km/h 5/18: km/h kph kmh kilometers_per_hour kilometres_per_hour 公里/小时 千米/小时 公里每小时 км/ч
mph 0.44704: mph miles_per_hour 英里/小时
knot 463/900: knots knot kn
[temperature]
C 1: °C ° C ℃ degrees_celsius degree_celsius degrees_centigrade celsius 摄氏度 度 grad_celsius
F 1: °F ℉ degrees_fahrenheit fahrenheit 华氏度
K 1: kelvin kelvins
[angle]
deg 1: ° degrees degree
[data]
bit 1/8: bits bit 比特
B 1: bytes byte 字节
kB 1000: kB KB kilobytes kilobyte
MB 1000000: MB megabytes megabyte 兆字节
GB 1000000000: GB gigabytes gigabyte
TB 1000000000000: TB terabytes terabyte
PB 1000000000000000: PB petabytes petabyte
KiB 1024: KiB kibibytes
MiB 1048576: MiB mebibytes
GiB 1073741824: GiB gibibytes
TiB 1099511627776: TiB tebibytes
Mbit 125000: Mbit Mb Mbps Mbit/s megabits
Gbit 125000000: Gbit Gb Gbps Gbit/s gigabits
[power]
mW 1/1000: mW
W 1: W watts watt 瓦
kW 1000: kW kilowatts kilowatt 千瓦
MW 1000000: MW megawatts megawatt 兆瓦
GW 1000000000: GW gigawatts gigawatt 吉瓦
hp 745.69987158227022: hp horsepower 马力
[energy]
J 1: J joules joule 焦耳
kJ 1000: kJ kilojoules 千焦
MJ 1000000: MJ megajoules
cal 4.184: calories calorie 卡路里
kcal 4184: kcal kilocalories 千卡 大卡
Wh 3600: Wh
kWh 3600000: kWh kilowatt-hours kilowatt_hours 千瓦时
MWh 3600000000: MWh megawatt-hours
GWh 3600000000000: GWh gigawatt-hours
TWh 3600000000000000: TWh terawatt-hours
[frequency]
Hz 1: Hz hertz 赫兹
kHz 1000: kHz kilohertz
MHz 1000000: MHz megahertz
GHz 1000000000: GHz gigahertz
[voltage]
mV 1/1000: mV
V 1: V volts volt 伏
kV 1000: kV kilovolts 千伏
[pressure]
Pa 1: Pa pascals
hPa 100: hPa mbar millibars
kPa 1000: kPa 千帕
MPa 1000000: MPa
bar 100000: bar bars
psi 6894.757293168: psi
[sound]
dB 1: dB decibels decibel 分贝
[money]
USD 0: USD US$ US-Dollar us_dollars 美元 美金 米ドル 달러 доллар доллара долларов डॉलर دولار dólares
USD|AUD|CAD|NZD|HKD|SGD|TWD 0: $ dollars dollar ドル
AUD 0: AUD A$ AU$ australian_dollars 澳元
CAD 0: CAD C$ CA$ canadian_dollars 加元
HKD 0: HKD HK$ 港元 港币
SGD 0: SGD S$ 新加坡元
TWD 0: TWD NT$ 新台币 新臺幣
NZD 0: NZD NZ$
EUR 0: EUR € euros euro 欧元 евро ユーロ 유로 यूरो يورو
GBP 0: GBP £ pounds_sterling 英镑 ポンド 파운드
lb|GBP 0: pounds pound
JPY 0: JPY yen 日元 日圆 円 엔
JPY|CNY 0: ¥
CNY 0: CNY RMB yuan renminbi 人民币 元人民币 块钱 위안
CNY|TWD|HKD 0: 元 圆 块
INR 0: INR ₹ Rs Rs. rupees rupee 卢比 रुपये रुपए रुपया
KRW 0: KRW ₩ won 韩元 원
RUB 0: RUB ₽ rubles roubles рублей рубля 卢布
CHF 0: CHF swiss_francs 瑞士法郎
SEK 0: SEK kronor
BRL 0: BRL R$ reais
TRY 0: TRY ₺ lira
VND 0: VND ₫ đồng
cent 0: cents ¢
BTC 0: BTC bitcoins ₿
"""
"""Dimension by dimension: the code of a unit, the worth of one, and its names (`_` is a blank in a name). What is worth
0 is not converted."""


def _read_table() -> tuple[dict[str, str], dict[str, tuple[str, Fraction]]]:
    """Return codes by name, and dimension and worth by code."""
    codes: dict[str, str] = {}
    worths: dict[str, tuple[str, Fraction]] = {}
    dimension = ""
    for line in re.sub(r"\n +", " ", _TABLE).strip().splitlines():
        if line.startswith("["):
            dimension = line.strip("[]")
            continue
        head, _, names = line.partition(": ")
        code, worth = head.split(" ")
        for one in code.split("|"):
            worths.setdefault(one, (dimension, Fraction(worth)))
        for name in names.split():
            codes.setdefault(name.replace("_", " "), code)
    return codes, worths


_BY_NAME, _FACTORS = _read_table()
_BY_NAME["°"], _BY_NAME["度"] = "deg|C|F", "deg|C|F"
_BY_NAME["degrees"] = _BY_NAME["degree"] = "deg|C|F"
_SMALL = {name.lower(): code for name, code in _BY_NAME.items() if len(name) > 2}


def _pattern(names: list[str]) -> str:
    """Return a pattern of names, the longest first; a name of letters that are set apart by blanks ends as a word."""
    spaced = [n for n in names if n[-1].isalpha() and n[-1] < "\u2e80"]
    tight = [n for n in names if n not in set(spaced)]
    told = ["|".join(re.escape(n).replace(r"\ ", r"[ \u00a0]") for n in sorted(part, key=len, reverse=True))
            for part in (spaced, tight)]  # fmt: skip
    return rf"(?:(?:{told[0]})(?![^\W\d_\u2e80-\u9fff\uac00-\ud7af])(?!\w?\d)|(?:{told[1]}))"


_AFTER = _pattern([*_BY_NAME, *(n.capitalize() for n in _BY_NAME if n.isalpha() and n.islower() and len(n) > 3)])
UNIT_AFTER = re.compile(rf"(?:[ \u00a0\u2009\u202f]|-(?=[a-z]))?({_AFTER})(?:\s?(?:/|per |每)\s?({_AFTER}))?")
"""A unit just after a number: group 1 is the unit, group 2 what it is per."""
CURRENCY_BEFORE = re.compile(
    r"(?:US|AU|CA|HK|NT|NZ|A|C|S|R)?\$|[€£¥₹₩₽₺₫₿]|\b(?:USD|EUR|GBP|JPY|CNY|RMB|INR|KRW|RUB|CHF|AUD|CAD|HKD|Rs\.?)(?![A-Za-z])"
)
"""A currency just before a number."""


def unit_of(name: str, per: str | None = None) -> str:
    """Return the code of a unit as it is written, `""` for none."""
    code = _BY_NAME.get(name) or _SMALL.get(name.lower().replace("\u00a0", " "), "")
    if not per or not code:
        return code
    below = unit_of(per)
    joined = f"{code}/{below}"
    return {"mi/h": "mph"}.get(joined, joined)


def common(a: str, b: str) -> bool:
    """Return whether two codes may be one unit."""
    return a == b or bool(set(a.split("|")) & set(b.split("|")))


def converted(value: Fraction, unit: str, other: str) -> Fraction | None:
    """Return what a value in one unit is in another; None when they are not of one kind, or nothing says how."""
    if "/" in unit and "/" in other and unit not in _FACTORS and other not in _FACTORS:
        (top, bottom), (new_top, new_bottom) = unit.split("/", 1), other.split("/", 1)
        above, below = converted(Fraction(1), top, new_top), converted(Fraction(1), bottom, new_bottom)
        return value * above / below if above and below else None
    for a in unit.split("|"):
        for b in other.split("|"):
            kind, worth = _FACTORS.get(a, ("", Fraction(0)))
            other_kind, other_worth = _FACTORS.get(b, ("?", Fraction(0)))
            if kind != other_kind:
                continue
            if kind == "temperature":
                return _temperature(value, a, b)
            if worth and other_worth:
                return value * worth / other_worth
    return None


def _temperature(value: Fraction, unit: str, other: str) -> Fraction:
    celsius = {"C": value, "F": (value - 32) * 5 / 9, "K": value - Fraction("273.15")}[unit]
    return {"C": celsius, "F": celsius * 9 / 5 + 32, "K": celsius + Fraction("273.15")}[other]
