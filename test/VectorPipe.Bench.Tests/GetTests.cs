using System.Text.Json.Nodes;
using NUnit.Framework;
using VectorPipe.Bench.Gets;
using VectorPipe.Bench.Tests.Infrastructure;

namespace VectorPipe.Bench.Tests;

public sealed class GetTests
{
    [TestCase("auto")]
    [TestCase("memory", Category = "Heavy")]
    [TestCase("portable", Category = "Heavy")]
    [TestCase("memory-ring", Category = "Heavy")]
    public async Task Every_device_finds_validated_vectors(string device)
    {
        JsonObject row = await ResultAsync("--device", device);
        Assert.That((double)row["ops_per_second"]!, Is.GreaterThan(0));
        Assert.That((double)row["reads_per_op"]!, Is.InRange(1, 3));
    }

    [TestCase("uniform", Category = "Heavy")]
    [TestCase("zipf")]
    public async Task Every_distribution_draws_existing_keys(string distribution)
    {
        JsonObject row = await ResultAsync("--device", "memory", "-d", distribution, "-b", "7");
        Assert.That((double)row["ops_per_second"]!, Is.GreaterThan(0));
    }

    [Test]
    [Category("Heavy")]
    public async Task A_peer_looks_up_the_same_keys_and_vectors()
    {
        JsonObject report = await BenchProcess.ReportAsync(
            [.. Arguments, "-n", $"{SharedData.Keys}", "--device", "memory", "--peer", "faster", "-b", "50", "-t", "1,2"]);
        JsonObject[] rows = [.. report["results"]!.AsArray().Select(row => row!.AsObject())];
        Assert.That(
            rows.Select(row => ((string)row["store"]!, (int)row["threads"]!)),
            Is.EqualTo(new[] { ("VectorPipe", 1), ("FASTER", 1), ("VectorPipe", 2), ("FASTER", 2) }));
        Assert.That(rows.Where((_, i) => i % 2 == 0).Select(row => (double)row["ops_per_second"]!), Is.All.Positive);
        Assert.That(rows.Select(row => row["reads_per_op"] is null), Is.EqualTo(new[] { false, true, false, true }));
    }

    [Test]
    public void The_peer_has_the_vector_of_each_key()
    {
        using var folder = new TempFolder();
        var arguments = new GetBenchArguments { Keys = SharedData.Keys, DataPath = folder["data"], ThrottleLimit = 16 };
        using var store = new FasterStore(arguments, CancellationToken.None);
        using var session = store.Open();
        var found = new HashSet<ulong>();
        for (ulong key = 0; key < SharedData.Keys; key++)
        {
            FasterVector vector = default;
            if (session.Read(ref key, ref vector).Found)
                Note(key, vector);
        }

        session.CompletePendingWithOutputs(out var completed, wait: true);
        using (completed)
        {
            while (completed.Next())
                Note(completed.Current.Key, completed.Current.Output);
        }

        Assert.That(found, Has.Count.EqualTo(SharedData.Keys));

        void Note(ulong key, FasterVector vector)
        {
            Assert.That(KeyedVectors.IsOf(key, vector), $"the vector of key {key}");
            found.Add(key);
        }
    }

    [Test]
    public async Task A_paced_run_keeps_to_its_rate()
    {
        // One key is due at the start, and the next after a quarter of an hour.
        JsonObject row = await ResultAsync("--device", "memory", "-b", "1", "--rate", "0.001");
        Assert.That((double)row["ops_per_second"]!, Is.LessThan(1000));
    }

    [Test]
    public async Task More_keys_than_the_index_has_is_bad_usage()
    {
        await BenchProcess.ReportAsync(
            ["get", "--index", SharedData.GetIndex, "-n", $"{SharedData.Keys}", "--device", "memory", .. BenchProcess.Short]);
        (await BenchProcess.RunAsync([.. Arguments, "-n", $"{SharedData.Keys + 1}"])).AssertFailed(ExitCodes.BadInput, "--keys");
    }

    [Test]
    public async Task Vectors_of_another_index_cannot_be_validated()
    {
        await BenchProcess.ReportAsync(
            ["search", "--dataset", SharedData.DataSet, "--index", SharedData.SearchIndex, "-k", "1", "-l", "10", "--quiet", "--device",
            "memory"]);
        string[] arguments = ["get", "--index", SharedData.SearchIndex, "-n", "100", "--device", "memory", .. BenchProcess.Short];
        (await BenchProcess.RunAsync(arguments)).AssertFailed(ExitCodes.BadInput, "--validate");
        Assert.That((await BenchProcess.RunAsync([.. arguments, "--validate", "off"])).ExitCode, Is.Zero);
    }

    // Long enough for a batch to end on a busy machine.
    private static string[] Arguments => ["get", "--index", SharedData.GetIndex, "--runsec", "0.5", "--warmup-sec", "0", "--quiet"];

    private static async Task<JsonObject> ResultAsync(params string[] more) =>
        (await BenchProcess.ReportAsync([.. Arguments, "-n", $"{SharedData.Keys}", .. more]))["results"]![0]!.AsObject();
}
