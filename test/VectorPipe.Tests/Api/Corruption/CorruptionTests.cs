using NUnit.Framework;

namespace VectorPipe.Tests.Api.Corruption;

/// <summary>Damage in any file gives a typed error at open or at the read that touches it, never a wrong answer.</summary>
[TestFixture]
public sealed class CorruptionTests
{
    private const int Seed = 20_251;

    private static readonly string[] _files =
        ["MANIFEST", "nodes-000001.vp", "codes-000001.vp", "codebook-000001.vp", "keys-000001.vp", "pagegraph-000001.vp"];

    private static IEnumerable<TestCaseData> Flips() =>
    [
        .. _files.Select(name => new TestCaseData(name, 12)),
        .. _files.Select(name => new TestCaseData(name, 60).SetCategory("Heavy")),
    ];

    [Test]
    public void A_truncated_file_is_refused_when_the_index_is_opened(
        [ValueSource(nameof(_files))] string name, [Values(0.0, 0.3, 0.999)] double share)
    {
        using TestIndex test = TestIndex.Build(count: 600);
        string path = Path.Combine(test.Directory, name);
        using (FileStream file = File.OpenWrite(path))
            file.SetLength((long)(file.Length * share));
        AssertRefused(test, path);
    }

    [Test]
    public void An_extended_file_is_refused_when_the_index_is_opened([ValueSource(nameof(_files))] string name)
    {
        using TestIndex test = TestIndex.Build(count: 600);
        string path = Path.Combine(test.Directory, name);
        using (FileStream file = File.OpenWrite(path))
            file.SetLength(file.Length + 4096);
        AssertRefused(test, path);
    }

    [Test]
    public void A_missing_file_is_refused_when_the_index_is_opened([ValueSource(nameof(_files))] string name)
    {
        using TestIndex test = TestIndex.Build(count: 600);
        File.Delete(Path.Combine(test.Directory, name));
        Assert.That(
            () => test.Open().Dispose(),
            name == "MANIFEST" ? Throws.InstanceOf<IndexNotFoundException>() : Throws.InstanceOf<IndexCorruptException>());
    }

    [Test]
    public void A_file_of_another_index_is_refused_when_the_index_is_opened([ValueSource(nameof(_files))] string name)
    {
        // Same shape, same sizes, same names: only the identities differ.
        using TestIndex test = TestIndex.Build(count: 600);
        using TestIndex other = TestIndex.Build(count: 600, seed: 2);
        File.Copy(Path.Combine(other.Directory, name), Path.Combine(test.Directory, name), overwrite: true);
        Assert.That(() => test.Open().Dispose(), Throws.InstanceOf<IndexCorruptException>());
    }

    [TestCaseSource(nameof(Flips))]
    public void A_flipped_bit_is_found_at_open_or_by_the_read_that_touches_it(string name, int flips)
    {
        using TestIndex test = TestIndex.Build(count: 600);
        string path = Path.Combine(test.Directory, name);
        byte[] sound = File.ReadAllBytes(path);
        var random = new Random(Seed);
        for (int i = 0; i < flips; i++)
        {
            byte[] bytes = (byte[])sound.Clone();
            int bit = random.Next(bytes.Length * 8);
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            File.WriteAllBytes(path, bytes);
            Assert.That(
                () => ReadEverything(test), Throws.InstanceOf<IndexCorruptException>().With.Message.Contains(name),
                $"seed {Seed}, bit {bit}");
        }
    }

    [Test]
    public void Swapped_zeroed_and_stale_pages_are_found_by_the_search_that_reads_them()
    {
        using TestIndex test = TestIndex.Build(count: 600);
        byte[] sound = File.ReadAllBytes(test.NodeFile);
        byte[] stale = (byte[])sound.Clone();
        test.Rebuild();
        byte[] rebuilt = File.ReadAllBytes(test.NodeFile);

        byte[] swapped = (byte[])rebuilt.Clone();
        rebuilt.AsSpan(4096, 4096).CopyTo(swapped.AsSpan(8192));
        rebuilt.AsSpan(8192, 4096).CopyTo(swapped.AsSpan(4096));
        byte[] zeroed = (byte[])rebuilt.Clone();
        zeroed.AsSpan(4096, 4096).Clear();
        byte[] old = (byte[])rebuilt.Clone();
        stale.AsSpan(4096, 4096).CopyTo(old.AsSpan(4096));
        foreach ((byte[] bytes, string words) in new[] { (swapped, "page number"), (zeroed, "zeros"), (old, "identity") })
        {
            File.WriteAllBytes(test.NodeFile, bytes);
            Assert.That(() => ReadEverything(test), Throws.InstanceOf<IndexCorruptException>().With.Message.Contains(words));
        }
    }

    [Test]
    public async Task Verify_names_every_damaged_page_and_nothing_else()
    {
        using TestIndex test = TestIndex.Build(count: 600);
        Assert.That((await VectorIndex.VerifyAsync(test.Directory, 2)).Defects, Is.Empty);
        byte[] bytes = File.ReadAllBytes(test.NodeFile);
        bytes[(3 * 4096) + 100] ^= 1;
        bytes[(5 * 4096) + 4000] ^= 1;
        File.WriteAllBytes(test.NodeFile, bytes);
        VerifyReport report = await VectorIndex.VerifyAsync(test.Directory, 2);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(report.Defects, Has.Count.EqualTo(2));
            Assert.That(report.Defects, Has.Some.Contains("page 3:").And.Some.Contains("page 5:"));
        }
    }

    [Test]
    public void A_session_serves_sound_pages_after_it_met_a_damaged_one()
    {
        using TestIndex test = TestIndex.Build(count: 600);
        byte[] sound = File.ReadAllBytes(test.NodeFile);
        using VectorIndex index = test.Open(DeviceKind.Portable);
        using SearchSession session = index.OpenSession();
        byte[] damaged = (byte[])sound.Clone();
        for (int page = 1; page < damaged.Length / 4096; page++)
            damaged[(page * 4096) + 50] ^= 1;
        Overwrite(test.NodeFile, damaged);
        byte[] query = test.MakeQueries(1);
        var hits = new SearchHit[10];
        Assert.That(() => session.Search<byte>(query, 10, hits), Throws.InstanceOf<IndexCorruptException>());
        Overwrite(test.NodeFile, sound);
        Assert.That(session.Search<byte>(query, 10, hits).Hits, Is.EqualTo(10));
    }

    private static void Overwrite(string path, byte[] bytes)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
        file.Write(bytes);
        file.Flush(flushToDisk: true);
    }

    private static void AssertRefused(TestIndex test, string path) =>
        Assert.That(
            () => test.Open().Dispose(),
            Throws.InstanceOf<VectorPipeException>().And.InstanceOf<IndexCorruptException>().With.Message.Contains(Path.GetFileName(path)));

    /// <summary>Opens the index and reads every page by a full search and a look-up of every key.</summary>
    private static void ReadEverything(TestIndex test)
    {
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        var hits = new SearchHit[10];
        byte[] queries = test.MakeQueries(1);
        session.Search<byte>(queries, 10, hits, new SearchOptions { Graph = new GraphSearch { ListSize = test.Count } });
        session.TryGetMany<byte>(
            [.. Enumerable.Range(0, test.Count).Select(i => (ulong)i)], new byte[test.Rows.Length], new bool[test.Count]);
    }
}
