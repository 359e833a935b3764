"""Verifies that a webhook comes from the gateway and is fresh, by the rules of Standard Webhooks 1.0.0.

Copy this file next to your program: it needs Python 3.9 and no package. verify-webhook.ts does the same in TypeScript.
"""

import base64
import hashlib
import hmac
import time
from typing import Mapping, Optional

# The most seconds by which an event may be older or newer than the clock. Older events may be recorded ones that are
# sent again.
TOLERANCE_SECONDS = 300


def verify_webhook(*, secret: str, headers: Mapping[str, str], body: bytes, now: Optional[float] = None) -> bool:
    """Returns whether the event is signed and fresh. An event may arrive more than once, with the same `webhook-id`.

    `secret` is the workspace's signing secret, `whsec_…`; `body` is the body as it arrived, before any parsing; `now` is
    in Unix seconds.
    """
    lower_case = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp = lower_case["webhook-id"], lower_case["webhook-timestamp"]
        signatures = lower_case["webhook-signature"]
        age = abs((time.time() if now is None else now) - float(timestamp))
    except (KeyError, ValueError):
        return False
    if not age <= TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256)
    expected = b"v1," + base64.b64encode(digest)
    # During the rotation of a secret, an event has a signature by each secret.
    return any(hmac.compare_digest(signature.encode(), expected) for signature in signatures.split(" "))
