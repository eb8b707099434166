# Part of gst-capture. Apache License 2.0, see LICENSE.
"""page.py PORT FOLDER: uses the page of the service in a machine of the lab, with a browser of this machine.

PORT is forwarded to the service, and FOLDER is the output folder of the machine, in which page.sh runs. Prints a line of
JSON for each step.
"""
import json, pathlib, sys, tempfile, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
from chromium import LIVE_WIDTH as picture, Browser

address, folder = f"http://127.0.0.1:{sys.argv[1]}/", pathlib.Path(sys.argv[2])
requests = folder / "requests"
# The emulated machine is slow.
patience = 120


def report(step, **values):
    print(json.dumps({"step": step, **values}), flush=True)


def request(name):
    """Has page.sh do something."""
    requests.mkdir(exist_ok=True)
    (requests / name).touch()


def await_link():
    """Returns the link that pairs the browser, once the service runs."""
    end = time.monotonic() + 600
    while not (folder / "page-pair/status").exists():
        if time.monotonic() > end:
            sys.exit("page.sh has not started the service")
        time.sleep(0.2)
    text = (folder / "page-pair/stdout").read_text()
    return address + text[text.index("http://10.0.2.15:8080/"):].split()[0].split("/", 3)[3]


def click(selector, text=None):
    browser.click(selector, text, patience)


def press_lock(text, is_locked):
    """Presses a button of the locks, and returns the names of the controls that the page then shows as locked."""
    click(".controls button", text)
    locked = "[...document.querySelectorAll('.controls .field')].filter(one => one.querySelector('svg')).map(one => one.textContent)"
    return browser.wait(f"{locked}.length {'>' if is_locked else '==='} 0 && {locked}.concat('')", patience)[:-1]


def use_controls():
    click(".tool", "Controls")
    slider = ("[...document.querySelectorAll('.field')].find(one => one.textContent.includes('Brightness'))"
              ".querySelector('input')")
    before = browser.wait(f"{slider}.value", patience)
    browser.run(f"const input = {slider}; input.value = 33;"
                "for (const kind of ['input', 'change']) input.dispatchEvent(new Event(kind))")
    listed = ("fetch('api/v1/cameras/desk/controls').then(answer => answer.json())"
              ".then(answer => answer.controls.find(one => one.name === 'brightness').value)")
    browser.run("window.brightness = null; const look = async () => {"
                f"window.brightness = await {listed}; if (window.brightness !== 33) setTimeout(look, 200) }}; look()")
    report("control", before=before, after=browser.wait("window.brightness === 33 && window.brightness", patience))
    report("lock", locked=press_lock("Lock exposure", True))
    report("unlock", locked=press_lock("Automatic again", False))
    click(".controls button", "Ramp exposure")
    ramps = "document.querySelector('.controls [role=status]')"
    report("ramp", words=browser.wait(f"!{ramps}.hidden && {ramps}.textContent", patience))
    click(".controls button", "Reset")
    report("reset", value=browser.wait(f"{slider}.value !== '33' && {slider}.value", patience))


def switch(camera):
    browser.run(f"const select = document.querySelector('header select'); select.value = {camera!r};"
                "select.dispatchEvent(new Event('change'))")


def snap():
    last = browser.run("return document.querySelector('.last-picture img')?.src ?? ''")
    click("[data-name=shutter]")
    source = "document.querySelector('.last-picture img')?.src"
    return browser.wait(f"{source} && {source} !== {last!r} && {source}", patience)


def use_page():
    browser.turn(True)
    browser.open(await_link())
    click("form button")
    browser.wait("!document.querySelector('form')", patience)
    browser.open(address)
    report("first", width=browser.wait(f"{picture} > 0 && {picture}", patience))
    report("snap", source=snap())
    use_controls()
    switch("side")
    report("switch", width=browser.wait(f"{picture} === 320 && {picture}", patience))

    browser.open(address + "#session/one")
    click("[data-action=start]")
    click(".session-buttons .primary", "Begin")
    review = "document.querySelector('.review img')"
    report("session", source=browser.wait(f"{review}?.naturalWidth > 0 && {review}.src", patience))
    click("[data-action=accept]")
    browser.wait("!!document.querySelector('[data-action=start]')", patience)

    request("forbid")
    browser.open(address + "#live/desk")
    browser.wait(f"{picture} === 640", patience)
    banner = "document.querySelector('.banner')"
    switch("side")
    report("forbidden", words=browser.wait(f"!{banner}.hidden && {banner}.textContent", patience))
    browser.take(folder / "page/forbidden.webp")
    browser.open(address + "#pictures")
    cell = "document.querySelector('.live-cell .fault')"
    report("grid", words=browser.wait(f"{cell} && !{cell}.hidden && {cell}.textContent", patience))
    browser.wait("document.querySelector('button.cell img')?.naturalWidth > 0", patience)
    browser.take(folder / "page/forbidden-grid.webp")
    browser.open(address + "#live/side")
    switch("desk")
    browser.wait(f"{picture} === 640 && {banner}.hidden", patience)
    request("unplug")
    report("fault", words=browser.wait(f"!{banner}.hidden && {banner}.textContent", patience))
    request("plug")
    browser.wait(f"{banner}.hidden", patience)
    report("recovered", source=snap())
    report("console", errors=browser.errors())


with tempfile.TemporaryDirectory() as work:
    browser = Browser(pathlib.Path(work))
    try:
        use_page()
    finally:
        for name in ("forbid", "unplug", "plug", "end"):
            request(name)
        browser.close()
