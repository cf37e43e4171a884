using System.Buffers.Binary;
using NUnit.Framework;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Tests.Api.Corruption;

/// <summary>Damage in a file of original vectors fails look-ups and verification, and no search.</summary>
public sealed class RoundedCorruptionTests
{
    private const int Seed = 99, Count = 400, Dimension = 40;

    [TestCase(5)]
    [TestCase(1, Category = "Heavy")]
    [TestCase(9, Category = "Heavy")]
    public async Task A_flipped_bit_fails_the_look_up_that_reads_it_and_the_verification(int page)
    {
        using TestIndex test = Build();
        string path = VectorsFile(test);
        byte[] bytes = await File.ReadAllBytesAsync(path);
        int bit = (page * 4096 * 8) + new Random(Seed + page).Next(4096 * 8);
        bytes[bit / 8] ^= (byte)(1 << (bit % 8));
        await File.WriteAllBytesAsync(path, bytes);

        Assert.That(
            (await VectorIndex.VerifyAsync(test.Directory)).Defects, Has.Count.EqualTo(1).And.One.Contains(Path.GetFileName(path)),
            $"seed {Seed}");
        using VectorIndex index = test.Open(DeviceKind.Portable);
        int failed = 0;
        for (ulong key = 0; key < Count; key++)
        {
            try
            {
                VectorRecord? record = await index.GetAsync(key);
                Assert.That(
                    record!.Bytes.Span.SequenceEqual(test.Rows.AsSpan((int)key * test.RowBytes, test.RowBytes)), Is.True, $"key {key}");
            }
            catch (IndexCorruptException e)
            {
                failed++;
                Assert.That((e.File, e.Page), Is.EqualTo((path, (long)page)), $"seed {Seed}");
            }
        }

        Assert.That(
            failed, Is.EqualTo(new OriginalVectorLayout(VectorElementType.Float32, Dimension).VectorsOf(page, Count)),
            "as many as the page holds");
        float[] query = new float[Dimension];
        query[0] = 1;
        SearchResult result = await index.SearchAsync<float>(query, 10);
        Assert.That(result.Count, Is.EqualTo(10), "searches do not touch the file");
    }

    [Test]
    public void A_file_that_is_cut_missing_or_of_another_index_is_refused_when_the_index_is_opened()
    {
        using TestIndex test = Build();
        using TestIndex other = Build(seed: 2);
        string path = VectorsFile(test);
        byte[] sound = File.ReadAllBytes(path);

        File.WriteAllBytes(path, sound[..^4096]);
        AssertRefused("cut");
        File.Copy(VectorsFile(other), path, overwrite: true);
        AssertRefused("of another index");
        File.Delete(path);
        AssertRefused("missing");
        File.WriteAllBytes(path, sound);
        test.Open().Dispose();

        void AssertRefused(string what) =>
            Assert.That(
                () => test.Open().Dispose(), Throws.InstanceOf<IndexCorruptException>().With.Message.Contains("vectors-000001.vp"), what);
    }

    [Test]
    public async Task A_page_vector_that_does_not_round_the_original_is_a_defect([Values] bool isGivenWrong)
    {
        using TestIndex test = Build();
        var layout = new OriginalVectorLayout(VectorElementType.Float32, Dimension);
        NodeLayout nodes = IndexDirectory.ReadManifest(test.Directory).Schema.CreateLayout();

        // A bit of the first component's exponent, under a right checksum.
        Change(
            isGivenWrong ? VectorsFile(test) : test.NodeFile, page: 2,
            (isGivenWrong ? layout.VectorOffset : nodes.VectorOffset) + (isGivenWrong ? 3 : 1), mask: 0x10);

        VerifyReport report = await VectorIndex.VerifyAsync(test.Directory);
        Assert.That(report.Defects, Is.Not.Empty.And.All.Contains("rounded to Float16"));
    }

    [Test]
    public async Task A_vector_under_another_key_is_an_error()
    {
        using TestIndex test = Build();
        string path = VectorsFile(test);
        Change(path, page: 1, PageCodec.HeaderSize + 7, mask: 0x40);

        Assert.That((await VectorIndex.VerifyAsync(test.Directory)).Defects, Is.Not.Empty.And.All.Contains("expected key"));
        using VectorIndex index = test.Open();
        int failed = 0;
        for (ulong key = 0; key < Count; key++)
        {
            try
            {
                VectorRecord? record = await index.GetAsync(key);
            }
            catch (IndexCorruptException e)
            {
                failed++;
                Assert.That(e.Message, Does.Contain($"expected key {key}").And.Contain("vectors-000001.vp"));
            }
        }

        Assert.That(failed, Is.EqualTo(1));
    }

    private static TestIndex Build(int seed = 1) =>
        TestIndex.Build(type: VectorElementType.Float32, count: Count, dimension: Dimension, seed: seed);

    private static string VectorsFile(TestIndex test) => Directory.GetFiles(test.Directory, "vectors-*.vp").Single();

    private static void Change(string path, int page, int offset, byte mask)
    {
        byte[] bytes = File.ReadAllBytes(path);
        Span<byte> changed = bytes.AsSpan(page * 4096, 4096);
        changed[offset] ^= mask;
        BinaryPrimitives.WriteUInt32LittleEndian(changed, Crc32C.Compute(changed[4..]));
        File.WriteAllBytes(path, bytes);
    }
}
