#!/usr/bin/env python3
# Part of gst-capture. Apache License 2.0, see LICENSE.
"""A backend for the records of gst-capture: collections of JSON objects with ETags, and files by their SHA-256.

    python3 backend.py FOLDER --secrets FILE [--host 127.0.0.1] [--port 8888] [--url https://records.example.org]

The requests are those of the records of Kinto's API 1.23 that gst-capture needs, and no more. README.md lists them.
FOLDER gets the database and the files. Each line of FILE is a token, or USER:PASSWORD.
"""
import argparse, base64, binascii, contextlib, errno, hashlib, hmac, http.server, json, os, pathlib, re, signal
import sqlite3, stat, sys, threading, time, urllib.parse

MOST_RECORD, MOST_BLOB = 256 << 10, 32 << 20  # The largest record and the largest file, in bytes.
MOST_PAGE, MOST_ENTRIES = 4 << 20, 1000  # The bytes and the records of a page. A page has one record at least.
MOST_DEPTH = 32  # How deep lists and objects of a record may lie in each other.
MOST_CLIENTS = 128  # The connections at a time.
SILENCE, IDLE = 30, 5  # For how many seconds a client may be silent in a request, and between two.
UNNAMED = 30 * 86400  # How long a file is kept that no record names, in seconds.
LAST_ETAG = (1 << 53) - 1  # The largest integer that every JSON parser keeps.

NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
COLLECTION = rf"/v1/buckets/({NAME})/collections/({NAME})/records"
RECORD = COLLECTION + r"/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
BLOB = r"/v1/blobs/([0-9a-f]{64})"
# Kinto's numbers of errors.
ERRORS = {400: 107, 401: 104, 404: 111, 405: 115, 412: 114, 413: 113, 503: 201}


class Refusal(Exception):
    """An answer that is no success."""

    def __init__(self, status, message, details=None, headers=None):
        super().__init__(message)
        self.status, self.message, self.details, self.headers = status, message, details, headers or {}


class Database:
    """The records of all collections, in SQLite. One thread at a time uses it. Each change is durable on return."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for line in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
            self.connection.execute("PRAGMA " + line)
        self.connection.executescript("""
            CREATE TABLE IF NOT EXISTS collection(name TEXT PRIMARY KEY, etag INTEGER NOT NULL) WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS record(
                collection TEXT, id TEXT, etag INTEGER NOT NULL, data TEXT, PRIMARY KEY(collection, id)) WITHOUT ROWID;
            CREATE UNIQUE INDEX IF NOT EXISTS change ON record(collection, etag);
            CREATE TABLE IF NOT EXISTS birth(etag INTEGER NOT NULL);
            """)
        with self.transaction() as connection:
            if not connection.execute("SELECT 1 FROM birth").fetchone():
                connection.execute("INSERT INTO birth VALUES (?)", (now(),))

    @contextlib.contextmanager
    def transaction(self):
        with self.lock:
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")

    def changes(self, collection, since, after, limit, known):
        """Returns the ETag of a collection, and a page: its JSON texts, and the last ETag if more follow.

        The page is None if the ETag is the known one.
        """
        with self.transaction() as connection:
            etag = self.etag(connection, collection)
            if etag == known:
                return etag, None, None
            rows = connection.execute(
                "SELECT id, etag, data FROM record WHERE collection = ? AND etag > ? AND (? OR data IS NOT NULL)"
                " ORDER BY etag LIMIT ?", (collection, max(since or 0, after), since is not None, limit + 1))
            page, size, last = [], 0, None
            for id, changed, data in rows:
                text = self.text(id, changed, data)
                size += len(text)
                if len(page) == limit or page and size > MOST_PAGE:
                    return etag, page, last
                page.append(text)
                last = changed
            return etag, page, None

    def put(self, collection, id, data, expected):
        """Stores a record over the version with an expected ETag, or None for none. Returns its text and its ETag."""
        with self.transaction() as connection:
            self.check(connection, collection, id, expected)
            etag = self.change(connection, collection, id, data)
        return self.text(id, etag, data), etag

    def delete(self, collection, id, expected):
        """Makes a record a tombstone. Returns its text and its ETag."""
        with self.transaction() as connection:
            if not self.version(connection, collection, id):
                raise Refusal(404, "there is no such record")
            self.check(connection, collection, id, expected)
            etag = self.change(connection, collection, id, None)
        return self.text(id, etag, None), etag

    def names(self):
        """Returns the hashes of all files that records name."""
        with self.transaction() as connection:
            rows = connection.execute("SELECT data FROM record WHERE data IS NOT NULL")
            return {name for (data,) in rows for name in re.findall(r'"([0-9a-f]{64})"', data)}

    def check(self, connection, collection, id, expected):
        version = self.version(connection, collection, id)
        if (version and version[0]) != expected:
            existing = version and json.loads(self.text(id, *version))
            headers = {"ETag": f'"{version[0]}"'} if version else {}
            raise Refusal(412, "the record was changed meanwhile", existing and {"existing": existing}, headers)

    def change(self, connection, collection, id, data):
        # The clock can be wrong, and go back. After a return to an older copy, ETags of lost changes do not come again.
        etag = max(now(), self.etag(connection, collection) + 1)
        connection.execute("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?)", (collection, id, etag, data))
        connection.execute("INSERT OR REPLACE INTO collection VALUES (?, ?)", (collection, etag))
        return etag

    @staticmethod
    def version(connection, collection, id):
        return connection.execute(
            "SELECT etag, data FROM record WHERE collection = ? AND id = ? AND data IS NOT NULL",
            (collection, id)).fetchone()

    @staticmethod
    def etag(connection, collection):
        found = connection.execute("SELECT etag FROM collection WHERE name = ?", (collection,)).fetchone()
        return (found or connection.execute("SELECT etag FROM birth").fetchone())[0]

    @staticmethod
    def text(id, etag, data):
        end = data[1:] if data and data != "{}" else "}" if data else '"deleted":true}'
        return f'{{"id":"{id}","last_modified":{etag}' + ("" if end == "}" else ",") + end


class Blobs:
    """Files whose names are their hashes. They never change, and each is durable on return."""

    def __init__(self, folder):
        self.folder, self.parts = folder / "blobs", folder / "parts"
        self.folder.mkdir(exist_ok=True, mode=0o700)
        self.parts.mkdir(exist_ok=True, mode=0o700)
        for part in self.parts.iterdir():  # Those of an earlier run that was killed.
            part.unlink()

    def path(self, sha256):
        return self.folder / sha256[:2] / sha256

    def has(self, sha256):
        """Returns `True` if the file is there. It is kept for some days then, although no record names it yet."""
        with contextlib.suppress(FileNotFoundError):
            os.utime(self.path(sha256))
            return True
        return False

    def add(self, sha256, pieces):
        part = self.parts / f"{sha256}-{threading.get_ident()}"
        try:
            digest = hashlib.sha256()
            with open(part, "xb") as file:
                for piece in pieces:
                    digest.update(piece)
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            if digest.hexdigest() != sha256:
                raise Refusal(400, "the bytes have another hash")
            path = self.path(sha256)
            path.parent.mkdir(exist_ok=True, mode=0o700)
            try:
                os.link(part, path)
                exists = False
            except FileExistsError:
                exists = True
            for folder in (path.parent, self.folder):
                sync(folder)
            if exists:
                raise Refusal(412, "the file is there")
        finally:
            part.unlink(missing_ok=True)

    def collect(self, database):
        """Removes the files that no record names: the pictures of records that were deleted or changed."""
        names, limit = database.names(), time.time() - UNNAMED
        if not names:  # The records may be at another backend, such as Kinto.
            return
        for path in self.folder.glob("*/*"):
            if path.name not in names and path.stat().st_mtime < limit:
                path.unlink()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, timeout, server_version, sys_version = "HTTP/1.1", IDLE, "backend", ""

    def do(self):
        """Answers a request. A mistake in it is an answer of 4xx, never the end of the server."""
        self.connection.settimeout(SILENCE)
        # A connection is closed after an answer for which the body was not read.
        self.unread, self.length = True, None
        try:
            self.length = self.body_length()
            self.authorize()
            path, _, query = self.path.partition("?")
            for pattern, methods in self.ROUTES:
                if match := re.fullmatch(pattern, path):
                    if self.command not in methods:
                        raise Refusal(405, "the method is not allowed here", headers={"Allow": ", ".join(methods)})
                    if query and methods is not self.LIST:
                        raise Refusal(400, "this request has no parameters")
                    return methods[self.command](self, *match.groups(), query)
            raise Refusal(404, "there is nothing at this address")
        except Refusal as refusal:
            self.refuse(refusal)
        except ConnectionError:
            self.close_connection = True
        except TimeoutError:
            self.refuse(Refusal(408, "the request took too long"))
        except (OSError, sqlite3.Error) as error:
            print("backend:", error, file=sys.stderr, flush=True)
            is_full = getattr(error, "errno", 0) in (errno.ENOSPC, errno.EDQUOT) or "is full" in str(error)
            self.refuse(Refusal(507, "the disk is full") if is_full else Refusal(500, "the store failed"))
        except Exception as error:
            # Its text could have values of a record.
            print("backend:", type(error).__name__, file=sys.stderr, flush=True)
            self.refuse(Refusal(500, "the request failed"))
        self.connection.settimeout(IDLE)

    do_GET = do_HEAD = do_PUT = do_DELETE = do_POST = do_PATCH = do_OPTIONS = do

    # Requests

    def get_changes(self, bucket, kind, query):
        try:
            pairs = urllib.parse.parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query), max_num_fields=8)
        except ValueError:
            raise Refusal(400, "the parameters cannot be read") from None
        values = dict(pairs)
        if len(values) < len(pairs) or values.keys() - {"_since", "_sort", "_limit", "_token"}:
            raise Refusal(400, "the parameters are _since, _sort, _limit and _token, once each")
        if values.get("_sort", "last_modified") != "last_modified":
            raise Refusal(400, "records are sorted by last_modified")
        since = number(values["_since"].strip('"'), "_since") if "_since" in values else None
        limit = min(number(values.get("_limit", str(MOST_ENTRIES)), "_limit", 1), MOST_ENTRIES)
        known = self.headers.get("If-None-Match")
        known = known and number(known.strip('"'), "If-None-Match")
        etag, page, last = self.server.database.changes(
            f"{bucket}/{kind}", since, number(values.get("_token", "0"), "_token"), limit, known)
        headers = {"ETag": f'"{etag}"', "Cache-Control": "no-store"}
        if page is None:
            return self.answer(304, headers=headers)
        if last:
            query = urllib.parse.urlencode({**values, "_limit": limit, "_token": last})
            headers["Next-Page"] = f"{self.origin()}{self.path.partition('?')[0]}?{query}"
        self.answer(200, '{"data":[' + ",".join(page) + "]}", headers)

    def put_record(self, bucket, kind, id, query):
        expected = self.expected()
        if "*" == self.headers.get("If-None-Match"):
            expected = None
        elif expected is None:
            raise Refusal(428, "If-None-Match: * or If-Match is required")
        data = self.record(id)
        text, etag = self.server.database.put(f"{bucket}/{kind}", id, data, expected)
        self.answer(200 if expected else 201, f'{{"data":{text}}}', {"ETag": f'"{etag}"'})

    def delete_record(self, bucket, kind, id, query):
        expected = self.expected()
        if expected is None:
            raise Refusal(428, "If-Match is required")
        text, etag = self.server.database.delete(f"{bucket}/{kind}", id, expected)
        self.answer(200, f'{{"data":{text}}}', {"ETag": f'"{etag}"'})

    def put_blob(self, sha256, query):
        if self.server.blobs.has(sha256):
            raise Refusal(412, "the file is there")
        self.server.blobs.add(sha256, self.body(MOST_BLOB))
        self.answer(201, headers={"ETag": f'"{sha256}"'})

    def get_blob(self, sha256, query):
        try:
            file = open(self.server.blobs.path(sha256), "rb")
        except FileNotFoundError:
            raise Refusal(404, "there is no such file") from None
        with file:
            size = os.fstat(file.fileno()).st_size
            self.head(200, size, "application/octet-stream", {"ETag": f'"{sha256}"'})
            if self.command == "GET":
                self.wfile.flush()
                self.connection.sendfile(file)

    LIST = {"GET": get_changes}
    ROUTES = [
        (COLLECTION, LIST),
        (RECORD, {"PUT": put_record, "DELETE": delete_record}),
        (BLOB, {"PUT": put_blob, "GET": get_blob, "HEAD": get_blob}),
    ]

    # Their parts

    def authorize(self):
        kind, _, secret = self.headers.get("Authorization", "").partition(" ")
        if kind.lower() == "basic":
            try:
                secret = base64.b64decode(secret, validate=True).decode()
            except (binascii.Error, UnicodeDecodeError, ValueError):
                secret = ""
        is_known = any([hmac.compare_digest(digest(secret), one) for one in self.server.secrets])
        # A token has no colon: it is no user with a password.
        if not is_known or kind.lower() not in ("basic", "bearer") or (kind.lower() == "basic") != (":" in secret):
            raise Refusal(401, "a token or a user with a password is required",
                          headers={"WWW-Authenticate": 'Basic realm="records"'})

    def body_length(self):
        lengths = self.headers.get_all("Content-Length", [])
        if "Transfer-Encoding" in self.headers or len(lengths) > 1:
            raise Refusal(411, "the body needs a Content-Length, once")
        if not lengths and self.command in ("PUT", "POST", "PATCH"):
            raise Refusal(411, "the body needs a Content-Length")
        return number(lengths[0], "Content-Length") if lengths else 0

    def body(self, most):
        """Yields the body in pieces."""
        if self.length > most:
            raise Refusal(413, f"the body has more than {most} bytes")
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        left = self.length
        while left:
            piece = self.rfile.read(min(left, 65536))
            if not piece:
                raise ConnectionError
            left -= len(piece)
            yield piece
        self.unread = False

    def handle_expect_100(self):
        return True  # `body` sends it, so that a request that is refused does not send its body.

    def expected(self):
        text = self.headers.get("If-Match")
        return None if text is None else number(text.strip('"'), "If-Match", 1)

    def record(self, id):
        """Reads the record of the body, and returns its text without the members that are the backend's own."""
        try:
            root = json.loads(b"".join(self.body(MOST_RECORD)).decode(), parse_constant=forbid)
            data = root["data"]
            if not isinstance(data, dict) or depth(data) > MOST_DEPTH:
                raise ValueError
            # An `id` of another record is a mistake of the client.
            if data.pop("id", id) != id:
                raise Refusal(400, "the record has another ID than the address")
            for name in ("last_modified", "deleted"):
                data.pop(name, None)
            json.dumps(data, ensure_ascii=False).encode()  # Fails if half of a surrogate pair is in it.
            return json.dumps(data, separators=(",", ":"), allow_nan=False)
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Refusal(400, "the body is no record in JSON") from None

    def origin(self):
        host = self.headers.get("Host", "")
        return self.server.url or ("http://" + host if re.fullmatch(r"[A-Za-z0-9.:\[\]-]{1,255}", host) else "")

    # Answers

    def answer(self, status, text="", headers=None):
        body = text.encode()
        self.head(status, len(body), "application/json", headers or {})
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, refusal):
        body = {"code": refusal.status, "errno": ERRORS.get(refusal.status, 999), "message": refusal.message,
                "error": http.HTTPStatus(refusal.status).phrase}
        if refusal.details:
            body["details"] = refusal.details
        try:
            self.drain()
            self.answer(refusal.status, json.dumps(body), refusal.headers)
        except OSError:
            self.close_connection = True

    def drain(self):
        """Reads a body that is refused: a connection that is closed with unread bytes can lose the answer."""
        if self.unread and self.length and self.length <= MOST_BLOB and "Expect" not in self.headers:
            for _ in self.body(MOST_BLOB):
                pass

    def head(self, status, length, kind, headers):
        self.send_response(status)
        if self.unread and self.length != 0:
            self.send_header("Connection", "close")
        if status != 304:
            self.send_header("Content-Length", str(length))
            self.send_header("Content-Type", kind)
        self.send_header("X-Content-Type-Options", "nosniff")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *arguments):
        pass  # Addresses have the IDs of records.


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 128

    def __init__(self, address, folder, secrets, url):
        self.database, self.blobs = Database(folder / "records.db"), Blobs(folder)
        self.secrets, self.url, self.places = secrets, url, threading.BoundedSemaphore(MOST_CLIENTS)
        super().__init__(address, Handler)

    def collect(self):
        while True:
            try:
                self.blobs.collect(self.database)
            except (OSError, sqlite3.Error) as error:
                print("backend:", error, file=sys.stderr, flush=True)
            time.sleep(86400)

    def process_request(self, request, address):
        if not self.places.acquire(timeout=1):
            with contextlib.suppress(OSError):
                request.sendall(b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n")
            return self.shutdown_request(request)
        super().process_request(request, address)

    def process_request_thread(self, request, address):
        try:
            super().process_request_thread(request, address)
        finally:
            self.places.release()

    def handle_error(self, request, address):
        pass  # The client is gone.


def now():
    return int(time.time() * 1000)


def digest(secret):
    return hashlib.sha256(secret.encode(errors="replace")).digest()


def forbid(constant):
    raise ValueError(constant)


def depth(value):
    """Returns how deep lists and objects lie in each other. The parser has limited it to what Python can call."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


def number(text, name, least=0):
    if not re.fullmatch(r"[0-9]{1,16}", text) or not least <= int(text) <= LAST_ETAG:
        raise Refusal(400, f"{name} is not a number that is possible")
    return int(text)


def sync(folder):
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_secrets(path):
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        sys.exit(f"backend: {path}: other users can read it; run chmod 600 {path}")
    lines = [line.strip() for line in path.read_text().splitlines() if line.strip()]
    if not lines or any(len(line.partition(":")[2] or line) < 8 for line in lines):
        sys.exit(f"backend: {path}: each line has to be a token or USER:PASSWORD, with 8 characters at least")
    return [digest(line) for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path, help="the folder of the database and the files")
    parser.add_argument("--secrets", type=pathlib.Path, required=True, help="tokens, and USER:PASSWORD, one a line")
    parser.add_argument("--host", default="127.0.0.1", help="the address on which it listens")
    parser.add_argument("--port", type=int, default=8888)
    parser.add_argument("--url", help="scheme and host in addresses of pages, if a proxy is in front of it")
    options = parser.parse_args()
    os.umask(0o077)
    options.folder.mkdir(parents=True, exist_ok=True)
    server = Server((options.host, options.port), options.folder, read_secrets(options.secrets), options.url)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    threading.Thread(target=server.collect, daemon=True).start()
    print(f"backend: http://{options.host}:{server.server_port}/v1/buckets/site1", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
