"""Writes and searches a vector set with redis-py. Arguments: port, version of the protocol.

Exit code 77: this redis-py does not speak the version. Those before 6.1 know no vector sets; they send the commands as they are written.
"""

import inspect
import json
import sys

import redis

version = int(sys.argv[2])
chooses = "protocol" in inspect.signature(redis.Redis.__init__).parameters
if version != 2 and not chooses:
    print(f"redis-py {redis.__version__} speaks version 2 alone")
    sys.exit(77)
client = redis.Redis(port=int(sys.argv[1]), decode_responses=True, **({"protocol": version} if chooses else {}))
assert client.ping()
assert client.client_setname("python") and client.client_getname() == "python"
assert client.acl_whoami() == "default"
assert client.acl_setuser("app", enabled=True, passwords=["+secret"], keys=["app:*"], categories=["+@vector"])
assert client.acl_getuser("app")["enabled"]

if hasattr(client, "vset"):
    sets = client.vset()
    assert sets.vadd("app:k", [1.0, 0.0], "a", attributes={"year": 1999}) == 1
    assert sets.vadd("app:k", [0.0, 1.0], "b") == 1
    assert list(sets.vsim("app:k", [1.0, 0.1])) == ["a", "b"]
    scores = sets.vsim("app:k", "a", with_scores=True, filter=".year == 1999")
    assert list(scores) == ["a"] and abs(scores["a"] - 1) < 1e-6
    assert sets.vcard("app:k") == 2 and sets.vdim("app:k") == 2
    assert sets.vemb("app:k", "a") == [1, 0]
    assert sets.vgetattr("app:k", "a") == {"year": 1999}
    assert sets.vsetattr("app:k", "b", {"year": 2000})
    assert sets.vinfo("app:k")["size"] == 2
    assert sorted(sets.vrandmember("app:k", 2)) == ["a", "b"]
else:
    call = client.execute_command
    assert call("VADD", "app:k", "VALUES", 2, 1, 0, "a", "SETATTR", '{"year":1999}') == 1
    assert call("VADD", "app:k", "VALUES", 2, 0, 1, "b") == 1
    assert call("VSIM", "app:k", "VALUES", 2, 1, 0.1) == ["a", "b"]
    name, score = call("VSIM", "app:k", "ELE", "a", "WITHSCORES", "FILTER", ".year == 1999")
    assert name == "a" and abs(float(score) - 1) < 1e-6
    assert call("VCARD", "app:k") == 2 and call("VDIM", "app:k") == 2
    assert [float(x) for x in call("VEMB", "app:k", "a")] == [1, 0]
    assert json.loads(call("VGETATTR", "app:k", "a")) == {"year": 1999}
    assert call("VSETATTR", "app:k", "b", '{"year":2000}') == 1
    facts = call("VINFO", "app:k")
    assert dict(zip(facts[::2], facts[1::2]))["size"] == 2
    assert sorted(call("VRANDMEMBER", "app:k", 2)) == ["a", "b"]

pipeline = client.pipeline(transaction=False)
for i in range(100):
    pipeline.execute_command("VADD", "app:k", "VALUES", 2, i + 1, 1, f"e{i}")
assert sum(int(added) for added in pipeline.execute()) == 100
assert client.execute_command("VREM", "app:k", "a") == 1
assert client.execute_command("VCARD", "app:k") == 101
assert client.keys("*") == ["app:k"] and list(client.scan_iter()) == ["app:k"]
assert client.info("server")["redis_mode"] == "standalone"

app = redis.Redis(port=int(sys.argv[1]), username="app", password="secret", decode_responses=True)
assert app.execute_command("VCARD", "app:k") == 101
try:
    app.execute_command("VCARD", "other")
    raise AssertionError("a set that is not its own")
except redis.exceptions.NoPermissionError:
    pass
assert client.delete("app:k") == 1
