"""Writes and searches a vector set with redis-py. Arguments: port, version of the protocol."""

import sys

import redis

client = redis.Redis(port=int(sys.argv[1]), protocol=int(sys.argv[2]), decode_responses=True)
assert client.ping()
assert client.client_setname("python") and client.client_getname() == "python"
assert client.acl_whoami() == "default"
assert client.acl_setuser("app", enabled=True, passwords=["+secret"], keys=["app:*"], categories=["+@vector"])
assert client.acl_getuser("app")["enabled"]

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

pipeline = client.pipeline(transaction=False)
for i in range(100):
    pipeline.execute_command("VADD", "app:k", "VALUES", 2, i + 1, 1, f"e{i}")
assert sum(int(added) for added in pipeline.execute()) == 100
assert sets.vrem("app:k", "a") == 1
assert sets.vcard("app:k") == 101
assert client.keys("*") == ["app:k"] and list(client.scan_iter()) == ["app:k"]
assert client.info("server")["redis_mode"] == "standalone"

app = redis.Redis(port=int(sys.argv[1]), username="app", password="secret", decode_responses=True)
assert app.vset().vcard("app:k") == 101
try:
    app.vset().vcard("other")
    raise AssertionError("a set that is not its own")
except redis.exceptions.NoPermissionError:
    pass
assert client.delete("app:k") == 1
