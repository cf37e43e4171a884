using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Measuring.Data;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Data;

public sealed class GroundTruthTests
{
    private static readonly uint[] _ids = [5, uint.MaxValue, 0, 9, 8, 7];
    private static readonly float[] _distances = [0.5f, 1, 2, 3, float.PositiveInfinity, 5];

    [Test]
    public async Task Ids_and_distances_are_read_by_query()
    {
        using var folder = new TempFolder();
        string path = Write(folder["t.bin"], Int32(2, 3), Int32(5, -1, 0, 9, 8, 7), Float32(_distances));

        GroundTruth truth = await GroundTruth.LoadAsync(path);

        Assert.That((truth.Count, truth.K, truth.HasDistances), Is.EqualTo((2, 3, true)));
        Assert.That(truth.Ids(0).ToArray(), Is.EqualTo(_ids[..3]));
        Assert.That(truth.Ids(1).ToArray(), Is.EqualTo(_ids[3..]));
        Assert.That(truth.Distances(0).ToArray(), Is.EqualTo(_distances[..3]));
        Assert.That(truth.Distances(1).ToArray(), Is.EqualTo(_distances[3..]));
    }

    [Test]
    public async Task A_file_that_ends_after_the_ids_has_no_distances()
    {
        using var folder = new TempFolder();
        string path = Write(folder["t.bin"], Int32(2, 3), Int32(5, -1, 0, 9, 8, 7));

        GroundTruth truth = await GroundTruth.LoadAsync(path);

        Assert.That(truth.HasDistances, Is.False);
        Assert.That(truth.Ids(1).ToArray(), Is.EqualTo(_ids[3..]));
        Assert.That(() => truth.Distances(0).Length, Throws.InvalidOperationException);
    }

    [Test]
    public async Task An_ivecs_file_holds_ids()
    {
        using var folder = new TempFolder();
        string path = Write(folder["t.ivecs"], Int32(3, 5, -1, 0, 3, 9, 8, 7));

        GroundTruth truth = await GroundTruth.LoadAsync(path);

        Assert.That((truth.Count, truth.K, truth.HasDistances), Is.EqualTo((2, 3, false)));
        Assert.That(truth.Ids(0).ToArray(), Is.EqualTo(_ids[..3]));
        Assert.That(truth.Ids(1).ToArray(), Is.EqualTo(_ids[3..]));
    }

    [Test]
    public async Task Saved_bytes_are_those_of_the_layout()
    {
        using var folder = new TempFolder();
        await GroundTruth.SaveAsync(folder["both.bin"], 2, 3, _ids, _distances);
        await GroundTruth.SaveAsync(folder["ids.bin"], 2, 3, _ids, default);
        await GroundTruth.SaveAsync(folder["ids.ivecs"], 2, 3, _ids, default);

        byte[] ids = [.. Int32(2, 3), .. Int32(5, -1, 0, 9, 8, 7)];
        Assert.That(File.ReadAllBytes(folder["both.bin"]), Is.EqualTo((byte[])[.. ids, .. Float32(_distances)]));
        Assert.That(File.ReadAllBytes(folder["ids.bin"]), Is.EqualTo(ids));
        Assert.That(File.ReadAllBytes(folder["ids.ivecs"]), Is.EqualTo(Int32(3, 5, -1, 0, 3, 9, 8, 7)));
        Assert.That(FileNames(folder), Is.EqualTo(new[] { "both.bin", "ids.bin", "ids.ivecs" }), "no temporary file is left");
    }

    [TestCase("t.bin", true, 3)]
    [TestCase("t.bin", false, 2)]
    [TestCase("t.ivecs", false, 2)]
    [TestCase("t.bin", true, 10, Category = "Heavy")]
    [TestCase("t.bin", false, 10, Category = "Heavy")]
    [TestCase("t.ivecs", false, 10, Category = "Heavy")]
    public async Task Random_truths_survive_the_round_trip(string name, bool withDistances, int runs)
    {
        int seed = Environment.TickCount;
        TestContext.Out.WriteLine($"seed {seed}");
        var random = new Random(seed);
        using var folder = new TempFolder();
        for (int run = 0; run < runs; run++)
        {
            int count = random.Next(1, 2_000);
            int k = random.Next(3) == 0 ? random.Next(1, 60_000 / count * 10 + 2) : random.Next(1, 101);
            uint[] ids = [.. Enumerable.Range(0, count * k).Select(_ => (uint)random.NextInt64(1L << 32))];
            float[] distances = withDistances ? [.. Enumerable.Range(0, count * k).Select(_ => random.NextSingle())] : [];
            await GroundTruth.SaveAsync(folder[name], count, k, ids, distances);

            GroundTruth truth = await GroundTruth.LoadAsync(folder[name]);

            string what = $"run {run}: {count} queries, k = {k}";
            Assert.That((truth.Count, truth.K, truth.HasDistances), Is.EqualTo((count, k, withDistances)), what);
            for (int query = 0; query < count; query++)
            {
                Assert.That(truth.Ids(query).SequenceEqual(ids.AsSpan(query * k, k)), what);
                Assert.That(!withDistances || truth.Distances(query).SequenceEqual(distances.AsSpan(query * k, k)), what);
            }
        }
    }

    private static IEnumerable<TestCaseData> WrongFiles()
    {
        yield return Case("empty", "t.bin", "an empty file");
        yield return Case("header cut", "t.bin", "truncated", Int32(2));
        yield return Case("no queries", "t.bin", "a count of 0", Int32(0, 3));
        yield return Case("negative k", "t.bin", "found -3", Int32(1, -3));
        yield return Case("ids cut", "t.bin", "found 16 bytes", Int32(1, 3, 1, 2));
        yield return Case("distances cut", "t.bin", "20 bytes (ids) or 32 bytes (ids and distances)", Int32(1, 3, 1, 2, 3, 4));
        yield return Case("trailing", "t.bin", "found 36 bytes", Int32(1, 3, 1, 2, 3, 4, 5, 6, 7));
        yield return Case("far too many", "t.bin", "truncated", Int32(int.MaxValue, 500_000_000));
        yield return Case("ivecs row cut", "t.ivecs", "8 bytes after row 1", Int32(2, 1, 2, 2, 1));
        yield return Case("ivecs of two lengths", "t.ivecs", "expected dimension 2", Int32(2, 1, 2, 1, 1, 1));

        static TestCaseData Case(string name, string file, string says, params byte[][] parts) =>
            new TestCaseData(file, says, parts).SetArgDisplayNames(name);
    }

    [TestCaseSource(nameof(WrongFiles))]
    public void A_wrong_file_is_refused(string name, string says, byte[][] parts)
    {
        using var folder = new TempFolder();
        string path = Write(folder[name], parts);

        Assert.That(
            async () => await GroundTruth.LoadAsync(path),
            Throws.TypeOf<VectorFormatException>().With.Message.Contains(says).And.Property("Path").EqualTo(path));
    }

    [Test]
    public void A_missing_file_is_reported_by_the_frameworks_own_exception()
    {
        using var folder = new TempFolder();

        Assert.That(async () => await GroundTruth.LoadAsync(folder["t.bin"]), Throws.TypeOf<FileNotFoundException>());
    }

    [Test]
    public void Queries_that_do_not_exist_are_refused([Values(-1, 2)] int query)
    {
        var truth = new GroundTruth(2, 3, _ids, _distances);

        Assert.That(() => truth.Ids(query).Length, Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => truth.Distances(query).Length, Throws.InstanceOf<ArgumentOutOfRangeException>());
    }

    [Test]
    public void Lengths_that_do_not_fit_are_refused_and_nothing_is_created()
    {
        using var folder = new TempFolder();
        string path = folder["t.bin"];

        Assert.That(
            async () => await GroundTruth.SaveAsync(path, 0, 3, default, default), Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(async () => await GroundTruth.SaveAsync(path, 2, 4, _ids, default), Throws.ArgumentException);
        Assert.That(async () => await GroundTruth.SaveAsync(path, 2, 3, _ids, _distances.AsMemory(1)), Throws.ArgumentException);
        Assert.That(async () => await GroundTruth.SaveAsync(folder["t.ivecs"], 2, 3, _ids, _distances), Throws.ArgumentException);
        Assert.That(FileNames(folder), Is.Empty);
    }

    [Test]
    public void A_cancelled_call_loads_nothing_and_leaves_nothing()
    {
        using var folder = new TempFolder();
        string path = Write(folder["t.bin"], Int32(1, 1, 1));
        var cancelled = new CancellationToken(canceled: true);

        Assert.That(async () => await GroundTruth.LoadAsync(path, cancelled), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(
            async () => await GroundTruth.SaveAsync(folder["u.bin"], 2, 3, _ids, default, cancelled),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(FileNames(folder), Is.EqualTo(new[] { "t.bin" }));
    }

    [TestCase("t.bin", 300)]
    [TestCase("t.ivecs", 300)]
    [TestCase("t.bin", 1500, Category = "Heavy")]
    [TestCase("t.ivecs", 1500, Category = "Heavy")]
    public async Task A_mutated_file_is_loaded_or_refused(string name, int mutants)
    {
        int seed = Environment.TickCount;
        TestContext.Out.WriteLine($"seed {seed}");
        var random = new Random(seed);
        byte[] original = name == "t.bin" ? Int32(2, 2, 1, 2, 3, 4, 5, 6, 7, 8) : Int32(2, 1, 2, 2, 3, 4);
        using var folder = new TempFolder();
        int refused = 0;
        for (int i = 0; i < mutants; i++)
        {
            byte[] mutant = [.. original[..(random.Next(4) == 0 ? random.Next(original.Length + 1) : original.Length)]];
            for (int changes = random.Next(4); changes > 0 && mutant.Length > 0; changes--)
                mutant[random.Next(mutant.Length)] = random.Next(3) == 0 ? byte.MaxValue : (byte)random.Next(256);
            string path = Write(folder[name], mutant);
            try
            {
                GroundTruth truth = await GroundTruth.LoadAsync(path);
                Assert.That(truth.Ids(truth.Count - 1).Length, Is.EqualTo(truth.K), $"seed {seed}, mutant {i}");
            }
            catch (VectorFormatException error)
            {
                refused++;
                Assert.That(error.Path, Is.EqualTo(path), $"seed {seed}, mutant {i}");
            }
        }

        Assert.That(refused, Is.AtLeast(mutants / 15), $"seed {seed}");
    }

    private static byte[] Int32(params int[] values) => MemoryMarshal.AsBytes<int>(values).ToArray();

    private static byte[] Float32(params float[] values) => MemoryMarshal.AsBytes<float>(values).ToArray();

    private static string Write(string path, params byte[][] parts)
    {
        File.WriteAllBytes(path, [.. parts.SelectMany(part => part)]);
        return path;
    }

    private static string[] FileNames(TempFolder folder) =>
        [.. Directory.GetFiles(folder.Root).Select(file => Path.GetFileName(file)).Order(StringComparer.Ordinal)];
}
