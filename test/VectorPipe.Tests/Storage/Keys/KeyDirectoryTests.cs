using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Choosing;
using VectorPipe.Model.Errors;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;
using VectorPipe.Tests.Faults;
using VectorPipe.Tests.Formats;
using VectorPipe.Tests.Storage.Manifests;

namespace VectorPipe.Tests.Storage.Keys;

/// <summary>Every written key is found, mostly in one page, and a wrong directory is an error.</summary>
public sealed class KeyDirectoryTests
{
    private const ulong IndexId = 99;
    private const uint Generation = 4;
    private const int Seed = 7071;

    private TemporaryFolder _folder = null!;

    [SetUp]
    public void CreateFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void DeleteFolder() => _folder.Dispose();

    [Test]
    public void Every_key_is_found_and_no_other([Values(1, 2, 188, 189, 190, 252, 253, 1000, 4999, 50_000)] int count)
    {
        ulong[] keys = RandomKeys(count);
        using var directory = new DirectoryUnderTest(_folder, keys);
        directory.AssertHolds(keys);
        var held = new HashSet<ulong>(keys);
        foreach (ulong key in RandomKeys(2000, Seed + 1).Where(key => !held.Contains(key)))
            Assert.That(directory.Find(key).Found, Is.False, $"seed {Seed}, key {key}");
    }

    [Test]
    public void Keys_of_any_pattern_are_spread_over_the_buckets([Values(1UL, 2UL, 189UL, 4096UL, 1UL << 32, 1UL << 48)] ulong stride)
    {
        ulong[] keys = [.. Enumerable.Range(0, 20_000).Select(i => ((ulong)i * stride) + 5)];
        using var directory = new DirectoryUnderTest(_folder, keys);
        directory.AssertHolds(keys);
        Assert.That(directory.Shape.LongestChain, Is.LessThanOrEqualTo(2), "a pattern in the keys must not show in the chains");
    }

    [Test]
    public void Nearly_every_key_is_in_the_first_page_of_its_chain()
    {
        ulong[] keys = RandomKeys(50_000);
        using var directory = new DirectoryUnderTest(_folder, keys);
        double pages = keys.Average(key => (double)directory.Find(key).Pages);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(pages, Is.LessThan(1.001), $"seed {Seed}");
            Assert.That(directory.Entry.PageCount, Is.LessThan(1 + (50_000 / 180)), "pages are three quarters full");
        }
    }

    [Test]
    public void The_least_and_the_greatest_key_are_ordinary_keys()
    {
        ulong[] keys = [ulong.MaxValue, 0, 1, ulong.MaxValue - 1];
        using var directory = new DirectoryUnderTest(_folder, keys);
        directory.AssertHolds(keys);
    }

    [TestCase(9973)]
    [TestCase(997, Category = "Heavy")]
    public void Keys_of_one_bucket_make_a_chain_of_a_thousand_pages(int every)
    {
        const int pages = 1005;
        ulong[] keys = RandomKeys((pages - 1) * KeyBucketPage.Capacity + 1);
        using var directory = new DirectoryUnderTest(_folder, keys, new KeyDirectoryOptions { Seed = 1, Buckets = 1 });
        Assert.That((directory.Shape.LongestChain, directory.Entry.PageCount), Is.EqualTo((pages, 1L + pages)));
        directory.AssertHolds([.. keys.Where((_, i) => i % every == 0), keys[^1]]);
        directory.Walk();
    }

    [Test]
    [Category("Heavy")]
    public void No_distribution_of_keys_takes_more_pages_than_reserved(
        [Values(1, 2, 3, 4, 251, 252, 253, 5000)] int count, [Values(1, 3, 252)] int entriesPerPage, [Values(1, 7, 300)] int buckets) =>
        AssertReserved(count, entriesPerPage, buckets);

    [Test]
    [Pairwise]
    public void No_pair_of_numbers_takes_more_pages_than_reserved(
        [Values(1, 2, 3, 4, 251, 252, 253, 5000)] int count, [Values(1, 3, 252)] int entriesPerPage, [Values(1, 7, 300)] int buckets) =>
        AssertReserved(count, entriesPerPage, buckets);

    [Test]
    public void Keys_chosen_against_one_seed_are_harmless_under_another()
    {
        const int buckets = 64;
        ulong[] hostile = [.. Numbers().Where(key => KeyHash.Bucket(key, 1, buckets) == 17).Take(3000)];
        using (var spoilt = new DirectoryUnderTest(_folder, hostile, new KeyDirectoryOptions { Seed = 1, Buckets = buckets }))
            Assert.That(spoilt.Shape.LongestChain, Is.EqualTo(12));
        using var reseeded = new DirectoryUnderTest(_folder, hostile, new KeyDirectoryOptions { Seed = 2, Buckets = buckets });
        Assert.That(reseeded.Shape.LongestChain, Is.EqualTo(1));
    }

    [Test]
    public void Directories_of_two_indexes_have_different_seeds()
    {
        ulong seed = SeedOf(IndexId);
        ulong again = SeedOf(IndexId);
        Assert.That(again, Is.EqualTo(seed), "the same index has the same seed");
        Assert.That(SeedOf(IndexId + 1), Is.Not.EqualTo(seed));
    }

    [Test]
    public void A_writer_that_was_given_too_few_keys_writes_nothing()
    {
        var writer = new KeyDirectoryWriter<uint>(2, KeyDirectoryOptions.Default);
        writer.Add(1, 0);
        Assert.That(
            () => writer.Write(_folder.File("keys"), FileRole.Keys, IndexId, Generation, FileStorageIo.Instance, CancellationToken.None),
            Throws.InvalidOperationException);
        Assert.That(File.Exists(_folder.File("keys")), Is.False);
    }

    [Test]
    public void A_cancelled_writer_ends()
    {
        var writer = new KeyDirectoryWriter<uint>(1, KeyDirectoryOptions.Default);
        writer.Add(1, 0);
        Assert.That(
            () => writer.Write(
                _folder.File("keys"), FileRole.Keys, IndexId, Generation, FileStorageIo.Instance, new CancellationToken(canceled: true)),
            Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public void A_walk_accepts_a_sound_directory([Values(1, 300, 5000)] int count, [Values(1, 3, 252)] int entriesPerPage)
    {
        ulong[] keys = RandomKeys(count);
        using var directory =
            new DirectoryUnderTest(_folder, keys, new KeyDirectoryOptions { Buckets = 7, EntriesPerPage = entriesPerPage });
        KeyDirectoryCheck check = directory.Walk();
        using (Assert.EnterMultipleScope())
        {
            Assert.That(Enumerable.Range(0, count).Select(id => check.FindDefect(id, keys[id])), Is.All.Null);
            Assert.That(check.FindDefect(0, keys[0] + 1), Does.Contain($"{keys[0]}"));
        }
    }

    [Test]
    public void A_walk_reads_many_pages_at_a_time([Values(1, 3)] int entriesPerPage)
    {
        using var directory =
            new DirectoryUnderTest(_folder, RandomKeys(3000), new KeyDirectoryOptions { Buckets = 1000, EntriesPerPage = entriesPerPage });
        var counting = new FaultOpener(_ => default);
        directory.Walk(counting.Open);
        Assert.That(directory.Entry.PageCount, Is.GreaterThan(1300), "with chains of several pages");

        // First pages of chains are read 64 at a time, apart from the others.
        Assert.That(counting.Reads, Is.AtMost((directory.Entry.PageCount / 64) + 3));
    }

    [Test]
    public void A_walk_follows_chains_in_any_order()
    {
        using var directory =
            new DirectoryUnderTest(_folder, RandomKeys(40), new KeyDirectoryOptions { Seed = 3, Buckets = 1, EntriesPerPage = 5 });

        // The chain of pages 1, 2, 3, 4 and so on becomes 1, 3, 2, 4.
        using (directory.Change(page: 1, BucketPages.NextAt, 3))
        using (directory.Change(page: 3, BucketPages.DepthAt, 1))
        using (directory.Change(page: 3, BucketPages.NextAt, 2))
        using (directory.Change(page: 2, BucketPages.DepthAt, 2))
        {
            Assert.That(() => directory.Walk(), Throws.TypeOf<IndexCorruptException>(), "page 2 still leads to page 3");
            using (directory.Change(page: 2, BucketPages.NextAt, 4))
                Assert.That(() => directory.Walk(), Throws.Nothing);
        }
    }

    [Test]
    public void A_walk_whose_read_fails_is_a_typed_error()
    {
        using var directory =
            new DirectoryUnderTest(_folder, RandomKeys(300), new KeyDirectoryOptions { Buckets = 100, EntriesPerPage = 1 });
        for (int failing = 0; failing < 4; failing++)
        {
            // Once in a merged read, and once by itself.
            var faults = new FaultOpener(read => read >= failing ? new Fault(FaultKind.Errno, Errno.EIO) : default);
            Assert.That(
                () => directory.Walk(faults.Open), Throws.TypeOf<DeviceException>().With.Message.Contains("keys, page"), $"read {failing}");
        }
    }

    [Test]
    public void A_cancelled_walk_ends()
    {
        using var directory = new DirectoryUnderTest(_folder, RandomKeys(300));
        Assert.That(
            () => directory.Walk(cancellationToken: new CancellationToken(canceled: true)),
            Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public void A_walk_refuses_every_wrong_entry_and_every_wrong_step()
    {
        ulong[] keys = RandomKeys(40);
        using var directory = new DirectoryUnderTest(_folder, keys, new KeyDirectoryOptions { Seed = 3, Buckets = 2, EntriesPerPage = 5 });
        (int Offset, ulong Value, string Words)[] changes =
        [
            (BucketPages.NextAt, 0, "pages in chains"),
            (BucketPages.NextAt, 1, "to go on between"),
            (BucketPages.NextAt, 2, "to go on between"),
            (BucketPages.NextAt, 1_000_000, "to go on between"),
            (BucketPages.NextAt, ulong.MaxValue, "to go on between"),
            (BucketPages.BucketAt, 1, "chain of bucket 0"),
            (BucketPages.DepthAt, 1, "page 0 of the chain"),
            (BucketPages.FirstKeyAt, Numbers().First(key => KeyHash.Bucket(key, 3, 2) == 1), "of bucket 1"),
            (BucketPages.FirstValueAt, 40, "below 40"),
            (BucketPages.FirstValueAt, ulong.MaxValue, "below 40"),
        ];
        foreach ((int offset, ulong value, string words) in changes)
        {
            using var undo = directory.Change(page: 1, offset, value);
            Assert.That(
                () => directory.Walk(), Throws.TypeOf<IndexCorruptException>().With.Message.Contains(words), $"{value} at {offset}");
        }

        Assert.That(() => directory.Walk(), Throws.Nothing, "every change was undone");
    }

    [Test]
    public void A_walk_refuses_a_key_or_a_node_that_comes_twice()
    {
        ulong[] keys = RandomKeys(40);
        using var directory = new DirectoryUnderTest(_folder, keys, new KeyDirectoryOptions { Buckets = 1, EntriesPerPage = 5 });
        using (directory.Change(page: 1, BucketPages.FirstKeyAt, directory.Read(page: 3, BucketPages.FirstKeyAt)))
            Assert.That(() => directory.Walk(), Throws.TypeOf<IndexCorruptException>().With.Message.Contains("twice"));
        using (directory.Change(page: 1, BucketPages.FirstValueAt, directory.Read(page: 3, BucketPages.FirstValueAt)))
            Assert.That(() => directory.Walk(), Throws.TypeOf<IndexCorruptException>().With.Message.Contains("one key"));
    }

    private void AssertReserved(int count, int entriesPerPage, int buckets)
    {
        var options = new KeyDirectoryOptions { Buckets = buckets, EntriesPerPage = entriesPerPage };
        using var directory = new DirectoryUnderTest(_folder, RandomKeys(count), options);
        Assert.That(directory.Entry.PageCount, Is.AtMost(options.MaxPageCount(count)));
    }

    private static IEnumerable<ulong> Numbers()
    {
        for (ulong i = 0; ; i++)
            yield return i;
    }

    private static ulong[] RandomKeys(int count, int seed = Seed)
    {
        var random = new Random(seed);
        var keys = new HashSet<ulong>();
        while (keys.Count < count)
            keys.Add((ulong)random.NextInt64(long.MinValue, long.MaxValue));
        return [.. keys];
    }

    private ulong SeedOf(ulong indexId)
    {
        var writer = new KeyDirectoryWriter<uint>(1, KeyDirectoryOptions.Default);
        writer.Add(1, 0);
        (_, KeyDirectoryShape shape) =
            writer.Write(_folder.File("seed"), FileRole.Keys, indexId, Generation, FileStorageIo.Instance, CancellationToken.None);
        File.Delete(_folder.File("seed"));
        return shape.Seed;
    }

    /// <summary>A directory file whose key i leads to node i, read page by page without the pipeline.</summary>
    private sealed class DirectoryUnderTest : IDisposable
    {
        private readonly ulong[] _keys;
        private readonly string _path;
        private readonly string _folder;
        private PageFileReader? _reader;

        public DirectoryUnderTest(TemporaryFolder folder, ulong[] keys, KeyDirectoryOptions? options = null)
        {
            _keys = keys;
            _folder = folder.Path;
            _path = folder.File("keys");
            var writer = new KeyDirectoryWriter<uint>(keys.Length, options ?? KeyDirectoryOptions.Default);
            for (int i = keys.Length - 1; i >= 0; i--)
                writer.Add(keys[i], (uint)i);
            (Entry, Shape) = writer.Write(_path, FileRole.Keys, IndexId, Generation, FileStorageIo.Instance, CancellationToken.None);
        }

        public FileEntry Entry { get; }

        public KeyDirectoryShape Shape { get; }

        public void AssertHolds(ulong[] keys)
        {
            foreach (ulong key in keys)
            {
                (bool found, ulong value, _) = Find(key);
                if (!found || _keys[value] != key)
                    Assert.Fail($"Seed {Seed}: key {key} leads to {(found ? $"node {value}" : "nothing")}.");
            }
        }

        public KeyDirectoryCheck Walk(DeviceOpener? openDevice = null, CancellationToken cancellationToken = default)
        {
            Manifest manifest = TestManifests.Create() with { IndexId = IndexId, Keys = Shape, Files = [Entry] };
            using var file = new PageFileReader(_folder, Entry, IndexId);
            using IDevice device = PageScan.Open(file.FilePath, openDevice);
            return KeyDirectoryCheck.Walk(
                file, device, manifest with { Schema = manifest.Schema with { Count = _keys.Length } }, cancellationToken);
        }

        public ulong Read(long page, int offset) => BucketPages.Read(File.ReadAllBytes(_path), page, offset);

        /// <summary>Changes 8 bytes of a page's payload, with a right checksum, until it is disposed.</summary>
        public Undo Change(long page, int offset, ulong value)
        {
            byte[] sound = File.ReadAllBytes(_path);
            File.WriteAllBytes(_path, BucketPages.Change(sound, page, offset, value));
            return new Undo(() => File.WriteAllBytes(_path, sound));
        }

        public (bool Found, ulong Value, int Pages) Find(ulong key)
        {
            PageFileReader reader = _reader ??= new PageFileReader(_folder, Entry, IndexId);
            long bucket = Shape.BucketOf(key);
            int depth = 0;
            for (long number = KeyDirectoryShape.FirstPage(bucket); number != 0; depth++)
            {
                ReadOnlySpan<byte> bytes = reader.ReadPages(number, 1);
                PageCodec.Verify(_path, bytes, PageKind.KeyBucket, reader.Identity(number));
                var page = new KeyBucketPage(bytes);
                if (page.FindDefect(bucket, depth, Shape.Buckets, Entry.PageCount) is { } defect)
                    Assert.Fail($"{defect}");
                if (page.TryFind(key, out ulong value))
                    return (true, value, depth + 1);
                number = page.Next;
            }

            return (false, 0, depth);
        }

        public void Dispose()
        {
            _reader?.Dispose();
            File.Delete(_path);
        }
    }

    internal sealed class Undo(Action action) : IDisposable
    {
        public void Dispose() => action();
    }
}
