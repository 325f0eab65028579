"""Headless Chromium over its debugging pipe: open a page, see what a link highlights, read its visible text.

The protocol is Chromium's DevTools protocol, one JSON object a message, each ended by a NUL, on file descriptors 3 and
4 of the browser (`--remote-debugging-pipe`), so no port is opened and no library is needed. The browser resolves no
host name: pages come from loopback or not at all. What a page says in scripts is not run unless asked for.
"""

from __future__ import annotations

import base64
import http.server
import json
import os
import select
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MARK = "rgb(255, 0, 254)"
"""Colour of what a link highlights; no page of ours has it."""

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)


def path() -> str | None:
    """Return the program, or None when there is none on this machine."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class BrowserError(Exception):
    """The browser answered with an error, or not in time."""


_SLACK = 12
"""Pixels that a line's mark may stand out over the box of its text."""


@dataclass(frozen=True)
class Place:
    """Where a text stands, in pixels of the window."""

    top: float
    bottom: float


@dataclass(frozen=True)
class Highlight:
    """What a link marked on the page."""

    found: bool
    """Whether pixels of the page carry the mark."""
    scrolled: bool
    """Whether the browser went away from the top of the page."""
    start: str = ""
    """Text at the first marked place, and what follows it."""
    end: str = ""
    """Text before the last marked place, with it."""
    first: tuple[int, int, int] = (0, 0, 0)
    """First marked row of pixels, its left and right end."""
    last: tuple[int, int, int] = (0, 0, 0)

    def distance(self, place: Place) -> str:
        """Return what is wrong with the place of the mark; empty if it lies within the text and ends where it ends."""
        if self.first[0] < place.top - _SLACK:
            return "begins before the passage"
        if self.last[0] > place.bottom + _SLACK:
            return "ends after the passage"
        return ""


class Browser:
    """One running browser with one page. Close it, or use `running`."""

    def __init__(self, program: str, profile: Path, *, scripts: bool = False, size: tuple[int, int] = (1200, 2000)):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        # what the pipe's ends are called in the browser is fixed; a shell gives them these numbers
        command = f'exec "$0" "$@" 3<&{to_browser} 4>&{from_browser}'
        self._process = subprocess.Popen(
            ["bash", "-c", command, program, *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._buffer = b""
        self._number = 0
        self._events: list[dict[str, Any]] = []
        self._session: str | None = None
        self._eye: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._eye = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "DOM", "CSS"):
            self.call(f"{domain}.enable")
        self.call("Page.bringToFront")
        width, height = size
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)

    def close(self) -> None:
        for descriptor in (self._out, self._in):
            os.close(descriptor)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    # --- the protocol

    def call(self, method: str, *, timeout_s: float = 30, session: str | None = "", **params: Any) -> dict[str, Any]:
        """Return the result of one command. Raises BrowserError."""
        self._number += 1
        number = self._number
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        session = self._session if session == "" else session
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data) :]
        end = time.monotonic() + timeout_s
        while True:
            answer = self._next(end, method)
            if answer.get("id") == number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error'].get('message')}")
                return dict(answer["result"])
            if "method" in answer:
                self._events.append(answer)

    def _next(self, end: float, what: str) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self._in, 1 << 20) if ready else b""
            if not data:
                raise BrowserError(f"{what}: {'the browser ended' if ready else 'no answer in time'}")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(line))

    def _await(self, method: str, timeout_s: float) -> None:
        end = time.monotonic() + timeout_s
        while not any(event["method"] == method for event in self._events):
            event = self._next(end, method)
            if "method" in event:
                self._events.append(event)

    def evaluate(self, expression: str, *, session: str | None = "", timeout_s: float = 30) -> Any:
        """Return the value of a JavaScript expression, which runs whether or not the page's scripts do."""
        answer = self.call(
            "Runtime.evaluate",
            session=session,
            timeout_s=timeout_s,
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(str(details.get("exception", {}).get("description", details.get("text"))))
        return answer["result"].get("value")

    # --- pages

    def open(self, url: str, *, timeout_s: float = 30) -> None:
        """Open a page as a person does who types its address, and wait until it is loaded."""
        self._events.clear()
        self.call("Page.navigate", url="about:blank")
        self._await("Page.loadEventFired", timeout_s)
        self._events.clear()
        answer = self.call("Page.navigate", url=url, transitionType="address_bar", timeout_s=timeout_s)
        if answer.get("errorText"):
            raise BrowserError(f"{url}: {answer['errorText']}")
        self._await("Page.loadEventFired", timeout_s)

    def visible_text(self) -> str:
        """Return what the browser itself calls the page's text (`innerText` of the body)."""
        return str(self.evaluate("document.body ? document.body.innerText : ''") or "")

    def all_text(self) -> str:
        """Return the text nodes of the body, shown or not (`textContent`), scripts and styles with it."""
        return str(self.evaluate("document.body ? document.body.textContent : ''") or "")

    def highlight(self, link: str) -> Highlight:
        """Open a link and return what it marked, by the pixels of a screenshot.

        What the page pins over itself, such as a banner, is taken away when nothing is seen at first. A page whose
        layout moved after the browser had scrolled is opened once more.
        """
        seen = self._highlight(link)
        return self._highlight(link) if seen.scrolled and not seen.found else seen

    def _highlight(self, link: str) -> Highlight:
        self.open(link)
        self.evaluate(_PAINT)
        box, scrolled = self._marked()
        if not box:
            self.evaluate(_UNPIN)
            box, scrolled = self._marked()
        if not box:
            return Highlight(False, scrolled)
        start, end = self.evaluate(f"({_AT})({json.dumps(box)})")
        return Highlight(True, scrolled, start, end, tuple(box["first"]), tuple(box["last"]))

    def _marked(self) -> tuple[Any, bool]:
        png = self.call("Page.captureScreenshot", format="png", optimizeForSpeed=True)["data"]
        scrolled = bool(self.evaluate("window.scrollY > 0 || window.scrollX > 0"))
        return self.evaluate(_LOOK.replace("PNG", png), session=self._eye), scrolled

    def place(self, exact: str, before: str = "") -> Place | None:
        """Return where a text stands on the open page, white space aside; None if its text nodes do not hold it.

        before: what stands ahead of it, to tell it from the same text elsewhere.
        """
        found = self.evaluate(f"({_PLACE})({json.dumps(exact)}, {json.dumps(before)})")
        return Place(*found) if found else None

    def png(self) -> bytes:
        """Return a screenshot, for a person."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])


_PAINT = f"""(() => {{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`::target-text {{ background-color: {MARK} !important; color: {MARK} !important }}`);
  document.adoptedStyleSheets = [sheet];
}})()"""

# in a blank page: the first and the last marked pixel in reading order, by rows of text
_LOOK = """(async () => {
  const bytes = Uint8Array.from(atob('PNG'), c => c.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
  const canvas = new OffscreenCanvas(image.width, image.height);
  const pen = canvas.getContext('2d');
  pen.drawImage(image, 0, 0);
  const data = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  const rows = [];
  for (let y = 0; y < image.height; y++) {
    let left = -1, right = -1;
    for (let x = 0; x < image.width; x++)
      if (data[y * image.width + x] === 0xfffe00ff) { if (left < 0) left = x; right = x; }
    if (left >= 0) rows.push([y, left, right]);
  }
  if (!rows.length) return null;
  return {first: rows[Math.min(3, rows.length - 1)], last: rows[Math.max(0, rows.length - 4)]};
})()"""

_AT = """({first, last}) => {
  const near = (x, y, after) => {
    const range = document.caretRangeFromPoint(x, y);
    if (!range || range.startContainer.nodeType !== 3) return '';
    const text = range.startContainer.data, at = range.startOffset;
    return after ? text.slice(at, at + 60) : text.slice(Math.max(0, at - 60), at);
  };
  return [near(first[1] + 1, first[0], true), near(last[2], last[0], false)];
}"""


_UNPIN = """(() => {
  for (const element of document.querySelectorAll('body *'))
    if (['fixed', 'sticky'].includes(getComputedStyle(element).position))
      element.style.setProperty('visibility', 'hidden', 'important');
})()"""

# the text nodes without white space in one string, and where each character is from
_PLACE = """(exact, before) => {
  const bare = text => text.replace(/\\s+/gu, '');
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const skipped = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEXTAREA', 'TEMPLATE', 'OPTION', 'TITLE']);
  let whole = '';
  const starts = [], all = [];
  while (nodes.nextNode()) {
    const node = nodes.currentNode;
    if (skipped.has(node.parentNode.nodeName)) continue;
    starts.push(whole.length);
    all.push(node);
    whole += bare(node.data);
  }
  const needle = bare(exact), lead = bare(before);
  let at = whole.indexOf(lead + needle);
  at = at < 0 ? whole.indexOf(needle) : at + lead.length;
  if (at < 0 || !needle) return null;
  const point = index => {
    let low = 0, high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= index) low = middle; else high = middle - 1;
    }
    let left = index - starts[low], offset = 0;
    const data = all[low].data;
    while (/\\s/u.test(data[offset]) || left > 0) { if (!/\\s/u.test(data[offset])) left--; offset++; }
    return [all[low], offset];
  };
  const range = document.createRange();
  range.setStart(...point(at));
  const [node, offset] = point(at + needle.length - 1);
  range.setEnd(node, offset + 1);
  const boxes = [...range.getClientRects()].filter(box => box.width && box.height);
  if (!boxes.length) return null;
  return [Math.min(...boxes.map(box => box.top)), Math.max(...boxes.map(box => box.bottom))];
}"""


@contextmanager
def running(*, scripts: bool = False) -> Iterator[Browser]:
    """Yield a browser with an empty profile, which is gone afterwards. The program must be there."""
    program = path()
    assert program is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, Path(profile), scripts=scripts)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def serving(bodies: Sequence[bytes]) -> Iterator[str]:
    """Yield the address of a loopback server that answers `/<index>` with that body, and nothing else."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            name = self.path.strip("/")
            body = bodies[int(name)] if name.isdigit() and int(name) < len(bodies) else None
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
