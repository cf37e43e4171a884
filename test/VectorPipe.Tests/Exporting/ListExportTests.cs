using System.Buffers.Binary;
using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Exporting;

/// <summary>An export of an IVF index writes vectors and keys.</summary>
internal sealed class ListExportTests
{
    private TemporaryFolder _folder = null!;

    [SetUp]
    public void MakeFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [Test]
    public async Task Every_vector_comes_out_with_its_key_and_there_is_no_graph(
        [Values(0, 8)] int codeBytes, [Values(VectorElementType.UInt8, VectorElementType.Float32)] VectorElementType type,
        [Values(null, false)] bool? withGraph)
    {
        ulong[] keys = [.. Enumerable.Range(0, 700).Select(i => ulong.MaxValue - ((ulong)i * 1_000_003))];
        using TestIndex test = TestIndex.BuildLists(type: type, count: 700, lists: 9, codeBytes: codeBytes, keys: keys);
        IReadOnlyList<string> files = await new IndexExporter(test.Directory).ExportAsync(_folder.File("out"), withGraph);

        byte[] rows = (await File.ReadAllBytesAsync(files[0]))[8..];
        byte[] written = (await File.ReadAllBytesAsync(files[1]))[128..];
        Assert.That((files.Count, rows.Length, written.Length), Is.EqualTo((2, test.Rows.Length, 700 * sizeof(ulong))));
        var seen = new HashSet<ulong>();
        for (int row = 0; row < 700; row++)
        {
            ulong key = BinaryPrimitives.ReadUInt64LittleEndian(written.AsSpan(8 * row));
            int original = Array.IndexOf(keys, key);
            Assert.That(seen.Add(key) && original >= 0, Is.True, $"key of row {row}");
            Assert.That(
                rows.AsSpan(row * test.RowBytes, test.RowBytes).SequenceEqual(test.Rows.AsSpan(original * test.RowBytes, test.RowBytes)),
                Is.True, $"row {row}");
        }

        Assert.That(_folder.FileNames, Has.Length.EqualTo(2));
    }

    [Test]
    public void A_request_for_the_graph_is_refused_and_no_file_is_left()
    {
        using TestIndex test = TestIndex.BuildLists(count: 200, lists: 4);
        Assert.That(
            () => new IndexExporter(test.Directory).ExportAsync(_folder.File("out"), withGraph: true),
            Throws.InstanceOf<ArgumentOutOfRangeException>().With.Message.Contains("lists").And.Property("ParamName").EqualTo("withGraph"));
        Assert.That(_folder.FileNames, Is.Empty);
    }

    [Test]
    public async Task The_export_of_a_graph_index_can_leave_out_the_graph()
    {
        using TestIndex test = TestIndex.Build(count: 200);
        IReadOnlyList<string> files = await new IndexExporter(test.Directory).ExportAsync(_folder.File("out"), withGraph: false);
        Assert.That(files, Has.Count.EqualTo(2));
        Assert.That(_folder.FileNames, Has.Length.EqualTo(2));
    }

    [Test]
    public void A_damaged_page_ends_the_export_and_leaves_no_file()
    {
        using TestIndex test = TestIndex.BuildLists(count: 700, dimension: 128, lists: 9);
        byte[] bytes = File.ReadAllBytes(test.NodeFile);
        bytes[(4096 * 3) + 77] ^= 1;
        File.WriteAllBytes(test.NodeFile, bytes);
        Assert.That(
            () => new IndexExporter(test.Directory).ExportAsync(_folder.File("out")),
            Throws.InstanceOf<IndexCorruptException>().With.Property("Page").EqualTo(3L));
        Assert.That(_folder.FileNames, Is.Empty);
    }
}
