"""Verifies that Sluice signed a request to an intern's daemon.

Copy this file into your sidecar: it needs Python 3.9 and no package. docs/daemon.md shows its use, and
verify-invocation.ts does the same in TypeScript. Python's standard library has no Ed25519, so the second half of this
file verifies signatures as RFC 8032 describes. That takes some milliseconds for each key, and none of it needs to be
secret: only public keys are used.
"""

import base64
import hashlib
import math
import re
import time as clock
from typing import Any, Dict, Iterable, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

PREFIX = "x-svc-invoke-"
FORMS = {
    # The only base64 text of its 64 bytes: with another text of the same bytes, a replay would look new.
    "signature": re.compile(r"[A-Za-z0-9+/]{85}[AQgw]=="),
    "timestamp": re.compile(r"0|[1-9][0-9]{0,11}"),
    "user": re.compile(r"[\x21-\x7e]{1,255}"),
}


class Verdict(NamedTuple):
    """The user who asks and the Unix second of the proof, or the reason why the request must be refused.

    Reasons: `malformed` (a header is missing, duplicated or not of its form), `expired` or `early` (the proof is older
    or newer than the window allows; `expired` also if it is more than two windows older than a proof that was
    accepted), `forged` (no key signed this body for this intern, user and second) and
    `replayed` (the same proof was accepted before).
    """

    user: Optional[str] = None
    time: Optional[int] = None
    reason: Optional[str] = None


def verify_invocation(
    *,
    headers: Union[Mapping[str, Any], Iterable[Tuple[str, Any]]],
    body: bytes,
    intern_id: str,
    keys: Sequence[Any],
    now: Optional[float] = None,
    window_seconds: float = 300,
    seen: Optional[Dict[int, Set[str]]] = None,
) -> Verdict:
    """Returns who asks, or why the request must be refused.

    `headers` are all headers of the request, as a mapping or as pairs; `body` is its exact bytes; `keys` are the `keys`
    of Sluice's JWKS; `now` is in Unix seconds. Pass the same dict as `seen` to every call, under a lock if there are
    threads, so that no proof is accepted twice. It begins empty and holds proofs for twice the window.
    """
    now = clock.time() if now is None else now
    proof = _read_proof(headers)
    if proof is None:
        return Verdict(reason="malformed")
    signature, time, user = proof
    # Every comparison with nan is false, so a clock or a window that is not a number accepts nothing.
    if not now - time <= window_seconds or time < _oldest_seen(seen or {}, window_seconds):
        return Verdict(reason="expired")
    if not time - now <= window_seconds:
        return Verdict(reason="early")
    body_sha256 = hashlib.sha256(body).hexdigest()
    text = f"svc-invoke-v1\n{intern_id.lower()}\n{time}\n{user}\n{body_sha256}".encode()
    # All keys are tried, because a proof does not name its key.
    if not any(_is_signed_by(key, text, base64.b64decode(signature)) for key in keys):
        return Verdict(reason="forged")
    if seen is not None and not _add_unseen(seen, time, signature, window_seconds):
        return Verdict(reason="replayed")
    return Verdict(user=user, time=time)


def _read_proof(headers) -> Optional[Tuple[str, int, str]]:
    """Returns the three headers; None if one is missing, duplicated or not of its form."""
    values: Dict[str, Any] = {}
    for name, value in headers.items() if hasattr(headers, "items") else headers:
        lower_case = name.lower()
        if not lower_case.startswith(PREFIX):
            continue
        if lower_case in values:
            return None
        values[lower_case] = value
    for name, form in FORMS.items():
        value = values.get(PREFIX + name)
        if not isinstance(value, str) or not form.fullmatch(value):
            return None
    return values[PREFIX + "signature"], int(values[PREFIX + "timestamp"]), values[PREFIX + "user"]


def _is_signed_by(jwk: Any, text: bytes, signature: bytes) -> bool:
    """Skips keys of other kinds, which a JWKS may hold too."""
    if not isinstance(jwk, Mapping) or jwk.get("kty") != "OKP" or jwk.get("crv") != "Ed25519":
        return False
    x = jwk.get("x")
    if not isinstance(x, str) or not re.fullmatch(r"[A-Za-z0-9_-]{43}", x):
        return False
    return _verify_ed25519(base64.urlsafe_b64decode(x + "="), text, signature)


def _add_unseen(seen: Dict[int, Set[str]], time: int, signature: str, window_seconds: float) -> bool:
    """Remembers a proof, and forgets those that are too old to be accepted again.

    Returns False if it is remembered already.
    """
    of_second = seen.setdefault(time, set())
    if signature in of_second:
        return False
    of_second.add(signature)
    oldest = _oldest_seen(seen, window_seconds)
    for second in [second for second in seen if second < oldest]:
        del seen[second]
    return True


def _oldest_seen(seen: Dict[int, Set[str]], window_seconds: float) -> float:
    """Returns the oldest second that is still remembered.

    It depends on the accepted proofs and not on the clock, and never goes back: so what was forgotten stays refused when
    a clock jumps ahead and comes back.
    """
    return max(seen, default=-math.inf) - 2 * window_seconds


# Ed25519, RFC 8032 section 5.1: the curve -x² + y² = 1 + d·x²·y² over the integers modulo P.
P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
SQRT_MINUS_1 = pow(2, (P - 1) // 4, P)
# The number of points that the base point generates.
ORDER = 2**252 + 27742317777372353535851937790883648493

# A point (x, y) is kept as (X, Y, Z, T) with x = X/Z, y = Y/Z and x·y = T/Z, which needs no division to add.
Point = Tuple[int, int, int, int]
NEUTRAL: Point = (0, 1, 1, 0)


def _add(a: Point, b: Point) -> Point:
    """Adds two points by the formulas of section 5.1.4. A point may also be added to itself."""
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    i, j, k, m = f - e, h - g, h + g, f + e
    return i * j % P, k * m % P, j * k % P, i * m % P


def _times(number: int, point: Point) -> Point:
    result = NEUTRAL
    while number > 0:
        if number & 1:
            result = _add(result, point)
        point = _add(point, point)
        number >>= 1
    return result


def _encode(point: Point) -> bytes:
    """Encodes y in 255 bits and the lowest bit of x in the last one."""
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decode(encoded: bytes) -> Optional[Point]:
    """Finds x by section 5.1.3; None where the bytes encode no point."""
    number = int.from_bytes(encoded, "little")
    y, lowest_bit = number & (2**255 - 1), number >> 255
    if y >= P:
        return None
    x_squared = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(x_squared, (P + 3) // 8, P)
    if (x * x - x_squared) % P != 0:
        x = x * SQRT_MINUS_1 % P
    if (x * x - x_squared) % P != 0 or (x == 0 and lowest_bit == 1):
        return None
    if x & 1 != lowest_bit:
        x = P - x
    return x, y, 1, x * y % P


BASE = _decode((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def _verify_ed25519(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Checks that s·B = R + h·A, by section 5.1.7, where R and s are the halves of the signature."""
    point = _decode(public_key)
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    # A larger s would be a second signature of the same message.
    if point is None or s >= ORDER:
        return False
    h = int.from_bytes(hashlib.sha512(r + public_key + message).digest(), "little") % ORDER
    minus_point = (P - point[0], point[1], 1, P - point[3])
    return _encode(_add(_times(s, BASE), _times(h, minus_point))) == r
