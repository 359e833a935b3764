"""Runs queries in order on one ClickHouse engine, read from standard input, and prints their results as JSON."""
import json
import sys

from chdb import session

work = json.load(sys.stdin)
engine = session.Session(work["folder"])
results = [engine.query(query, "JSONEachRow").bytes().decode() for query in work["queries"]]
json.dump(results, sys.stdout)
