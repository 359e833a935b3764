"""Makes the calls that standard input lists as JSON, and prints the verdicts of the verifier in Python."""
import base64
import json
import pathlib
import sys

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "verify-invocation"
sys.dont_write_bytecode = True
sys.path.insert(0, str(EXAMPLE))
from verify_invocation import verify_invocation  # noqa: E402

memory = {}


def number(value):
    """Reads a number, or the text `NaN`, for which JSON has no number."""
    return None if value is None else float(value)


def verdict_of(call):
    verdict = verify_invocation(
        headers=call["headers"],
        body=base64.b64decode(call["body"]),
        intern_id=call["internId"],
        keys=call["keys"],
        now=number(call.get("now")),
        seen=memory if call.get("remembers") else None,
        **({"window_seconds": number(call["windowSeconds"])} if "windowSeconds" in call else {}),
    )
    if verdict.reason is None:
        return {"user": verdict.user, "time": verdict.time}
    return {"reason": verdict.reason}


verdicts = [verdict_of(call) for call in json.load(sys.stdin)]
json.dump({"verdicts": verdicts, "remembered": sum(map(len, memory.values()))}, sys.stdout)
