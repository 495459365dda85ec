"""A page in a headless Chromium, spoken to over a pipe by its DevTools protocol."""

import json
import os
import select
import shutil
import subprocess
import sys
import time

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--disable-dev-shm-usage", "--remote-debugging-pipe",
)  # fmt: skip
# The browser reads commands from descriptor 3 and writes answers to 4.
LAUNCH = """import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""


class Page:
    """A page; `errors` and `requests` collect what went wrong and what was asked of the network."""

    def __init__(self, path, profile, width=1200, height=900):
        self.errors, self.requests = [], []
        self._number, self._buffer = 0, b""
        self._loaded = False
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        command_out, self._commands = os.pipe()
        self._answers, answer_in = os.pipe()
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                LAUNCH,
                str(command_out),
                str(answer_in),
                chromium,
                *FLAGS,
                f"--user-data-dir={profile}",
            ],
            pass_fds=(command_out, answer_in),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_out)
        os.close(answer_in)
        self._session = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.send(f"{domain}.enable")
        self.resize(width, height)
        self.send("Page.navigate", url=path.resolve().as_uri())
        end = time.monotonic() + 600
        while not self._loaded:
            assert time.monotonic() < end, "the page did not load"
            self.run("1")
            time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(300)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._commands)
        os.close(self._answers)

    def send(self, method, **parameters):
        """A command of the protocol, and its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self._event(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def run(self, script):
        """The value of a JavaScript expression; of a promise, what it gives."""
        found = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition):
        """Waits, as long as it takes, until a condition holds on the page."""
        end = time.monotonic() + 600
        while not self.run(condition):
            assert time.monotonic() < end, f"never on this page: {condition}"
            time.sleep(0.02)

    def frames(self, number=2):
        """Lets the page draw some frames."""
        frame = "await new Promise((drawn) => requestAnimationFrame(drawn))"
        self.run(f"(async () => {{ for (let i = 0; i < {number}; i++) {frame}; }})()")

    def resize(self, width, height=900):
        """Another size of the window."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def prefer(self, scheme):
        """Light or dark."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def _next(self, seconds=600.0):
        end = time.monotonic() + seconds
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            more = os.read(self._answers, 1 << 20)
            assert more, "the browser has ended"
            self._buffer += more
        line, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(line)

    def _event(self, event):
        parameters = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.errors.append(str(parameters["exceptionDetails"]))
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "warning", "assert"):
                self.errors.append(str(parameters["args"]))
            case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                self.errors.append(str(parameters["entry"]))
            case "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not url.startswith(("data:", "blob:")):
                    self.requests.append(url)
            case "Page.loadEventFired":
                self._loaded = True
