#!/usr/bin/env python3
"""Takes the host cases out of the web-platform-tests' urltestdata.json.

    python3 extract.py URLTESTDATA > hosts.jsonl

URLTESTDATA comes with the published crate `url` (tests/urltestdata.json). A case is taken when its input is an http,
https, ws, wss or ftp URL written out in full, without user information: then what stands between `//` and the end of
the authority, its port removed, is what the standard's host parser is given.
"""
import json
import re
import sys

AUTHORITY = re.compile(r"^(?:https?|wss?|ftp)://([^/\\?#]*)(?:[/\\?#]|$)", re.IGNORECASE)
PORT = re.compile(r":[0-9]*$")

taken = {}
for case in json.load(open(sys.argv[1], encoding="utf-8")):
    if isinstance(case, str) or re.search("[\t\n\r]", case["input"]):
        continue  # a comment; or characters that the URL parser removes first
    match = AUTHORITY.match(case["input"])
    if not match or "@" in match[1] or match[1] == "":
        continue
    host = PORT.sub("", match[1])
    failure = bool(case.get("failure"))
    if failure and not (PORT.search(match[1]) is None):
        continue  # perhaps the port is what is wrong
    if host and host not in taken:
        taken[host] = None if failure else case["hostname"]
for host, expect in taken.items():
    print(json.dumps({"host": host, "standard": expect}, ensure_ascii=False))
