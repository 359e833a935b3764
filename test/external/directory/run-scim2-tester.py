"""Runs all checks of scim2-tester against a SCIM server, and prints their results as JSON. Arguments: base URL, token."""
import json
import sys

from httpx2 import Client
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

base_url, token = sys.argv[1:]
with Client(base_url=base_url, headers={"Authorization": f"Bearer {token}"}, timeout=30) as client:
    results = check_server(SyncSCIMClient(client))
json.dump(
    [
        {
            "status": result.status.name,
            "check": result.title,
            "resourceType": result.resource_type,
            "reason": result.reason,
            "data": None if result.status.name == "SUCCESS" else repr(result.data),
        }
        for result in results
    ],
    sys.stdout,
)
