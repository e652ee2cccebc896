"""Makes a page small and silent: its data compressed, and nobody told that it is looked at."""

import base64
import gzip
import json
import re
from pathlib import Path

_UNPACK = Path(__file__).with_name("unpack.js")
_BEGIN = "Promise.allSettled([d("
_END = "</script>"
# Allure puts a visitor count of its maker into every page.
_COUNT = re.compile(
    r'<script async src="https://www\.googletagmanager\.com/[^"]*"></script>\s*<script>.*?</script>',
    re.DOTALL,
)
_ENTRY = re.compile(r'd\("([^"\\]*)","([A-Za-z0-9+/=]*)"\)')


def silent(page: str) -> str:
    """Return a page that asks no other machine for anything.

    Args:
        page: A page of Allure 3.
    """
    return _COUNT.sub("", page)


def compact(page: str) -> str:
    """Return a page with its data compressed; the browser unpacks it as the page opens.

    Allure writes the data as base64; gzip leaves about an eighth of it.

    Args:
        page: A single-file page of Allure 3. One that keeps its data in another way comes back as it is.
    """
    begin = page.rfind(_BEGIN)
    end = page.find(_END, begin)
    if begin < 0 or end < 0:
        return page
    entries = _ENTRY.findall(page, begin, end)
    # Bytes as characters, so that JSON holds them and the browser's btoa takes them.
    data = {name: base64.b64decode(value).decode("latin-1") for name, value in entries}
    packed = base64.b64encode(gzip.compress(json.dumps(data).encode(), mtime=0)).decode()
    script = _UNPACK.read_text(encoding="utf-8").replace("PACKED", json.dumps(packed), 1)
    return page[:begin] + script + page[end:]
