using NUnit.Framework;
using VectorPipe.Formats;

namespace VectorPipe.Tests.Formats;

public sealed class GroundTruthTests
{
    private static readonly uint[] _ids = [5, uint.MaxValue, 0, 9, 8, 7];
    private static readonly float[] _distances = [0.5f, 1, 2, 3, float.PositiveInfinity, 5];

    [Test]
    public async Task Ids_and_distances_are_read_by_query()
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("t.bin", TestBytes.Int32(2, 3), TestBytes.Int32(5, -1, 0, 9, 8, 7), TestBytes.Float32(_distances));

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
        using var folder = new TemporaryFolder();
        string path = folder.Write("t.bin", TestBytes.Int32(2, 3), TestBytes.Int32(5, -1, 0, 9, 8, 7));

        GroundTruth truth = await GroundTruth.LoadAsync(path);

        Assert.That(truth.HasDistances, Is.False);
        Assert.That(truth.Ids(1).ToArray(), Is.EqualTo(_ids[3..]));
        Assert.That(() => truth.Distances(0).Length, Throws.InvalidOperationException);
    }

    [Test]
    public async Task An_ivecs_file_holds_ids()
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("t.ivecs", TestBytes.Int32(3, 5, -1, 0, 3, 9, 8, 7));

        GroundTruth truth = await GroundTruth.LoadAsync(path);

        Assert.That((truth.Count, truth.K, truth.HasDistances), Is.EqualTo((2, 3, false)));
        Assert.That(truth.Ids(0).ToArray(), Is.EqualTo(_ids[..3]));
        Assert.That(truth.Ids(1).ToArray(), Is.EqualTo(_ids[3..]));
    }

    [Test]
    public async Task Saved_bytes_are_those_of_the_layout()
    {
        using var folder = new TemporaryFolder();
        await GroundTruth.SaveAsync(folder.File("both.bin"), 2, 3, _ids, _distances);
        await GroundTruth.SaveAsync(folder.File("ids.bin"), 2, 3, _ids, default);
        await GroundTruth.SaveAsync(folder.File("ids.ivecs"), 2, 3, _ids, default);

        byte[] ids = [.. TestBytes.Int32(2, 3), .. TestBytes.Int32(5, -1, 0, 9, 8, 7)];
        Assert.That(File.ReadAllBytes(folder.File("both.bin")), Is.EqualTo((byte[])[.. ids, .. TestBytes.Float32(_distances)]));
        Assert.That(File.ReadAllBytes(folder.File("ids.bin")), Is.EqualTo(ids));
        Assert.That(File.ReadAllBytes(folder.File("ids.ivecs")), Is.EqualTo(TestBytes.Int32(3, 5, -1, 0, 3, 9, 8, 7)));
        Assert.That(folder.FileNames, Is.EqualTo(new[] { "both.bin", "ids.bin", "ids.ivecs" }), "no temporary file is left");
    }

    [TestCase("t.bin", true)]
    [TestCase("t.bin", false)]
    [TestCase("t.ivecs", false)]
    public async Task Random_truths_survive_the_round_trip(string name, bool withDistances)
    {
        Random random = RandomizedTest.Start();
        using var folder = new TemporaryFolder();
        for (int run = 0; run < 10; run++)
        {
            int count = random.Next(1, 2_000);
            int k = random.Next(3) == 0 ? random.Next(1, 60_000 / count * 10 + 2) : random.Next(1, 101);
            uint[] ids = [.. Enumerable.Range(0, count * k).Select(_ => (uint)random.NextInt64(1L << 32))];
            float[] distances = withDistances ? [.. Enumerable.Range(0, count * k).Select(_ => random.NextSingle())] : [];
            await GroundTruth.SaveAsync(folder.File(name), count, k, ids, distances);

            GroundTruth truth = await GroundTruth.LoadAsync(folder.File(name));

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
        yield return Case("header cut", "t.bin", "truncated", TestBytes.Int32(2));
        yield return Case("no queries", "t.bin", "a count of 0", TestBytes.Int32(0, 3));
        yield return Case("negative k", "t.bin", "found -3", TestBytes.Int32(1, -3));
        yield return Case("ids cut", "t.bin", "found 16 bytes", TestBytes.Int32(1, 3, 1, 2));
        yield return Case("distances cut", "t.bin", "20 bytes (ids) or 32 bytes (ids and distances)", TestBytes.Int32(1, 3, 1, 2, 3, 4));
        yield return Case("trailing", "t.bin", "found 36 bytes", TestBytes.Int32(1, 3, 1, 2, 3, 4, 5, 6, 7));
        yield return Case("far too many", "t.bin", "truncated", TestBytes.Int32(int.MaxValue, 500_000_000));
        yield return Case("ivecs row cut", "t.ivecs", "8 bytes after row 1", TestBytes.Int32(2, 1, 2, 2, 1));
        yield return Case("ivecs of two lengths", "t.ivecs", "expected dimension 2", TestBytes.Int32(2, 1, 2, 1, 1, 1));

        static TestCaseData Case(string name, string file, string says, params byte[][] parts) =>
            new TestCaseData(file, says, parts).SetArgDisplayNames(name);
    }

    [TestCaseSource(nameof(WrongFiles))]
    public void A_wrong_file_is_refused(string name, string says, byte[][] parts)
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write(name, parts);

        Assert.That(
            async () => await GroundTruth.LoadAsync(path),
            Throws.TypeOf<VectorFormatException>().With.Message.Contains(says).And.Property("Path").EqualTo(path));
    }

    [Test]
    public void A_missing_file_is_reported_by_the_frameworks_own_exception()
    {
        using var folder = new TemporaryFolder();

        Assert.That(async () => await GroundTruth.LoadAsync(folder.File("t.bin")), Throws.TypeOf<FileNotFoundException>());
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
        using var folder = new TemporaryFolder();
        string path = folder.File("t.bin");

        Assert.That(async () => await GroundTruth.SaveAsync(path, 0, 3, default, default), Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(async () => await GroundTruth.SaveAsync(path, 2, 4, _ids, default), Throws.ArgumentException);
        Assert.That(async () => await GroundTruth.SaveAsync(path, 2, 3, _ids, _distances.AsMemory(1)), Throws.ArgumentException);
        Assert.That(async () => await GroundTruth.SaveAsync(folder.File("t.ivecs"), 2, 3, _ids, _distances), Throws.ArgumentException);
        Assert.That(folder.FileNames, Is.Empty);
    }

    [Test]
    public void Cancelled_it_neither_loads_nor_leaves_anything()
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("t.bin", TestBytes.Int32(1, 1, 1));
        var cancelled = new CancellationToken(canceled: true);

        Assert.That(async () => await GroundTruth.LoadAsync(path, cancelled), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(
            async () => await GroundTruth.SaveAsync(folder.File("u.bin"), 2, 3, _ids, default, cancelled),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(folder.FileNames, Is.EqualTo(new[] { "t.bin" }));
    }
}
