using NUnit.Framework;
using VectorPipe.Storage.Keys;
using VectorPipe.Tests.Storage.Keys;

namespace VectorPipe.Tests.Api.Corruption;

/// <summary>A damaged or wrong key directory fails the get that touches it, and verification reports it.</summary>
[TestFixture]
public sealed class GetCorruptionTests
{
    private const int Count = 200;
    private const int Seed = 4711;

    // Two chains of five pages: pages 1 and 2 begin them, 3 to 6 go on with the first or, from 3 + n on, with the second.
    private static readonly KeyDirectoryOptions _layout = new() { Seed = 5, Buckets = 2, EntriesPerPage = 25 };

    [TestCase(4)]
    [TestCase(20, Category = "Heavy")]
    public void A_flipped_bit_in_any_page_is_an_error_of_the_get_that_reads_it(int flips)
    {
        using TestIndex test = Build();
        byte[] sound = File.ReadAllBytes(test.KeysFile);
        var random = new Random(Seed);
        for (int page = 1; page < sound.Length / 4096; page++)
        {
            for (int i = 0; i < flips; i++)
            {
                byte[] bytes = (byte[])sound.Clone();
                int bit = (page * 4096 * 8) + random.Next(4096 * 8);
                bytes[bit / 8] ^= (byte)(1 << (bit % 8));
                string what = $"seed {Seed}, bit {bit}";
                AssertGetsFail(
                    test, bytes,
                    Throws.InstanceOf<IndexCorruptException>().With.Property("Page").EqualTo((long)page).And.Property("File")
                    .EqualTo(test.KeysFile),
                    what);
            }
        }
    }

    [Test]
    public void Swapped_and_zeroed_pages_are_errors()
    {
        using TestIndex test = Build();
        byte[] sound = File.ReadAllBytes(test.KeysFile);
        byte[] swapped = (byte[])sound.Clone();
        sound.AsSpan(4096, 4096).CopyTo(swapped.AsSpan(8192));
        sound.AsSpan(8192, 4096).CopyTo(swapped.AsSpan(4096));
        AssertGetsFail(test, swapped, Throws.InstanceOf<IndexCorruptException>().With.Message.Contains("page number"), "swapped");
        byte[] zeroed = (byte[])sound.Clone();
        zeroed.AsSpan(4096, 4096).Clear();
        AssertGetsFail(test, zeroed, Throws.InstanceOf<IndexCorruptException>().With.Message.Contains("zeros"), "zeroed");
    }

    [TestCase(4)]
    [TestCase(1, Category = "Heavy")]
    public async Task A_chain_that_leads_to_a_wrong_page_is_an_error(int oneIn)
    {
        using TestIndex test = Build();
        byte[] sound = File.ReadAllBytes(test.KeysFile);
        int pages = sound.Length / 4096;
        for (int page = 1; page < pages; page++)
        {
            long right = (long)BucketPages.Read(sound, page, BucketPages.NextAt);
            for (long next = 1 + (page % oneIn); next <= pages + 1; next += oneIn)
            {
                if (next == right)
                    continue;
                AssertGetsFail(
                    test,
                    BucketPages.Change(sound, page, BucketPages.NextAt, (ulong)next),
                    Throws.InstanceOf<IndexCorruptException>().With.Property("File").EqualTo(test.KeysFile),
                    $"page {page} leads to page {next}");
            }
        }

        Assert.That((await VectorIndex.VerifyAsync(test.Directory)).IsSound, Is.False);
    }

    [Test]
    public async Task A_key_that_leads_to_another_node_is_an_error()
    {
        using TestIndex test = Build();
        byte[] sound = File.ReadAllBytes(test.KeysFile);
        ulong node = BucketPages.Read(sound, 1, BucketPages.FirstValueAt);
        ulong otherNode = BucketPages.Read(sound, 2, BucketPages.FirstValueAt);
        byte[] wrong = BucketPages.Change(sound, 1, BucketPages.FirstValueAt, otherNode);
        AssertGetsFail(
            test, wrong, Throws.InstanceOf<IndexCorruptException>().With.Message.Contains("as the key directory states"), "one entry");
        VerifyReport twice = await VectorIndex.VerifyAsync(test.Directory);
        Assert.That(twice.Defects, Has.Count.EqualTo(1).And.Some.Contains($"node {otherNode}"));

        // Two swapped entries keep the count, and each has its own node: only the keys in the nodes show the error.
        AssertGetsFail(
            test,
            BucketPages.Change(wrong, 2, BucketPages.FirstValueAt, node),
            Throws.InstanceOf<IndexCorruptException>().With.Message.Contains("as the key directory states"),
            "two entries");
        VerifyReport swapped = await VectorIndex.VerifyAsync(test.Directory);
        Assert.That(swapped.Defects, Is.Not.Empty.And.All.Contains("nodes-000001.vp"), "the nodes, and their replicas");
    }

    [Test]
    public void A_key_that_leads_out_of_the_index_is_an_error()
    {
        using TestIndex test = Build();
        byte[] sound = File.ReadAllBytes(test.KeysFile);
        foreach (ulong value in new ulong[] { Count, uint.MaxValue, 1UL << 32, 1UL << 62 })
        {
            AssertGetsFail(
                test, BucketPages.Change(
                    sound, 1, BucketPages.FirstValueAt,
                    value), Throws.InstanceOf<IndexCorruptException>().With.Message.Contains($"found {value}"), $"{value}");
        }
    }

    [Test]
    public void An_entry_that_is_marked_as_deleted_is_not_found()
    {
        using TestIndex test = Build();
        byte[] sound = File.ReadAllBytes(test.KeysFile);
        ulong value = BucketPages.Read(sound, 1, BucketPages.FirstValueAt);
        File.WriteAllBytes(test.KeysFile, BucketPages.Change(sound, 1, BucketPages.FirstValueAt, value | KeyBucketPage.TombstoneBit));
        using VectorIndex index = test.Open(DeviceKind.Memory);
        using SearchSession session = index.OpenSession();
        Assert.That(session.TryGet<byte>(BucketPages.Read(sound, 1, BucketPages.FirstKeyAt), new byte[test.Dimension]), Is.False);
    }

    [Test]
    public void A_damaged_node_is_an_error_of_the_get_that_reads_it()
    {
        using TestIndex test = Build();
        byte[] nodes = File.ReadAllBytes(test.NodeFile);
        nodes[4096 + 700] ^= 4;
        File.WriteAllBytes(test.NodeFile, nodes);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        Assert.That(
            async () =>
            {
                for (ulong key = 0; key < Count; key++)
                    await index.GetAsync(key);
            },
            Throws.InstanceOf<IndexCorruptException>().With.Property("Page").EqualTo(1L).And.Property("File").EqualTo(test.NodeFile));
    }

    [Test]
    public async Task Sound_pages_are_served_beside_a_damaged_one()
    {
        using TestIndex test = Build();
        byte[] bytes = File.ReadAllBytes(test.KeysFile);
        ulong[] first = new KeyBucketPage(bytes.AsSpan(4096, 4096)).Keys.ToArray();
        ulong[] second = new KeyBucketPage(bytes.AsSpan(8192, 4096)).Keys.ToArray();
        bytes[4096 + 99] ^= 1;
        File.WriteAllBytes(test.KeysFile, bytes);
        using VectorIndex index = test.Open(DeviceKind.Memory);
        Task<VectorRecord?>[] damaged = [.. first.Select(key => index.GetAsync(key).AsTask())];
        Task<VectorRecord?>[] sound = [.. second.Select(key => index.GetAsync(key).AsTask())];
        Assert.That(await Task.WhenAll(sound), Has.None.Null);
        foreach (Task<VectorRecord?> task in damaged)
            Assert.That(async () => await task, Throws.InstanceOf<IndexCorruptException>());
    }

    private static TestIndex Build() => TestIndex.Build(count: Count, dimension: 16, keyDirectory: _layout);

    /// <summary>Writes the bytes, opens the index, and looks up every key and one missing key of each chain.</summary>
    private static void AssertGetsFail(TestIndex test, byte[] keysFile, NUnit.Framework.Constraints.IResolveConstraint error, string what)
    {
        File.WriteAllBytes(test.KeysFile, keysFile);
        using VectorIndex index = test.Open(DeviceKind.Memory, queriesInFlight: 1);
        using SearchSession session = index.OpenSession();
        ulong[] keys = [.. Enumerable.Range(0, Count + 20).Select(i => (ulong)i)];
        Assert.That(() => session.TryGetMany<byte>(keys, new byte[keys.Length * test.Dimension], new bool[keys.Length]), error, what);
    }
}
