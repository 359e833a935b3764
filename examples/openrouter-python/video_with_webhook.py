"""Submits a video job with the `openrouter` package, receives the signed webhook about its end, and saves the MP4.

The receiver listens on this computer, so the gateway must be allowed to call it. The gateway of `npm start` is.
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from openrouter import OpenRouter

# Leave this line out if verify_webhook.py stands next to your program.
sys.path.append(str(Path(__file__).parents[1] / "verify-webhook"))
from verify_webhook import verify_webhook  # noqa: E402

base_url = os.environ.get("BASE_URL", "http://127.0.0.1:8080/api/v1")
client = OpenRouter(server_url=base_url, api_key=os.environ["API_KEY"])
events = []


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        verified = verify_webhook(secret=os.environ["WEBHOOK_SECRET"], headers=self.headers, body=body)
        self.send_response(204 if verified else 401)
        self.end_headers()
        if verified:
            events.append(json.loads(body))

    def log_message(self, *_):
        """Prints nothing about requests."""


with HTTPServer(("127.0.0.1", 0), Receiver) as receiver:
    job = client.video_generation.generate(
        model="local/clip-1",
        prompt="A paper boat crossing a rain puddle",
        callback_url=f"http://127.0.0.1:{receiver.server_port}/hook",
    )
    print(f"submitted {job.id}")
    while not events:
        receiver.handle_request()
print(f"{events[0]['type']}, signature verified")

content = client.video_generation.get_video_content(job_id=events[0]["data"]["id"])
file = os.environ.get("OUTPUT", "video.mp4")
Path(file).write_bytes(content.read())
print(f"saved {file}")
