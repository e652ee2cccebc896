"""A process that keeps answers: FILE NAME COUNT, or for ever where COUNT is 0; one line a kept answer."""

import sys
from itertools import count
from pathlib import Path

from support.answers import kept

from retrocypher.prompts.models.response_cache import open_cache


def main() -> None:
    """Keep answers that all writers share, and as many of one's own."""
    file, name, times = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    print("ready", flush=True)
    sys.stdin.readline()
    with open_cache(file) as store:
        for number in range(times) if times else count():
            shared = store.put(kept(f"shared {number}", text=f"said by {name}"))
            found = store.get(shared.key)
            assert found == shared
            own = store.put(kept(f"{name} {number}", text=name * 500))
            print(own.key, flush=True)


if __name__ == "__main__":
    main()
