using System.Buffers.Binary;
using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Opening;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Pages;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Storage.Files;

namespace VectorPipe.Tests.Opening;

/// <summary>Verification finds everything that opening refuses, and no defect in a replaced index.</summary>
public sealed class VerificationTests
{
    private TestIndex _test = null!;

    [SetUp]
    public void Build() => _test = TestIndex.Build(type: VectorElementType.Float32, count: 400, dimension: 24);

    [TearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void An_index_that_is_replaced_before_its_files_are_opened_has_no_defects([Values(1, 3)] int replacements)
    {
        int left = replacements;
        VerifyReport report =
            IndexVerifier.Verify(_test.Directory, threads: 1, progress: null, CancellationToken.None, () => Replace(ref left));
        Assert.That(report.Defects, Is.Empty);
        Assert.That(IndexDirectory.ReadManifest(_test.Directory).Generation, Is.EqualTo(1 + replacements));
    }

    [Test]
    public async Task An_index_that_is_replaced_while_its_pages_are_read_has_no_defects()
    {
        int left = 1;
        VerifyReport report =
            await VectorIndex.VerifyAsync(_test.Directory, progress: new HookedProgress("verify", 0, () => Replace(ref left)));
        Assert.That(left, Is.Zero);
        Assert.That(report.Defects, Is.Empty);
    }

    [Test]
    public async Task An_export_of_an_index_that_is_replaced_meanwhile_is_whole()
    {
        int left = 1;
        string prefix = Path.Combine(Path.GetDirectoryName(_test.Directory)!, "export");
        IReadOnlyList<string> files = await new IndexExporter(_test.Directory).ExportAsync(
            prefix, progress: new HookedProgress("write", 0, () => Replace(ref left)));
        byte[] vectors = await File.ReadAllBytesAsync(files.Single(file => file.Contains(".vectors.", StringComparison.Ordinal)));
        Assert.That((left, BitConverter.ToInt32(vectors)), Is.EqualTo((0, 400)));
        Assert.That(vectors, Has.Length.EqualTo(8 + (400 * _test.RowBytes)));
    }

    [Test]
    public async Task A_missing_file_is_a_defect_if_the_index_was_not_replaced()
    {
        File.Delete(Single("codes"));
        Assert.That(
            (await VectorIndex.VerifyAsync(_test.Directory)).Defects,
            Has.Count.EqualTo(1).And.Some.Contains("codes-000001.vp").And.Some.Contains("found none"));
    }

    [TestCase("nodes")]
    [TestCase("vectors")]
    [TestCase("codes")]
    public async Task A_file_and_a_manifest_that_are_both_a_page_short_are_found(string file)
    {
        Shorten(Single(file));
        Assert.That(
            (await VectorIndex.VerifyAsync(_test.Directory)).Defects,
            Has.Count.EqualTo(1).And.Some.Contains(Path.GetFileName(Single(file))));
        Assert.That(() => _test.Open().Dispose(), Throws.TypeOf<IndexCorruptException>());
    }

    [Test]
    public async Task A_damaged_code_book_under_right_page_checksums_is_found()
    {
        Change(Single("codebook"), 1, page => page[PageCodec.HeaderSize + 40] ^= 1);
        Assert.That((await VectorIndex.VerifyAsync(_test.Directory)).Defects, Has.Count.EqualTo(1).And.Some.Contains("codebook"));
        Assert.That(() => _test.Open().Dispose(), Throws.TypeOf<IndexCorruptException>());
    }

    [TestCase("codes")]
    [TestCase("codebook")]
    [TestCase("pagegraph")]
    public async Task A_stream_of_a_length_that_its_pages_cannot_hold_is_found(string file)
    {
        // A reader allocates memory by this length.
        Change(Single(file), 0, page => BinaryPrimitives.WriteInt64LittleEndian(page[(PageCodec.HeaderSize + 32)..], 1L << 46));
        Assert.That((await VectorIndex.VerifyAsync(_test.Directory)).Defects, Has.Count.EqualTo(1).And.Some.Contains($"{1L << 46}"));
        Assert.That(() => _test.Open().Dispose(), Throws.TypeOf<IndexCorruptException>().With.Message.Contains($"{1L << 46}"));
    }

    [Test]
    [Platform("Linux")]
    public async Task A_pipe_in_the_place_of_a_file_is_refused_at_once([Values("codes", "nodes", "keys")] string file)
    {
        string path = Single(file);
        File.Delete(path);
        SpecialFiles.MakePipe(path);
        Assert.That(() => _test.Open().Dispose(), Throws.TypeOf<DeviceException>().With.Message.Contains(path));
        Assert.That((await VectorIndex.VerifyAsync(_test.Directory)).Defects, Has.Count.EqualTo(1).And.Some.Contains(path));
    }

    private void Replace(ref int left)
    {
        if (left-- > 0)
            _test.Rebuild();
        else
            left = 0;
    }

    private string Single(string role) => Directory.GetFiles(_test.Directory, $"{role}-*.vp").Single();

    private static void Change(string path, long number, SpanAction change)
    {
        byte[] bytes = File.ReadAllBytes(path);
        Span<byte> page = bytes.AsSpan((int)(number * PageCodec.PageUnit), PageCodec.PageUnit);
        change(page);
        var identity = new PageIdentity(BitConverter.ToUInt64(page[8..]), number, BitConverter.ToUInt32(page[24..]));
        PageCodec.Seal(page, (PageKind)BitConverter.ToUInt16(page[4..]), PageCodec.Items(page), identity, PageCodec.PayloadLength(page));
        File.WriteAllBytes(path, bytes);
    }

    private void Shorten(string path)
    {
        Manifest manifest = IndexDirectory.ReadManifest(_test.Directory);
        FileEntry entry = manifest.Files.Single(file => file.Name == Path.GetFileName(path));
        int headerBytes = entry.PageSize;
        byte[] bytes = File.ReadAllBytes(path)[..^entry.PageSize];
        Span<byte> header = bytes.AsSpan(0, headerBytes);
        BinaryPrimitives.WriteInt64LittleEndian(header[(PageCodec.HeaderSize + 24)..], entry.PageCount - 1);
        long stream = BinaryPrimitives.ReadInt64LittleEndian(header[(PageCodec.HeaderSize + 32)..]);
        if (stream > 0)
            BinaryPrimitives.WriteInt64LittleEndian(
                header[(PageCodec.HeaderSize + 32)..], (entry.PageCount - 2) * (PageCodec.PageUnit - PageCodec.HeaderSize));
        PageCodec.Seal(header, PageKind.FileHeader, 0, new PageIdentity(entry.FileId, 0, entry.Generation), PageFileHeader.Size);
        File.WriteAllBytes(path, bytes);
        FileEntry[] files = [.. manifest.Files.Select(file => file == entry ? entry with { PageCount = entry.PageCount - 1 } : file)];
        IndexDirectory.Publish(_test.Directory, manifest with { Files = files }, FileStorageIo.Instance);
    }

    private delegate void SpanAction(Span<byte> page);
}
