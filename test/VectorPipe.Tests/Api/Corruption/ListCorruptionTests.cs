using NUnit.Framework;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Generations;

namespace VectorPipe.Tests.Api.Corruption;

/// <summary>Damage in an IVF index gives a typed error, no wrong answer, and a defect in verification.</summary>
public sealed class ListCorruptionTests
{
    private const int Seed = 20_261;

    private static readonly string[] _files =
        ["MANIFEST", "nodes-000001.vp", "codes-000001.vp", "codebook-000001.vp", "keys-000001.vp", "lists-000001.vp"];

    private TestIndex _test = null!;

    private static IEnumerable<TestCaseData> Flips() =>
    [
        .. _files.Select(name => new TestCaseData(name, 4)),
        .. _files.Select(name => new TestCaseData(name, 20).SetCategory("Heavy")),
    ];

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.BuildLists(count: 400, lists: 12, codeBytes: 16);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [TestCaseSource(nameof(Flips))]
    public void A_flipped_bit_is_found_by_the_read_that_touches_it_and_by_verification(string name, int flips)
    {
        var random = new Random(Seed);
        WithFile(name, (path, sound) =>
        {
            for (int i = 0; i < flips; i++)
            {
                byte[] bytes = [.. sound];
                int bit = random.Next(bytes.Length * 8);
                bytes[bit / 8] ^= (byte)(1 << (bit % 8));
                File.WriteAllBytes(path, bytes);
                Assert.That(
                    ReadEverything, Throws.InstanceOf<IndexCorruptException>().With.Message.Contains(name), $"seed {Seed}, bit {bit}");
                if (name != IndexDirectory.ManifestName)
                    Assert.That(
                        VectorIndex.VerifyAsync(_test.Directory).GetAwaiter().GetResult().Defects, Has.Some.Contains(name),
                        $"seed {Seed}, bit {bit}");
            }
        });
    }

    [Test]
    public void A_file_of_another_length_is_refused_when_the_index_is_opened(
        [ValueSource(nameof(_files))] string name, [Values(-4096, -1, 4096)] int change) => WithFile(name, (path, sound) =>
    {
        byte[] bytes = new byte[Math.Max(0, sound.Length + change)];
        sound.AsSpan(0, Math.Min(sound.Length, bytes.Length)).CopyTo(bytes);
        File.WriteAllBytes(path, bytes);
        Assert.That(() => _test.Open().Dispose(), Throws.InstanceOf<IndexCorruptException>());
    });

    [Test]
    public void A_file_of_another_index_is_refused_when_the_index_is_opened([ValueSource(nameof(_files))] string name)
    {
        using TestIndex other = TestIndex.BuildLists(count: 400, lists: 12, codeBytes: 16, seed: 2);
        WithFile(name, (path, _) =>
        {
            File.Copy(Path.Combine(other.Directory, name), path, overwrite: true);
            Assert.That(() => _test.Open().Dispose(), Throws.InstanceOf<IndexCorruptException>());
        });
    }

    private void WithFile(string name, Action<string, byte[]> change)
    {
        string path = Path.Combine(_test.Directory, name);
        byte[] sound = File.ReadAllBytes(path);
        try
        {
            change(path, sound);
        }
        finally
        {
            File.WriteAllBytes(path, sound);
        }
    }

    private void ReadEverything()
    {
        using VectorIndex index = _test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        session.Search<byte>(
            _test.MakeQueries(1), 10, new SearchHit[10],
            new SearchOptions
            {
                Ivf = new IvfSearch { Probes = 1000, Rerank = _test.CodeBytes > 0 ? _test.Count : null },
                Tuning =
            new WalkTuning { BoundFactor = 0.0001f }
            });
        ulong[] keys = [.. Enumerable.Range(0, _test.Count).Select(key => (ulong)key)];
        session.TryGetMany<byte>(keys, new byte[_test.Rows.Length], new bool[keys.Length]);
    }
}
