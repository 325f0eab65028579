"""Whole headings by which a page says that it is not the page asked for, in several languages. Pure.

A heading counts only as a whole: "Page not found" does, "Why a page is not found" does not. Of a title that names the
site beside it, each part is a heading. What a heading says is never enough by itself; see `suspect.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["challenge_heading", "challenge_text", "login_heading", "missing_heading", "missing_text", "names", "parts"]

_PART = re.compile(r"\s[|·•–—»«›‹:~/-]{1,2}\s|[|»«›‹]|:\s")
_SIGNS = re.compile(r"[^\w']+")
_SENTENCE = re.compile(r"[.!?\n]\s?|[\u3002\uff01\uff1f\uff0c,]")
_LONGEST = 160


def _plain(text: str) -> str:
    """Return a heading in small letters, without signs, apostrophes straight."""
    folded = text[:_LONGEST].casefold().replace("\u2019", "'").replace("\u02bc", "'")
    return " ".join(_SIGNS.sub(" ", folded).replace("'", "").split())


def parts(title: str) -> list[str]:
    """Return a title and its parts, each in plain form; the whole first."""
    text = title[:_LONGEST]
    found = [_plain(text), *(_plain(part) for part in _PART.split(text))]
    return [part for part in dict.fromkeys(found) if part]


def names(words: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(words.split())


def _lines(text: str) -> frozenset[str]:
    return frozenset(_plain(line) for line in text.strip().splitlines())


_MISSING = _lines("""
404 not found
410 gone
not found
file or directory not found
nothing found here
nothing here
nothing to see here
page has moved or no longer exists
looks like this page is missing
looks like you're lost
it looks like you're lost
it looks like nothing was found at this location
you seem to be lost
this is not the page you are looking for
this is not the web page you are looking for
http 404
status 404
code 404
seite nicht gefunden
die seite wurde nicht gefunden
diese seite wurde nicht gefunden
die angeforderte seite wurde nicht gefunden
die angeforderte seite konnte nicht gefunden werden
die seite konnte nicht gefunden werden
die gesuchte seite wurde nicht gefunden
die gesuchte seite konnte nicht gefunden werden
diese seite existiert nicht
diese seite existiert nicht mehr
diese seite ist nicht verfügbar
seite existiert nicht
seite nicht verfügbar
nicht gefunden
artikel nicht gefunden
inhalt nicht gefunden
objekt nicht gefunden
page introuvable
page non trouvée
la page est introuvable
cette page est introuvable
cette page n'existe pas
cette page n'existe plus
cette page n'est pas disponible
la page demandée est introuvable
la page demandée n'existe pas
la page que vous recherchez est introuvable
la page que vous cherchez n'existe pas
la page que vous recherchez n'existe pas
article introuvable
contenu introuvable
introuvable
página no encontrada
pagina no encontrada
no encontrado
no se encontró la página
no se encuentra la página
no se ha encontrado la página
la página no existe
la página no fue encontrada
la página solicitada no existe
la página que buscas no existe
la página que busca no existe
esta página no existe
esta página no está disponible
artículo no encontrado
contenido no encontrado
página não encontrada
pagina nao encontrada
não encontrado
a página não foi encontrada
página inexistente
esta página não existe
a página que você procura não existe
a página que procura não existe
conteúdo não encontrado
pagina non trovata
pagina inesistente
la pagina non esiste
questa pagina non esiste
la pagina richiesta non è stata trovata
la pagina che stai cercando non esiste
la pagina cercata non esiste
contenuto non trovato
articolo non trovato
non trovato
pagina niet gevonden
niet gevonden
deze pagina bestaat niet
deze pagina bestaat niet meer
deze pagina is niet gevonden
de pagina bestaat niet
de pagina is niet gevonden
de opgevraagde pagina bestaat niet
siden blev ikke fundet
siden findes ikke
side ikke fundet
siden ble ikke funnet
siden finnes ikke
sidan hittades inte
sidan kunde inte hittas
sidan finns inte
sidan kan inte hittas
sivua ei löydy
sivua ei löytynyt
strona nie istnieje
strona nie została znaleziona
nie znaleziono strony
nie znaleziono
stránka nenalezena
stránka nebyla nalezena
stránka neexistuje
stránka sa nenašla
az oldal nem található
a keresett oldal nem található
pagina nu a fost găsită
pagină negăsită
sayfa bulunamadı
aradığınız sayfa bulunamadı
bulunamadı
η σελίδα δεν βρέθηκε
страница не найдена
страница не существует
страница не найдена или удалена
запрашиваемая страница не найдена
запрошенная страница не найдена
такой страницы не существует
такой страницы нет
не найдено
не найдена
сторінку не знайдено
сторінка не знайдена
страницата не е намерена
页面不存在
页面未找到
页面没有找到
页面找不到
找不到页面
找不到该页面
找不到网页
找不到该网页
未找到页面
您访问的页面不存在
您访问的页面未找到
您要访问的页面不存在
您要找的页面不存在
抱歉 您访问的页面不存在
抱歉 页面不存在
很抱歉 您访问的页面不存在
很抱歉 您要访问的页面不存在
该页面不存在
该内容不存在
内容不存在
文章不存在
该文章不存在
你访问的页面不存在
你访问的页面不见了
页面不见了
页面走丢了
頁面不存在
找不到頁面
找不到網頁
找不到此頁面
找不到您要的頁面
ページが見つかりません
ページが見つかりませんでした
お探しのページは見つかりません
お探しのページは見つかりませんでした
お探しのページが見つかりません
お探しのページが見つかりませんでした
ページが存在しません
指定されたページが見つかりません
指定されたページは存在しません
ページは存在しません
페이지를 찾을 수 없습니다
요청하신 페이지를 찾을 수 없습니다
존재하지 않는 페이지입니다
찾을 수 없음
الصفحة غير موجودة
لم يتم العثور على الصفحة
صفحه یافت نشد
صفحه مورد نظر یافت نشد
הדף לא נמצא
העמוד לא נמצא
पृष्ठ नहीं मिला
पेज नहीं मिला
không tìm thấy trang
trang không tồn tại
trang bạn tìm không tồn tại
halaman tidak ditemukan
halaman tidak dijumpai
ไม่พบหน้าที่คุณต้องการ
ไม่พบหน้านี้
ไม่พบหน้า
""")
_THING = (
    "page|webpage|web page|site|website|repository|project|blog"
    "|article|product|item|content|post|story|document|file|resource|object|url|address|listing"
    "|video|topic|thread|job|offer|event|profile|user|account|recipe|entry|record|report|image|category|link"
)
_WANTED = r"requested|seeking|looking (?:for|at)|tried to (?:reach|open|access|view)"
_NOT_FOUND = re.compile(
    rf"(?:(?:the|this|that|your) )?(?:requested |specified )?(?:{_THING})"
    rf"(?: (?:that )?you(?:re| are| were| have)? (?:{_WANTED}))? "
    r"(?:(?:was |is |were |could |can |can)?not (?:be )?(?:found|available|located)"
    r"|(?:couldnt|cant|wasnt|isnt) (?:be )?(?:found|available|located|here)"
    r"|(?:does not|doesnt) exist|(?:is )?no longer (?:exists?|available|here)|(?:is )?gone|(?:is )?missing"
    r"|(?:is )?unavailable|(?:has been|was|is) (?:removed|deleted|archived)|(?:has )?expired)"
    r"(?: on this server| anymore| any more| right now| or (?:has been )?(?:moved|removed|deleted))?"
)
_SEARCHED = re.compile(
    r"we (?:could not|couldnt|cannot|cant|can not) (?:find|locate) "
    r"(?:what you|(?:the|this|that|your) (?:[a-z]{1,20} )?page)[a-z ]{0,40}"
)

_AROUND = names(
    """
    404 410 error http status code oops whoops ooops uh oh ohh sorry hmm hmmm ops ups fehler erreur errore erro
    foutmelding ошибка 错误 エラー 오류 hoppla désolé lo siento desculpe entschuldigung извините
    抱歉 很抱歉 对不起 sayfa hata
    """
)
"""Words that may stand before or after it and say nothing more."""

_CHALLENGE = _lines("""
just a moment
one moment please
one more step
attention required
checking your browser
checking your browser before accessing
checking if the site connection is secure
checking the site connection security
checking connection
verifying your browser
verifying you are human
verify you are human
verify that you are human
verify you are a human
please verify you are human
please verify you are a human
please verify that you are human
verify your humanity
verify you are not a robot
verify you're not a robot
confirm you are human
confirm you're human
prove you are human
prove you're human
prove your humanity
let's confirm you are human
human check
bot verification
bot check
robot check
robot or human
are you a robot
are you human
are you a human
are you not a robot
not a robot
i'm not a robot
you are not a robot
making sure you're not a bot
making sure you're human
making sure you are not a bot
making sure you are human
pardon our interruption
security checkpoint
vercel security checkpoint
client challenge
captcha required
slide to verify
slide to continue
press and hold
we need to check that you are human
captcha check
enter captcha
solve the captcha
please solve the captcha
browser verification
browser challenge
ddos guard
unusual activity detected
we have detected unusual traffic
our systems have detected unusual traffic
suspicious activity detected
automated access denied
challenge validation
nur einen moment
nur einen augenblick
einen moment
einen moment bitte
sicherheitsüberprüfung
sind sie ein mensch
sind sie ein roboter
ich bin kein roboter
bestätigen sie dass sie ein mensch sind
un instant
un instant s'il vous plaît
un momento
un momento por favor
êtes vous un humain
êtes vous un robot
vérification de sécurité
vérification que vous êtes humain
verificación de seguridad
eres humano
no soy un robot
verifica que eres humano
um momento
só um momento
verificação de segurança
não sou um robô
un attimo
solo un momento
verifica di sicurezza
non sono un robot
een moment geduld
ik ben geen robot
один момент
подождите
проверка браузера
проверка безопасности
проверяем что вы не робот
подтвердите что вы не робот
вы не робот
я не робот
вы человек
chwileczkę
weryfikacja bezpieczeństwa
bir dakika lütfen
robot değilim
请稍候
请稍等
安全验证
百度安全验证
请输入验证码
滑动验证
请完成安全验证
访问验证
身份验证码
請稍候
安全驗證
しばらくお待ちください
ロボットではありません
セキュリティチェック
セキュリティ確認
잠시만 기다리십시오
잠시만 기다려 주십시오
로봇이 아닙니다
보안 확인
لحظة من فضلك
لحظة
تحقق من أنك إنسان
""")
_CHALLENGE_WEAK = _lines("""
captcha
recaptcha
proof of work
ddos protection
bot protection
bot detection
challenge
browser check
unusual activity
验证码
安全检查
human verification
unusual traffic
captcha challenge
captcha verification
verificación humana
verificação humana
人机验证
人機驗證
보안문자
verify
checking
verifying
please wait
please wait a moment
please stand by
wait
redirecting
security check
security verification
verification
verification required
access denied
access to this page has been denied
access blocked
request blocked
forbidden
blocked
you have been blocked
sorry you have been blocked
too many requests
rate limited
are you there
hold on
hang on
bitte warten
zugriff verweigert
sicherheitsprüfung
veuillez patienter
accès refusé
espere por favor
acceso denegado
aguarde
acesso negado
attendere prego
accesso negato
доступ запрещен
доступ ограничен
访问受限
访问被拒绝
禁止访问
アクセスが拒否されました
접근이 거부되었습니다
""")
_CHALLENGE_TEXT = tuple(
    _plain(line)
    for line in """
you are human
you're human
you are a human
you're a human
you are not a robot
you're not a robot
you are not a bot
you're not a bot
not a robot
you are a robot
you are a bot
you were a bot
you were a robot
are you a robot
human visitor
real person
real human
unusual traffic
automated traffic
automated requests
automated queries
automated access
checking your browser
verifying your browser
verify your browser
checking that your browser
enable javascript and cookies
enable cookies and javascript
enable js and
javascript is required to continue
enable javascript to continue
javascript to continue
cookies to continue
complete the security check
security of your connection
press and hold
press & hold
solve the challenge
solve this challenge
solve the puzzle
solve this puzzle
slide to verify
completing the captcha
complete the captcha
complete the challenge
captcha below
enter the characters
type the characters
type the text you see
letters in the image
letters you see
select all squares
ddos
protect against bots
protect this site from bots
bot protection
anti bot
proof of work
your browser will redirect
you will be redirected
redirect you automatically
vérifions votre navigateur
überprüfen ihren browser
prüfen ihren browser
verificando su navegador
verificando tu navegador
verificando seu navegador
verificando o seu navegador
проверяем ваш браузер
检查您的浏览器
检测您的浏览器
ブラウザを確認
kein roboter
ein mensch sind
aktivieren sie javascript
zeichen ein
n'êtes pas un robot
êtes un humain
activer javascript
no eres un robot
eres humano
habilita javascript
não é um robô
não sou um robô
non sei un robot
не робот
что вы человек
включите javascript
введите символы
人机验证
安全验证
不是机器人
输入验证码
滑块
ロボットではない
ロボットでない
javascriptを有効
로봇이 아닙니다
""".strip().splitlines()
)

_LOGIN = _lines("""
log in
login
log on
logon
sign in
signin
sign on
log in or sign up
log in or register
log in or create an account
login or register
login required
log in required
sign in required
sign in or sign up
sign in or register
sign in or create an account
sign in or join
sign up or log in
sign up
register or sign in
account login
member login
member sign in
members only
members area
customer login
user login
client login
staff login
subscriber login
please log in
please login
please sign in
please log in to continue
please login to continue
please sign in to continue
you must log in to continue
you must be logged in
you must log in
you must sign in
you need to log in
you need to sign in
you are not logged in
log in to continue
login to continue
sign in to continue
sign in to continue reading
log in to continue reading
log in to view this page
sign in to view this page
sign in to your account
log in to your account
login to your account
sign into your account
log into your account
sign in with your account
welcome back
authentication required
authorization required
single sign on
web login service
central authentication service
enter your password
password required
protected page
password protected
this page is password protected
anmelden
anmeldung
bitte anmelden
einloggen
bitte einloggen
bitte melden sie sich an
login erforderlich
anmeldung erforderlich
mitgliederbereich
se connecter
connexion
connectez vous
identifiez vous
s'identifier
identification
connexion requise
iniciar sesión
inicia sesión
inicie sesión
inicio de sesión
acceder
identificarse
entrar
fazer login
faça login
iniciar sessão
accedi
accesso
inloggen
aanmelden
logga in
log ind
logg inn
logg på
kirjaudu
kirjaudu sisään
zaloguj się
logowanie
zaloguj
přihlášení
přihlásit se
přihlásit
bejelentkezés
autentificare
giriş yap
giriş
oturum aç
вход
войти
авторизация
войдите
вход в систему
вход на сайт
вхід
увійти
登录
登陆
用户登录
请登录
请先登录
会员登录
账号登录
登入
會員登入
請登入
ログイン
サインイン
ログインしてください
会員ログイン
로그인
로그인이 필요합니다
تسجيل الدخول
ورود
התחברות
כניסה
đăng nhập
masuk
เข้าสู่ระบบ
लॉग इन करें
""")


def missing_heading(heading: str) -> int:
    """Return how plainly a heading, or a part of a title, says as a whole that something was not found: 2, 1 or 0.

    1 is a bare number: it may be the page's subject.
    """
    found = parts(heading)
    if any(_missing(part) or _missing(_bare(part)) for part in found):
        return 2
    return 1 if any(part in ("404", "410") for part in found) else 0


def missing_text(text: str) -> bool:
    """Return whether one of the first sentences of a text says as a whole that something was not found."""
    sentences = _SENTENCE.split(text[:1_000])[:6]
    return any(missing_heading(sentence) == 2 for sentence in sentences if len(sentence) <= _LONGEST)


def _missing(part: str) -> bool:
    return part in _MISSING or _NOT_FOUND.fullmatch(part) is not None or _SEARCHED.fullmatch(part) is not None


def _bare(part: str) -> str:
    """Return a plain heading without the words around it that say nothing more."""
    words = part.split()
    if len(words) > 1 and "404" in words and all(word in _AROUND for word in words):
        return "http 404"
    while words and words[0] in _AROUND:
        del words[0]
    while words and words[-1] in _AROUND:
        del words[-1]
    return " ".join(words)


def challenge_heading(heading: str) -> int:
    """Return how plainly a heading says that the visitor is being checked: 2, 1 (other pages say so too) or 0."""
    found = parts(heading)
    if any(part in _CHALLENGE for part in found):
        return 2
    return 1 if any(part in _CHALLENGE_WEAK for part in found) else 0


def challenge_text(text: str) -> bool:
    """Return whether a short text speaks of the visitor being checked."""
    folded = text[:3_000].casefold().replace("\u2019", "'").replace("'", "")
    plain = " ".join(_SIGNS.sub(" ", folded).split())
    return any(phrase in plain for phrase in _CHALLENGE_TEXT)


def login_heading(headings: Iterable[str]) -> bool:
    """Return whether a heading, or a part of a title, asks as a whole to log in."""
    return any(_logs_in(part) for heading in headings for part in parts(heading))


def _logs_in(part: str) -> bool:
    words = part.split()
    # "log in to Example" names the site, and nothing but it
    cut = next((at for at, word in enumerate(words[:4]) if word in ("to", "bei", "sur", "en", "a", "в") and at), None)
    return part in _LOGIN or (cut is not None and len(words) - cut <= 4 and " ".join(words[:cut]) in _SIGNS_IN)


_SIGNS_IN = frozenset(("log in", "login", "sign in", "signin", "anmelden", "connexion", "iniciar sesión", "вход"))
