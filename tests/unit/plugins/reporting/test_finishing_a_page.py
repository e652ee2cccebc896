import base64
import gzip
import json
import re

from retrocypher.plugins.reporting.allure.page import compact, silent

DATA = {"widgets/a.json": '{"x": "ü"}', "data/attachments/1.txt": "C" * 5_000}


def page(data: dict[str, str]) -> str:
    entries = ",".join(f'd("{k}","{base64.b64encode(v.encode()).decode()}")' for k, v in data.items())
    return f"<body>\n<script defer>\n Promise.allSettled([{entries}])\n .then()\n</script>\n</body>"


def test_the_data_of_a_page_come_back_as_they_were() -> None:
    made = compact(page(DATA))
    assert len(made) < 1_500
    assert made.startswith("<body>\n<script defer>")
    assert made.endswith("</script>\n</body>")
    packed = re.search(r'atob\("([^"]+)"\)', made)
    assert packed is not None
    data = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    assert {name: value.encode("latin-1").decode() for name, value in data.items()} == DATA
    assert compact(page(DATA)) == made


def test_another_page_stays_as_it_is() -> None:
    assert compact("<body><script>d(1)</script></body>") == "<body><script>d(1)</script></body>"


def test_a_page_tells_nobody_that_it_is_looked_at() -> None:
    count = (
        '<script async src="https://www.googletagmanager.com/gtag/js?id=G-1"></script>\n'
        "<script>\n  gtag('config', 'G-1');\n</script>"
    )
    assert silent(f"<body>{count}<script>d(1)</script></body>") == "<body><script>d(1)</script></body>"
