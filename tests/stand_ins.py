"""Made-up pages: challenges, login walls and soft 404s, and honest pages that look like them to a careless eye."""

from __future__ import annotations

from dataclasses import dataclass

PAGE = "https://site.example/articles/tide-mills"
_SITE = "https://site.example"
SLUG = "https://site.example/articles/windmills-along-holland-canals"
PROSE = (
    "The tide mill stores the flood in a pond behind a dam. Its gate shuts at high water by itself, and six hours "
    "later the wheel turns until the pond is empty. "
)


@dataclass(frozen=True)
class Case:
    """One page as it comes."""

    name: str
    markup: str
    urls: tuple[str, ...] = (PAGE,)
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    tests: tuple[str, ...] = ()
    """Some of the tests that must have fired."""


def page(title: str, body: str, head: str = "", attributes: str = "") -> str:
    """Return a page."""
    return (
        f"<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title>{head}</head>"
        f"<body {attributes}>{body}</body></html>"
    )


def to(final: str, asked: str = PAGE) -> tuple[str, ...]:
    """Return the addresses of a redirect."""
    return (asked, final)


_RELOAD = "<script>document.cookie='ok=1;path=/';location.reload();</script>"
_WORK = (
    "<script>async function run(){let nonce=0;while(true){const h=await crypto.subtle.digest('SHA-256',"
    "new TextEncoder().encode(seed+nonce));if(leading(h)>=difficulty)break;nonce++}"
    "document.cookie='pow='+nonce;location.reload()}run()</script>"
)
_NOINDEX = '<meta name="robots" content="noindex,nofollow">'

CHALLENGES = (
    Case(
        "head-cf",
        page("x", "<p>" + PROSE * 30),
        headers=(("CF-Mitigated", "challenge"),),
        tests=("header:cf-mitigated",),
    ),
    Case("head-aws-202", "", status=202, headers=(("x-amzn-waf-action", "challenge"),)),
    Case("head-aws-405", page("Human Verification", ""), status=405, headers=(("x-amzn-waf-action", "captcha"),)),
    Case("head-vercel", page("Vercel", ""), status=429, headers=(("x-vercel-mitigated", "challenge"),)),
    Case("head-sg", "<html></html>", status=202, headers=(("SG-Captcha", "challenge"),)),
    Case("head-kasada", "<html></html>", status=429, headers=(("x-kpsdk-ct", "abc"),)),
    Case("head-datadome", "<html></html>", status=403, headers=(("Server", "DataDome"),)),
    Case(
        "cloudflare",
        page(
            "Just a moment...",
            "<div class=main-content><noscript>Enable JavaScript and cookies to continue</noscript></div>"
            "<script>(function(){window._cf_chl_opt={cType:'managed'};var a=document.createElement('script');"
            "a.src='/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray=1';"
            "document.head.appendChild(a)})();</script>",
            _NOINDEX,
        ),
        tests=("script:cf-chl-opt", "script:challenge-platform"),
    ),
    Case(
        "cloudflare-403",
        page("Just a moment...", "<p>Verify you are human<script>window._cf_chl_opt={}</script>"),
        status=403,
    ),
    Case(
        "cloudflare-old",
        page(
            "Just a moment...",
            '<h1>Checking your browser before accessing site.example</h1><form id="challenge-form" '
            'action="/?__cf_chl_jschl_tk__=1" method=POST><input type=hidden name=jschl_vc value=1></form>',
        ),
        status=503,
        tests=("form:cf-challenge",),
    ),
    Case(
        "datadome",
        page(
            "site.example",
            '<p id="cmsg">Please enable JS and disable any ad blocker</p><script>var dd={"rt":"c"}</script>'
            '<script src="https://ct.captcha-delivery.com/c.js"></script>',
        ),
        status=403,
        tests=("script:captcha-delivery",),
    ),
    Case(
        "datadome-frame", page("site.example", '<iframe src="https://geo.captcha-delivery.com/captcha/?x=1"></iframe>')
    ),
    Case(
        "human",
        page(
            "Access to this page has been denied",
            '<div id="px-captcha"></div><p>Press &amp; Hold to confirm you are a human',
        ),
        tests=("id:px-captcha",),
    ),
    Case(
        "imperva-frame",
        page(
            "",
            '<iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=1&incident_id=77-1">Request '
            "unsuccessful.</iframe>",
        ),
        tests=("frame:incapsula",),
    ),
    Case("imperva-script", page("", '<script src="/_Incapsula_Resource?SWJIYLWA=5074,719d"></script>', _NOINDEX)),
    Case(
        "akamai-interstitial",
        page("&nbsp;", '<div id="sec-if-cpt-container"><div class="behavioral-content"></div></div>'),
        tests=("id:akamai-challenge",),
    ),
    Case(
        "akamai-bm-verify",
        page(
            "",
            "<script>fetch('/_sec/verify?provider=interstitial',{body:JSON.stringify({'bm-verify':t})})</script>",
            '<meta http-equiv="refresh" content="5; URL=\'/articles/tide-mills?bm-verify=AAQ\'">',
        ),
    ),
    Case(
        "akamai-denied",
        page(
            "Access Denied",
            "<h1>Access Denied</h1>You don't have permission to access this server.<p>Reference "
            "&#35;18&#46;1<p>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18",
        ),
        status=403,
        tests=("text:edgesuite-reference",),
    ),
    Case(
        "aws-page",
        page("", '<div id="challenge-container"></div><script>window.gokuProps={"key":"A"}</script>'),
        status=202,
    ),
    Case(
        "kasada",
        page("", '<script>window.KPSDK={};KPSDK.now=Date.now</script><script src="/149e/ips.js"></script>'),
        status=429,
    ),
    Case(
        "sucuri",
        page(
            "You are being redirected...",
            "<noscript>Javascript is required.</noscript><script>var s={},sucuri_cloudproxy_js='';e(r)</script>",
        ),
    ),
    Case(
        "anubis",
        page(
            "Making sure you&#39;re not a bot!",
            '<script id="anubis_challenge" type="application/json">{"rules":{"difficulty":4}}</script><main><h1>Making '
            "sure you're not a bot!</h1><p id=status>Loading...</p><details><p>"
            + "You are seeing this because. " * 30
            + '</details></main><script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script>',
        ),
        tests=("id:anubis", "script:anubis"),
    ),
    Case(
        "go-away",
        page(
            "Checking you are not a bot",
            '<script src="/.well-known/.git.gammaspectra.live/git/go-away/cmd/x.js"></script>',
        ),
    ),
    Case(
        "siteground",
        '<html><head><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F"></head></html>',
        status=202,
    ),
    Case(
        "fastly",
        page(
            "Client Challenge",
            '<p>A required part of this site could not load.</p><script src="/_fs-ch-1T1/script.js"></script>',
        ),
    ),
    Case(
        "vercel",
        page(
            "Vercel Security Checkpoint",
            '<p>We are verifying your browser<script src="/.well-known/vercel/security/static/c.js"></script>',
        ),
    ),
    Case(
        "ddos-guard",
        page(
            "DDoS-Guard",
            "<p>Checking your browser before accessing site.example</p><script "
            'src="https://check.ddos-guard.net/check.js"></script>',
        ),
    ),
    Case(
        "tspd",
        page(
            "",
            '<script>window["bobcmn"]="10111";</script><script src="/TSPD/08?type=9"></script><noscript>Please '
            "enable JavaScript</noscript>",
        ),
    ),
    Case(
        "google-sorry",
        page(
            "https://www.google.com/search?q=x",
            '<form id="captcha-form" action="index" method=post><div class="g-recaptcha"></div></form>'
            "<p>Our systems have detected unusual traffic from your computer network.",
        ),
        urls=to("https://www.google.com/sorry/index?continue=x", "https://www.google.com/search?q=x"),
        tests=("url:google-sorry", "form:captcha-form"),
    ),
    Case(
        "duckduckgo",
        page(
            "tide mills at DuckDuckGo",
            '<form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html">'
            '<div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form>',
        ),
        status=202,
    ),
    Case(
        "amazon",
        page(
            "Robot Check",
            '<h4>Enter the characters you see below</h4><form action="/errors/validateCaptcha">'
            '<input type=hidden name=amzn><img src="https://img.example/captcha/a.jpg"><input '
            "id=captchacharacters name=field-keywords></form>",
        ),
    ),
    Case(
        "yandex",
        page("Вы не робот?", '<form action="/checkcaptcha?key=1"><input type=submit value="Я не робот"></form>'),
        urls=to("https://site.example/showcaptcha?retpath=1"),
    ),
    Case(
        "baidu",
        page("百度安全验证", "<div class=timeout hide></div>"),
        urls=to("https://wappass.baidu.com/static/captcha/tuxing.html?x"),
    ),
    Case(
        "testcookie",
        '<html><body><script src="/aes.js"></script><script>function toNumbers(d){}document.cookie="__test="+'
        'toHex(slowAES.decrypt(c,2,a,b));location.href="https://site.example/articles/tide-mills?i=1";</script></body></html>',
    ),
    # of no known maker
    Case("cookie-reload", page("", _RELOAD), tests=("script:cookie-reload", "tiny-text")),
    Case(
        "cookie-reload-words",
        page("One moment, please...", "<h1>Please wait while your request is being verified...</h1>" + _RELOAD),
        tests=("script:cookie-reload", "title:challenge"),
    ),
    Case(
        "cookie-set-itself",
        page("", "<script>document.cookie='v=7f';window.location.href='/articles/tide-mills';</script>"),
    ),
    Case(
        "proof-of-work",
        page("Verifying", "<p>Your browser is solving a small puzzle.</p>" + _WORK),
        tests=("script:proof-of-work",),
    ),
    Case("proof-of-work-503", page("Gatekeeper", "<p>Hold tight" + _WORK), status=503),
    Case(
        "worker-proof",
        page(
            "Checking your browser",
            "<script>const w=new Worker('/gate/w.js');w.onmessage=e=>{fetch('/gate?nonce='+e.data)"
            ".then(()=>location.reload())}</script>",
        ),
    ),
    Case(
        "auto-submit",
        page(
            "",
            "<form id=f method=post action=/gate><input type=hidden name=t "
            "value=9></form><script>document.getElementById('f')"
            ".submit()</script>",
        ),
        tests=("form:auto-submit",),
    ),
    Case(
        "refresh-self",
        page("Checking your browser", "<p>This takes a few seconds.", '<meta http-equiv="refresh" content="3">'),
        tests=("meta:refresh-self",),
    ),
    Case(
        "picture",
        page(
            "Verification",
            "<p>Enter the characters in the picture<form method=post><img src=/captcha.php><input "
            "name=captcha_code></form>",
        ),
        tests=("form:captcha",),
    ),
    Case(
        "picture-403",
        page(
            "Security check",
            "<form method=post><img src=/gate/captcha.png><input name=answer><button>Go</button></form>",
        ),
        status=403,
    ),
    Case(
        "hcaptcha-main",
        page(
            "One more step",
            '<p>Please complete the security check to access site.example<form><div class="h-captcha"></div></form>'
            '<script src="https://js.hcaptcha.com/1/api.js"></script>',
        ),
        tests=("widget:captcha",),
    ),
    Case(
        "recaptcha-main",
        page(
            "site.example",
            '<form method=post><div class="g-recaptcha" data-callback=go></div></form>'
            '<script src="https://www.google.com/recaptcha/api.js"></script>',
        ),
    ),
    Case(
        "turnstile-main",
        page(
            "Verify you are human",
            '<div class="cf-turnstile"></div><script '
            'src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>',
        ),
    ),
    Case(
        "slider",
        page(
            "安全验证", '<div id=slider class="slider-captcha"></div><p>请拖动滑块完成验证<script src=/s.js></script>'
        ),
    ),
    Case("german", page("Einen Moment bitte", "<p>Wir prüfen, ob Sie kein Roboter sind." + _RELOAD)),
    Case("japanese", page("しばらくお待ちください", "<p>ロボットではないことを確認しています。" + _WORK)),
    Case("russian", page("Проверка браузера", "<p>Подтвердите, что вы не робот." + _RELOAD)),
    Case(
        "noscript-alone",
        page(
            "",
            "<noscript>Please turn on JavaScript and reload the page to go on.</noscript><script>"
            "!function(){var _0x4f2a=['a'];eval(atob('ZG9jdW1lbnQ='+_0x4f2a));window.z=_0x4f2a}()</script>",
            _NOINDEX,
        ),
    ),
)

_LOGIN = (
    "<form method=post action=/session><input name=username><input type=password name=password>"
    "<button>Go</button></form>"
)

LOGINS = (
    Case("plain", page("Log in", "<h1>Log in</h1>" + _LOGIN), tests=("form:password", "title:login")),
    Case("titled-with-site", page("Sign in | Site", _LOGIN)),
    Case("to-site", page("Log in to Example Forum", _LOGIN)),
    Case("no-words", page("Example", _LOGIN), tests=("form:password", "tiny-text")),
    Case(
        "redirected",
        page("Example", "<h1>Welcome back</h1>" + _LOGIN),
        to("https://site.example/login?next=/articles/tide-mills"),
        tests=("redirect:login", "redirect:carries-address", "form:password"),
    ),
    Case("redirected-path-only", page("Example", _LOGIN), to("https://site.example/users/sign_in")),
    Case(
        "identifier-first",
        page(
            "Sign in - Accounts", "<h1>Sign in</h1><form><input type=email name=identifier><button>Next</button></form>"
        ),
        to(
            "https://accounts.example.net/v3/signin/identifier?continue=https%3A%2F%2Fsite.example%2Farticles%2Ftide-mills"
        ),
        tests=("form:identifier", "redirect:carries-address"),
    ),
    Case(
        "identifier-sso-host",
        page("Example ID", "<form><input name=loginfmt><button>Next</button></form>"),
        to("https://login.example.net/common?redirect_uri=https://site.example/articles/tide-mills"),
    ),
    Case(
        "script-only",
        page("Example ID", "<div id=root></div><p>Loading</p><script src=/app.js></script>"),
        to("https://sso.example.net/auth?return_to=https://site.example/articles/tide-mills"),
        tests=("redirect:login",),
    ),
    Case(
        "federated",
        page(
            "",
            '<form method=post action="https://idp.example.net/sso"><input type=hidden name=SAMLRequest value=x></form>'
            "<noscript>Press continue</noscript>",
        ),
        tests=("form:federated",),
    ),
    Case(
        "refresh",
        page("Redirecting", "<p>Redirecting", '<meta http-equiv=refresh content="0; url=/login?back=/articles">'),
    ),
    Case("members", page("Members only", "<p>This area is for members of the society." + _LOGIN)),
    Case("subscriber", page("Tide mills | Gazette", "<h2>Sign in to continue reading</h2>" + _LOGIN)),
    Case(
        "protected-post",
        page(
            "Protected: Notes",
            '<p>This content is password protected.<form action="/wp-login.php?action=postpass" method=post>'
            "<input name=post_password type=password></form>",
        ),
        tests=("form:login-action",),
    ),
    Case("german-login", page("Anmelden", "<p>Bitte melden Sie sich an." + _LOGIN)),
    Case("french-login", page("Connexion", _LOGIN)),
    Case("spanish-login", page("Iniciar sesión", _LOGIN)),
    Case("chinese-login", page("用户登录", _LOGIN)),
    Case("russian-login", page("Вход", _LOGIN)),
    Case("japanese-login", page("ログイン", _LOGIN)),
    Case("router", page("Router", "<h1>Login required</h1>" + _LOGIN)),
)

_MISS = "<p>Sorry, the page you are looking for may have been moved or deleted. <a href=/>Go home</a>"

MISSING = (
    Case(
        "title-and-heading",
        page("Page not found", "<h1>Page not found</h1>" + _MISS),
        tests=("title:not-found", "heading:not-found"),
    ),
    Case("404-title", page("404 Not Found", "<h1>404 Not Found</h1><hr>server")),
    Case("site-in-title", page("Page Not Found | Example", "<h1>Oops!</h1>" + _MISS), tests=("title:not-found",)),
    Case(
        "oops",
        page(
            "Example",
            "<h1>Oops! That page can&rsquo;t be found.</h1><p>It looks like nothing was found at this location.",
            "",
            'class="error404 wp-custom"',
        ),
        tests=("class:not-found",),
    ),
    Case("noindex", page("Example", "<h1>404</h1>" + _MISS, _NOINDEX), tests=("meta:noindex",)),
    Case(
        "prerender",
        page("Example shop", "<p>We have many things", '<meta name="prerender-status-code" content="404">'),
        tests=("meta:prerender-status",),
    ),
    Case(
        "next",
        page(
            "Example",
            "<h1>404</h1><h2>This page could not be found.</h2>",
            '<meta name="next-error" content="not-found">' + _NOINDEX,
        ),
        tests=("meta:next-error",),
    ),
    Case(
        "next-data",
        page("404: This page could not be found", '<script id=__NEXT_DATA__>{"page":"/404"}</script><h1>404</h1>'),
    ),
    Case("to-404", page("Example", "<p>Try the search"), to("https://site.example/404"), tests=("redirect:not-found",)),
    Case("to-not-found", page("Not found", "<h1>Nothing here</h1>"), to("https://site.example/not-found.html")),
    Case(
        "to-error",
        page("Page not found", "<h1>Error</h1>"),
        to("https://site.example/error?aspxerrorpath=/articles/tide-mills"),
    ),
    Case(
        "canonical",
        page("Example", "<h1>Not found</h1>", '<link rel=canonical href="https://site.example/404/">'),
        tests=("canonical:not-found",),
    ),
    Case(
        "home",
        page("Example Company", "<h1>Welcome</h1><p>We make chairs. " + "Chairs of oak and ash, by hand. " * 100),
        to("https://site.example/", SLUG),
        tests=("redirect:home", "asked-words:absent"),
    ),
    Case("home-www", page("Example", "<p>Our news of the week"), to("https://www.site.example/index.html", SLUG)),
    Case(
        "home-language",
        page("Example", "<p>Our news of the week"),
        to("https://site.example/en/", "https://site.example/en/blog/how-wheels-grind-barley"),
    ),
    Case("lead", page("Example", "<p>Page not found. <a href=/>Home</a>", _NOINDEX), tests=("lead:not-found",)),
    Case(
        "og",
        page("Example", "<h1>Sorry!</h1>" + _MISS, '<meta property="og:title" content="Page not found">' + _NOINDEX),
    ),
    Case("german-404", page("Seite nicht gefunden", "<h1>Seite nicht gefunden</h1><p>Die Seite gibt es nicht mehr.")),
    Case("french-404", page("Page introuvable", "<h1>Erreur 404</h1><p>La page demandée n'existe pas.")),
    Case("spanish-404", page("Página no encontrada", "<h1>Página no encontrada</h1>")),
    Case("italian-404", page("Pagina non trovata", "<h1>Errore 404</h1>")),
    Case("portuguese-404", page("Página não encontrada", "<h1>Página não encontrada</h1>")),
    Case("russian-404", page("Страница не найдена", "<h1>Ошибка 404</h1><p>Страница не найдена")),
    Case("chinese-404", page("页面不存在", "<h1>404</h1><p>抱歉,您访问的页面不存在")),
    Case("japanese-404", page("ページが見つかりません", "<h1>お探しのページは見つかりませんでした</h1>")),
    Case("korean-404", page("페이지를 찾을 수 없습니다", "<h1>404</h1>")),
    Case("dutch-404", page("Pagina niet gevonden", "<h1>Pagina niet gevonden</h1>")),
)

_JSD = (
    "<script>(function(){window.__CF$cv$params={r:'8',t:'MT'};var a=document.createElement('script');"
    "a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js';document.head.appendChild(a)})();</script>"
)
_GTAG = (
    '<script async src="https://www.googletagmanager.com/gtag/js?id=G"></script><script>window.dataLayer=[];'
    "function gtag(){dataLayer.push(arguments)}gtag('js',new Date());</script>"
)
_DEFINITION = (
    "<h1>Tide mill</h1><p>A tide mill is a water mill that is driven by the rise and fall of the tide. A dam with a "
    "sluice is made across an inlet, and the water stored at high tide turns a wheel as it leaves.</p>"
)
_QUOTED = (
    "<pre><code>&lt;form id=&quot;challenge-form&quot; action=&quot;/?__cf_chl_tk=1&quot;&gt;&lt;div "
    "class=&quot;g-recaptcha"
    "&quot;&gt;&lt;/div&gt;&lt;/form&gt;\n&lt;script&gt;window._cf_chl_opt={}&lt;/script&gt;</code></pre>"
)
_ASIDE_LOGIN = (
    "<header><a href=/>Home</a><form action=/login><input name=user><input type=password name=pass></form></header>"
)

HONEST = (
    Case("article", page("Tide mills", "<h1>Tide mills</h1><p>" + PROSE * 10)),
    Case("definition", page("Tide mill", _DEFINITION)),
    Case("definition-jsd", page("Tide mill", _DEFINITION + _JSD)),
    Case("definition-analytics", page("Tide mill", _DEFINITION + _GTAG)),
    Case("definition-header-login", page("Tide mill", _ASIDE_LOGIN + _DEFINITION)),
    Case("definition-side-login", page("Tide mill", f"<div id=sidebar>{_LOGIN}</div>" + _DEFINITION)),
    Case("definition-box-login", page("Tide mill", _DEFINITION + f"<div class=box>{_LOGIN}</div>")),
    Case(
        "definition-modal-login",
        page("Tide mill", f'<div class=modal style="display: none">{_LOGIN}</div>' + _DEFINITION),
    ),
    Case(
        "definition-datadome",
        page(
            "Tide mill",
            _DEFINITION + "<script>window.ddjskey='A'</script><script src=https://js.datadome.co/tags.js></script>",
        ),
        headers=(("X-DataDome", "protected"), ("x-datadome-cid", "AH")),
    ),
    Case("definition-px", page("Tide mill", _DEFINITION + "<script>window._pxAppId='PX1';</script>")),
    Case(
        "definition-imperva",
        page("Tide mill", _DEFINITION + '<script src="/_Incapsula_Resource?SWJIYLWA=719d"></script>'),
        headers=(("X-CDN", "Incapsula"), ("X-Iinfo", "1-2")),
    ),
    Case(
        "definition-akamai",
        page("Tide mill", _DEFINITION + '<script src="/akam/13/5f"></script>'),
        headers=(("akamai-grn", "0.1"),),
    ),
    Case(
        "definition-aws",
        page("Tide mill", _DEFINITION + '<script src="https://a.eu.token.awswaf.com/a/challenge.compact.js"></script>'),
    ),
    Case(
        "definition-badge",
        page("Tide mill", _DEFINITION + '<script src="https://www.google.com/recaptcha/api.js?render=KEY"></script>'),
    ),
    Case(
        "definition-cloudflare-head",
        page("Tide mill", _DEFINITION),
        headers=(
            ("Server", "cloudflare"),
            ("CF-RAY", "1"),
            ("Content-Security-Policy", "script-src challenges.cloudflare.com hcaptcha.com"),
        ),
    ),
    Case("one-line-status", page("Status", "<p>All systems operational.")),
    Case(
        "one-line-status-refresh",
        page("Status", "<p>All systems operational.", '<meta http-equiv=refresh content="60">'),
    ),
    Case(
        "one-line-status-login",
        page(
            "Status",
            "<header>"
            + _LOGIN
            + "</header><h1>Status</h1><p>All systems operational, no incidents in the last 90 days.",
        ),
    ),
    Case("health", "<html><body>OK</body></html>"),
    Case("coming-soon", page("Example", "<h1>Coming soon</h1><p>We are building something new.")),
    Case(
        "consent",
        page(
            "Example",
            "<p>Tide table for today: high water 06:12 and 18:40, low water 00:05 and 12:27. Banner: this site "
            "uses cookies. "
            "<button "
            "id=ok>OK</button><script>ok.addEventListener('click',()=>{document.cookie='c=1';location.reload()})</script>",
        ),
    ),
    Case(
        "empty-search",
        page("Search results", "<h1>Search results</h1><form><input name=q></form><p>No results found for “xyzzy”."),
    ),
    Case(
        "empty-search-form",
        page(
            "Search - Library",
            "<form action=/search><input type=search name=q></form><p>Your search did not match any documents.",
        ),
    ),
    Case("empty-category", page("Lamps - Shop", "<h1>Lamps</h1><p>There are no products in this category.")),
    Case(
        "about-captchas",
        page(
            "What is a CAPTCHA?",
            "<h1>What is a CAPTCHA?</h1><p>" + "A captcha asks whether you are a robot. " * 20 + _QUOTED,
        ),
    ),
    Case(
        "captcha-short",
        page(
            "CAPTCHA | Glossary",
            "<h1>CAPTCHA</h1><p>A test to tell computers and humans apart, often shown before a form "
            "is sent: letters in a picture, a box to tick, or pictures to choose from. <a href=/b>Bot</a>",
        ),
    ),
    Case(
        "cloudflare-help",
        page(
            "Why do I see “Just a moment...”?",
            "<h1>Why do I see “Just a moment...”?</h1><p>The site checks your browser. "
            "Enable JavaScript and cookies to continue, wait five seconds, and try another network if that does "
            "not help." + _QUOTED,
        ),
    ),
    Case(
        "quotes-attribute",
        page(
            "Embedding",
            '<h1>Embedding</h1><p title="<form><input type=password></form>">'
            + PROSE
            + '<div data-code="<script>_cf_chl_opt</script>"></div>',
        ),
    ),
    Case(
        "quotes-comment",
        page("Tide mill", _DEFINITION + "<!-- <div id=px-captcha></div><script>_cf_chl_opt</script> -->"),
    ),
    Case(
        "quotes-textarea",
        page(
            "Tide mill",
            _DEFINITION + "<textarea><div id=px-captcha></div><form action=/login><input type=password></textarea>",
        ),
    ),
    Case(
        "hcaptcha-tutorial",
        page(
            "Adding hCaptcha",
            "<h1>Adding hCaptcha</h1><p>" + PROSE * 6 + '<div class="h-captcha"></div>'
            '<script src="https://js.hcaptcha.com/1/api.js"></script>' + _QUOTED,
        ),
    ),
    Case(
        "comments-captcha",
        page(
            "Tide mill",
            _DEFINITION + "<form action=/comment><input name=author><textarea name=comment></textarea>"
            '<div class="g-recaptcha"></div></form>',
        ),
    ),
    Case(
        "contact",
        page(
            "Contact",
            "<h1>Contact us</h1><form><input name=name><input type=email name=email><textarea name=message></textarea>"
            '<div class="cf-turnstile"></div></form><p>Mill Lane 3',
        ),
    ),
    Case(
        "newsletter",
        page(
            "Newsletter",
            '<h1>Newsletter</h1><form><input type=email name=email><button class="g-recaptcha">Join</button></form>',
        ),
    ),
    Case(
        "shop",
        page(
            "Oak chair - Shop",
            "<h1>Oak chair</h1><p>Solid oak, oiled. 45 cm wide. 120 euros.<form><input name=quantity></form>"
            '<div class="grecaptcha-badge"></div><script '
            'src="https://www.google.com/recaptcha/api.js?render=K"></script>',
        ),
    ),
    Case(
        "one-moment-poem",
        page("Just a moment", "<h1>Just a moment</h1><p>" + "Light on the water, and then it is gone. " * 8),
    ),
    Case("are-you-a-robot", page("Are you a robot?", "<h1>Are you a robot?</h1><p>" + PROSE * 3 + _GTAG)),
    Case(
        "sha-tool",
        page(
            "SHA-256 calculator",
            "<h1>SHA-256 calculator</h1><form><textarea "
            "name=text></textarea></form><script>crypto.subtle.digest('SHA-256',d)"
            ".then(show);fetch('/counter')</script>",
        ),
    ),
    Case(
        "proof-of-work-article",
        page(
            "Proof of work",
            "<h1>Proof of work</h1><p>" + "A nonce is sought until the hash has leading zeros. " * 12 + _WORK,
        ),
    ),
    Case(
        "application",
        page(
            "Board",
            "<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript><script "
            "src=/main.js></script>",
        ),
    ),
    Case(
        "application-loading",
        page(
            "Board",
            "<div id=app>Loading...</div><noscript>Enable JavaScript</noscript><script type=module src=/a.js></script>",
        ),
    ),
    Case(
        "language-choice",
        page(
            "Example", "<p><a href=/en/>English</a> <a href=/de/>Deutsch</a><script>document.cookie='lang=en'</script>"
        ),
    ),
    Case(
        "access-denied-article",
        page(
            "Access denied errors explained",
            "<h1>Access denied errors explained</h1><p>"
            + PROSE
            + "The message names https://errors.edgesuite.net/18.2 as its reference.",
        ),
    ),
    Case(
        "edgesuite-question",
        page(
            "Access Denied on site.example - Forum",
            "<h1>Access Denied on site.example</h1><p>I get Access Denied. Reference "
            "#18.1 https://errors.edgesuite.net/18.1 What can I do? " + PROSE,
        ),
    ),
    Case("forbidden-403", page("403 Forbidden", "<h1>403 Forbidden</h1><hr>nginx"), status=403),
    Case(
        "denied-403",
        page("Access Denied", "<h1>Access Denied</h1><p>You do not have permission to view this page."),
        status=403,
    ),
    Case("unavailable-503", page("Service Unavailable", "<h1>503</h1><p>Maintenance until noon."), status=503),
    Case("too-many-429", page("Too Many Requests", "<h1>Too Many Requests</h1>"), status=429),
    Case("error-jsd-403", page("403", "<h1>Forbidden</h1><p>Directory listing is off." + _JSD), status=403),
    Case(
        "mdn-404",
        page(
            "404 Not Found - HTTP | Reference",
            "<h1>404 Not Found</h1><p>" + "The response status code says that the server cannot find the "
            "resource. " * 10 + "<h2>Status</h2><pre>404 Not Found</pre><h2>Examples</h2><p>" + PROSE * 4,
        ),
        urls=("https://docs.example/http/status/404",),
    ),
    Case(
        "manual-404",
        page(
            "404 Not Found - Server manual",
            "<h1>404 Not Found</h1><p>The server has no resource at this address. The access log names "
            "the address, and ErrorDocument sets what is shown.",
        ),
        urls=("https://docs.example/manual/errors/404-not-found.html",),
    ),
    Case(
        "about-soft-404",
        page(
            "What is a soft 404?", "<h1>What is a soft 404?</h1><p>A page that says “Page not found” with status 200."
        ),
    ),
    Case(
        "custom-404",
        page(
            "Custom 404 pages",
            "<h1>Custom 404 pages</h1><p>Show “Page not found” and a search box.<pre>error_page 404 /404.html;</pre>",
        ),
    ),
    Case("status-list", page("HTTP status codes", "<table><tr><td>404<td>Not Found<tr><td>410<td>Gone</table>")),
    Case(
        "year-404",
        page(
            "404 - Encyclopedia", "<h1>404</h1><p>" + "The year 404 was a leap year. The emperor died in spring. " * 12
        ),
    ),
    Case(
        "lost-film",
        page("Lost (film) - Database", "<h1>Lost (film)</h1><p>A short film of 1998 about a boy and his dog."),
    ),
    Case(
        "not-found-command",
        page("command not found - Questions", "<h1>command not found</h1><p>My shell says so after an update."),
    ),
    Case(
        "file-not-found-question",
        page(
            "java - File not found exception - Questions",
            "<h1>File not found exception in Java</h1><p>" + PROSE + "<pre>java.io.FileNotFoundException</pre>",
        ),
    ),
    Case("moved-home", page("Tide mills", "<h1>All about tide mills</h1><p>Welcome."), to("https://site.example/")),
    Case(
        "to-home-index",
        page("Example", "<p>Welcome to the company."),
        to("https://site.example/", "https://site.example/index.html"),
    ),
    Case("to-https", page("Tide mill", _DEFINITION), to(PAGE, PAGE.replace("https", "http"))),
    Case(
        "short-link",
        page("Example", "<p>Welcome to the company, we sell chairs."),
        to("https://site.example/", "https://lnk.example/abc-defg"),
    ),
    Case("moved-page", page("Tide mill", _DEFINITION), to("https://site.example/encyclopedia/tide-mill")),
    Case(
        "project-site",
        page("Project", "<p>A library for chairs."),
        to("https://chairs.example/", "https://host.example/people/chairs"),
    ),
    Case(
        "login-tutorial",
        page(
            "Building a login form",
            "<h1>Building a login form</h1><p>" + PROSE * 6 + _LOGIN + "<pre>&lt;input type=password&gt;</pre>",
        ),
    ),
    Case(
        "login-glossary",
        page(
            "Login | Glossary",
            "<h1>Login</h1><p>The act of proving who one is to a computer system, commonly with a name and a "
            "password, before it is used.",
        ),
    ),
    Case(
        "forum",
        page(
            "Forum",
            _ASIDE_LOGIN
            + "<h1>Forum</h1><table>"
            + "".join(
                f"<tr><td><a href=/t{n}>How to mend a sluice gate, part {n}</a><td>{n} replies" for n in range(25)
            )
            + "</table>",
        ),
    ),
    Case(
        "password-strength",
        page(
            "Password strength checker",
            "<h1>Password strength checker</h1><p>Type a password to see how long it would take to guess "
            "it. Nothing is sent; all is reckoned on this page.<input type=password id=p>",
        ),
    ),
    Case(
        "article-by-login-redirect",
        page("Tide mills", "<h1>Tide mills</h1><p>" + PROSE * 10),
        to("https://site.example/auth/callback/tide-mills"),
    ),
    Case("unauthorized-401", page("Log in", _LOGIN), status=401, headers=(("WWW-Authenticate", 'Basic realm="x"'),)),
    Case("gone-410", page("Page not found", "<h1>Page not found</h1>"), status=410),
    Case(
        "chinese-definition",
        page(
            "潮汐磨坊",
            "<h1>潮汐磨坊</h1><p>潮汐磨坊是利用潮水涨落驱动的水磨。人们在海湾口筑坝并设水闸,涨潮时蓄水,退潮时放水推动水轮。",
        ),
    ),
    Case("empty", ""),
)

# written after the rules, to see how far they carry
LATER_CHALLENGES = (
    Case(
        "wp-imunify",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>One moment, please...</title></head><body "
            "><h1>Please wait while your request is being verified...</h1><script>(function(){function "
            "wsidchk(){};setTimeout(function(){document.location.reload()},3000)})()</script></body></html>"
        ),
    ),
    Case(
        "generic-200-text",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Verify</title></head><body ><p>Please "
            'verify that you are a human by checking the box below</p><form method="post" '
            'action="/verify"><input type="checkbox" name="human"><input type="submit" '
            'value="Continue"></form></body></html>'
        ),
    ),
    Case(
        "math",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Human check</title></head><body ><p>What "
            "is 3 + 4?</p><form method=post><input type=text name=answer><input "
            "type=submit></form></body></html>"
        ),
    ),
    Case(
        "interstitial-noscript",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Security check</title></head><body "
            "><h1>Checking your connection</h1><p>This process is automatic. You will be redirected "
            "shortly.</p><noscript>JavaScript is required</noscript><script>setTimeout(function(){var "
            'x=btoa(navigator.userAgent);document.cookie="chk="+x;window.location.reload(true);},1500)</scrip'
            "t></body></html>"
        ),
    ),
    Case(
        "setcookie-replace",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title></title></head><body "
            '><script>document.cookie="__js=1; path=/";window.location.replace(window.location.href)</script>'
            "</body></html>"
        ),
    ),
    Case(
        "refresh-url-self",
        (
            '<html><head><meta http-equiv="refresh" content="2; '
            'url=https://site.example/articles/tide-mills"><title>Checking...</title></head><body><p>Checking'
            " your browser. Please wait.</p></body></html>"
        ),
    ),
    Case(
        "svg-slider",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Slide to verify</title></head><body ><div "
            'class="slider"></div><p>Slide to verify you are human</p><script '
            'src="/verify.js"></script></body></html>'
        ),
    ),
    Case(
        "pow-argon",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Loading</title></head><body "
            '><p>Calculating...</p><script type=module>import {hash} from "/_gate/argon2.js"; let nonce=0; '
            'const difficulty=12; fetch("/_gate/check?nonce="+nonce).then(()=>location.reload())</script></bo'
            "dy></html>"
        ),
    ),
    Case(
        "press-hold-503",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Blocked</title></head><body ><h1>Are you "
            "a human?</h1><button id=hold>Press and hold</button><script src=/c.js></script></body></html>"
        ),
        status=503,
    ),
    Case(
        "captcha-redirect",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Captcha</title></head><body ><form "
            'method=post><img src="/captcha/image?x"><input type=text name=captcha><input type=hidden '
            "name=return value=/articles/tide-mills></form></body></html>"
        ),
        urls=("https://site.example/articles/tide-mills", "https://site.example/captcha?next=/articles/tide-mills"),
    ),
    Case(
        "frc",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>site</title></head><body ><form "
            'method=POST><div class="frc-captcha" data-sitekey=1></div><button>Continue</button></form><scrip'
            "t src=/frc.js></script></body></html>"
        ),
    ),
    Case(
        "onload-submit",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title></title></head><body "
            'onload="document.forms[0].submit()"><form id=c action="/__gate" method=post><input type=hidden '
            "name=k value=1></form></body></html>"
        ),
    ),
    Case(
        "cf-header-like-generic-403",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Security Check</title></head><body ><p>We "
            'need to check that you are not a robot.</p><div class="h-captcha"></div></body></html>'
        ),
        status=403,
    ),
    Case(
        "fr",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Vérification de "
            "sécurité</title></head><body ><p>Veuillez patienter pendant que nous vérifions votre "
            "navigateur.</p><script src=/x/v.js></script></body></html>"
        ),
    ),
    Case(
        "cf-block",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Attention Required! | "
            'Cloudflare</title><link rel="stylesheet" id="cf_styles-css" '
            'href="/cdn-cgi/styles/cf.errors.css"></head><body ><div id="cf-wrapper"><div '
            'id="cf-error-details"><h1>Sorry, you have been blocked</h1><h2>You are unable to access '
            "site.example</h2><p>This website is using a security service to protect itself from online "
            "attacks. The action you just performed triggered the security "
            "solution.</div></div></body></html>"
        ),
        status=403,
    ),
    Case(
        "cf-turnstile-inline",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Just a moment...</title></head><body "
            '><div id="content"><p>site.example needs to review the security of your connection before '
            'proceeding.</p><div class="cf-turnstile" data-sitekey=1></div></div><script '
            'src="https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit"></script></body></ht'
            "ml>"
        ),
    ),
    Case(
        "incap-200",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title></title></head><body ><iframe "
            'style="display:none" src="//content.incapsula.com/jsTest.html"></iframe><script '
            'src="/_Incapsula_Resource?SWJIYLWA=1"></script></body></html>'
        ),
    ),
    Case(
        "zh-slide",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>滑动验证页面</title></head><body "
            '><div>请按住滑块,拖动到最右边</div><div class="nc-container" id="nocaptcha"></div><script '
            'src="/nc.js"></script></body></html>'
        ),
    ),
    Case(
        "reddit-like",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Reddit - Please wait for "
            'verification</title></head><body ><form method=POST action="/svc/challenge"><input type=hidden '
            "name=solution></form><script>document.forms[0].elements.solution.value=f();document.forms[0].sub"
            "mit()</script></body></html>"
        ),
    ),
    Case(
        "invisible-hash",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title></title></head><body ><body><script>var "
            'c="a1b2";(async()=>{for(let i=0;;i++){let d=await crypto.subtle.digest("SHA-1",new '
            'TextEncoder().encode(c+i));if(new Uint8Array(d)[0]==0){document.cookie="res="+c+i;break}};window'
            ".location.reload()})()</script></body></html>"
        ),
    ),
    Case(
        "es",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Verificación de "
            "seguridad</title></head><body ><p>Marca la casilla para confirmar que no eres un robot<div "
            "class=g-recaptcha></div></body></html>"
        ),
    ),
    Case(
        "ratelimit-captcha",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Too many requests</title></head><body "
            "><p>We noticed unusual traffic from your network. Type the characters you see to continue.<form "
            "method=post><img src=/c.jpg alt=captcha class=captcha-img><input name=code></form></body></html>"
        ),
        status=429,
    ),
    Case(
        "token-fetch",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Please wait</title></head><body "
            '><p>Please wait...</p><script>fetch("/__verify",{method:"POST",body:JSON.stringify({webdriver:na'
            "vigator.webdriver})}).then(function(){location.reload()})</script></body></html>"
        ),
    ),
    Case(
        "jsredir-query",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title></title></head><body ><script>var "
            's="x";window.location.href=window.location.pathname+"?__chk="+s;document.cookie="k=1"</script></'
            "body></html>"
        ),
    ),
)
LATER_LOGINS = (
    Case(
        "modal-only",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Site</title></head><body ><div "
            'class="modal login-modal"><h2>Sign in</h2><form><input type=email name=email><input '
            "type=password name=pw></form></div></body></html>"
        ),
    ),
    Case(
        "long-terms",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Sign in</title></head><body ><h1>Sign "
            "in</h1><form action=/login method=post><label>Email</label><input type=email "
            "name=email><label>Password</label><input type=password name=pw></form><p>By signing in you "
            "accept our terms of use and the privacy policy. If you have forgotten the password, we can send "
            "you a new one. New here? Create an account. <a href=/t>Terms</a></body></html>"
        ),
    ),
    Case(
        "oauth-buttons",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Sign in to continue</title></head><body "
            "><h1>Sign in to continue</h1><a href=/oauth/g>Continue with Google</a><a href=/oauth/f>Continue "
            "with Facebook</a></body></html>"
        ),
        urls=(
            "https://site.example/articles/tide-mills",
            "https://site.example/signin?returnUrl=%2Farticles%2Ftide-mills",
        ),
    ),
    Case(
        "subscribe-wall",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Tide mills - Gazette</title></head><body "
            "><h1>Tide mills</h1><p>This article is for subscribers.</p><h2>Log in to continue "
            'reading</h2><form action="/account/login"><input name=email type=email><input name=password '
            "type=password></form></body></html>"
        ),
    ),
    Case(
        "intranet",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Intranet</title></head><body "
            "><table><tr><td>User<td><input name=user><tr><td>Password<td><input type=password "
            "name=pw></table></body></html>"
        ),
    ),
    Case(
        "redirect-200-spa",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Accounts</title></head><body ><div "
            "id=app></div><script src=/a.js></script></body></html>"
        ),
        urls=(
            "https://site.example/articles/tide-mills",
            "https://accounts.site.example/login?continue=https://site.example/articles/tide-mills",
        ),
    ),
    Case(
        "login-div-header-words",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Login - Wiki</title></head><body "
            "><h1>Login</h1><div id=content><p>You need to log in to view this page.</p><form name=userlogin "
            'action="/index.php?title=Special:UserLogin"><input name=wpName><input name=wpPassword '
            "type=password></form></div></body></html>"
        ),
    ),
    Case(
        "google",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Sign in - Google "
            "Accounts</title></head><body ><h1>Sign in</h1><p>to continue to Docs</p><form><input type=email "
            "name=identifier id=identifierId><button>Next</button></form></body></html>"
        ),
        urls=(
            "https://docs.google.com/document/d/1/edit",
            "https://accounts.google.com/v3/signin/identifier?continue=https://docs.google.com/document/d/1/edit",
        ),
    ),
    Case(
        "linkedin-authwall",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Sign Up | LinkedIn</title></head><body "
            "><h1>Join LinkedIn</h1><form><input type=email name=email-or-phone><input type=password "
            "name=password></form></body></html>"
        ),
        urls=(
            "https://www.linkedin.com/in/x",
            "https://www.linkedin.com/authwall?trk=x&sessionRedirect=https%3A%2F%2Fwww.linkedin.com%2Fin%2Fx",
        ),
    ),
    Case(
        "nologin-title",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Example Portal</title></head><body "
            '><h1>Example Portal</h1><form method=post action="/do"><p>Email <input name=email '
            "type=email></p><p>Password <input name=pw type=password></p></form></body></html>"
        ),
    ),
    Case(
        "korean",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>로그인</title></head><body ><form><input "
            "name=id><input type=password name=pw></form></body></html>"
        ),
    ),
    Case(
        "with-nav",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Sign in - Shop</title></head><body "
            "><nav><a href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a "
            "href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a "
            "href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a "
            "href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a "
            "href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a "
            "href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a "
            "href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a><a "
            "href=/c>Category</a><a href=/c>Category</a><a href=/c>Category</a></nav><main><h1>Sign "
            "in</h1><form><input type=email name=e><input type=password name=p></form><h2>New "
            "customer?</h2><p>Create an account to check out faster.</main></body></html>"
        ),
    ),
)
LATER_MISSING = (
    Case(
        "h1-sentence",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Acme</title></head><body ><h1>Sorry, we "
            "couldn’t find the page you’re looking for.</h1><p>Try the menu.</body></html>"
        ),
    ),
    Case(
        "nav-heavy",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Not Found | Acme</title></head><body "
            "><nav><a href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> <a href=/x>Something</a> <a "
            "href=/x>Something</a> <a href=/x>Something</a> </nav><main><h1>Not found</h1><p>The page you "
            "requested could not be found.</p></main><footer><a href=/y>Other</a> <a href=/y>Other</a> <a "
            "href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a "
            "href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a "
            "href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a "
            "href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a "
            "href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a "
            "href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a "
            "href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a "
            "href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a "
            "href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a "
            "href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a "
            "href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a "
            "href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> <a href=/y>Other</a> "
            "</footer></body></html>"
        ),
    ),
    Case(
        "generic-title-text",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Acme</title></head><body ><h1>404 "
            "error</h1><p>We looked everywhere.</p><form action=/search><input name=q></form></body></html>"
        ),
    ),
    Case(
        "plain-2",
        (
            "<html><head><title>Error 404</title></head><body><h2>HTTP Error 404 - File or directory not "
            "found.</h2></body></html>"
        ),
    ),
    Case(
        "vue",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Page not found</title></head><body ><div "
            "id=app><div class=not-found><h1>404</h1><p>Ooops, nothing here</p></div></div><script "
            "src=/a.js></script></body></html>"
        ),
    ),
    Case(
        "spa-empty",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Page not found</title><meta name=robots "
            "content=noindex></head><body ><div id=root></div><script src=/a.js></script></body></html>"
        ),
    ),
    Case(
        "article-removed",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Article no longer "
            "available</title></head><body ><h1>This article is no longer available</h1><p>It has been "
            "removed.</body></html>"
        ),
    ),
    Case(
        "polish",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Nie znaleziono strony</title></head><body "
            "><h1>Błąd 404</h1><p>Strona nie istnieje</body></html>"
        ),
    ),
    Case(
        "arabic",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>الصفحة غير موجودة</title></head><body "
            "><h1>404</h1></body></html>"
        ),
    ),
    Case(
        "redirect-err",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Error</title></head><body ><h1>Something "
            "went wrong</h1><p>Please try again later</body></html>"
        ),
        urls=("https://site.example/articles/tide-mills", "https://site.example/errors/404.html"),
    ),
    Case(
        "home-shop",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Shop</title></head><body ><h1>Welcome to "
            "our shop</h1><p>Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. "
            "Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. "
            "Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. "
            "Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. "
            "Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. "
            "Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. "
            "Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. Sofas and beds. </body></html>"
        ),
        urls=("https://site.example/product/12345-blue-enamel-kettle", "https://site.example/"),
    ),
    Case(
        "swedish",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Sidan hittades inte</title></head><body "
            "><h1>Sidan kunde inte hittas</h1></body></html>"
        ),
    ),
    Case(
        "gone-text",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Acme</title><meta name=robots "
            "content=noindex></head><body ><h1>This page is gone</h1><p>The content you were looking for no "
            "longer exists.</body></html>"
        ),
    ),
    Case(
        "gh-pages",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Site not found</title></head><body "
            "><h1>404</h1><p>There isn't a site here.</body></html>"
        ),
    ),
    Case(
        "wp-theme",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Nothing found for Articles "
            'Tide-mills</title></head><body class="error404"><h1>Oops! That page can’t be found.</h1><p>It '
            "looks like nothing was found at this location. Maybe try a search?<form><input "
            "name=s></form></body></html>"
        ),
    ),
    Case(
        "iis",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>404 - File or directory not "
            "found.</title></head><body ><h1>Server Error</h1><h2>404 - File or directory not "
            "found.</h2><h3>The resource you are looking for might have been removed, had its name changed, "
            "or is temporarily unavailable.</h3></body></html>"
        ),
    ),
    Case(
        "news",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Page not found - The "
            "Gazette</title></head><body ><header>The Gazette</header><main><h1>We can’t find that "
            "page</h1><p>It may have been moved.</p><h2>Most read</h2><ul><li><a href=/n>Council votes on "
            "new mill</a><li><a href=/n>Council votes on new mill</a><li><a href=/n>Council votes on new "
            "mill</a><li><a href=/n>Council votes on new mill</a><li><a href=/n>Council votes on new "
            "mill</a><li><a href=/n>Council votes on new mill</a><li><a href=/n>Council votes on new "
            "mill</a><li><a href=/n>Council votes on new mill</a><li><a href=/n>Council votes on new "
            "mill</a><li><a href=/n>Council votes on new mill</a><li><a href=/n>Council votes on new "
            "mill</a><li><a href=/n>Council votes on new mill</a><li><a href=/n>Council votes on new "
            "mill</a><li><a href=/n>Council votes on new mill</a><li><a href=/n>Council votes on new "
            "mill</a><li><a href=/n>Council votes on new mill</a><li><a href=/n>Council votes on new "
            "mill</a><li><a href=/n>Council votes on new mill</a><li><a href=/n>Council votes on new "
            "mill</a><li><a href=/n>Council votes on new mill</a></ul></main></body></html>"
        ),
    ),
    Case(
        "react-helmet",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>404</title></head><body "
            "><main><h1>404</h1><p>Page not found</p><a href=/>Back to home</a></main></body></html>"
        ),
    ),
    Case(
        "whole-text",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Acme Inc</title></head><body ><p>The "
            "requested URL was not found on this server.</p></body></html>"
        ),
    ),
    Case(
        "de-short",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Fehler 404 – Seite nicht gefunden | "
            "Verein</title></head><body ><h1>Fehler 404</h1><p>Die von Ihnen gesuchte Seite gibt es nicht "
            "(mehr).</body></html>"
        ),
    ),
    Case(
        "fr-short",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Erreur 404 - Page non "
            "trouvée</title></head><body ><h1>Oups !</h1></body></html>"
        ),
    ),
)
LATER_HONEST = (
    Case(
        "recipe",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Porridge</title></head><body "
            "><h1>Porridge</h1><p>Oats, water, salt. Stir for five "
            'minutes.<script>document.cookie="v=1"</script></body></html>'
        ),
    ),
    Case(
        "iframe-video",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Video</title></head><body ><h1>Tide mill "
            'in motion</h1><iframe src="https://video.example/1"></iframe></body></html>'
        ),
    ),
    Case(
        "redirect-page",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Redirecting…</title><meta "
            'http-equiv=refresh content="0; url=/new/"><link rel=canonical href=/new/></head><body '
            '><p>Redirecting to <a href="/new/">/new/</a></body></html>'
        ),
    ),
    Case(
        "changelog",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>1.2.3</title></head><body "
            "><h1>1.2.3</h1><ul><li>Fixed: 404 not found on refresh<li>Added captcha to "
            "login</ul></body></html>"
        ),
    ),
    Case(
        "qna-captcha",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>How do I remove the captcha from my login "
            "page? - Q</title></head><body ><h1>How do I remove the captcha from my login page?</h1><p>Users "
            "are asked to verify they are human. <p>Set captcha=false in the config.<form "
            "action=/comment><textarea name=t></textarea></form></body></html>"
        ),
    ),
    Case(
        "poll",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Poll</title></head><body ><h1>Which "
            "mill?</h1><form method=post><input type=radio name=v value=1>Tide<input type=radio name=v "
            "value=2>Wind<div class=h-captcha></div></form></body></html>"
        ),
    ),
    Case(
        "weather",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Weather</title><meta http-equiv=refresh "
            'content="10"></head><body ><h1>Oslo</h1><p>3 degrees, rain.</body></html>'
        ),
    ),
    Case(
        "api-status",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>API</title></head><body ><p>API v2 is up. "
            "Docs at <a href=/docs>/docs</a>.</body></html>"
        ),
    ),
    Case(
        "register-form",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Register for the race</title></head><body "
            "><h1>Register for the race</h1><p>The race starts at 10 at the mill.<form><input "
            "name=name><input type=email name=email><div class=g-recaptcha></div></form></body></html>"
        ),
    ),
    Case(
        "download",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Download</title><meta http-equiv=refresh "
            'content="3; url=/f.zip"></head><body ><h1>Download v3</h1><p>Your download will start in a few '
            "seconds. If not, <a href=/f.zip>click here</a>.</body></html>"
        ),
    ),
    Case(
        "sign-in-help",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Sign in help - "
            "Support</title></head><body ><h1>Trouble signing in</h1><p>Reset your password from the account "
            "page, or write to us.</body></html>"
        ),
    ),
    Case(
        "js-toggle",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Notes</title></head><body "
            '><h1>Notes</h1><p>Short note about gates.<script>if(localStorage.t){document.cookie="t="+localSt'
            'orage.t} window.addEventListener("storage",function(){location.reload()})</script></body></html>'
        ),
    ),
    Case(
        "pricing-login-head",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Prices</title></head><body ><div "
            'class="top"><form action="/login"><input name=u><input type=password '
            "name=p></form></div><h1>Prices</h1><p>Adults 4 euros, children 2 euros, families 9 euros. Open "
            "from May to September, on all days but Monday.</body></html>"
        ),
    ),
    Case(
        "missing-persons",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Missing</title></head><body "
            "><h1>Missing</h1><p>A cat, grey, near the mill.</body></html>"
        ),
    ),
    Case(
        "wiki-nosuch",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Nothing Here (album) - "
            "Wiki</title></head><body ><h1>Nothing Here</h1><p>Nothing Here is the second album of the band, "
            "released in 2004 on a small label.The tide mill stores the flood in a pond behind a dam. Its "
            "gate shuts at high water by itself, and six hours later the wheel turns until the pond is "
            "empty. The tide mill stores the flood in a pond behind a dam. Its gate shuts at high water by "
            "itself, and six hours later the wheel turns until the pond is empty. </body></html>"
        ),
    ),
    Case(
        "error-docs",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Error 404</title></head><body ><h1>Error "
            "404</h1><p>The tide mill stores the flood in a pond behind a dam. Its gate shuts at high water "
            "by itself, and six hours later the wheel turns until the pond is empty. The tide mill stores "
            "the flood in a pond behind a dam. Its gate shuts at high water by itself, and six hours later "
            "the wheel turns until the pond is empty. The tide mill stores the flood in a pond behind a dam. "
            "Its gate shuts at high water by itself, and six hours later the wheel turns until the pond is "
            "empty. The tide mill stores the flood in a pond behind a dam. Its gate shuts at high water by "
            "itself, and six hours later the wheel turns until the pond is empty. </p></body></html>"
        ),
        urls=("https://docs.example/errors/404",),
    ),
    Case(
        "so-question",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>html - How to center a div? - "
            "Questions</title></head><body ><h1>How to center a div?</h1><p>Use "
            "flex.<form><textarea></textarea></form></body></html>"
        ),
    ),
    Case(
        "lostfound",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Lost and found</title></head><body "
            "><h1>Lost and found</h1><p>Ask at the desk.</body></html>"
        ),
    ),
    Case(
        "404-album",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>404 (album)</title></head><body "
            "><h1>404</h1><p>404 is an album by a band from Oslo.</body></html>"
        ),
    ),
    Case(
        "bare-number-address",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>404 Main Street</title></head><body "
            "><h1>404 Main Street</h1><p>A house for sale. Three rooms.</body></html>"
        ),
    ),
    Case(
        "home-relocated",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Tide Mill Museum</title></head><body "
            "><h1>Tide Mill Museum</h1><p>Opening hours</body></html>"
        ),
        urls=("https://museum.example/visit/tide-mill", "https://museum.example/"),
    ),
    Case(
        "shop-out",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Blue kettle</title></head><body ><h1>Blue "
            "kettle</h1><p>This product is no longer available. It had 1.7 litres and a lid of "
            "steel.</body></html>"
        ),
    ),
    Case(
        "welcome-back",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Welcome back</title></head><body "
            "><h1>Welcome back</h1><p>After the winter break the museum is open again, from ten to "
            "five.</body></html>"
        ),
    ),
    Case(
        "newsletter-login-title",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Members area news</title></head><body "
            "><h1>Members area news</h1><p>The members area has new rooms.</body></html>"
        ),
    ),
    Case(
        "verif-article",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Verification</title></head><body "
            "><h1>Verification</h1><p>In software, verification asks whether the product was built right. "
            "The tide mill stores the flood in a pond behind a dam. Its gate shuts at high water by itself, "
            "and six hours later the wheel turns until the pond is empty. <script "
            "src=/a.js></script></body></html>"
        ),
    ),
    Case(
        "glossary-hv",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Human verification</title></head><body "
            "><h1>Human verification</h1><p>A step that tells people from programs, for example a captcha or "
            "a code sent by mail.<script src=/g.js></script><script>window.x=1</script></body></html>"
        ),
    ),
    Case(
        "wait-page-poem",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Please wait</title></head><body "
            "><h1>Please wait</h1><p>I stood at the gate till the tide had turned. I stood at the gate till "
            "the tide had turned. I stood at the gate till the tide had turned. I stood at the gate till the "
            "tide had turned. <script>window.dataLayer=[]</script></body></html>"
        ),
    ),
    Case(
        "survey",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Survey</title></head><body "
            "><h1>Survey</h1><form method=post><label>Your answer<input name=answer></label><div "
            'class="h-captcha"></div></form><p>How many mills do you know?</body></html>'
        ),
    ),
    Case(
        "loading-widget",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Tides today</title></head><body "
            "><h1>Tides today</h1><p>High 06:12, low 12:27<script>setTimeout(function(){location.reload()},60"
            "000)</script></body></html>"
        ),
    ),
    Case(
        "tool-hash",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Hash</title></head><body ><h1>Hash of the "
            "day</h1><p>9f86d081884c7d65</body></html>"
        ),
    ),
    Case(
        "oauth-docs",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Authentication - API "
            "docs</title></head><body ><h1>Authentication</h1><p>Send the token in the header. Log in to the "
            "console to make one.</body></html>"
        ),
        urls=("https://docs.example/auth", "https://docs.example/api/authentication"),
    ),
    Case(
        "session-page",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Session 4</title></head><body "
            "><h1>Session 4: mills</h1><p>Talks by A and B.</body></html>"
        ),
        urls=("https://conf.example/s/4", "https://conf.example/2024/sessions/4"),
    ),
    Case(
        "session-list",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Sessions</title></head><body "
            "><h1>Sessions</h1><p>Talks by A and B.</body></html>"
        ),
        urls=("https://conf.example/talks", "https://conf.example/2024/sessions"),
    ),
)

IN_DOUBT = (
    # that nothing is there is said in one way and nothing else tells it: a poem may look the same, so they are missed
    Case(
        "with-links",
        page(
            "Page not found | Gazette",
            "<h1>Page not found</h1><p>Try these:</p><ul>"
            + "".join(f"<li><a href=/a{n}>A popular story about something, number {n}</a>" for n in range(60))
            + "</ul>",
        ),
    ),
    Case("product", page("Product not found - Shop", "<h1>Product not found</h1><p>Have a look at our new arrivals.")),
    Case(
        "to-search",
        (
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Search</title></head><body ><h1>Page not "
            "found</h1><p>We searched for similar pages.</body></html>"
        ),
        urls=("https://site.example/articles/tide-mills", "https://site.example/search?q=tide-mills"),
    ),
    # two words are no slug: a campaign's short link looks the same
    Case("home-two-words", page("Example", "<h1>Welcome</h1><p>We make chairs."), to("https://site.example/")),
)

_CLOCK = '<meta http-equiv="refresh" content="10">'
_LANG = "<script>if(document.cookie.indexOf('lang=')<0){document.cookie='lang=en';location.reload()}</script>"
_LONG = "I write of mills and rivers, and of the wind. " * 100
_NAV = "<nav><a href=/>Home</a> <a href=/poems>Poems</a><form action=/find><input type=search name=q></form></nav>"

TAKEN = (
    # a page that loads itself anew, is not indexed and has a line for those without scripts was a challenge
    Case(
        "live-level",
        page(
            "Water level",
            "<h1>Water level at the bridge</h1><p>1.82 m and rising at 10:00, wind 4.</p>"
            "<noscript>Charts need JavaScript.</noscript>",
            _CLOCK + _NOINDEX,
        ),
    ),
    Case("live-clock", page("Clock", "<p>12:03</p><noscript>No script</noscript>", _CLOCK)),
    Case(
        "live-clock-continue",
        page("Clock", "<p>12:03</p><noscript>Enable JavaScript to continue</noscript>", _CLOCK + _NOINDEX),
    ),
    Case("live-queue", page("Please wait", "<h1>Please wait</h1><p>Now serving number 42", _CLOCK + _NOINDEX)),
    Case(
        "live-sensor",
        page("Clock", "<p>12:03, calm</p><script src=/akam/13/7a></script>", _CLOCK + _NOINDEX),
    ),
    Case(
        "live-scores",
        page(
            "Scores",
            "<h1>Score</h1><p>Ajax 2, Feyenoord 1.</p><script>var a=1; var b=eval('1+1'); console.log(a,b); "
            "var c='a line of the ticker that is longer than it looks'</script>",
            _CLOCK + _NOINDEX,
        ),
    ),
    Case(
        "live-status",
        page("Status", "<p>All systems run.", '<meta http-equiv="refresh" content="5; url=/articles/tide-mills">'),
    ),
    # a cookie for the language, and loading again with it, was a challenge on a page of one sentence
    Case("language-cookie", page("Note", "<h1>Moon</h1><p>The moon turns once in 27 days." + _LANG)),
    Case("language-cookie-noindex", page("Note", "<p>The moon turns once in 27 days." + _LANG, _NOINDEX)),
    Case(
        "language-set-itself",
        page("Note", "<p>Spring tide at noon.<script>document.cookie='l=en';location='/articles/tide-mills'</script>"),
    ),
    Case(
        "visit-counted",
        page(
            "Tide",
            "<p>High at 06:12.<form id=v action=/count method=post><input type=hidden name=p value=1></form>"
            "<script>document.getElementById('v').submit()</script>",
        ),
    ),
    Case(
        "proof-shown",
        page(
            "A block",
            "<p>Nonce 17 gives 000a9f.<script>crypto.subtle.digest('SHA-256',b).then(h=>{let nonce=17;"
            "fetch('/difficulty')})</script>",
        ),
    ),
    # a poem of this name, not indexed and with a script beside it, was a challenge
    Case(
        "moment-poem",
        page(
            "Just a moment",
            "<h1>Just a moment</h1><p>A poem by Anna. The mill wheel waits a moment, then turns.</p>"
            "<script src=/a.js></script>",
            _NOINDEX,
        ),
        ("https://site.example/poems/just-a-moment",),
    ),
    Case("moment-poem-short", page("Just a moment", "<p>The mill wheel waits.<script src=/a.js></script>", _NOINDEX)),
    # who asked for the form to log in got a wall
    Case("login-asked", page("Log in", "<h1>Log in</h1>" + _LOGIN), ("https://site.example/login",)),
    Case("login-asked-php", page("Anmelden", _LOGIN), ("https://site.example/wp-login.php?lang=de",)),
    Case(
        "login-asked-secure",
        page("Sign in", _LOGIN),
        ("http://site.example/account/signin", "https://site.example/account/signin"),
    ),
    # links that lead home on purpose were soft 404s, however much the home says
    Case("campaign", page("Mills", "<h1>Mills</h1><p>" + _LONG), to(f"{_SITE}/", f"{_SITE}/go/spring-special")),
    Case(
        "campaign-slug",
        page("Conference", "<p>The talks begin at nine."),
        to(f"{_SITE}/", f"{_SITE}/go/spring-special-offer-leaflet"),
    ),
    Case("old-post", page("Anna", "<h1>Anna</h1><p>" + _LONG), to(f"{_SITE}/", f"{_SITE}/2019/old-post-kites")),
    Case(
        "old-post-one-word",
        page("Anna", "<h1>Anna</h1><p>" + _LONG + "My kite flew over them."),
        to(f"{_SITE}/", f"{_SITE}/2019/flying-kites-beyond-lisbon"),
    ),
    Case(
        "old-post-late-word",
        page("Anna", "<p>" + _LONG * 10 + "Lisbon was the last."),
        to(f"{_SITE}/", f"{_SITE}/2019/flying-kites-beyond-lisbon"),
    ),
    Case(
        "home-translated",
        page("Musée", "<h1>Musée des moulins</h1><p>Le vent tourne.</p>"),
        to("https://site.example/fr/", f"{_SITE}/visit/museum-opening-hours"),
    ),
    # a title and a heading that are the same were counted as two signs
    Case(
        "nothing-here-poem",
        page("Nothing here", "<h1>Nothing here</h1><p>Nothing here but wind, the mill long gone."),
        ("https://site.example/poems/12",),
    ),
    Case(
        "nothing-here-poem-nav",
        page("Nothing here - Poems", _NAV + "<h1>Nothing here</h1><p>Nothing here but wind, the mill long gone."),
        ("https://site.example/poems/12",),
    ),
    Case(
        "nothing-here-poem-noindex",
        page("Nothing here", "<h1>Nothing here</h1><p>Nothing here but wind, the mill long gone.", _NOINDEX),
    ),
    Case(
        "nothing-here-poem-line",
        page("Nothing here", "<h1>Nothing here</h1><p>Oh, nothing here.<p>Nothing but wind in the reeds, and rain."),
    ),
    Case("nothing-here-poem-bare", page("Poems", "<p>Nothing here. The mill is long gone.")),
    Case(
        "not-found-chapter",
        page(
            "Page not found - Docs",
            "<h1>Page not found</h1><p>This chapter tells how to write the page that your server sends when a page "
            "is not there. Put it in templates.</p>",
        ),
        ("https://site.example/docs/errorhandling",),
    ),
    Case(
        "not-found-chapter-number",
        page(
            "404 Not Found - Docs",
            "<h1>Page not found</h1><p>Name the template 404.html and put it beside the others.</p>",
        ),
        ("https://site.example/docs/errorhandling",),
    ),
    Case(
        "not-found-chapter-search",
        page(
            "Page not found",
            _NAV + "<div class=not-found hidden>No hits</div><h1>Page not found</h1>"
            "<p>How to write such a page, in three steps.",
        ),
        ("https://site.example/docs/errorhandling",),
    ),
    Case(
        "not-found-asked",
        page("Page not found", "<h1>404</h1><p>This is how our page for lost visitors looks today.", _NOINDEX),
        ("https://site.example/patterns/404",),
    ),
)
"""Pages that were once taken for others."""
