"""Keys of URLs, as the package `surt` 0.3.1 computes them: each pair was printed by it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlog.webarchive.surt import surt

PAIRS = [
    ("http://example.com", "com,example)/"),
    ("https://www.Example.com:443/B/../a/?z=1&Y=2#top", "com,example)/a?y=2&z=1"),
    ("http://example.com/", "com,example)/"),
    ("http://example.com:80/index.html", "com,example)/index.html"),
    ("http://example.com:8080/x", "com,example:8080)/x"),
    ("https://example.com:80/x", "com,example:80)/x"),
    ("http://user:pw@example.com/x", "com,example)/x"),
    ("http://www.example.com", "com,example)/"),
    ("http://www2.example.com/", "com,example)/"),
    ("http://WWW37.example.com/", "com,example)/"),
    ("http://wwwa.example.com/", "com,example,wwwa)/"),
    ("http://example.com./x", "com,example)/x"),
    ("http://a..b.example/x", "example,b,a)/x"),
    ("http://example.com//a//b/", "com,example)/a/b"),
    ("http://example.com/a/./b/../c", "com,example)/a/c"),
    ("http://example.com/../../x", "com,example)/x"),
    ("http://example.com/a/../..", "com,example)/.."),
    ("http://example.com/a/", "com,example)/a"),
    ("http://example.com?", "com,example)/"),
    ("http://example.com/?", "com,example)/"),
    ("http://example.com?a=1", "com,example)/?a=1"),
    ("http://example.com/?b=2&a=1&A=0&a", "com,example)/?a&a=0&a=1&b=2"),
    ("http://example.com/?a=2&a=10&a=1", "com,example)/?a=1&a=10&a=2"),
    ("http://example.com/?a&a=&a=1", "com,example)/?a&a=&a=1"),
    ("http://example.com/?&&x", "com,example)/?&&x"),
    ("http://example.com/x?a=%26&b=%3D", "com,example)/x?&a=&b=="),
    ("http://example.com/x?a=b%23c", "com,example)/x?a=b%23c"),
    ("http://example.com/%7Euser/%41", "com,example)/~user/a"),
    ("http://example.com/%2525252E", "com,example)/"),
    ("http://example.com/a%2Fb", "com,example)/a/b"),
    ("http://example.com/%zz%", "com,example)/%25zz%25"),
    ("http://example.com/caf%C3%A9", "com,example)/caf%c3%a9"),
    ("http://example.com/café?q=über", "com,example)/caf%c3%a9?q=%c3%bcber"),
    ("http://example.com/a b", "com,example)/a%20b"),
    ('http://example.com/"<>\\^`{|}', 'com,example)/"<>\\^`{|}'),
    ("http://example.com/a+b?c+d", "com,example)/a+b?c+d"),
    ("http://example.com/#frag", "com,example)/"),
    ("http://example.com/x#a?b", "com,example)/x"),
    ("http://münchen.example/", "example,xn--mnchen-3ya)/"),
    ("http://xn--mnchen-3ya.example/", "example,xn--mnchen-3ya)/"),
    ("http://日本.example/文?字=1", "example,xn--wgv71a)/%e6%96%87?%e5%ad%97=1"),
    ("http://%65xample.com/", "com,example)/"),
    ("http://127.0.0.1/", "1,0,0,127)/"),
    ("http://127.0.0.1:8000/a", "1,0,0,127:8000)/a"),
    ("http://0177.1/", "1,0,0,127)/"),
    ("http://10.1/", "1,0,0,10)/"),
    ("http://3232235777/", "1,1,168,192)/"),
    ("http://256.1.1.1/", "1,1,1,256)/"),
    ("http://08.1/", "1,08)/"),
    ("http://[::1]/", "::1)/"),
    ("http://[2001:DB8::1]:8080/x", "2001:db8::1:8080)/x"),
    (
        "http://example.com/x;jsessionid=0123456789abcdef0123456789abcdef?y",
        "com,example)/x;jsessionid=0123456789abcdef0123456789abcdef?y",
    ),
    ("http://example.com/?jsessionid=0123456789abcdef0123456789ABCDEF&x=1", "com,example)/?x=1"),
    ("http://example.com/?x=1&PHPSESSID=0123456789abcdef0123456789abcdef", "com,example)/?&x=1"),
    ("http://example.com/?sid=0123456789abcdef0123456789abcdef", "com,example)/"),
    ("http://example.com/?ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&x=1", "com,example)/?x=1"),
    ("http://example.com/?a=1&CFID=12&CFTOKEN=34&b=2", "com,example)/?a=1&b=2"),
    ("http://example.com/?xcfid=1&cftoken=2", "com,example)/?x"),
    ("http://example.com/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx", "com,example)/mileg.aspx"),
    ("http://example.com/(4hqa0555fwsecu455xqckv45)/mileg.aspx?x=1", "com,example)/mileg.aspx?x=1"),
    ("example.com/x", "com,example)/x"),
    ("example.com:80/x", "example.com:80/x"),
    ("//example.com/x", "com,example)/x"),
    ("http://https://example.com/x", "com,example)/x"),
    ("http:////example.com/x", "com,example)/x"),
    ("HTTP://Example.com/X", "com,example)/x"),
    ("ftp://ftp.example.com/a", "com,example,ftp)/a"),
    ("dns:www.example.com", "dns:www.example.com"),
    ("mailto:a@example.com", "mailto:a@example.com"),
    ("urn:searchlog:blob:sha256:00", "urn:searchlog:blob:sha256:00"),
    ("urn:UUID:AbC", "urn:uuid:abc"),
    ("filedesc:x.arc", "filedesc:x.arc"),
    ("  http://example.com/x  ", "com,example)/x"),
    ("http://exa\tmple.com/\nx", "com,example)/x"),
]


@pytest.mark.parametrize(("url", "key"), PAIRS, ids=[ascii(url) for url, _ in PAIRS])
def test_key_is_that_of_the_package(url: str, key: str) -> None:
    assert surt(url) == key


@pytest.mark.parametrize("url", ["http://example.com:x/", "http://example.com:99999/", "http://example.com:²/"])
def test_a_port_that_is_none_is_left_out(url: str) -> None:
    """The package raises an error; a capture must have a key."""
    assert surt(url) == "com,example)/"


def test_no_url_has_a_key_of_its_own() -> None:
    assert surt("") == surt(" ") == "-"


@given(st.text())
def test_any_text_has_a_key_of_one_word(url: str) -> None:
    key = surt("http://" + url)
    assert key.isascii()
    assert key.isprintable()
    assert " " not in key


@pytest.mark.parametrize("path", ["%25" * 20_000, "/.." * 20_000, "?cfid=" * 20_000, "?" + "&" * 50_000, "1" * 50_000])
def test_work_is_bounded(path: str) -> None:
    assert surt("http://example.com" + path)
    assert surt("http://" + path)
