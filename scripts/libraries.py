# Part of gst-capture. Apache License 2.0, see LICENSE.
"""A service with a library of many pictures, for benchmarks."""
import http.client, json, signal, sqlite3, time

from chromium import start

MINUTE = 60_000_000_000


class Service:
    """A service whose camera has one series of pictures, in the folder `pictures` of `work`."""

    def __init__(self, programs, work, width=160, height=120):
        (work / "pictures").mkdir(parents=True, exist_ok=True)
        self.ledger = work / "pictures/.gst-capture/%07n.jpg.ledger"
        configuration = work / "serve.yaml"
        configuration.write_text(
            f"listen: 127.0.0.1:0\ncameras:\n  garden:\n    camera: scene\n    width: {width}\n    height: {height}\n"
            f"    series:\n      minute: {{ interval: 1h, output: {work}/pictures/%07n.jpg }}\n")
        self.process, self.address = start(
            [str(programs / "gst-capture-serve"), configuration, "--state", work / "state"], "http://", work)
        self.connection = http.client.HTTPConnection(self.address.split("//")[1].rstrip("/"), timeout=120)

    def get(self, path):
        self.connection.request("GET", path)
        response = self.connection.getresponse()
        body = response.read()
        assert response.status == 200, f"{path}: {response.status} {body[:200]}"
        return json.loads(body)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def multiply(ledger, size, other=lambda number: {}):
    """Adds rows like the first one, a picture a minute; `other` returns more values of a row by its number."""
    database = sqlite3.connect(ledger)
    names = [row[1] for row in database.execute("PRAGMA table_info(slots)") if row[1] != "id"]
    first = dict(zip(names, database.execute(f"SELECT {', '.join(names)} FROM slots ORDER BY id LIMIT 1").fetchone()))

    def rows():
        for number in range(1, size):
            row = dict(first, first=number, last=number, file=f"{number + 1:07}.jpg", sequence=number + 1)
            row.update(other(number))
            for name in ("due_ns", "last_due_ns", "captured_ns"):
                row[name] = first[name] - (size - number) * MINUTE
            yield tuple(row[name] for name in names)

    database.executemany(f"INSERT INTO slots({', '.join(names)}) VALUES({', '.join('?' * len(names))})", rows())
    database.commit()
    database.close()


def grown(programs, work, size, width=160, height=120, fill=lambda: lambda number: {}):
    """Starts a service, and waits until many pictures are in its index. Returns it, and the seconds of the wait.

    `fill` is called while the service rests, and returns the function `other` of `multiply`.
    """
    service = Service(programs, work, width, height)
    while not service.get("/api/v1/stills")["stills"]:
        time.sleep(0.2)
    service.end()
    multiply(service.ledger, size, fill())
    begin = time.time()
    service = Service(programs, work, width, height)
    try:
        while sum(day["count"] for day in service.get("/api/v1/library/days")["days"]) < size:
            time.sleep(0.2)
    except BaseException:
        service.end()
        raise
    return service, time.time() - begin
