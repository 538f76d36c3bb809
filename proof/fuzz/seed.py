#!/usr/bin/env python3
"""Makes the corpora out of the vectors, and keeps what fuzzing found.

    python3 proof/fuzz/seed.py unpack    seeds and kept inputs into corpus/TARGET/, for cargo fuzz
    python3 proof/fuzz/seed.py pack      what is in corpus/TARGET/ and no seed added to kept/TARGET.hex, small inputs only, up to a number

The seeds are the texts of policy-core/vectors; `policy-core/tests/corpus.rs` reads the same ones and the kept inputs.
"""
import hashlib
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE / "../../policy-core/vectors"
TARGETS = ["config", "transport", "json", "host", "supervisor", "worker", "diagnostics"]
MOST_BYTES = 600
MOST_INPUTS = 120


def seeds():
    """Target and input of every vector that has one."""
    for file in sorted(VECTORS.glob("*.jsonl")):
        # Not splitlines, which also ends a line at U+2028 and others.
        for line in file.read_text(encoding="utf-8").split("\n"):
            if line:
                yield from inputs(json.loads(line).get("request") or {})
    for target, text in BY_HAND:
        yield target, text.encode()


def inputs(request):
    op = request.get("op")
    if op in ("parse-config", "validate-config"):
        yield "config", encoded(request["text"])
        yield "json", encoded(request["text"])
        yield "diagnostics", encoded(request["text"])
    elif op == "decode-transport":
        yield "transport", encoded(request["text"])
        yield "json", encoded(request["text"])
    elif op in ("canonicalize-host", "normalize-public-hostname", "decide"):
        network = request.get("network") or {}
        lists = network if isinstance(network, dict) else {}
        entries = ["+" + e for e in texts(lists, "allowedDomains")] + ["-" + e for e in texts(lists, "deniedDomains")]
        yield "host", encoded("\n".join([str(request.get("port", 443)), request["host"], *entries]))
    elif op == "supervise":
        steps = ["o"]
        asked = 0
        for step in request["steps"]:
            if not isinstance(step, dict) or not isinstance(step.get("frame"), str) or len(step["frame"]) > 4000:
                continue
            steps.append("r0 " + step["frame"].replace("\n", " "))
            if step.get("answer"):
                steps.append(("a" if step["answer"] == "allow" else "d") + str(asked % 10))
                asked += 1
        yield "supervisor", encoded("\n".join((["x"] if request.get("recheck") is False else []) + steps))


def texts(lists, name):
    return [entry for entry in lists.get(name) or [] if isinstance(entry, str)]


def encoded(text):
    return text.encode("utf-8", "surrogatepass")


FRAME = '{"version":1,"capability":"$CAP","id":"%s","type":"%s","workerId":"w","cwd":"/"%s}'
ASK = ',"hostname":"%s","port":443'
BY_HAND = [
    ("supervisor", "\n".join(["o", "r0 " + FRAME % ("1", "register", ""), "r0 " + FRAME % ("2", "network", ASK % "ok.example"),
                              "l0 " + FRAME % ("3", "network", ASK % "ask.example"), "a0", "p0 " + FRAME % ("4", "network", ASK % "b.c"),
                              "r0 ", "c0", "d1", "o", "l1 " + FRAME % ("5", "unregister", ""), "s"])),
    ("supervisor", "\n".join(["x", "o", "l0 " + FRAME % ("1", "register", ""), "l0 " + FRAME % ("2", "network", ASK % "no.example"),
                              "t9", "a0", "t9", "t9", "t9", "o", "r1 {}", "r1 " + FRAME % ("2", "network", ASK % "a.b")])),
    ("worker", "\n".join(["g", 'r0 {"id":"$ID","action":"allow","network":{"allowedDomains":["a.b"],"deniedDomains":[]}}', "n a.b",
                          'p1 {"id":"$ID",', 'r1 "action":"allow"}', "n c.d", 'r2 {"id":"q1","action":"allow"}', "n e.f", "e3", "n g.h", "t9", "u",
                          'r5 {"id":"$ID","action":"allow"}'])),
    ("worker", "\n".join(["g", 'r0 {"action":"deny"}', "n a.b"])),
    ("worker", "\n".join(["n a.b", "g", 'r0 {"id":"$ID","action":"allow","network":{"allowedDomains":["*"],"deniedDomains":[]}}', "t9", "u", "u"])),
    ("worker", "\n".join(["g", 'p0 {"id":"$ID","action":"allow"}', "t3", "t4", "r0 ", "n a.b"])),
]


def name(data):
    return hashlib.sha256(data).hexdigest()[:24]


def kept(target):
    file = HERE / "kept" / f"{target}.hex"
    return [bytes.fromhex(line) for line in file.read_text().splitlines()] if file.exists() else []


def unpack():
    for target, data in [*seeds(), *((target, data) for target in TARGETS for data in kept(target))]:
        folder = HERE / "corpus" / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name(data)).write_bytes(data)
    for target in TARGETS:
        print(f"{target}: {len(list((HERE / 'corpus' / target).iterdir()))} inputs")


def pack():
    known = {}
    for target, data in seeds():
        known.setdefault(target, set()).add(data)
    (HERE / "kept").mkdir(exist_ok=True)
    for target in TARGETS:
        # What is kept stays: some of it failed once.
        old = set(kept(target))
        found = {file.read_bytes() for file in (HERE / "corpus" / target).iterdir()} - known.get(target, set()) - old
        small = sorted((data for data in found if len(data) <= MOST_BYTES), key=name)[:max(0, MOST_INPUTS - len(old))]
        (HERE / "kept" / f"{target}.hex").write_text("".join(f"{data.hex()}\n" for data in sorted(old | set(small))))
        print(f"{target}: {len(found)} found, {len(small)} added to {len(old)}")


if __name__ == "__main__":
    {"pack": pack, "unpack": unpack}[sys.argv[1]]()
