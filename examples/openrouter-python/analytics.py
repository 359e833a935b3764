"""Prints how many requests each model answered on each of the last 30 completed days, with the `openrouter` package.

Needs a management key. The package drops the rows of `query_analytics`, so this reads the activity, which is without
today.
"""

import os

from openrouter import OpenRouter

base_url = os.environ.get("BASE_URL", "http://127.0.0.1:8080/api/v1")
client = OpenRouter(server_url=base_url, api_key=os.environ["MANAGEMENT_KEY"])

activity = client.analytics.get_user_activity()
for row in activity.data:
    print(f"{row.date_} {row.model}: {row.requests}")
