#!/usr/bin/env python3
# Part of gst-capture. Apache License 2.0, see LICENSE.
"""Tests whether a server is a backend for the records of gst-capture.

    python3 contract.py http://127.0.0.1:8888/v1/buckets/site1 --secrets FILE [--without-blobs]

It creates collections with new names in the bucket, and leaves them there. The first line of FILE is a token, or
USER:PASSWORD. backend.py passes, and Kinto does without blobs.
"""
import argparse, base64, concurrent.futures, hashlib, http.client, json, pathlib, secrets, sys, unittest
import urllib.parse, uuid

OPTIONS = argparse.Namespace()
MANY = 8  # Requests at a time.


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def etag(self):
        return int(self.headers["ETag"].strip('"'))


def ask(method, address, body=None, secret="right", **headers):
    """Sends a request on a separate connection. Underscores of header names are dashes."""
    parts = urllib.parse.urlsplit(address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=60)
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    if secret:
        text = OPTIONS.secret if secret == "right" else secret
        basic = "Basic " + base64.b64encode(text.encode()).decode()
        fields["Authorization"] = basic if ":" in text else "Bearer " + text
    if isinstance(body, (dict, list)):
        body = json.dumps(body).encode()
        fields.setdefault("Content-Type", "application/json")
    try:
        connection.request(method, parts.path + ("?" + parts.query if parts.query else ""), body, fields)
        return Answer(connection.getresponse())
    finally:
        connection.close()


def at_once(function, values):
    with concurrent.futures.ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(function, values))


class Collection(unittest.TestCase):
    """A collection for one test."""

    def setUp(self):
        collection = f"{OPTIONS.records}/collections/test-{secrets.token_hex(8)}"
        # A server without this request has each collection. A busy one asks to send it again.
        while ask("PUT", collection, {}, If_None_Match="*").status in (409, 503):
            pass
        self.address = collection + "/records"

    def put(self, id, value, etag=None, **headers):
        if etag is None:
            headers.setdefault("If_None_Match", "*")
        else:
            headers["If_Match"] = f'"{etag}"'
        return ask("PUT", f"{self.address}/{id}", {"data": {"fields": {"name": value}}}, **headers)

    def create(self, value="Ann"):
        id = str(uuid.uuid4())
        answer = self.put(id, value)
        self.assertEqual(answer.status, 201, answer.body)
        return id, answer.etag

    def delete(self, id, etag):
        return ask("DELETE", f"{self.address}/{id}", If_Match=f'"{etag}"')

    def list(self, query="", **headers):
        return ask("GET", f"{self.address}?_sort=last_modified{query}", **headers)

    def assert_conflict(self, answer, existing):
        self.assertEqual(answer.status, 412)
        found = answer.json.get("details", {}).get("existing")
        self.assertEqual(found and (found["id"], found["last_modified"], found["fields"]["name"]), existing)


class Changes(Collection):
    def test_a_record_is_created_once(self):
        id = str(uuid.uuid4())
        answer = self.put(id, "Ann ✓")
        data = answer.json["data"]
        self.assertEqual((answer.status, data["id"], data["fields"]), (201, id, {"name": "Ann ✓"}))
        self.assertEqual(answer.etag, data["last_modified"])
        self.assert_conflict(self.put(id, "Bob"), (id, answer.etag, "Ann ✓"))

    def test_a_record_is_changed_over_the_version_that_the_client_knows(self):
        id, first = self.create()
        second = self.put(id, "Bob", first)
        self.assertEqual((second.status, second.json["data"]["fields"]), (200, {"name": "Bob"}))
        self.assertGreater(second.etag, first)
        self.assert_conflict(self.put(id, "Carl", first), (id, second.etag, "Bob"))
        self.assert_conflict(self.put(str(uuid.uuid4()), "Carl", first), None)

    def test_a_change_replaces_the_whole_record(self):
        id, etag = self.create()
        answer = ask("PUT", f"{self.address}/{id}", {"data": {"sides": {}}}, If_Match=f'"{etag}"')
        self.assertEqual(answer.json["data"], {"id": id, "last_modified": answer.etag, "sides": {}})

    def test_a_record_is_deleted_over_the_version_that_the_client_knows(self):
        id, first = self.create()
        second = self.put(id, "Bob", first).etag
        self.assert_conflict(self.delete(id, first), (id, second, "Bob"))
        answer = self.delete(id, second)
        self.assertEqual(answer.json["data"], {"id": id, "last_modified": answer.etag, "deleted": True})
        self.assertGreater(answer.etag, second)
        self.assertEqual(self.delete(id, answer.etag).status, 404)
        self.assert_conflict(self.put(id, "Carl", second), None)
        self.assertEqual(self.put(id, "Carl").status, 201)

    def test_one_of_several_changes_at_once_succeeds(self):
        for _ in range(MANY):
            id, etag = self.create()
            answers = at_once(lambda number: self.put(id, f"Bob {number}", etag), range(MANY))
            self.assertEqual(sum(answer.status == 200 for answer in answers), 1)
            self.assertLessEqual({answer.status for answer in answers}, {200, 409, 412, 503})

    def test_records_at_once_have_different_etags(self):
        created = 0
        etags = []
        while created < 3 * MANY:
            answers = at_once(lambda _: self.put(uuid.uuid4(), "Ann"), range(MANY))
            self.assertLessEqual({answer.status for answer in answers}, {201, 409, 503})
            etags += [answer.etag for answer in answers if answer.status == 201]
            created = len(etags)
        self.assertEqual(len(set(etags)), created)
        listed = [record["last_modified"] for record in self.list().json["data"]]
        self.assertEqual(listed, sorted(etags))


class Lists(Collection):
    def test_a_list_has_changes_and_deletions_since_an_etag(self):
        kept, _ = self.create("kept")
        changed, first = self.create("changed")
        deleted, second = self.create("deleted")
        start = self.list().etag
        third = self.put(changed, "again", first).etag
        fourth = self.delete(deleted, second).etag
        answer = self.list(f'&_since="{start}"')
        self.assertEqual(
            [(record["id"], record["last_modified"], record.get("deleted")) for record in answer.json["data"]],
            [(changed, third, None), (deleted, fourth, True)])
        self.assertEqual(answer.etag, fourth)
        self.assertEqual([record["id"] for record in self.list().json["data"]], [kept, changed])
        self.assertEqual(self.list(f'&_since="{fourth}"').json["data"], [])

    def test_a_list_that_is_unchanged_is_304(self):
        etag = self.list().etag
        self.assertEqual(self.list(f'&_since="{etag}"', If_None_Match=f'"{etag}"').status, 304)
        id, changed = self.create()
        self.assertEqual(self.list(f'&_since="{etag}"', If_None_Match=f'"{etag}"').status, 200)
        self.assertEqual(self.list(f'&_since="{changed}"', If_None_Match=f'"{changed}"').status, 304)
        # The collection was not restored from an older copy, but a client with a larger ETag has to hear of it.
        self.assertEqual(self.list(f'&_since="{changed + 1}"', If_None_Match=f'"{changed + 1}"').etag, changed)

    def test_pages_have_each_record_in_order(self):
        created = [self.create(str(number)) for number in range(7)]
        seen, etags, address = [], set(), f"{self.address}?_since=%221%22&_sort=last_modified&_limit=3"
        while address:
            answer = ask("GET", address)
            etags.add(answer.etag)
            page = answer.json["data"]
            self.assertLessEqual(len(page), 3)
            seen += [(record["id"], record["last_modified"]) for record in page]
            address = answer.headers["Next-Page"]
            # A change between two pages comes at the end.
            if len(seen) == 3:
                created.append((created[0][0], self.put(created[0][0], "late", created[0][1]).etag))
        self.assertEqual(seen, created)

    def test_parameters_that_are_impossible_are_refused(self):
        for query in ("&_since=x", "&_since=-1", "&_limit=x", "&_limit=-1", "&_token=x"):
            with self.subTest(query):
                self.assertIn(self.list(query).status, range(400, 500))


class Hostile(Collection):
    def refuse(self, body, **headers):
        headers = {"If_None_Match": "*", "Content_Type": "application/json"} | headers
        answer = ask("PUT", f"{self.address}/{uuid.uuid4()}", body, **headers)
        self.assertIn(answer.status, range(400, 500), answer.body)
        self.assertEqual(self.list().status, 200)

    def test_a_body_that_is_no_record_is_refused(self):
        for body in (b"{", b"[]", b"null", b"{}}", b'{"data": []}', b'{"data": "x"}', b'{"data": {"a": "\xff"}}'):
            with self.subTest(body):
                self.refuse(body)

    def test_a_record_with_another_id_is_refused(self):
        self.refuse(json.dumps({"data": {"id": str(uuid.uuid4())}}).encode())

    def test_conditions_that_are_impossible_are_refused(self):
        for value in ("x", '"x"', '"-1"', '"1" "2"'):
            with self.subTest(value):
                answer = ask("PUT", f"{self.address}/{uuid.uuid4()}", {"data": {}}, If_Match=value)
                self.assertIn(answer.status, range(400, 500))

    def test_credentials_are_required(self):
        for secret in (None, "wrong-token", "board1:wrong-word", "stranger:wrong-word"):
            with self.subTest(secret):
                self.assertIn(self.list(secret=secret).status, (401, 403))
                self.assertIn(self.put(uuid.uuid4(), "Ann", secret=secret).status, (401, 403))


class Blobs(unittest.TestCase):
    def setUp(self):
        self.bytes = secrets.token_bytes(300_000)
        self.sha256 = hashlib.sha256(self.bytes).hexdigest()
        self.address = f"{OPTIONS.blobs}/{self.sha256}"

    def test_a_file_is_stored_once(self):
        self.assertEqual((ask("HEAD", self.address).status, ask("GET", self.address).status), (404, 404))
        self.assertEqual(ask("PUT", self.address, self.bytes, If_None_Match="*").status, 201)
        self.assertEqual(ask("PUT", self.address, self.bytes, If_None_Match="*").status, 412)
        answer = ask("GET", self.address)
        self.assertEqual((answer.status, answer.body), (200, self.bytes))
        head = ask("HEAD", self.address)
        self.assertEqual((head.status, head.headers["Content-Length"]), (200, str(len(self.bytes))))

    def test_one_of_several_files_at_once_is_new(self):
        answers = at_once(lambda _: ask("PUT", self.address, self.bytes, If_None_Match="*").status, range(MANY))
        self.assertEqual(sorted(answers), [201] + [412] * (MANY - 1))

    def test_other_bytes_are_refused(self):
        self.assertEqual(ask("PUT", self.address, self.bytes[1:], If_None_Match="*").status, 400)
        self.assertEqual(ask("PUT", self.address, b"", If_None_Match="*").status, 400)
        self.assertEqual(ask("HEAD", self.address).status, 404)

    def test_a_name_that_is_no_hash_is_refused(self):
        for name in ("x", self.sha256[1:], self.sha256 + "0", self.sha256.upper(), "..%2frecords.db", "../records.db"):
            with self.subTest(name):
                self.assertIn(ask("GET", f"{OPTIONS.blobs}/{name}").status, (400, 404))
                self.assertIn(ask("PUT", f"{OPTIONS.blobs}/{name}", self.bytes).status, (400, 404))

    def test_credentials_are_required(self):
        for method in ("GET", "HEAD", "PUT"):
            body = self.bytes if method == "PUT" else None
            self.assertIn(ask(method, self.address, body, secret="wrong-token").status, (401, 403))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", help="the address of a bucket")
    parser.add_argument("--secrets", type=pathlib.Path, required=True, help="the file with the token, or USER:PASSWORD")
    parser.add_argument("--without-blobs", action="store_true", help="does not test files")
    parser.parse_args(namespace=OPTIONS)
    OPTIONS.records = OPTIONS.records.rstrip("/")
    OPTIONS.blobs = OPTIONS.records.rsplit("/buckets/", 1)[0] + "/blobs"
    OPTIONS.secret = OPTIONS.secrets.read_text().splitlines()[0].strip()
    cases = [Changes, Lists, Hostile] + ([] if OPTIONS.without_blobs else [Blobs])
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in cases)
    sys.exit(not unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite).wasSuccessful())


if __name__ == "__main__":
    main()
