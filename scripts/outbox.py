# Part of gst-capture. Apache License 2.0, see LICENSE.
"""Servers, senders and accounts for the scripts that try the outbox."""
import base64, hashlib, hmac, html, http.client, http.server, json, os, pathlib, random, re, shutil, signal, socket
import subprocess, threading, time, urllib.parse

MODULE = pathlib.Path("/usr/lib/nginx/modules/ngx_http_dav_ext_module.so")


class Server(http.server.BaseHTTPRequestHandler):
    """Creates files by PUT, and never overwrites one. It fails at random, and reads slowly if it has a rate."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def path_of_file(self):
        return self.server.folder / self.path.strip("/")

    def read(self, size):
        if not self.server.rate:
            return self.rfile.read(size)
        body = b""
        while len(body) < size and (part := self.rfile.read(min(self.server.rate // 10, size - len(body)))):
            body += part
            time.sleep(0.1)
        return body

    def do_PUT(self):
        size, path = int(self.headers["Content-Length"]), self.path_of_file()
        fault = random.choice(["cut", "late", 429, 500, 503]) if random.random() < self.server.faults else None
        body = self.read(size // 2 if fault == "cut" else size)
        if fault == "cut" or len(body) < size:
            self.close_connection = True
            return
        if isinstance(fault, int):
            return self.answer(fault, Retry_After="1")
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}-{threading.get_ident()}")
        part.write_bytes(body)
        try:
            os.link(part, path)
        except FileExistsError:
            return self.answer(412)
        finally:
            part.unlink()
        # The picture is there, but the client never hears of it.
        if fault == "late":
            self.close_connection = True
            return
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        self.answer(201, Content_Digest=f"sha-256=:{digest}:")

    def do_GET(self):
        path = self.path_of_file()
        self.answer(200, path.read_bytes()) if path.is_file() else self.answer(404)

    do_HEAD = do_GET


def serve_http(folder, faults=0.0, rate=None):
    """Starts an HTTP server in this process. `faults` is the share of requests that fail, `rate` bytes a second."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.folder, server.faults, server.rate = folder, faults, rate
    server.daemon_threads = True
    # A killed sender leaves connections that end in the middle.
    server.handle_error = lambda request, address: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def http_target(server):
    return f"http: http://127.0.0.1:{server.server_address[1]}"


def free_port(host="127.0.0.1"):
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def await_port(host, port):
    while True:
        with socket.socket() as probe:
            if probe.connect_ex((host, port)) == 0:
                return
        time.sleep(0.05)


class Daemon:
    """A server that is another process, and the lines of its target in the file of the outbox."""

    def __init__(self, target, host, port, arguments):
        self.target, self.place, self.arguments = target, (host, port), arguments
        self.process = None

    def start(self):
        self.process = subprocess.Popen(self.arguments, stderr=subprocess.DEVNULL)
        await_port(*self.place)

    def stop(self):
        end(self.process, signal.SIGTERM)


def nginx(work, host="127.0.0.1"):
    """WebDAV in the folder `webdav`; `None` if nginx is not installed."""
    if not shutil.which("nginx", path="/usr/sbin:/usr/bin") or not MODULE.exists():
        return None
    port, names = free_port(host), ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    (work / "webdav").mkdir()
    (work / "webdav").chmod(0o777)
    temporary = " ".join(f"{name}_temp_path {work}/nginx-{name};" for name in names)
    (work / "nginx.conf").write_text(f"""
        load_module {MODULE}; daemon off; pid {work}/nginx.pid; error_log /dev/null;
        events {{}}
        http {{
            access_log off; {temporary}
            server {{
                listen {host}:{port}; root {work}/webdav; client_max_body_size 0;
                location / {{ dav_methods PUT DELETE MKCOL COPY MOVE; dav_ext_methods PROPFIND OPTIONS; }}
            }}
        }}""")
    return Daemon(
        f"webdav: http://{host}:{port}", host, port,
        ["/usr/sbin/nginx", "-e", "/dev/null", "-c", str(work / "nginx.conf")])


def openssh(work, host="127.0.0.1"):
    """SFTP in the folder `sftp`; `None` if the server of OpenSSH is not installed."""
    sshd, port, folder = shutil.which("sshd", path="/usr/sbin:/usr/bin"), free_port(host), work / "ssh"
    if not sshd:
        return None
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    shutil.copy(folder / "user.pub", folder / "authorized")
    (folder / "config").write_text(f"""
Port {port}
ListenAddress {host}
HostKey {folder}/host
PidFile none
AuthorizedKeysFile {folder}/authorized
StrictModes no
UsePAM no
PermitRootLogin yes
MaxStartups 100
Subsystem sftp internal-sftp
""")
    pathlib.Path("/run/sshd").mkdir(exist_ok=True)
    key = subprocess.run(
        ["ssh-keygen", "-l", "-f", folder / "host.pub"], check=True, capture_output=True, text=True).stdout.split()[1]
    (work / "sftp").mkdir()
    user = os.environ.get("USER", "root")
    target = f"sftp: sftp://{host}:{port}{work}/sftp\n    user: {user}\n    key-file: {folder}/user"
    return Daemon(f"{target}\n    host-key: {key}", host, port, [sshd, "-D", "-f", str(folder / "config")])


def end(process, number=signal.SIGTERM):
    process.send_signal(number)
    process.wait()


def pictures(folder):
    """The files below a folder, by their hashes, without those that gst-capture keeps for itself."""
    found = {}
    for file in folder.rglob("*"):
        if file.is_file() and ".gst-capture" not in file.parts and not file.name.endswith(".lock"):
            found.setdefault(hashlib.sha256(file.read_bytes()).hexdigest(), []).append(file.relative_to(folder))
    return found


class Capture:
    """The command gst-capture, which may run in a namespace: `prefix` are the words before it."""

    def __init__(self, command, prefix=()):
        self.command, self.prefix = str(command), list(prefix)

    def start(self, *arguments, **options):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([*self.prefix, self.command, *map(str, arguments)], **(quiet | options))

    def run(self, *arguments, check=False):
        return subprocess.run(
            [*self.prefix, self.command, *map(str, arguments)], check=check, capture_output=True, text=True)

    def ledger(self, folder):
        """The lines of the ledger of a folder."""
        result = self.run("ledger", folder, "--json", "--limit", "0", check=True)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def verify(self, folder):
        result = self.run("ledger", folder, "--verify")
        assert result.returncode == 0, result.stdout[-500:] + result.stderr


class Outbox:
    """An outbox: its file and its state."""

    def __init__(self, capture, config, state):
        self.capture, self.options = capture, ["--config", config, "--state", state]

    def start_sender(self, *arguments, **options):
        return self.capture.start("outbox", "send", *self.options, *arguments, **options)

    def list(self):
        """The state of each target."""
        result = self.capture.run("outbox", "list", "--json", *self.options)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def has_unsent(self):
        return any(target["waiting"] or target["dead"] for target in self.list())

    def retry(self, target):
        self.capture.run("outbox", "retry", target, *self.options)


class S3Store:
    """The S3 store of scripts/s3-store, with requests that do not use the code under test."""

    KEY, SECRET, REGION = "test:tester", b"testing", "us-east-1"

    def __init__(self, host, port, bucket):
        self.host, self.port, self.bucket = host, port, bucket
        self.request("PUT", f"/{bucket}")

    def target(self, secret_file):
        """The lines of the target, whose secret this writes into a file."""
        secret_file.write_bytes(self.SECRET)
        secret_file.chmod(0o600)
        address = f"http://{self.host}:{self.port}/{self.bucket}"
        return f"s3: {address}\n    region: {self.REGION}\n    key: {self.KEY}\n    secret-file: {secret_file}"

    def objects(self):
        """The names of the objects by the hashes of their bytes."""
        found, marker = {}, ""
        while True:
            listing = self.request("GET", f"/{self.bucket}", f"marker={urllib.parse.quote(marker, safe='')}")
            names = [html.unescape(name) for name in re.findall("<Key>([^<]*)</Key>", listing.decode())]
            for name in names:
                body = self.request("GET", f"/{self.bucket}/{urllib.parse.quote(name)}")
                found.setdefault(hashlib.sha256(body).hexdigest(), []).append(pathlib.Path(name))
            if not names or "<IsTruncated>true" not in listing.decode():
                return found
            marker = names[-1]

    def request(self, method, path, query=""):
        """Returns the body of a response. It signs the request with version 4 of AWS's signature."""
        date, digest = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()), hashlib.sha256().hexdigest()
        place = f"{self.host}:{self.port}"
        names = "host;x-amz-content-sha256;x-amz-date"
        fields = f"host:{place}\nx-amz-content-sha256:{digest}\nx-amz-date:{date}\n"
        canonical = f"{method}\n{path}\n{query}\n{fields}\n{names}\n{digest}"
        scope = f"{date[:8]}/{self.REGION}/s3/aws4_request"
        text = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
        key = b"AWS4" + self.SECRET
        for part in (*scope.split("/"), text):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        login = f"AWS4-HMAC-SHA256 Credential={self.KEY}/{scope}, SignedHeaders={names}, Signature={key.hex()}"
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        connection.request(method, f"{path}?{query}" if query else path, headers={
            "x-amz-content-sha256": digest, "x-amz-date": date, "Authorization": login})
        response = connection.getresponse()
        body = response.read()
        connection.close()
        assert response.status < 300, f"{method} {path}: {response.status} {body[:200]}"
        return body
