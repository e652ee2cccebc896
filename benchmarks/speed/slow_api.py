"""An OpenAI-compatible API that replies after a fixed time, for any number of calls at once.

Usage: ``python slow_api.py SECONDS``. It prints its port. A GET returns, and resets, the number of calls, the
most calls at once, and the seconds from the first request to the last reply.
"""

import asyncio
import json
import sys
import time

_COMPLETION = {
    "id": "completion",
    "object": "chat.completion",
    "created": 0,
    "model": "slow",
    "usage": {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020},
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "MATCH (r:Reaction {id: 7}) RETURN r.id AS id"},
        }
    ],
}


class _Calls:
    def __init__(self) -> None:
        self.count = self.at_once = self.most_at_once = 0
        self.first = self.last = 0.0

    async def wait(self, seconds: float) -> None:
        self.first = self.first or time.monotonic()
        self.count += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(seconds)
        self.at_once -= 1
        self.last = time.monotonic()

    def figures(self) -> dict[str, float]:
        return {"calls": self.count, "most_at_once": self.most_at_once, "seconds": self.last - self.first}


async def _serve(seconds: float) -> None:
    calls = _Calls()

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal calls
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                body: object = _COMPLETION
                if head.startswith("get "):
                    body, calls = calls.figures(), _Calls()
                else:
                    length = next(line for line in head.splitlines() if line.startswith("content-length:"))
                    await reader.readexactly(int(length.partition(":")[2]))
                    await calls.wait(seconds)
                text = json.dumps(body).encode()
                writer.write(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                    b"Content-Length: %d\r\n\r\n%b" % (len(text), text)
                )
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(reply, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1])))
