using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests;

public sealed class GetTests
{
    private SmallIndex _small = null!;

    [OneTimeSetUp]
    public async Task BuildIndex() => _small = await SmallIndex.SharedAsync();

    [Test]
    public async Task Existing_keys_are_shown_with_their_vectors()
    {
        ToolRun run = await ToolRun.SucceedAsync("get", "--index", _small.Index, "--key", $"0,{SmallIndex.Points - 1}");
        Assert.That(run.Output, Does.Contain("2 of 2 keys found").And.Contain($"{SmallIndex.Points - 1}").And.Contain("... (16)"));
    }

    [Test]
    public async Task A_missing_key_has_its_own_exit_code()
    {
        ToolRun run = await ToolRun.RunAsync("get", "--index", _small.Index, "--key", "7,18446744073709551615");
        using (Assert.EnterMultipleScope())
        {
            Assert.That(run.ExitCode, Is.EqualTo(ExitCodes.KeyNotFound), run.Error);
            Assert.That(run.Output, Does.Contain("1 of 2 keys found").And.Contain("18446744073709551615"));
        }
    }

    [Test]
    public async Task Keys_come_from_lines_or_an_array()
    {
        using var folder = new TempFolder();
        await File.WriteAllLinesAsync(folder["keys.txt"], ["0", "7"]);
        TestArrays.Write(folder["keys.npy"], "<u4", "(2,)", isFortran: false, 0u, 7u);
        string expected = (await ToolRun.SucceedAsync("get", _small.Index, "--key", "0,7", "--format", "json")).Output;
        foreach (string name in (string[])["keys.txt", "keys.npy"])
        {
            ToolRun run = await ToolRun.SucceedAsync("get", _small.Index, "--keys", folder[name], "--format", "json");
            Assert.That(run.Output, Is.EqualTo(expected));
        }

        string collection = folder["collection"];
        await ToolRun.SucceedAsync("create", collection, "--dimension", "1", "--key-type", "string");
        await File.WriteAllTextAsync(folder["records"], """{"key": "a, b", "vector": [1]}""");
        await ToolRun.SucceedAsync("upsert", collection, "--records", folder["records"]);
        await File.WriteAllLinesAsync(folder["keys.txt"], ["a, b"]);
        ToolRun text = await ToolRun.SucceedAsync("get", collection, "--keys", folder["keys.txt"]);
        Assert.That(text.Output, Does.Contain("1 of 1 keys found"));

        await File.WriteAllLinesAsync(folder["keys.txt"], ["0", "x"]);
        (await ToolRun.RunAsync("get", _small.Index, "--keys", folder["keys.txt"]))
            .AssertFailed(ExitCodes.BadInput, "line 2: expected a key of type ulong; found 'x'");
        (await ToolRun.RunAsync("get", _small.Index)).AssertFailed(ExitCodes.BadInput, "either --key or --keys; found neither");
        (await ToolRun.RunAsync("get", _small.Index, "--key", "0", "--keys", folder["keys.txt"]))
            .AssertFailed(ExitCodes.BadInput, "either --key or --keys; found both");
    }

    [TestCase("x")]
    [TestCase("-1")]
    [TestCase("1,18446744073709551616")]
    public async Task A_key_that_is_not_a_number_is_bad_usage(string key) =>
        (await ToolRun.RunAsync("get", "--index", _small.Index, $"--key={key}")).AssertFailed(ExitCodes.BadInput, "key");

    [Test]
    public async Task Inspect_shows_the_key_directory()
    {
        ToolRun run = await ToolRun.SucceedAsync("inspect", "--index", _small.Index);
        Assert.That(run.Output, Does.Contain("key buckets").And.Contain("longest key chain").And.Contain("Keys"));
    }
}
