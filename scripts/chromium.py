# Part of gst-capture. Apache License 2.0, see LICENSE.
"""Debian's Chromium over WebDriver, for scripts that use the page of the service."""
import base64, json, os, pathlib, subprocess, sys, time, urllib.error, urllib.request


def start(line, wanted, work):
    """Starts a program, and waits for a line of its output. Its log is in the folder `work`."""
    log = open(work / f"{pathlib.Path(line[0]).name}.log", "w")
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=log, text=True)
    while True:
        text = process.stdout.readline()
        if wanted in text:
            return process, text.strip()
        if not text:
            sys.exit(f"{line[0]} has ended; see {log.name}")


# The width of the live picture, which is a single picture or video: an expression of JavaScript.
LIVE_WIDTH = "(shown => shown && (shown.naturalWidth || shown.videoWidth))(document.querySelector('.preview .live[src]'))"


class Browser:
    """Chromium, over WebDriver."""

    def __init__(self, work):
        self.driver, line = start(["chromedriver", "--port=0"], "successfully on port", work)
        self.address = "http://127.0.0.1:" + line.split("port ")[1].rstrip(".")
        options = {"binary": "/usr/bin/chromium", "args": [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            f"--user-data-dir={work}/profile"]}
        self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "timeouts": {"script": 60000}, "goog:loggingPrefs": {"browser": "SEVERE"},
            "goog:chromeOptions": options}}})["sessionId"]

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(
            self.address + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=90) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def post(self, path, body):
        return self.call("POST", f"/session/{self.session}/{path}", body)

    def open(self, address):
        self.post("url", {"url": address})

    def run(self, script):
        return self.post("execute/sync", {"script": script, "args": []})

    def run_async(self, script, *arguments):
        """Runs a function body that calls its last argument with the result."""
        return self.post("execute/async", {"script": script, "args": arguments})

    def command(self, name, parameters=None):
        return self.post("goog/cdp/execute", {"cmd": name, "params": parameters or {}})

    def wait(self, expression, seconds=45):
        """Waits until an expression of the page is true. Returns its value."""
        end = time.monotonic() + seconds
        while True:
            # WebDriver limits the time of a script.
            left = max(0, min(45, end - time.monotonic()))
            script = f"""
                const done = arguments[0], end = performance.now() + {left * 1000}
                const check = () => {{
                  let value = null
                  try {{ value = {expression} }} catch {{}}
                  if (value || performance.now() > end) return done(value || null)
                  setTimeout(check, 30)
                }}
                check()"""
            try:
                value = self.run_async(script)
            except RuntimeError as error:
                # The page was loaded again, which ends its scripts.
                if "document unloaded" in str(error) or "navigation" in str(error):
                    continue
                raise
            if value is not None:
                return value
            if time.monotonic() >= end:
                text = self.run("return document.body.innerText")
                raise RuntimeError(f"not true: {expression}\n{text}")

    def click(self, selector, text=None, seconds=45):
        """Clicks on an element, or on the one of several that has this text."""
        test = "true" if text is None else f"one.textContent.includes({text!r})"
        found = f"[...document.querySelectorAll({selector!r})].find(one => ({test}) && !one.disabled)"
        self.wait(f"!!{found}", seconds)
        # New buttons ignore touches for a moment.
        time.sleep(0.5)
        self.wait(f"(() => {{ const one = {found}; one?.click(); return !!one }})()", seconds)

    def turn(self, is_upright):
        self.resize(*((390, 844) if is_upright else (844, 390)), True)

    def resize(self, width, height, is_phone):
        self.command("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone})

    def connect(self, is_connected):
        self.command("Network.enable")
        self.command("Network.emulateNetworkConditions", {
            "offline": not is_connected, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})

    def take(self, file):
        """Stores the visible page as a WebP picture."""
        data = self.command("Page.captureScreenshot", {"format": "webp", "quality": 70})["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(data))

    def errors(self):
        """Returns the errors in the console since the last call."""
        return [entry["message"] for entry in self.post("se/log", {"type": "browser"})]

    def close(self):
        self.call("DELETE", f"/session/{self.session}")
        self.driver.terminate()
        self.driver.wait()

    def metrics(self):
        """Returns figures of the page by their names, after a garbage collection."""
        self.command("HeapProfiler.collectGarbage")
        self.command("Performance.enable")
        return {entry["name"]: entry["value"] for entry in self.command("Performance.getMetrics")["metrics"]}

    def memory(self):
        """Returns the memory of the page in words, after a garbage collection."""
        values = self.metrics()
        return (f"page {values['JSHeapUsedSize'] / 1e6:.1f} MB with {values['Nodes']:.0f} nodes and "
                f"{values['JSEventListeners']:.0f} listeners")

    def resident(self):
        """Returns the memory of all programs of the browser in MB; what they share counts once."""
        parents = {}
        for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                parents[int(status.parent.name)] = int(status.read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass
        programs, total = [self.driver.pid], 0
        for program in programs:
            programs += [child for child, parent in parents.items() if parent == program]
            try:
                rollup = pathlib.Path(f"/proc/{program}/smaps_rollup").read_text()
            except OSError:
                continue
            total += next((int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")), 0)
        return total / 1000


def memory_of(process):
    """Returns the resident memory of a program in MB."""
    with open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def resident(process):
    """Returns the memory of a program in words."""
    return f"service {memory_of(process.pid):.0f} MB with {len(os.listdir(f'/proc/{process.pid}/task'))} threads"
