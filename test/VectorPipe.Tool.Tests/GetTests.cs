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
