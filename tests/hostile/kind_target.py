"""Attempts to be sent, or to have secrets sent, where nothing should go."""

from __future__ import annotations

from functools import partial
from html import escape

from tests.hostile.case import CAPTURED, FAILED, REFUSED, WARNED, answer, case, page, redirect
from tests.hostile.server import Asked, Connection

target = partial(case, kind="target")
_KEPT = (CAPTURED, WARNED)


def _leads(id: str, to: str, expect: str | tuple[str, ...] = REFUSED, **facts: object) -> None:
    @target(f"to-{id}", expect, f"a redirect to {to[:60]}", **facts)
    def _(c: Connection, asked: Asked) -> None:
        c.send(redirect(asked.web.fill(to)))


_ADDRESS: dict[str, object] = {"reason": ("refused-address",)}
_leads("canary", "{canary}/secret", **_ADDRESS)
_leads("canary-by-name", "http://localhost:{canary_port}/", **_ADDRESS)
_leads("canary-by-subname", "http://a.localhost:{canary_port}/", **_ADDRESS)
_leads("canary-mapped", "http://[::ffff:127.0.0.3]:{canary_port}/", **_ADDRESS)
_leads("canary-v6", "http://[::1]:{canary_port}/", **_ADDRESS)
_leads("canary-no-scheme", "//127.0.0.3:{canary_port}/", **_ADDRESS)
_leads("own-host-other-port", "http://127.0.0.1:{canary_port}/", **_ADDRESS)
_leads("unspecified", "http://0.0.0.0:{canary_port}/", **_ADDRESS)
_leads("metadata", "http://169.254.169.254/latest/meta-data/", **_ADDRESS)
_leads("metadata-v6", "http://[fd00:ec2::254]/latest/meta-data/", **_ADDRESS)
_leads("metadata-nat64", "http://[64:ff9b::a9fe:a9fe]/", **_ADDRESS)
_leads("private", "http://10.0.0.1/", **_ADDRESS)
_leads("shared", "http://100.64.0.1/", **_ADDRESS)
_leads("teredo", "http://[2001:0:7f00:1::80ff:fffc]/", **_ADDRESS)
for _name, _host in (
    ("decimal", "2130706435"),
    ("hex", "0x7f.0.0.3"),
    ("octal", "0177.0.0.03"),
    ("short", "127.3"),
    ("wide-digits", "①②⑦.⓪.⓪.③"),
    ("wide-dots", "127。0。0。3"),
    ("trailing-dot", "127.0.0.3."),
    ("percent", "127.0.0.%33"),
    ("zone", "[fe80::1%25lo]"),
):
    _leads(f"odd-{_name}", f"http://{_host}:{{canary_port}}/", reason=("refused-url", "refused-address"))
for _name, _url in (
    ("file", "file:///etc/hostname"),
    ("data", "data:text/html,<p>hi</p>"),
    ("script", "javascript:alert(1)"),
    ("ftp", "ftp://127.0.0.3:{canary_port}/"),
    ("gopher", "gopher://127.0.0.3:{canary_port}/_GET%20/"),
    ("blob", "blob:http://127.0.0.3:{canary_port}/1"),
    ("jar", "jar:http://127.0.0.3:{canary_port}/a!/b"),
    ("view-source", "view-source:http://127.0.0.3:{canary_port}/"),
):
    _leads(f"scheme-{_name}", _url, reason=("refused-scheme",))
_leads(
    "backslash",
    "http://127.0.0.1:{port}\\@127.0.0.3:{canary_port}/",
    reason=("refused-url", "refused-credentials"),
)
_leads("backslashes", "\\\\127.0.0.3:{canary_port}\\", reason=("refused-url",))
_leads("tab", "ht\ttp://127.0.0.3:{canary_port}/", reason=("refused-url",))
_leads("user", "http://127.0.0.1:{port}@127.0.0.3:{canary_port}/", reason=("refused-credentials",))
_leads("password", "http://user:hunter2hunter2@127.0.0.1:{port}/ordinary", (REFUSED, WARNED), never=("hunter2hunter2",))
_leads("long", "/" + "x" * 20_000, (REFUSED, FAILED))
_leads("nowhere", "", (CAPTURED, WARNED, FAILED, REFUSED))
_leads("bad-brackets", "http://[::1/", (REFUSED, FAILED))
_leads("bad-port", "http://127.0.0.1:99999/", (REFUSED, FAILED))
_leads("itself", "/to-itself", FAILED, reason=("failed-redirect-limit",), requests_max=3)


@target("redirect-endless", FAILED, "each redirect leads on", reason=("failed-redirect-limit",), requests_max=12)
def _(c: Connection, asked: Asked) -> None:
    c.send(redirect(f"/redirect-endless/{int(asked.rest or 0) + 1}"))


@target("redirect-bare", (FAILED, WARNED), "a redirect that does not say where to")
def _(c: Connection, asked: Asked) -> None:
    c.send(answer(b"<p>moved", status="302 Found"))


@target("redirect-two-places", (CAPTURED, WARNED, FAILED, REFUSED), "two Location fields, one the canary")
def _(c: Connection, asked: Asked) -> None:
    c.send(redirect("/ordinary", "302 Found", ("Location", f"{asked.web.canary}/second")))


@target("redirect-200", _KEPT, "Location with 200 is no redirect", text_has=("SEEN-redirect-200",), requests_max=1)
def _(c: Connection, asked: Asked) -> None:
    c.send(
        answer(page("redirect-200"), ("Location", f"{asked.web.canary}/x"), ("Refresh", f"0;url={asked.web.canary}/r"))
    )


@target(
    "cookies-across",
    _KEPT,
    "sets cookies and leads to the other site, which shows what it got",
    final_url="{b}/echo",
    text_lacks=("Cookie:", "seed-of-"),
    never=("seed-of-a", "seed-of-all"),
)
def _(c: Connection, asked: Asked) -> None:
    wide = ("Set-Cookie", "wide=seed-of-all; Domain=0.0.1; Path=/")
    c.send(redirect(f"{asked.web.b}/echo", "302 Found", ("Set-Cookie", "sid=seed-of-a; Path=/"), wide))


@target("echo", _KEPT, "shows the request it got", text_lacks=("Authorization:", "Cookie:", "Referer:"))
def _(c: Connection, asked: Asked) -> None:
    rows = "".join(f"<li>{escape(name)}: {escape(value)}</li>" for name, value in asked.headers)
    c.send(answer(page("echo", f"<ul>{rows}</ul>")))


@target(
    "called-away",
    _KEPT,
    "meta refresh, base, preload, frames, images, scripts and headers that name the canary",
    text_has=("SEEN-called-away",),
    final_url="{a}/called-away",
    requests_max=1,
)
def _(c: Connection, asked: Asked) -> None:
    k = asked.web.canary
    into_head = (
        f'<meta http-equiv="refresh" content="0;url={k}/refresh"><base href="{k}/base/"><link rel="canonical" '
        f'href="https://bank.example/"><link rel="preload" as="fetch" href="{k}/pre"><script src="{k}/s.js"></script>'
        f'<link rel="stylesheet" href="{k}/s.css"><style>@import "{k}/i.css"; p {{background: url({k}/p.png)}}</style>'
    )
    into_body = (
        f'<iframe src="{k}/frame"></iframe><img src="{k}/i.png" srcset="{k}/2.png 2x" alt="">'
        f'<object data="{k}/o"></object><video src="{k}/v" poster="{k}/p"></video><svg><use href="{k}/u"/></svg>'
        f'<script>location="{k}/js"</script>'
    )
    fields = [("Link", f"<{k}/l>; rel=preload"), ("Alt-Svc", f'h2="127.0.0.3:{asked.web.canary_port}"')]
    fields += [("Content-Location", f"{k}/c"), ("Refresh", f"0;url={k}/r"), ("Report-To", f"{k}/report")]
    c.send(answer(page("called-away", into_body, into_head), *fields))


@target(
    "proxied",
    CAPTURED,
    "proxy variables of the environment name the canary",
    text_has=("SEEN-proxied",),
    environment=(
        ("HTTP_PROXY", "{canary}"),
        ("http_proxy", "{canary}"),
        ("ALL_PROXY", "{canary}"),
        ("HTTPS_PROXY", "{canary}"),
    ),
)
def _(c: Connection, asked: Asked) -> None:
    c.send(answer(page("proxied")))
