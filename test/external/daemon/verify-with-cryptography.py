"""Verifies texts with the keys of a JWKS and the package cryptography. Reads JSON from standard input, prints a list."""
import base64
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def is_signed_by(jwk, signature, text):
    key = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(jwk["x"] + "="))
    try:
        key.verify(signature, text)
    except InvalidSignature:
        return False
    return True


asked = json.load(sys.stdin)
signature = base64.b64decode(asked["signature"], validate=True)
json.dump(
    [any(is_signed_by(jwk, signature, text.encode()) for jwk in asked["keys"]) for text in asked["texts"]], sys.stdout
)
