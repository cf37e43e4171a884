using System.Buffers.Binary;
using NUnit.Framework;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Records;

namespace VectorPipe.Tests.Storage.Records;

/// <summary>No byte of a damaged or foreign file is taken for a record, and a check finds every damage.</summary>
[Parallelizable(ParallelScope.All)]
[FixtureLifeCycle(LifeCycle.InstancePerTestCase)]
internal sealed class RecordDamageTests : IDisposable
{
    private static readonly (ulong Handle, int Length)[] _records =
        [.. Enumerable.Range(0, 1000).Select(i => (RecordFileTests.HandleOf(i), i % 100 == 7 ? 20_000 : i % 500))];

    private readonly RecordFiles _files = new();
    private RecordFileInfo _info;

    public RecordDamageTests() => _info = _files.Write(_records);

    public void Dispose() => _files.Dispose();

    [TestCase(true, 9)]
    [TestCase(false, 1)]
    [TestCase(true, 1, Category = "Heavy")]
    public void Every_damaged_page_is_named_by_a_check_and_by_the_read_that_meets_it(bool isHeap, int every)
    {
        string path = isHeap ? _files.HeapPath : _files.KeysPath;
        byte[] sound = File.ReadAllBytes(path);
        int pages = sound.Length / PageCodec.PageUnit;
        Assert.That(pages, Is.GreaterThan(5));
        var random = new Random(11);
        for (int page = 1; page < pages; page += every)
        {
            byte[] damaged = (byte[])sound.Clone();
            damaged[(page * PageCodec.PageUnit) + random.Next(PageCodec.PageUnit)] ^= (byte)(1 << random.Next(8));
            File.WriteAllBytes(path, damaged);
            using RecordFile file = _files.Open(_info);
            AssertNames(() => file.Verify(CancellationToken.None), path, page);
            if (isHeap)
                AssertNames(() => _ = file.ReadAll().Count(), path, page);
            AssertFindsSoundOnes(file, path, page);
        }
    }

    [Test]
    public void A_damaged_header_is_found_at_opening_and_by_a_check([Values(true, false)] bool isHeap)
    {
        string path = isHeap ? _files.HeapPath : _files.KeysPath;
        using RecordFile file = _files.Open(_info);
        byte[] bytes = File.ReadAllBytes(path);
        bytes[60] ^= 4;
        using (FileStream stream = File.OpenWrite(path))
            stream.Write(bytes);
        AssertNames(() => _files.Open(_info), path, 0);
        AssertNames(() => file.Verify(CancellationToken.None), path, 0);
    }

    [TestCase(-4096)]
    [TestCase(-1)]
    [TestCase(1)]
    [TestCase(4096)]
    public void A_file_of_another_length_is_refused(int difference)
    {
        foreach (string path in new[] { _files.HeapPath, _files.KeysPath })
        {
            long length = new FileInfo(path).Length;
            SetLength(path, length + difference);
            Assert.That(
                () => _files.Open(_info),
                Throws.TypeOf<IndexCorruptException>()
                    .With.Message.Contains($"{path}: expected {length} bytes, found {length + difference}"));
            SetLength(path, length);
            _info = Rewrite();
        }
    }

    [Test]
    public void A_file_that_is_cut_while_it_is_open_names_the_first_missing_page()
    {
        using RecordFile file = _files.Open(_info);
        SetLength(_files.HeapPath, (3 * 4096) + 100);
        AssertNames(() => _ = file.ReadAll().Count(), _files.HeapPath, 3);
        SetLength(_files.KeysPath, 4096);
        AssertNames(() => file.FindBytes(1), _files.KeysPath, 1 + _info.Shape.BucketOf(1));
    }

    [Test]
    public void A_missing_file_is_named()
    {
        foreach (string path in new[] { _files.KeysPath, _files.HeapPath })
        {
            File.Delete(path);
            Assert.That(() => _files.Open(_info), Throws.TypeOf<IndexCorruptException>().With.Message.Contains(path));
        }
    }

    [Test]
    public void Files_of_another_identity_or_generation_are_refused()
    {
        using var others = new RecordFiles();
        RecordFileInfo other = others.Write(_records, identity: RecordFiles.Identity + 1);
        Assert.That(() => others.Open(_info), Throws.TypeOf<IndexCorruptException>().With.Message.Contains("expected file identity"));
        Assert.That(
            () => others.Open(other with { Identity = RecordFiles.Identity }),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains("expected a file of index"));
        Assert.That(
            () => _files.Open(_info with { Heap = _info.Heap with { Generation = 4 } }),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains("expected generation 4, found 3"));
        Assert.That(
            () => _files.Open(_info with { HeapBytes = _info.HeapBytes - 1 }),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains($"expected a stream of {_info.HeapBytes - 1} bytes"));

        // The directory of one set with the records of another.
        File.Copy(others.KeysPath, _files.KeysPath, overwrite: true);
        Assert.That(() => _files.Open(_info), Throws.TypeOf<IndexCorruptException>().With.Message.Contains(_files.KeysPath));
    }

    [Test]
    public void An_entry_that_leads_to_another_record_is_found_out()
    {
        (int page, int slot, ulong handle, RecordPlace place) = Entries().First(entry => entry.Place.BodyBytes > 0);
        RecordPlace other = Entries().First(entry => entry.Place.BodyBytes == place.BodyBytes && entry.Handle != handle).Place;
        (ulong Value, string Words)[] changes =
        [
            (other.ToValue(), $"expected the record of handle {handle}"),
            ((place with { BodyBytes = place.BodyBytes - 1 }).ToValue(), $"with {place.BodyBytes - 1} bytes"),
            ((place with { Offset = place.Offset + 1 }).ToValue(), $"expected the record of handle {handle}"),
            (place.ToValue() | KeyBucketPage.TombstoneBit, "to lead to a record within"),
            (new RecordPlace(_info.HeapBytes, 0).ToValue(), "to lead to a record within"),
            (new RecordPlace(_info.HeapBytes - 11, 0).ToValue(), "to lead to a record within"),
            (ulong.MaxValue, "to lead to a record within"),
        ];
        foreach ((ulong value, string words) in changes)
        {
            ChangeWord(_files.KeysPath, page, 24 + (8 * KeyBucketPage.Capacity) + (8 * slot), value);
            using RecordFile file = _files.Open(_info);
            Assert.That(() => file.FindBytes(handle), Throws.TypeOf<IndexCorruptException>().With.Message.Contains(words), $"{value:x}");
            Assert.That(() => file.Verify(CancellationToken.None), Throws.TypeOf<IndexCorruptException>(), $"{value:x}");
        }
    }

    [Test]
    public void A_record_that_no_entry_leads_to_is_found_out()
    {
        (int page, int slot, ulong handle, RecordPlace place) = Entries().First(entry => entry.Place.BodyBytes > 0);

        // The entry gets the handle of no record, of the same bucket.
        ulong stranger = 1;
        while (_info.Shape.BucketOf(stranger) != _info.Shape.BucketOf(handle))
            stranger++;
        ChangeWord(_files.KeysPath, page, 24 + (8 * slot), stranger);
        using RecordFile file = _files.Open(_info);
        Assert.That(file.FindBytes(handle), Is.Null, "no page is damaged");
        Assert.That(
            () => file.FindBytes(stranger), Throws.TypeOf<IndexCorruptException>().With.Message.Contains($"found that of handle {handle}"));
        AssertNames(() => file.Verify(CancellationToken.None), _files.HeapPath, VerifiedStream.PageOf(place.Offset));
    }

    [Test]
    public void A_record_whose_length_is_wrong_is_found_out([Values(0u, 1u << 20, uint.MaxValue)] uint length)
    {
        byte[] bytes = new byte[4];
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, length);

        // The second record follows the first, which is empty; its length follows its handle.
        RecordFiles.Change(_files.HeapPath, page: 1, offset: RecordPlace.HeaderBytes + 8, bytes);
        using RecordFile file = _files.Open(_info);
        Assert.That(() => file.ReadAll().Count(), Throws.TypeOf<IndexCorruptException>());
        Assert.That(() => file.Verify(CancellationToken.None), Throws.TypeOf<IndexCorruptException>());
    }

    [Test]
    public void Numbers_of_the_manifest_that_do_not_fit_are_found_out()
    {
        using RecordFile file = _files.Open(_info with { Shape = _info.Shape with { Entries = 1001 } });
        Assert.That(() => file.ReadAll().Count(), Throws.TypeOf<IndexCorruptException>().With.Message.Contains("expected 1001 records"));
        foreach (KeyDirectoryShape shape in new[]
        {
            _info.Shape with { Entries = 1001 }, _info.Shape with { Entries = 999 }, _info.Shape with { Entries = -1 },
            _info.Shape with { Entries = long.MaxValue }, _info.Shape with { LongestChain = 7 }, _info.Shape with { Seed = 1 },
            _info.Shape with { Buckets = _info.Shape.Buckets - 1 }, _info.Shape with { Buckets = _info.Shape.Buckets + 1 },
        })
        {
            using RecordFile other = _files.Open(_info with { Shape = shape });
            Assert.That(() => other.Verify(CancellationToken.None), Throws.TypeOf<IndexCorruptException>(), $"{shape}");
        }
    }

    private static void AssertNames(Action action, string path, long page)
    {
        IndexCorruptException? error = Assert.Throws<IndexCorruptException>(action, $"{path}, page {page}");
        Assert.That((error!.File, error.Page), Is.EqualTo((path, page)));
    }

    private static void ChangeWord(string path, long page, int offset, ulong value)
    {
        byte[] bytes = new byte[8];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, value);
        RecordFiles.Change(path, page, offset, bytes);
    }

    private static void SetLength(string path, long length)
    {
        using FileStream file = File.OpenWrite(path);
        file.SetLength(length);
    }

    /// <summary>With one page damaged, some look-ups name it and all others find their records.</summary>
    private static void AssertFindsSoundOnes(RecordFile file, string path, int page)
    {
        int failed = 0;
        foreach ((ulong handle, int length) in _records)
        {
            try
            {
                if (!file.FindBytes(handle)!.AsSpan().SequenceEqual(RecordFiles.Body(handle, length)))
                    Assert.Fail($"handle {handle}: expected its {length} bytes, found others");
            }
            catch (IndexCorruptException e)
            {
                Assert.That((e.File, e.Page), Is.EqualTo((path, (long)page)));
                failed++;
            }
        }

        Assert.That(failed, Is.InRange(1, _records.Length - 1), $"page {page}");
    }

    private RecordFileInfo Rewrite()
    {
        File.Delete(_files.HeapPath);
        File.Delete(_files.KeysPath);
        return _files.Write(_records);
    }

    private List<(int Page, int Slot, ulong Handle, RecordPlace Place)> Entries()
    {
        byte[] bytes = File.ReadAllBytes(_files.KeysPath);
        List<(int Page, int Slot, ulong Handle, RecordPlace Place)> entries = [];
        for (int number = 1; number < bytes.Length / PageCodec.PageUnit; number++)
        {
            var page = new KeyBucketPage(bytes.AsSpan(number * PageCodec.PageUnit, PageCodec.PageUnit));
            for (int i = 0; i < page.Count; i++)
                entries.Add((number, i, page.Keys[i], RecordPlace.FromValue(page.Values[i])));
        }

        return entries;
    }
}
