"""Receives webhooks of Lead Signals and verifies their signatures. Python 3.8 or newer, no packages.

    WEBHOOK_SECRETS="whsec_..." python3 receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 16 * 1024 * 1024

# One secret, or two with a space between while the secret is rotated.
KEYS = [
    base64.b64decode(secret[len("whsec_") :])
    for secret in os.environ.get("WEBHOOK_SECRETS", "").split()
    if secret.startswith("whsec_")
]
if not KEYS:
    raise SystemExit("WEBHOOK_SECRETS takes the webhook's secret, whsec_...")


def refusal(headers, body):
    """Returns the reason why a post is not authentic; None when it is. `body` takes the bytes as they arrived."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    signatures = headers.get("webhook-signature", "")
    if not (message_id and timestamp and signatures):
        return "a signature header is missing"
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        return "the timestamp is not a number"
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return "the timestamp is too far off"
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = [b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in KEYS]
    # During a rotation the header holds two signatures. One match is enough.
    for given in signatures.split(" "):
        if any(hmac.compare_digest(given.encode(), each) for each in expected):
            return None
    return "no signature matches"


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("content-length", "")
        if not re.fullmatch("[0-9]{1,12}", length):
            return self.answer(411)
        if int(length) > MAX_BODY_BYTES:
            return self.answer(413)
        body = self.rfile.read(int(length))
        reason = refusal(self.headers, body)
        if reason is not None:
            return self.answer(400, reason)
        events = json.loads(body)
        # One event, or a list of them where the webhook takes batches. A CloudEvent has its type as "type".
        for event in events if isinstance(events, list) else [events]:
            # Store the event under event["id"] before you answer. An id that you have stored already is a repetition.
            print(event.get("event") or event["type"], event["id"], flush=True)
        self.answer(204)

    def answer(self, status, reason=""):
        self.send_response(status)
        self.send_header("content-length", str(len(reason)))
        self.end_headers()
        self.wfile.write(reason.encode())

    def log_message(self, *_):
        """Keeps the standard access log out of the output."""


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4100"))), Receiver).serve_forever()
