# Part of gst-capture. Apache License 2.0, see LICENSE.
#
# The part of scripts/board that runs on the board, with nothing but Python's standard library. Prints the report.
import json, os, pathlib, platform, shutil, subprocess, sys, tempfile, time
from statistics import median

seconds = int(sys.argv[1])
work = pathlib.Path(tempfile.mkdtemp(prefix="gst-capture-board-"))
failures = []


def text(path):
    """Returns the content of a file in one line; empty if it cannot be read."""
    try:
        return pathlib.Path(path).read_text(errors="replace").strip("\0\n ").replace("\n", " ")
    except OSError:
        return ""


def field(path, name):
    """Returns the value of a line `name: value` or `name=value`."""
    try:
        for line in pathlib.Path(path).read_text().splitlines():
            key, _, value = line.partition(":" if ":" in line else "=")
            if key.strip() == name:
                return value.strip().strip('"')
    except OSError:
        pass
    return "unknown"


class Run:
    """A command that has ended: its output, its times, and the peak of its memory."""

    def __init__(self, *arguments):
        # A child of its own measures the command alone.
        begin = time.monotonic()
        child = subprocess.run(
            [sys.executable, "-c", MEASURE, "gst-capture", *arguments], cwd=work, capture_output=True, text=True)
        self.seconds = time.monotonic() - begin
        *self.errors, usage = child.stderr.splitlines() or ["{}"]
        self.output = child.stdout
        self.status = child.returncode
        usage = json.loads(usage) if usage.startswith("{") else {}
        self.processor, self.memory, self.written = (usage.get(name, 0) for name in ("cpu", "kib", "bytes"))

    def events(self, name):
        """Returns the events of a kind in the output of --json."""
        events = (json.loads(line) for line in self.output.splitlines() if line.startswith("{"))
        return [event for event in events if event.get("event") == name]


# Runs a command, and writes what it used to the last line of standard error. Blocks have 512 bytes (getrusage(2)).
MEASURE = """
import json, resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
usage = {"cpu": used.ru_utime + used.ru_stime, "kib": used.ru_maxrss, "bytes": used.ru_oublock * 512}
print(json.dumps(usage), file=sys.stderr)
sys.exit(status)
"""


def row(*cells):
    print("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |", flush=True)


def result(what, run, figures):
    """Prints a line about a command; one that failed also with its error."""
    if run.status == 0:
        row(what, "ok", figures)
    else:
        failures.append(what)
        row(what, f"failed ({run.status})", run.errors[-1] if run.errors else "")


def machine():
    print("# gst-capture on a board\n")
    row("", "")
    row("---", "---")
    row("board", text("/proc/device-tree/model") or text("/sys/class/dmi/id/product_name") or "unknown")
    row("system", f"{field('/etc/os-release', 'PRETTY_NAME')}, {platform.machine()}, Linux {platform.release()}")
    row("processors, memory", f"{os.cpu_count()}, {field('/proc/meminfo', 'MemTotal')}")
    temperature = text("/sys/class/thermal/thermal_zone0/temp")
    row("temperature", f"{int(temperature) / 1000:.0f} °C" if temperature.isdigit() else "unknown")
    row("pictures of this report", f"{work} ({shutil.disk_usage(work).free / 1e9:.1f} GB free)")
    row("version", Run("--version").output.strip())


def doctor():
    run = Run("doctor")
    print(f"\n## Doctor\n\n```\n{run.output.rstrip()}\n```\n\nExit status {run.status}\n", flush=True)


def cameras():
    """Returns the IDs of the cameras; that of the built-in scene comes last."""
    listed = [json.loads(line) for line in Run("cameras", "--json").output.splitlines() if line.startswith("{")]
    return [camera["id"] for camera in listed if camera.get("id") not in (None, "scene")] + ["scene"]


def picture(camera):
    run = Run("snap", "--camera", camera, "-o", "picture.jpg", "--overwrite")
    size = (work / "picture.jpg").stat().st_size if run.status == 0 else 0
    result("one picture", run, f"{run.seconds:.1f} s, {size / 1000:.0f} kB, {run.memory / 1024:.0f} MiB")


def drawing(camera):
    run = Run("snap", "--camera", camera, "-o", "text.jpg", "--overwrite", "--burn-in", "text:%H:%M;position=bottom")
    drawn = run.status == 0 and not any("text" in line for line in run.errors)
    result("a picture with burnt-in text", run, "drawn" if drawn else "without the text: " + " ".join(run.errors))


def burst(camera):
    run = Run("snap", "--camera", camera, "--burst", "10", "-o", "burst-%02n.jpg", "--overwrite")
    result("a burst of 10", run, f"{run.seconds:.1f} s, {run.processor:.1f} s of processor time")


def series(camera):
    run = Run("timelapse", "--camera", camera, "-i", "1s", "--count", str(seconds), "--json", "-o", "series/%05n.jpg")
    captured = run.events("captured")
    offsets, encoding, storing = (
        sorted(abs(event[name]) for event in captured) or [0] for name in ("offset_ms", "encode_ms", "store_ms"))
    missed = sum(event.get("count", 1) for event in run.events("missed"))
    count = max(1, len(captured))
    result(
        f"{seconds} pictures, one a second", run,
        f"{len(captured)} captured, {missed} missed; off by {median(offsets):.1f} ms, at worst {offsets[-1]:.1f}; "
        f"encoded in {median(encoding):.0f} ms, stored in {median(storing):.0f}, at worst {storing[-1]:.0f} ms; "
        f"{run.processor / count * 1000:.0f} ms of processor time, {run.written / count / 1000:.0f} kB written for each; "
        f"{run.memory / 1024:.0f} MiB")
    result("the ledger and the pictures of the series", Run("ledger", "series", "--verify"), "all as recorded")
    shutil.rmtree(work / "series", ignore_errors=True)


def service():
    """Describes the service of the package, if systemd runs it."""
    unit = "gst-capture-serve.service"
    shown = subprocess.run(
        ["systemctl", "show", unit, "-p", "ActiveState,StatusText,MemoryCurrent"], capture_output=True, text=True)
    values = dict(line.split("=", 1) for line in shown.stdout.splitlines() if "=" in line)
    if values.get("ActiveState") == "active":
        memory = values.get("MemoryCurrent", "")
        mebibytes = f"{int(memory) >> 20} MiB" if memory.isdigit() else "unknown memory"
        print(f"\n## Service\n\nactive, {mebibytes}: {values.get('StatusText', '')}")
    else:
        print(f"\n## Service\n\n{unit} is {values.get('ActiveState', 'not installed')}")


def main():
    if not shutil.which("gst-capture"):
        sys.exit("board: gst-capture is not installed there; install the package, then run this again")
    machine()
    doctor()
    for camera in cameras():
        print(f"## Camera {camera}\n")
        row("check", "result", "figures")
        row("---", "---", "---")
        for check in (picture, drawing, burst, series):
            check(camera)
        print()
    service()
    print(f"\n{'Failed: ' + ', '.join(failures) if failures else 'All checks passed'}.")


try:
    main()
finally:
    shutil.rmtree(work, ignore_errors=True)
sys.exit(1 if failures else 0)
