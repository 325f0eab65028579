"""What a sender takes out before sharing: nothing that a rule names is left in a record, in any spelling."""

from __future__ import annotations

import base64
import copy
import gzip
import hashlib
import json
import re
from io import BytesIO
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searchlog import canon
from searchlog.errors import UsageError
from searchlog.log.blobs.memory import MemoryBlobStore
from searchlog.records import Evidence, Rendering
from searchlog.redaction.addresses import emails, private_hosts
from searchlog.redaction.rules import Match, Redacted, Redactor, derived, grouped, parse_rule, preview
from searchlog.secrecy import MARKER, Secrets
from searchlog.session import Session
from searchlog.snapshot.export import write_snapshot
from searchlog.snapshot.layout import Profile, Scope
from searchlog.snapshot.plan import Choice, plan
from tests.searches import HTML, TEXTS, ask, html, opened, pages
from tests.sites import serve
from tests.specimens import specimen_session

MAIL = "alice.doe+mills@mail.example.org"


def redactor(*rules: str) -> Redactor:
    return Redactor(map(parse_rule, rules))


def envelope(body: dict[str, Any], kind: str = "note", **more: Any) -> dict[str, Any]:
    return {
        "v": 1, "session": "s1", "seq": 5, "at": "2026-01-02T03:04:05Z", "kind": kind, "turn": 1, "agent": "main",
        "causes": [2], "salt": "0" * 32, "body": body, **more,
    }  # fmt: skip


def redact(body: dict[str, Any], *rules: str, kind: str = "note") -> Redacted:
    found = redactor(*rules).record(envelope(body, kind))
    assert found is not None
    return found


def string(text: str, *rules: str) -> str:
    value = redact({"text": text}, *rules).value["body"]["text"]
    assert isinstance(value, str)
    return value


# --- rules as they are written


@pytest.mark.parametrize(
    ("text", "kind", "value", "record"),
    [
        ("email", "email", "", None),
        ("private-hosts", "private-hosts", "", None),
        ("text:Jane Doe: she", "text", "Jane Doe: she", None),
        ("pattern:[A-Z]{3}-[0-9]+", "pattern", "[A-Z]{3}-[0-9]+", None),
        ("field:title", "field", "title", None),
        ("field:query.text", "field", "text", "query"),
        ("field:exchange.request_head", "field", "exchange.request_head", None),
        ("field:provider-exchange.urls", "field", "urls", "provider-exchange"),
        ("field:tool-call.arguments", "field", "arguments", "tool-call"),
        ("field:query", "field", "query", None),
    ],
)
def test_rule_is_read_as_it_is_written(text, kind, value, record):
    rule = parse_rule(text)
    assert (rule.text, rule.kind, rule.value, rule.record) == (text, kind, value, record)


@pytest.mark.parametrize(
    "text",
    ["", "emails", "email:", "email:x", "private-hosts:10.0.0.1", "text:", "text: ", "pattern:", "field:", "field:a..b",
     "field:a b", "EMAIL", "alice@example.org"],
)  # fmt: skip
def test_what_is_no_rule_is_told_what_can_be_said(text):
    with pytest.raises(UsageError, match="email, private-hosts, text:LITERAL, pattern:REGEX or field:NAME"):
        parse_rule(text)


@pytest.mark.parametrize("pattern", ["(", "[a", "a{99999999999}", "(?P<x>a)(?P<x>b)"])
def test_pattern_that_is_none_is_a_usage_error(pattern):
    with pytest.raises(UsageError, match="not a regular expression"):
        parse_rule(f"pattern:{pattern}")


def test_what_a_snapshot_tells_of_its_rules_does_not_tell_what_they_hide():
    written = ["email", "private-hosts", "text:Jane Doe", "pattern:J[a-z]+ D", "field:query.text"]
    assert [parse_rule(text).shared for text in written] == [
        "email",
        "private-hosts",
        "text",
        "pattern",
        "field:query.text",
    ]


# --- what is found


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"write to {MAIL}, please", "write to [redacted], please"),
        (f"<a href='mailto:{MAIL}?subject=x'>", "<a href='mailto:[redacted]?subject=x'>"),
        ("mailto:root@printer", "mailto:[redacted]"),
        ("https://x.example.org/?to=bob%40example.org&n=1", "https://x.example.org/?to=[redacted]&n=1"),
        ("to=a%2Bb%2540example.org", "to=[redacted]"),
        ("q=%20bob%40example.org", "q=%20[redacted]"),
        (r"{\"to\":\"bob\u0040example.org\"}", r"{\"to\":\"[redacted]\"}"),
        ("bob&#64;example.org bob&#x40;example.org", "[redacted] [redacted]"),
        ("bob&commat;example.org", "[redacted]"),
        ("bob\uff20example.org", "[redacted]"),
        ("josé@exämple.org", "[redacted]"),
        ("bob@xn--exmple-cua.xn--p1ai", "[redacted]"),
        ("bob@[192.0.2.1]", "[redacted]"),
        ("a@example.org,b@example.org", "[redacted],[redacted]"),
        ("jos%C3%A9%40example.org", "[redacted]"),
        ('<span data-cfemail="422d2702273a232f322e276c2d3025">', '<span data-cfemail="[redacted]">'),
        ("/cdn-cgi/l/email-protection#422d2702273a232f322e276c2d3025", "/cdn-cgi/l/email-protection#[redacted]"),
    ],
)
def test_email_is_replaced_where_it_stands(text, left):
    assert string(text, "email") == left


@pytest.mark.parametrize(
    "text",
    ["bob<b>@</b>example.org", "bob\u200b@example.org", "&#98;&#111;&#98;&#64;example.org", "bob@exa<wbr>mple.org",
     "bob&#43;tag@example.org", "<i>bob</i>.x@example.org", "%62%6f%62%40%65xample%2eorg", "bob@exam\u00adple.org"],
)  # fmt: skip
def test_email_that_only_comes_to_light_undone_takes_the_whole_string(text):
    assert string(f"see {text} there", "email") == MARKER


@pytest.mark.parametrize(
    "text",
    ["logo@2x.png 1.5x", "react@18.2.0", "@babel/core", "@media (min-width: 1px)", "alice at example dot org", "a @ b",
     "50 % 40", "user@", "@example.org", "x@y"],
)  # fmt: skip
def test_what_is_no_email_stays(text):
    assert emails(text) == []
    assert redactor("email").record(envelope({"text": text})) is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("http://10.1.2.3:8080/a", "http://[redacted]:8080/a"),
        ("http://localhost/x, 127.0.0.1", "http://[redacted]/x, [redacted]"),
        ("see 192.168.0.7/24 and 100.64.0.1", "see [redacted]/24 and [redacted]"),
        ("http://[fe80::1]/ http://[fd00::12]:80/", "http://[redacted]/ http://[redacted]:80/"),
        ("at fd12:3456::1, ::ffff:10.0.0.1.", "at [redacted], [redacted]."),
        ("http://wiki/page", "http://[redacted]/page"),
        ("https://wiki.corp.intranet/x", "https://[redacted]/x"),
        ("ping nas.local and db-1.prod.internal!", "ping [redacted] and [redacted]!"),
        ("router.home.arpa box.lan git.corp", "[redacted] [redacted] [redacted]"),
        ("GET / HTTP/1.1\r\nHost: wiki:80\r\nTE: x\r\n", "GET / HTTP/1.1\r\nHost: [redacted]:80\r\nTE: x\r\n"),
        ("http://bob:x@10.0.0.1/", "http://bob:x@[redacted]/"),
        ("http://2130706433/ http://0x7f.1/", "http://[redacted]/ http://[redacted]/"),
        ("http://LOCALHOST./", "http://[redacted]/"),
        ("postgres://db:5432/x", "postgres://[redacted]:5432/x"),
        ("169.254.169.254", "[redacted]"),
    ],
)  # fmt: skip
def test_private_host_is_replaced_where_it_stands(text, left):
    assert string(text, "private-hosts") == left


def test_private_host_in_an_escaped_address_takes_the_whole_string():
    assert string("https://x.example.org/?u=http%3A%2F%2Fwiki%2Fa", "private-hosts") == MARKER
    assert string(r"{\"u\":\"http:\/\/wiki\/a\"}", "private-hosts") == MARKER


@pytest.mark.parametrize(
    "text",
    ["https://example.org/", "8.8.8.8", "v10.0.0.1", "1.10.0.0.1", "10.0.0.1.2", "12:30:45", "std::vector", "a::b",
     "https://local.example.org/", "nas.local.example.org", "a.internal()", "192.0.2.1", "2001:db8::1", "// comment",
     "chrome://settings/", "https://${host}/", "the locals of a lan", "localhosts"],
)  # fmt: skip
def test_public_host_stays(text):
    assert private_hosts(text) == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("by Jane  Doe", "by [redacted]"),
        ("JANE DOE, jane\ndoe", "[redacted], [redacted]"),
        ("q=jane+doe&x=1", "q=[redacted]&x=1"),
        ("/jane%20doe/", "/[redacted]/"),
        ("/people/jane-doe.html jane_doe jane.doe", "/people/[redacted].html [redacted] [redacted]"),
        ("by <b>Jane</b> Doe", "by <b>[redacted]"),
    ],
)
def test_text_is_replaced_in_any_case_and_spelling(text, left):
    assert string(text, "text:Jane Doe") == left


def test_text_beyond_ascii_is_replaced_where_it_stands():
    assert string("für Jürgen Groß und JÜRGEN GROß", "text:jürgen groß") == "für [redacted] und [redacted]"


def test_pattern_is_searched_in_what_is_escaped_too():
    assert string("ticket ABC-12 and ABC-7", "pattern:ABC-[0-9]+") == "ticket [redacted] and [redacted]"
    assert string("q=secret+plan", "pattern:secret plan") == MARKER
    assert string("q=secret%20plan", "pattern:secret plan") == MARKER
    assert redactor("pattern:x*").record(envelope({"text": "abc"})) is None, "nothing is not something"


# --- records


def test_record_is_redacted_in_its_body_and_agent_alone():
    body = {"text": MAIL, "list": [{"deep": f"x {MAIL}"}], "count": 3, "none": None, "flag": True}
    original = envelope(body, agent=f"main/{MAIL}")
    before = copy.deepcopy(original)
    found = redactor("email").record(original)
    assert found is not None
    assert original == before
    assert found.value == {
        **{name: before[name] for name in ("v", "session", "seq", "at", "kind", "turn", "causes")},
        "agent": f"main/{MARKER}",
        "body": {"text": MARKER, "list": [{"deep": f"x {MARKER}"}], "count": 3, "none": None, "flag": True},
    }
    assert [match.where for match in found.matches] == ["agent", "body.text", "body.list.0.deep"]
    assert {match.found for match in found.matches} == {MAIL}
    assert "salt" not in found.value
    assert canon.loads(canon.dumps(found.value)) == found.value


def test_record_without_a_match_is_none():
    assert redactor("email", "text:zzz", "field:nothing").record(envelope({"text": "quiet"})) is None
    assert redactor().record(envelope({"text": MAIL})) is None


def test_names_of_members_stay_but_where_they_are_the_writers_own():
    found = redact({"title": "a title", "fields": {MAIL: 1, "ok": 2}}, "text:title", "email")
    assert found.value["body"] == {"title": f"a {MARKER}", "fields": {"ok": 2}}


def test_digest_is_not_looked_at():
    ref = {"blob": "sha256:" + "ab" * 32, "bytes": 7}
    assert redactor("text:abab", "pattern:[b-f]+").record(envelope({"payload": ref})) is None


@pytest.mark.parametrize(
    ("rule", "kind", "left"),
    [
        ("field:text", "query", {"text": MARKER, "options": {"text": MARKER}, "list": [{"text": MARKER, "n": 1}]}),
        (
            "field:query.text",
            "query",
            {"text": MARKER, "options": {"text": MARKER}, "list": [{"text": MARKER, "n": 1}]},
        ),
        ("field:body.text", "query", {"text": MARKER, "options": {"text": "b"}, "list": [{"text": "c", "n": 1}]}),
        ("field:list.text", "query", {"text": "a", "options": {"text": "b"}, "list": [{"text": MARKER, "n": 1}]}),
        ("field:options", "query", {"text": "a", "options": MARKER, "list": [{"text": "c", "n": 1}]}),
        ("field:n", "query", {"text": "a", "options": {"text": "b"}, "list": [{"text": "c", "n": MARKER}]}),
    ],
)
def test_field_is_replaced_at_any_depth(rule, kind, left):
    body = {"text": "a", "options": {"text": "b"}, "list": [{"text": "c", "n": 1}]}
    assert redact(body, rule, kind=kind).value["body"] == left


def test_field_of_another_kind_of_record_stays():
    assert redactor("field:query.text").record(envelope({"text": "a"}, "note")) is None


def test_field_that_refers_to_a_blob_takes_the_blob_along():
    ref = {"blob": "sha256:" + "0" * 64, "bytes": 3}
    found = redact({"payload": ref, "text": "x"}, "field:payload")
    assert found.value["body"] == {"payload": MARKER, "text": "x"}
    assert found.blobs == {ref["blob"]}


def test_digest_of_an_altered_passage_goes_as_well():
    """With the rest of the passage known, a short text could be tried out against it."""
    body = {"id": "e1", "exact": f"ask {MAIL}", "digest": "sha256:" + "1" * 64, "text": "sha256:" + "2" * 64}
    found = redact(body, "email", kind="evidence").value["body"]
    assert found == {"id": "e1", "exact": f"ask {MARKER}", "digest": MARKER, "text": "sha256:" + "2" * 64}
    other = redact({**body, "exact": "quiet", "title": MAIL}, "email", kind="evidence").value["body"]
    assert other["digest"] == body["digest"]


def test_specimens_of_every_kind_can_be_redacted():
    rules = redactor("email", "private-hosts", "text:tide", "field:url")
    for record in specimen_session().records():
        value = {**envelope(record.envelope.body, record.kind), "seq": record.seq}
        found = rules.record(value)
        if found is not None:
            shown = canon.dumps(found.value).decode()
            assert "127.0.0.1" not in shown
            assert not re.search("tide", json.dumps(found.value["body"]), re.IGNORECASE)


SPELLINGS = [
    lambda text: text,
    quote,
    lambda text: quote(quote(text, safe="")),
    lambda text: json.dumps(text)[1:-1].replace("@", "\\u0040"),
    lambda text: "".join(f"&#{ord(char)};" for char in text),
    lambda text: "".join(f"&#x{ord(char):x};" for char in text),
    lambda text: text.replace("@", "<!-- x -->@<b></b>"),
]


@given(
    st.from_regex(r"[a-z0-9][a-z0-9._+-]{0,20}[a-z0-9]@([a-z0-9]{1,9}\.){1,3}[a-z]{2,5}", fullmatch=True),
    st.sampled_from(SPELLINGS),
    st.text(st.characters(codec="utf-8"), max_size=30),
    st.text(st.characters(codec="utf-8"), max_size=30),
)
@settings(deadline=None)
def test_no_email_is_left_whatever_stands_around_it(mail, spell, before, after):
    spelled = spell(mail)
    text = f"{before} {spelled} {after}"
    if re.match(r"[0-9.]{1,4}x\.(png|jpe?g|gif|webp|avif|svg)", mail.partition("@")[2]):
        return
    left = string(text, "email")
    assert mail not in left
    assert spelled not in left
    assert redactor("email").record(envelope({"text": left})) is None
    assert redactor("email").blob(text.encode("utf-8"))


LEAVES = st.none() | st.integers(-9, 9) | st.text(max_size=12)
NAMES = st.text("abct", min_size=1, max_size=3)


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner)))
@settings(deadline=None)
def test_shape_of_a_record_is_kept_and_redacting_again_finds_nothing(value):
    rules = redactor("pattern:[0-9a-f]", "text:zz")
    found = rules.record(envelope({"value": value}))
    if found is None:
        return

    def shape(one: Any) -> Any:
        if isinstance(one, dict):
            return {name: shape(item) for name, item in one.items()}
        return list(map(shape, one)) if isinstance(one, list) else type(one)

    assert shape(found.value["body"]) == shape({"value": value})


# --- blobs


@pytest.mark.parametrize(
    "data",
    [
        MAIL.encode(),
        f"<p>{MAIL}</p>".encode("utf-16"),
        f"<p>{MAIL}</p>".encode("utf-16-le"),
        f"<p>{MAIL}</p>".encode("utf-16-be"),
        f"<p>{MAIL}</p>".encode("utf-32"),
        b"\xff\xfe\xfd" + MAIL.encode() + b"\xe9",
        json.dumps({"a": MAIL}).replace("@", "\\u0040").encode(),
        MAIL.replace("@", "&#64;").encode(),
    ],
    ids=range(8),
)
def test_email_in_a_blob_is_found(data):
    (first, *_) = redactor("email").blob(data)
    assert (first.rule, first.where) == ("email", "")
    assert redactor("text:alice.doe").blob(data)


def test_coded_payload_is_searched_decoded():
    coded = gzip.compress(MAIL.encode())
    assert redactor("email").blob(coded) == ()
    assert redactor("email").blob(coded, decoded=MAIL.encode()) == (Match("email", "", MAIL),)


@pytest.mark.parametrize(
    ("text", "charset"), [("Jürgen Groß", "cp1252"), ("江心屿双塔", "gb18030"), ("どの灯台が", "shift_jis")]
)
def test_text_in_an_old_charset_is_found(text, charset):
    assert redactor(f"text:{text}").blob(f"<p>{text}</p>".encode(charset))


def test_pattern_in_the_charset_of_the_page_is_found():
    data = "双塔".encode("gbk")
    assert redactor("pattern:双塔").blob(data) == ()
    assert redactor("pattern:双塔").blob(data, charset="gb2312")
    assert redactor("pattern:双塔").blob(data, charset="rot13 or what") == ()


def test_spilled_member_is_searched_by_field():
    data = canon.dumps({"request_head": "GET /", "url": "https://example.org/"})
    rules = redactor("field:capture.exchange.request_head")
    assert rules.blob(data, member=("capture", "exchange")) == (
        Match("field:capture.exchange.request_head", "body.exchange.request_head", "GET /"),
    )
    assert rules.blob(data, member=("provider-exchange", "exchange")) == ()
    assert rules.blob(data) == ()
    assert rules.blob(b"\x00not json", member=("capture", "exchange")) == ()


def test_bytes_of_a_picture_are_no_letters():
    """Random bytes are letters of Latin-1: in two megabytes of them there were e-mail addresses."""
    noise = Random(6).randbytes(300_000)
    assert redactor("email", "private-hosts").blob(noise) == ()
    assert redactor("email").blob(noise + b"\0Artist\0" + MAIL.encode() + b"\0" + noise) == (Match("email", "", MAIL),)


def test_number_of_thousands_of_digits_is_no_character():
    assert redactor("email").blob(b"&#" + b"9" * 9_000 + b"; &#x" + b"f" * 9_000 + b";") == ()


def test_what_is_made_of_one_another_is_left_out_together():
    made = [("p1", "t1", "s1"), ("p2", "t2", "s2"), ("p3", "t2", "s3")]
    assert derived({"t1"}, made) == {"p1", "t1", "s1"}
    assert derived({"p3"}, made) == {"p3", "t2", "s3", "p2", "s2"}
    assert derived(set(), made) == set()


# --- a whole snapshot


def members(session: Session, choice: Choice) -> bytes:
    """Return the bytes of a snapshot: all its members are stored as they are."""
    file = BytesIO()
    write_snapshot(file, plan(session.ledger, choice, Secrets(())), session.ledger.blobs)
    return file.getvalue()


@pytest.mark.parametrize("profile", ["full", "evidence", "hashes"])
@pytest.mark.parametrize("scope", [Scope(), Scope(turns=(1,)), Scope(evidence=("e1",))], ids=lambda scope: scope.kind)
def test_nothing_in_a_snapshot_tells_what_a_rule_named(scope: Scope, profile: Profile):
    """The address stands in the session's title, the query, a URL, a result and pages, so in passages and rendering."""
    coded = {**HTML, "Content-Encoding": "gzip"}
    with serve(pages()) as site, opened() as archive:
        session = archive.session(title=f"asked for {MAIL}")
        site.pages["/mail"] = (200, HTML, html(f"The tide mill. Ask {MAIL} about its gate.", MAIL))
        site.pages["/coded"] = (200, coded, gzip.compress(html(f"Tide mill of {MAIL.replace('@', '&#64;')}").encode()))
        site.pages[f"/of/{MAIL}"] = (200, HTML, html("A tide mill that somebody keeps."))
        places = ["/mill", "/mail", "/coded", f"/of/{MAIL}", {"url": site.url + "/gate", "content": f"says {MAIL}"}]
        ask(session, site, f"tide mill {MAIL}", places)
        secret = Secrets((MAIL,))
        assert secret.found_in(members(session, Choice(scope, "full"))) is True
        shared = members(session, Choice(scope, profile, (parse_rule("email"),)))
        assert not secret.found_in(shared)
        assert b"pond" in shared or profile == "hashes" or scope.kind == "evidence", "what no rule names is there"


# --- preview


def test_preview_names_the_place_the_rule_and_what_was_found():
    rules = redactor("email", "text:tide")
    record = redact({"text": f"{MAIL} {MAIL}", "title": "Tide mills"}, "email", "text:tide")
    items = preview([("record 5 (note)", record.matches), ("blob sha256:ab", rules.blob(MAIL.encode()))])
    assert items == [
        {"where": "record 5 (note) body.text", "rule": "email", "found": MAIL},
        {"where": "record 5 (note) body.title", "rule": "text:tide", "found": "Tide"},
        {"where": "blob sha256:ab", "rule": "email", "found": MAIL},
    ]
    assert grouped(items) == [
        ("email", MAIL, 2, "record 5 (note) body.text"),
        ("text:tide", "Tide", 1, "record 5 (note) body.title"),
    ]


def test_what_is_found_is_shortened():
    (match,) = redact({"text": "x" * 500}, "field:text").matches
    assert len(match.found) == 60
    assert match.found.endswith("…")


def test_no_digest_tells_whether_a_guess_at_what_was_redacted_is_right() -> None:
    """A passage that is its whole page, and a rendering, could be made again with a name put into the gap."""
    pages_ = pages({"/mill": "The tide mill of Zebulon Quxworth stores the flood in a pond.", "/gate": TEXTS["/gate"]})
    with serve(pages_) as site, opened() as archive:
        session = archive.session()
        ask(session, site, "tide mill", ["/mill", "/gate"])
        plan = archive.plan_export(session.id, redact=["text:Zebulon Quxworth"])
        told = "".join(map(str, (plan.copies, plan.description.to_bytes(), *(item.line for item in plan.lines))))
        for record in session.records():
            body = record.body
            if isinstance(body, Evidence) and "Zebulon" in str(body.exact):
                assert body.text not in told
                assert body.payload not in told
                assert body.digest not in told
            if isinstance(body, Rendering):
                assert body.text.blob not in told
        kept = [e for e in plan.envelopes.values() if e.kind == "evidence"]
        assert [e.body["url"].rsplit("/", 1)[-1] for e in kept] == ["gate"]


NAME = "Zyxwvut Kjihgfeq"


def cut_page() -> str:
    """Return a page whose passages, and the words around them, begin and end at every place of a name, somewhere."""
    rows = [f"The tide mill {'x' * (n % 40)} stores the flood {n} for {NAME} who keeps its gate." for n in range(60)]
    long = " ".join(f"tide mill word{n} {NAME}" for n in range(500))
    return html("".join(f"<h2>Mill {n}</h2><p>{row}</p>" for n, row in enumerate(rows)) + f"<h2>Long</h2><p>{long}</p>")


def pieces_of(name: str, text: str) -> set[str]:
    """Return what of a name, three letters or more, stands in a text."""
    return {name[at : at + 3] for at in range(len(name) - 2) if name[at : at + 3] in text}


@pytest.mark.parametrize("profile", ["full", "evidence"])
@pytest.mark.parametrize("scope", [Scope(), Scope(evidence=("e1", "e2"))], ids=lambda scope: scope.kind)
def test_what_a_cut_leaves_of_a_name_goes_as_well(scope: Scope, profile: Profile) -> None:
    """A rule that sees a passage alone does not know `yxwvut` at its edge for a part of a name."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        site.pages["/cut"] = (200, HTML, cut_page())
        ask(session, site, "tide mill", ["/cut"], budget_tokens=20_000)
        bodies = [record.body for record in session.records() if isinstance(record.body, Evidence)]
        around = [re.sub(NAME, "", part) for body in bodies for part in (body.prefix, str(body.exact), body.suffix)]
        cut = [bool(pieces_of(NAME, part)) for part in around]
        assert any(cut[0::3]), "prefixes are cut"
        assert any(cut[1::3]), "so are passages"
        assert any(cut[2::3]), "and suffixes"
        rule = parse_rule(f"text:{NAME}")
        shared = plan(session.ledger, Choice(scope, profile, (rule,)), Secrets(()))
        assert shared.idle == []
        assert not pieces_of(NAME, members(session, Choice(scope, profile, (rule,))).decode("utf-8", "replace"))


def test_words_around_a_passage_go_where_its_text_is_not_here_to_tell() -> None:
    """As in a session that came in without its pages."""
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        site.pages["/cut"] = (200, HTML, cut_page())
        ask(session, site, "tide mill", ["/cut"])
        bodies = {record.seq: record.body for record in session.records() if isinstance(record.body, Evidence)}
        ledger = copy.copy(session.ledger)
        ledger.blobs = MemoryBlobStore()
        made = plan(ledger, Choice(rules=(parse_rule("email"),)), Secrets(()))
        assert ("unseen", "words around a passage") in [row[:2] for row in grouped(preview(made.found))]
        copies = made.copies
        assert set(bodies) <= set(copies)
        for seq, body in bodies.items():
            told = copies[seq]["body"]
            assert (told["prefix"], told["suffix"]) == (body.prefix and MARKER, body.suffix and MARKER)
            assert told["exact"] == body.exact


def test_what_a_server_tells_of_a_payload_goes_with_its_digest() -> None:
    page = html("The tide mill of Zebulon Quxworth stores the flood.").encode()
    told = base64.b64encode(hashlib.sha256(page).digest()).decode()
    heads = {**HTML, "Repr-Digest": f"sha-256=:{told}:", "ETag": f'"{hashlib.md5(page).hexdigest()}"'}
    with serve(pages()) as site, opened() as archive:
        session = archive.session()
        site.pages["/told"] = (200, heads, page)
        ask(session, site, "tide mill", ["/told"])
        assert told.encode() in members(session, Choice())
        shared = members(session, Choice(rules=(parse_rule("text:Zebulon Quxworth"),)))
        assert told.encode() not in shared
        assert hashlib.md5(page).hexdigest().encode() not in shared
