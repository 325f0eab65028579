"""Ordinary pages: whoever refuses or warns about these has not understood the task."""

from __future__ import annotations

import gzip
from functools import partial

from tests.hostile.case import CAPTURED, HTML, LEAD, MORE, answer, case, chunk, head, page, redirect
from tests.hostile.server import Asked, Connection

control = partial(case, expect=CAPTURED, kind="control")


@control("ordinary", what="a normal page", text_has=("SEEN-ordinary", "LAST-ordinary"))
def _(c: Connection, asked: Asked) -> None:
    c.send(answer(page("ordinary")))


@control("compressed", what="a normal page in gzip", text_has=("SEEN-compressed", "LAST-compressed"))
def _(c: Connection, asked: Asked) -> None:
    c.send(answer(gzip.compress(page("compressed")), ("Content-Encoding", "gzip")))


@control("chunked", what="chunks with a pause between them", text_has=("SEEN-chunked", "LAST-chunked"))
def _(c: Connection, asked: Asked) -> None:
    body = page("chunked")
    c.send(head("Transfer-Encoding: chunked"))
    for at in range(0, len(body), 101):
        c.send(chunk(body[at : at + 101]))
        c.wait(0.3 if at == 202 else 0.0)
    c.send(b"0\r\nX-Trailer: yes\r\n\r\n")


@control("led-on", what="three kinds of redirect to the other site", final_url="{b}/ordinary", requests_max=4)
def _(c: Connection, asked: Asked) -> None:
    steps = {
        "": redirect("/led-on/one", "301 Moved Permanently"),
        "one": redirect("two?x=1", "307 Temporary Redirect"),
        "two": redirect(f"{asked.web.b}/ordinary", "303 See Other"),
    }
    c.send(steps[asked.rest])


@control("utf-16", what="UTF-16 with a byte order mark, and said so", text_has=("SEEN-utf-16", "åäö 港"))
def _(c: Connection, asked: Asked) -> None:
    body = page("utf-16", "<p>åäö 港</p>").decode().encode("utf-16")
    c.send(answer(body, type="text/html; charset=utf-16"))


@control("scripts", what="Persian, Hindi and emoji with the joiners they need", text_has=("می‌خواهم", "क्‍ष", "👩‍🚀"))
def _(c: Connection, asked: Asked) -> None:
    c.send(answer(page("scripts", "<p>می‌خواهم</p><p>क्‍ष</p><p>👩‍🚀</p>")))


@control("long", what="an honest page of 2 MB", text_has=("SEEN-long", "LAST-long", "part-3999"), growth_mb_max=200)
def _(c: Connection, asked: Asked) -> None:
    c.send(answer(page("long", "".join(f"<p>part-{n} {LEAD} {MORE}</p>" for n in range(4_000)))))


@control(
    "kept-open", what="a whole answer on a connection that stays open", text_has=("SEEN-kept-open",), seconds_max=1
)
def _(c: Connection, asked: Asked) -> None:
    body = page("kept-open")
    c.send(b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n%b" % (HTML.encode(), len(body), body))
    c.hold()


@control("hints-first", what="103 Early Hints before the answer", text_has=("SEEN-hints-first",))
def _(c: Connection, asked: Asked) -> None:
    c.send(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n" + answer(page("hints-first")))
