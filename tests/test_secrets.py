"""No canary in any byte that is written or printed: the whole program, as a process and from Python, over loopback.

Distinct canaries stand in the environment, in addresses, in header fields, in cookies, and in what servers echo, in
many spellings. Then every command runs, and every file, stdout, stderr and exception is searched for each of them.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import pytest

from searchlog import keyring, secrecy
from searchlog.archive import open_archive
from searchlog.capture.client import Client
from searchlog.capture.deadline import Deadline
from searchlog.capture.exchange import Exchange, Request
from searchlog.capture.guard import Allow
from searchlog.capture.shown import shown_url
from searchlog.cli import front
from searchlog.clock import SystemClock
from searchlog.errors import ProviderError, UsageError
from searchlog.flow.settings import split_options
from searchlog.search import registry
from searchlog.search.login import LoggedIn, split_login
from searchlog.search.query import Query
from searchlog.secrecy import Secrets
from tests.wire_server import Script, WireServer

CLOCK = SystemClock()
CANARIES = {
    "TAVILY_API_KEY": "tvly-canary-1f6A_9c2b-77",
    "BRAVE_API_KEY": "BSAcanary2e5D-0x91-brave",
    "BRAVE_SEARCH_API_KEY": "BSAcanary3d4C-0x92-other",
    "OPENAI_API_KEY": "sk-canary-4c3B/88+openai==",
    "NPM_TOKEN": "ghp_canary5b2A66f0e1d2c3",
    "DATABASE_URL_PASSWORD": "canary6a1F-pg-55-pass",
    "SEARXNG_PASSWORD": 'canary70f9&"E-sear?x',
}
COOKIE = "canary8-cookie-9e8d7c6b5a"
HEADER = "canary9-vault-token-0a1b2c"
SHORT = "cnry7"
"""A password of an address that is too short to be searched for by value: it may stand in its own place only."""
LOGIN_IN_LINK = "canaryA-link-pw-31337"


def env_of(port: int) -> dict[str, str]:
    """Return the environment of a user who has set everything."""
    names = ("TAVILY_API_KEY", "BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY", "OPENAI_API_KEY", "NPM_TOKEN")
    login = f"user:{quote(CANARIES['SEARXNG_PASSWORD'], safe='')}"
    return {name: CANARIES[name] for name in names} | {
        "DATABASE_URL": f"postgres://app:{CANARIES['DATABASE_URL_PASSWORD']}@db/x",
        "SEARXNG_URL": f"http://{login}@127.0.0.1:{port}",
    }


def spellings(canary: str) -> dict[str, bytes]:
    """Return a secret in every spelling that is searched for, whatever the case."""
    plain = canary.encode()
    out = {
        "plain": plain,
        "percent": quote(canary, safe="").encode(),
        "percent-all": "".join(f"%{byte:02x}" for byte in plain).encode(),
        "percent-twice": quote(quote(canary, safe=""), safe="").encode(),
        "hex": plain.hex().encode(),
        "json": json.dumps(canary)[1:-1].encode(),
        "json-all": "".join(f"\\u{byte:04x}" for byte in plain).encode(),
        "html": html.escape(canary).encode(),
        "html-all": "".join(f"&#{byte};" for byte in plain).encode(),
        "utf-16": canary.encode("utf-16-le"),
    }
    for shift in range(3):
        coded = base64.b64encode(b"x" * shift + plain)
        out[f"base64-{shift}"] = coded[(shift * 8 + 5) // 6 : (shift + len(plain)) * 8 // 6]
    return out


def leaks(data: bytes) -> list[str]:
    """Return which canaries stand in these bytes, and how they are spelled."""
    low = data.lower()
    found = []
    for canary in (*CANARIES.values(), COOKIE, HEADER, LOGIN_IN_LINK, f":{SHORT}@"):
        for name, form in spellings(canary).items():
            if (form in data) if name.startswith("base64") else (form.lower() in low):
                found.append(f"{canary} as {name}")
    return found


def echo(request: bytes, more: bytes = b"") -> list[bytes]:
    """Return a refusal that repeats what it was sent, and every key in every spelling."""
    forms = b"\n".join(form for canary in CANARIES.values() for form in spellings(canary).values())
    broken = b"".join(b"<b>%c</b>\xe2\x80\x8b" % byte for byte in CANARIES["TAVILY_API_KEY"].encode())
    body = b"<p>refused: " + request + forms + broken + more + b"</p>"
    return [
        b"HTTP/1.1 401 No %b\r\nX-Echo: %b\r\nWWW-Authenticate: Basic realm=%b\r\nContent-Length: %d\r\n\r\n"
        % (CANARIES["NPM_TOKEN"].encode(), *[CANARIES["BRAVE_API_KEY"].encode()] * 2, len(body)),
        body,
    ]


def page(text: str, more: bytes = b"") -> list[bytes]:
    """Return a page that sets a cookie and prints it, and prints every key that it could know."""
    keys = " ".join(CANARIES.values())
    link = f'<a href="http://me:{LOGIN_IN_LINK}@elsewhere.example/">there</a>'
    body = f"<!DOCTYPE html><title>Mill</title><p>{text}</p><p>{html.escape(keys)}</p><p>{COOKIE}</p>{link}".encode()
    return [
        b"HTTP/1.1 103 Early Hints\r\nset-COOKIE: sid=%b\r\n\r\n" % COOKIE.encode(),
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: max-age=600\r\n"
        b"Set-Cookie: sid=%b;\r\n Path=/\r\nX-Vault-Token: %b\r\nCF-Access-Client-Secret: %b\r\n"
        b"Link: <http://me:%b@elsewhere.example/>; rel=next\r\n" % tuple(
            item.encode() for item in (COOKIE, HEADER, HEADER, LOGIN_IN_LINK)
        ) + more + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\nSet-Cookie: sid=%b\r\nX-Api-Key: %b\r\n\r\n"
        % (len(body), body, COOKIE.encode(), HEADER.encode()),
    ]  # fmt: skip


@contextmanager
def web() -> Iterator[WireServer]:
    """Serve a SearXNG that wants its password, pages, and refusals that echo."""
    script: dict[str, Script] = {}
    with WireServer(script) as server:
        results = [{"url": server.url(path), "title": f"Mill {path}"} for path in ("/mill", "/gate")]
        results.append({"url": f"http://me:{LOGIN_IN_LINK}@127.0.0.1:{server.port}/locked", "title": "Locked"})
        notes = {"suggestions": list(CANARIES.values()), "results": results}
        login = f"user:{CANARIES['SEARXNG_PASSWORD']}".encode()

        def search(request: bytes) -> list[bytes]:
            if b"Authorization: Basic " + base64.b64encode(login) not in request:
                return echo(request)
            body = json.dumps(notes).encode()
            return [
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body),
                body,
            ]

        script["/search?q=tide+mill&format=json&pageno=1"] = search
        script["/search?q=echo&format=json&pageno=1"] = echo
        script["/mill"] = page("The tide mill stores the flood in a pond. Its gate shuts at high water.")
        script["/gate"] = page("A sluice gate of the tide mill is hung so that the ebb closes it.")
        script["/again"] = [
            b"HTTP/1.1 302 Go\r\nLocation: http://me:%b@127.0.0.1/x\r\nContent-Length: 0\r\n\r\n"
            % LOGIN_IN_LINK.encode()
        ]
        script["/echo"] = echo
        yield server


@dataclass
class House:
    """A home, a temporary folder and an archive of their own, and all that was printed."""

    folder: Path
    env: Mapping[str, str]
    printed: dict[str, bytes] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    prelude: str = ""

    def run(self, *args: str) -> subprocess.CompletedProcess[bytes]:
        """Run the command line as a process of its own."""
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "LANG") if name in os.environ}
        own = {"HOME": self.home, "XDG_DATA_HOME": self.home, "TMPDIR": self.temporary, "SEARCHLOG_DEBUG": "1"}
        start = ["-c", self.prelude, *args] if self.prelude else ["-m", "searchlog", *args]
        done = subprocess.run(
            [sys.executable, *start],
            capture_output=True,
            env={**kept, **own, **self.env},
            cwd=self.folder / "home",
            timeout=60,
            check=False,
        )
        self.printed[" ".join(args)] = done.stdout + b"\n" + done.stderr
        self.codes.setdefault(" ".join(args), done.returncode)
        return done

    @property
    def home(self) -> str:
        return str(self._made("home"))

    @property
    def temporary(self) -> str:
        return str(self._made("tmp"))

    def _made(self, name: str) -> Path:
        (self.folder / name).mkdir(parents=True, exist_ok=True)
        return self.folder / name

    def leaks(self) -> list[str]:
        """Return every canary in any file below the folder, in file names, and in what was printed."""
        files = {str(path): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        names = {"names": "\n".join(files).encode()}
        return [
            f"{where}: {what}" for where, data in {**files, **names, **self.printed}.items() for what in leaks(data)
        ]


COMMANDS = [
    ["providers"],
    ["doctor"],
    ["sessions"],
    ["show"],
    ["show", "--wire"],
    ["evidence"],
    ["evidence", "e1"],
    ["verify"],
    ["replay"],
    ["reparse"],
]


def work(house: House, server: WireServer) -> None:
    """Run every command in both forms."""
    private = ["--allow-private", f"127.0.0.1:{server.port}"]
    house.run("search", "tide mill", *private, "--provider", "searxng")
    for command in (["replay"], ["why", server.url("/mill")], ["why", server.url("/mill"), "--json"]):
        house.run(*command)
    house.run("search", "tide mill", *private, "--provider", "searxng", "--json")
    house.run("search", "echo", *private, "--provider", "searxng")
    house.run("search", "echo", *private, "--provider", "searxng", "--json")
    house.run("fetch", server.url("/mill"), server.url("/again"), server.url("/echo"), *private)
    house.run("fetch", server.url("/mill"), *private, "--max-age", "600", "--json")
    house.run("fetch", f"{server.url('/none')}?key={CANARIES['TAVILY_API_KEY']}", *private, "--json")
    house.run("fetch", f"http://me:{SHORT}@127.0.0.1:{server.port}/mill", *private, "--json")
    house.run("fetch", f"http://me:{CANARIES['NPM_TOKEN']}@no.example/", *private)
    house.run("search", "x", "--allow-private", f"http://me:{SHORT}@host", "--json")
    house.run("search", "x", "--provider", CANARIES["BRAVE_API_KEY"], "--json")
    house.run("search", "x", f"--{CANARIES['BRAVE_API_KEY']}")
    for command in COMMANDS:
        house.run(*command)
        house.run(*command, "--json")


def test_no_canary_reaches_a_file_or_the_screen(tmp_path: Path) -> None:
    """Only declared keys of the request itself were taken out; a page or a provider could echo any other.

    A login in the address of a server was shown by `providers`, and made every search be refused.
    """
    with web() as server:
        house = House(tmp_path, env_of(server.port))
        work(house, server)
    found = house.printed[f"search tide mill --allow-private 127.0.0.1:{server.port} --provider searxng"]
    assert b"stores the flood in a pond" in found, found.decode()
    assert b"[redacted]" in found
    assert house.leaks() == []
    # what was taken out is no damage, and not in the way of a replay
    done = {
        command: house.codes[command] for command in ("verify", "verify --json", "replay", "why " + server.url("/mill"))
    }
    assert set(done.values()) == {0}, done
    assert not any(b"Traceback" in printed for printed in house.printed.values())


def test_the_search_for_canaries_can_fail(tmp_path: Path) -> None:
    """With redaction switched off every canary is found: nothing above passes for want of looking."""
    off = (
        "import re, sys; from searchlog import secrecy, keyring; from searchlog.capture import redact; "
        "secrecy.Secrets._spans = lambda self, data: iter(()); redact.is_credential_field = lambda name: False; "
        "redact.without_link_passwords = lambda data: data; "
        "from searchlog import shape; shape._PASSWORD = re.compile('(?!)()()'); "
        "redact._PASSWORD = redact._LOCATION_USER = re.compile(b'(?!)()()'); "
        "from searchlog.cli import main; sys.argv[0] = 'searchlog'; main()"
    )
    with web() as server:
        house = House(tmp_path, env_of(server.port), prelude=off)
        private = ["--allow-private", f"127.0.0.1:{server.port}"]
        house.run("search", "tide mill", *private, "--provider", "searxng")
        house.run("search", "echo", *private, "--provider", "searxng", "--json")
    told = "\n".join(house.leaks())
    for canary in (*CANARIES.values(), COOKIE, HEADER, LOGIN_IN_LINK):
        assert canary in told
    for form in spellings("x" * 12):
        assert f" as {form}" in told


def test_no_canary_in_exceptions_or_values_from_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with web() as server:
        env = env_of(server.port)
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        endpoints = {
            "tavily": server.url("/echo").removesuffix("/echo"),
            "brave": f"http://me:{CANARIES['NPM_TOKEN']}@127.0.0.1:{server.port}/echo",
            "searxng": f"http://me:{SHORT}@127.0.0.1:{server.port}",
        }
        server.script["/search"] = echo
        told: list[str] = []
        with open_archive(tmp_path / "a", env=env) as archive:
            for name in ("tavily", "brave", "searxng"):
                with pytest.raises(ProviderError) as raised:
                    archive.session().search(
                        "echo",
                        providers=[name],
                        allow_private=("127.0.0.1",),
                        registry_options=registry.Options(endpoints=endpoints),
                    )
                error = raised.value
                told += [str(error), repr(error), repr(error.fields), repr(error.attempts), repr(error.args)]
                told += traceback.format_exception(error)
                assert error.attempts[0]["outcome"] in ("auth", "bad-request", "bad_request", "unavailable"), error
            for url in (server.url("/mill"), f"http://me:{CANARIES['NPM_TOKEN']}@127.0.0.1/", "ftp://a:b@h/"):
                asked = archive.session().fetch(url, allow_private=("127.0.0.1",))
                told += [repr(asked.capture), repr(asked.converted), asked.detail]
                if asked.converted is not None:
                    told.append(archive.session().text(asked) if asked.reason is None else "")
    assert leaks("\n".join(told).encode()) == []
    assert House(tmp_path, env).leaks() == []


# -- parts ---------------------------------------------------------------------------------------------------------


def ask(script: Script, request: Request | None = None, path: str = "/") -> Exchange:
    with WireServer({path: script}) as server:
        asked = request or Request("GET", "")
        asked = Request(asked.method, server.url(path), asked.headers, asked.body, asked.secrets)
        with Client(clock=CLOCK, allow=Allow.parse([f"127.0.0.1:{server.port}"])) as client:
            return client.exchange(asked, Deadline(5, CLOCK))


def answer(body: bytes, *fields: bytes) -> list[bytes]:
    head = b"".join(field + b"\r\n" for field in fields)
    return [b"HTTP/1.1 200 OK\r\n%bContent-Length: %d\r\n\r\n%b" % (head, len(body), body)]


@pytest.mark.parametrize(
    "name",
    [
        "X-Custom-Api-Key", "X-Session-Token", "Private-Token", "X-Vault-Token", "CF-Access-Client-Secret",
        "CF-Access-Jwt-Assertion", "x-AMZ-security-TOKEN", "Set-Cookie", "SET-COOKIE2", "X_API_KEY", "X-Password",
        "Token", "X-Session-Id", "Proxy-Authorization", "x-goog-apikey",
    ],
)  # fmt: skip
def test_credentials_are_known_by_how_the_name_of_their_field_ends(name: str) -> None:
    """Only nineteen names were known."""
    exchange = ask(answer(b"hi", f"{name} \t: s3cr\r\n\tet".encode(), b"X-Kept: 1"))
    assert b"s3cr" not in exchange.response_head
    assert f"redacted:response:{name.lower()}" in exchange.departures
    assert ("X-Kept", "1") in exchange.headers


@pytest.mark.parametrize(
    "name",
    [
        "ETag", "X-Cache-Key", "Surrogate-Key", "WWW-Authenticate", "Signature", "X-RateLimit-Tokens", "Key",
        "Sec-WebSocket-Key", "Idempotency-Key", "X-Tokenizer", "Public-Key-Pins", "Content-Security-Policy",
    ],
)  # fmt: skip
def test_fields_that_only_look_like_credentials_are_kept(name: str) -> None:
    exchange = ask(answer(b"hi", f"{name}: kept".encode()))
    assert exchange.departures == ()
    assert f"{name}: kept".encode() in exchange.response_head


@pytest.mark.parametrize("field", ["Location", "Content-Location", "Link", "Refresh", "X-Whatever"])
def test_password_in_an_address_is_taken_out_of_any_field(field: str) -> None:
    """Only Location and Content-Location were looked at."""
    lead = {"Link": "<", "Refresh": "0; url="}.get(field, "")
    exchange = ask(answer(b"", f"{field}: {lead}https://me:pw7@h.example/x".encode()))
    assert f"{field}: {lead}https://[redacted]@h.example/x".encode() in exchange.response_head
    assert f"redacted:response:{field.lower()}" in exchange.departures


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (b'<a href="https://me:pw7@h/x">', b'<a href="https://[redacted]@h/x">'),
        (b"<img src='//me:pw7@h/x'>", b"<img src='//[redacted]@h/x'>"),
        (b'<meta content="0; url=http://me:pw7@h/">', b'<meta content="0; url=http://[redacted]@h/">'),
        (b'{"url": "https:\\/\\/me:pw7@h/x"}', b'{"url": "https:\\/\\/[redacted]@h/x"}'),
        (b'[{"u":"ftp://me:pw7@h/x"}]', b'[{"u":"ftp://[redacted]@h/x"}]'),
    ],
)
def test_password_in_a_link_of_the_payload_is_taken_out(body: bytes, kept: bytes) -> None:
    exchange = ask(answer(body))
    assert exchange.payload == kept
    assert "redacted:payload" in exchange.departures


@pytest.mark.parametrize(
    "body",
    [
        b"<p>Write git clone https://user:pass@host/x or postgres://user:password@localhost/db</p>",
        b'<pre>requests.get("https://user:pass@example.com")</pre>',
        b'<a href="https://h/@user:x@y">', b'<a href="mailto:a:b@c">', b'{"text": "see https://user:pass@host"}',
    ],
)  # fmt: skip
def test_example_of_an_address_with_a_password_stays_in_the_text(body: bytes) -> None:
    exchange = ask(answer(body))
    assert (exchange.payload, exchange.departures) == (body, ())


def test_cookie_that_the_page_prints_is_taken_out_when_it_looks_like_a_token() -> None:
    exchange = ask(answer(b"id 9f8e7d6c5b4a3f2e1d, documentation-homepage", b"Set-Cookie: a=9f8e7d6c5b4a3f2e1d; Path=/",
                          b"Set-Cookie: last=documentation-homepage"))  # fmt: skip
    assert exchange.payload == b"id [redacted], documentation-homepage"


def test_cookie_that_names_a_page_stays_in_it() -> None:
    """`Set-Cookie: last=tide-mills-2024-history` took the title and the links out of the page."""
    body = b"<title>Tide mills</title><a href='/tide-mills-2024-history'>iphone-15-pro-max-256gb</a>"
    exchange = ask(answer(body, b"Set-Cookie: last=tide-mills-2024-history", b"Set-Cookie: b=iphone-15-pro-max-256gb"))
    assert exchange.payload == body
    assert b"tide-mills" not in exchange.response_head


def test_word_that_is_a_key_leaves_the_names_of_members() -> None:
    """A password such as `url` or `id` took the members of a provider's answer away, and it could not be read."""
    body = b'{"url": "https://h/url", "id\\"" :1, "text": "the id", "id": ["id", {"id":"a:b"}]}'
    exchange = ask(answer(body), Request("GET", "", secrets=("id", "url")))
    told = json.loads(exchange.payload)
    assert list(told) == ["url", 'id"', "text", "id"]
    assert told["id"] == ["[redacted]", {"id": "a:b"}]
    assert told["text"] == "the [redacted]"


@pytest.mark.parametrize("body", [b'{"%b": 1}', b'{"a": {"x %b": [1', b'{"a', b'["%b', b'{"\\"%b\\"": "x"}'])
def test_key_is_taken_out_of_the_names_of_members_too(body: bytes) -> None:
    key = b"canary-5F2c9A1b7D"
    body = body.replace(b"%b", key)
    exchange = ask(answer(body), Request("GET", "", secrets=(key.decode(),)))
    assert exchange.payload == body.replace(key, b"[redacted]")


def test_names_of_members_cost_time_in_their_length_only() -> None:
    start = time.process_time()
    for piece in (b'\\"', b'"', b'":', b'"a" ', b'"a":'):
        ask(answer(b'{"' + piece * 300_000), Request("GET", "", secrets=("canary-5F2c9A1b7D",)))
    assert time.process_time() - start < 10


def test_words_of_a_login_stay_in_what_is_read() -> None:
    """`http://reader:research@host` made "research" vanish from every page."""
    env = {"SEARXNG_URL": "http://reader:research@host/"}
    assert keyring.secrets_in(env) == [base64.b64encode(b"reader:research").decode()]
    made = registry.build("searxng", env)
    assert made.request(Query("mill")).secrets == (base64.b64encode(b"reader:research").decode(),)


def test_key_that_was_exchanged_for_another_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the number of variables and our own were looked at: a new key of another program stayed unknown."""
    old, new = "ghp_aB3dE5fG7hI9jK1lM3", "ghp_zY8xW6vU4tS2rQ0pO8"
    monkeypatch.setenv("NPM_TOKEN", old)
    assert old in keyring.values()
    monkeypatch.setenv("NPM_TOKEN", new)
    assert {old, new} <= set(keyring.values())


def test_asking_for_a_provider_teaches_nothing() -> None:
    """To build one held the keys of the environment that it was given, in a module that is pure."""
    key = "tvly-aB3dE5fG7hI9jK1lM3-built"
    registry.build("tavily", {"TAVILY_API_KEY": key})
    assert key not in keyring.values()


def test_options_are_read_the_same_whatever_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The query of a replay was masked by the keys of the machine that replays."""
    key = CANARIES["NPM_TOKEN"]
    monkeypatch.setenv("NPM_TOKEN", key)
    assert keyring.hide(key) == "[redacted]"
    assert split_options(f"about {key}", None, {})[0].text == f"about {key}"


def test_what_is_remembered_of_marks_is_bounded() -> None:
    """The escapes of each set of marks were kept for ever, and cookies of hostile servers chose the marks."""
    for number in range(200):
        Secrets([f"a{chr(33 + number % 15)}{chr(58 + number % 7)}{'!' * (number % 2)}1"])
    assert secrecy._of_ascii.cache_info().maxsize == 32


def test_many_keys_cost_little_more_than_one() -> None:
    """2 MB took 0.2 s with one key, and 1.9 s with 256: base64 of each was searched for in all of it."""
    data = b'<p>word number <b>x</b> &amp; <a href="http://a.example/some/long/path?x=1">l</a></p>' * 24_000
    took = []
    for count in (1, 64):
        secrets = Secrets([f"sk-{number:03}-{'aB3dE5fG' * 5}" for number in range(count)])
        start = time.process_time()
        assert secrets.replace(data) is data
        took.append(time.process_time() - start)
    assert took[1] < 10 * took[0] + 0.5


def test_authorization_that_nobody_declared_is_taken_out_of_the_echo() -> None:
    request = Request("GET", "", (("Authorization", "Bearer zz11yy22xx33ww44vv"), ("X-Api-Key", "qq11ww22ee33rr44tt")))
    exchange = ask(echo, request)
    stored = exchange.payload + exchange.request_head + exchange.response_head
    assert b"zz11yy22xx33ww44vv" not in stored
    assert b"qq11ww22ee33rr44tt" not in stored


@pytest.mark.parametrize(
    "form",
    [
        b"<b>canary</b>-12<wbr>34-<i id='x'>key</i>", b"canary\xc2\xad-12\xe2\x80\x8b34-key", b"can&shy;ary-1234-key",
        b"canary&#45;1234&#x2D;key", b"canary%252D1234-key", b"canary\\\\u002d1234-key", b"can&#97ry-1234-key",
        b"\\u003cb\\u003ecanary\\u003c/b\\u003e-1234-key", "canary-1234-key".encode("utf-16"), b"canary-1\x1b(B234-key",
        "canary-1234-key".encode("utf-16-be"), b"&#00099;anary-1234-key", b"CANARY-1234-KEY",
    ],
)  # fmt: skip
def test_key_is_found_when_it_is_broken_up_or_escaped_in_part(form: bytes) -> None:
    """A conversion puts such pieces together again, and the key stood in the text."""
    cleaned = Secrets(["canary-1234-key"]).replace(b"<p>before " + form + b" after</p>")
    assert cleaned.startswith(b"<p>before ")
    assert cleaned.endswith(b" after</p>")
    assert b"[redacted]" in cleaned
    assert b"1234" not in cleaned.replace(b"\0", b"")


def test_bomb_is_stored_as_it_came_whatever_keys_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """With any key in the environment a cut bomb was stored decoded: 20 kB became 20 MB."""
    monkeypatch.setenv("TAVILY_API_KEY", CANARIES["TAVILY_API_KEY"])
    bomb = gzip.compress(b"\0" * 21_000_000)
    exchange = ask(answer(bomb, b"Content-Encoding: gzip"))
    assert (exchange.payload, exchange.reason, exchange.departures) == (bomb, "length", ())


def test_key_across_the_edge_of_a_window_is_found() -> None:
    for form in (b"canary-1234-key", b"canary%2d1234-key", b"canary<i></i>-1234-key"):
        for shift in range(0, 30, 3):
            data = b"a " * (((1 << 20) - shift) // 2) + form + b" z" * 100
            cleaned = Secrets(["canary-1234-key"]).replace(data)
            assert cleaned == data.replace(form, b"[redacted]")


@pytest.mark.parametrize(
    "filling", [b"word <b>x</b> &amp; ", b"%63", b"&#99;", b"<", b"\\u0063", b"\0c", b"%25", b"\\"]
)
def test_time_grows_with_the_bytes_only(filling: bytes) -> None:
    """Twelve keys cost 0.6 s a megabyte. The bound is wide: it tells a quadratic search, not a slow machine."""
    secrets = Secrets([f"c{number}-{'0123456789abcdef' * 30}" for number in range(12)])
    data = filling * (2_000_000 // len(filling))
    start = time.process_time()
    assert secrets.replace(data) is data
    assert time.process_time() - start < 5


def test_environment_is_read_by_names_and_shapes() -> None:
    env = {
        "TAVILY_API_KEY": " tvly-12345 ",
        "BRAVE_API_KEY": "short",
        "SEARXNG_URL": "http://user:p%40ssw0rd1@host/?token=abcdefgh&q=documentation",
        "SOME_TOKEN": "abcd1234abcd1234",
        "STRIPE_KEY": "sk_live_1234567890abcdef",
        "MODEL_KEY": "bert-base-uncased-2018",
        "CI_JOB_TOKEN": "release-2024-10-stable",
        "OTHER_PASSWORD": "documentation-of-python",
        "GOOGLE_APPLICATION_CREDENTIALS": "/home/me/key-1234567890.json",
        "HTTPS_PROXY": "http://me:a1b2c3d4e5f6a7b8@proxy:3128",
        "DATABASE_URL": "postgres://postgres:postgres@db",
        "EDITOR": "abcd1234abcd1234vim",
    }
    assert set(keyring.secrets_in(env)) == {
        "tvly-12345", "p%40ssw0rd1", "p@ssw0rd1", "dXNlcjpwQHNzdzByZDE=", "abcd1234abcd1234", "a1b2c3d4e5f6a7b8",
        "sk_live_1234567890abcdef",
    }  # fmt: skip


def test_error_holds_no_password_of_an_address() -> None:
    error = UsageError(f"not an address: 'http://me:{SHORT}@host'", value=[f"http://me:{SHORT}@host"], number=3)
    assert SHORT not in f"{error} {error!r} {error.fields}"
    assert error.fields["number"] == 3


def test_bug_is_told_without_passwords_and_keys(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only errors of ours had passwords of addresses taken out; a bug told them, and its traceback as well."""
    monkeypatch.setenv("SEARCHLOG_DEBUG", "1")
    monkeypatch.setenv("NPM_TOKEN", CANARIES["NPM_TOKEN"])
    front._bug(ValueError(f"http://me:{SHORT}@host/ {CANARIES['NPM_TOKEN']}"))
    told = capsys.readouterr().err
    assert told.count("http://[redacted]@host/ [redacted]") == 2
    assert leaks(told.encode()) == []


@pytest.mark.parametrize(
    "url",
    [
        "http://me:cnry7@h/", "//me:cnry7@h/", "http://me:cnry7/x@h/", "http://me:cnry7?x@h/", "http://me:cnry7#x@h/",
        "http:\\\\me:cnry7@h", "http://me:cnry7@" + "h" * 9000, "http://me:" + "cnry7" * 2000 + "@h/",
        "http://me:" + "cnry7" * 60_000 + "@h/", "http://http://me:cnry7@h/", " http://me:cnry7@h/", "HTTP://cnry7@h/",
    ],
)  # fmt: skip
def test_shown_url_holds_no_password_however_it_is_written(url: str) -> None:
    """A password with a slash in it was shown, and one that was cut before its @."""
    assert SHORT not in shown_url(url)
    assert shown_url(shown_url(url)) == shown_url(url)


def test_login_of_an_address_is_sent_as_a_header_and_shown_nowhere() -> None:
    """An address with a login was refused, and `providers` printed its password."""
    address = "http://me%40x:p%3Aw@127.0.0.1:8080/sx"
    made = registry.build("searxng", {}, registry.Options(endpoints={"searxng": address}))
    assert isinstance(made, LoggedIn)
    assert made.facts.endpoint == "http://127.0.0.1:8080/sx/search"
    request = made.request(Query("mill"))
    assert request.headers[-1] == ("Authorization", "Basic " + base64.b64encode(b"me@x:p:w").decode())
    assert request.secrets == (base64.b64encode(b"me@x:p:w").decode(),)
    assert "p:w" not in repr(made)
    assert split_login("http://host/a@b") == ("http://host/a@b", None)
    assert split_login(None) == (None, None)
    with pytest.raises(UsageError) as raised:
        registry.build("searxng", {}, registry.Options(endpoints={"searxng": f"me:{SHORT}@host:8080"}))
    assert SHORT not in str(raised.value)
