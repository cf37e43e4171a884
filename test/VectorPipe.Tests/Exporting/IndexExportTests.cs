using System.Buffers.Binary;
using System.Text;
using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Indexes;
using VectorPipe.Model.Errors;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Faults;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Exporting;

/// <summary>An export writes vectors, keys and graph in formats that other programs read.</summary>
internal sealed class IndexExportTests
{
    private TemporaryFolder _folder = null!;

    [SetUp]
    public void MakeFolder() => _folder = new TemporaryFolder();

    [TearDown]
    public void RemoveFolder() => _folder.Dispose();

    [TestCase(VectorElementType.UInt8, ".u8bin")]
    [TestCase(VectorElementType.Int8, ".i8bin")]
    [TestCase(VectorElementType.Float32, ".fbin")]
    public async Task An_export_of_an_import_equals_its_vectors_and_graph(VectorElementType type, string extension)
    {
        var files = new DiskAnnTestFiles(type, 24, 9, 700, 8);
        IReadOnlyList<string> written = await ImportAndExportAsync(files);
        Assert.That(written[0], Is.EqualTo(_folder.File("out.vectors" + extension)));
        Assert.That(File.ReadAllBytes(written[0]), Is.EqualTo((byte[])[.. DiskAnnTestFiles.UInt32(700, 24), .. files.Vectors]));
        Assert.That(File.ReadAllBytes(written[2]), Is.EqualTo(GraphBytes(files)));
    }

    [Test]
    public async Task Vectors_of_float16_come_out_as_npy()
    {
        var files = new DiskAnnTestFiles(VectorElementType.Float16, 24, 9, 100, 8);
        IReadOnlyList<string> written = await ImportAndExportAsync(files);
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(written[0]);
        byte[] rows = new byte[files.Vectors.Length];
        Assert.That(await reader.ReadAsync(rows), Is.EqualTo(100));
        Assert.That(rows, Is.EqualTo(files.Vectors));
    }

    [Test]
    public async Task Keys_are_an_array_of_uint64_in_the_order_of_the_vectors()
    {
        byte[] vectors = TestBytes.Random(new Random(3), 300 * 8);
        ulong[] keys = [.. Enumerable.Range(0, 300).Select(i => ulong.MaxValue - ((ulong)i * 1_000_003))];
        await new VectorIndexBuilder(
            _folder.File("index"), BuildOptionsTuning.SmallGraph(degree: 8, listSize: 16, codeBytes: 4) with { Threads = 1 })
            .BuildAsync(VectorSource.FromMemory<byte>(vectors, 8, keys));
        IReadOnlyList<string> written = await new IndexExporter(_folder.File("index")).ExportAsync(_folder.File("out"));

        byte[] file = await File.ReadAllBytesAsync(written[1]);
        Assert.That(
            Encoding.ASCII.GetString(file, 10, 118),
            Does.StartWith("{'descr': '<u8', 'fortran_order': False, 'shape': (300,), }").And.EndWith("\n"));
        byte[] rows = (await File.ReadAllBytesAsync(written[0]))[8..];
        var seen = new HashSet<ulong>();
        for (int row = 0; row < 300; row++)
        {
            ulong key = BinaryPrimitives.ReadUInt64LittleEndian(file.AsSpan(128 + (8 * row)));
            int original = Array.IndexOf(keys, key);
            Assert.That(rows.AsSpan(row * 8, 8).SequenceEqual(vectors.AsSpan(original * 8, 8)), Is.True, $"row {row}");
            seen.Add(key);
        }

        Assert.That(seen, Has.Count.EqualTo(300));
        Assert.That(file, Has.Length.EqualTo(128 + (300 * 8)));
    }

    [Test]
    public async Task A_damaged_page_ends_the_export_and_leaves_no_file()
    {
        await ImportAsync(new DiskAnnTestFiles(VectorElementType.UInt8, 24, 9, 700, 8));
        string nodes = Directory.GetFiles(_folder.File("index"), "nodes-*.vp").Single();
        byte[] bytes = await File.ReadAllBytesAsync(nodes);
        bytes[(4096 * 4) + 77] ^= 1;
        await File.WriteAllBytesAsync(nodes, bytes);
        string[] before = _folder.FileNames;
        Assert.That(
            async () => await new IndexExporter(_folder.File("index")).ExportAsync(_folder.File("out")),
            Throws.InstanceOf<IndexCorruptException>().With.Property("Page").EqualTo(4L));
        Assert.That(_folder.FileNames, Is.EqualTo(before));
    }

    [Test]
    public async Task An_index_longer_than_the_export_buffer_comes_out_whole()
    {
        var files = new DiskAnnTestFiles(VectorElementType.UInt8, 500, 12, 4300, 8);
        var counting = new FaultOpener(_ => default);
        await ImportAsync(files);
        IReadOnlyList<string> written = await new IndexExporter(_folder.File("index"), counting.Open).ExportAsync(_folder.File("out"));

        Assert.That((await File.ReadAllBytesAsync(written[0])).AsSpan(8).SequenceEqual(files.Vectors), Is.True);
        Assert.That((await File.ReadAllBytesAsync(written[2])).AsSpan().SequenceEqual(GraphBytes(files)), Is.True);
        long bytes = new FileInfo(Directory.GetFiles(_folder.File("index"), "nodes-*.vp").Single()).Length;
        Assert.That(bytes, Is.GreaterThan(2 << 20));
        Assert.That(counting.Reads, Is.EqualTo(((bytes - 4096 - 1) >> 18) + 1), "256 KiB per read");
    }

    [Test]
    public async Task A_read_that_fails_ends_the_export_with_a_typed_error_and_leaves_no_file([Values] bool isGiven)
    {
        using TestIndex rounded = TestIndex.Build(type: VectorElementType.Float32, count: 700);
        await ImportAsync(new DiskAnnTestFiles(VectorElementType.UInt8, 24, 9, 700, 8));
        string index = isGiven ? rounded.Directory : _folder.File("index");
        string[] before = _folder.FileNames;
        for (int failing = 0; failing < (isGiven ? 2 : 1); failing++)
        {
            // The next read fails, too.
            var faults = new FaultOpener(read => read >= failing ? new Fault(FaultKind.Errno, Errno.EIO) : default);
            Assert.That(
                async () => await new IndexExporter(index, faults.Open).ExportAsync(_folder.File("out")),
                Throws.TypeOf<DeviceException>().With.Message.Contains(failing == 0 ? "nodes-" : "vectors-"));
            Assert.That(_folder.FileNames, Is.EqualTo(before));
        }
    }

    [Test]
    public async Task A_cancelled_export_leaves_no_file()
    {
        await ImportAsync(new DiskAnnTestFiles(VectorElementType.UInt8, 24, 9, 100, 8));
        string[] before = _folder.FileNames;
        using var cancellation = new CancellationTokenSource();
        var progress = new CancelAtOnce(cancellation);
        Assert.That(
            async () =>
            await new IndexExporter(_folder.File("index"))
            .ExportAsync(_folder.File("out"), progress: progress, cancellationToken: cancellation.Token),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(_folder.FileNames, Is.EqualTo(before));
    }

    /// <summary>One name turns out to be taken after all files were written: no file has replaced an older one.</summary>
    [TestCase("out.keys.npy")]
    [TestCase("out.graph.bin")]
    [TestCase("out.vectors.u8bin")]
    public async Task If_one_file_cannot_take_its_name_none_does(string taken)
    {
        await ImportAsync(new DiskAnnTestFiles(VectorElementType.UInt8, 24, 9, 100, 8));
        string[] names = ["out.vectors.u8bin", "out.keys.npy", "out.graph.bin"];
        string[] others = [.. names.Where(name => name != taken)];
        foreach (string name in others)
            _folder.Write(name, [1, 2, 3]);
        string[] before = _folder.FileNames;
        var progress = new CreateFolder(_folder.File(taken));

        Assert.That(
            async () => await new IndexExporter(_folder.File("index")).ExportAsync(_folder.File("out"), progress: progress),
            Throws.InstanceOf<IOException>());

        Assert.That(_folder.FileNames, Is.EqualTo(before), "no temporary file is left");
        foreach (string name in others)
            Assert.That(File.ReadAllBytes(_folder.File(name)), Is.EqualTo(new byte[] { 1, 2, 3 }), name);
    }

    [Test]
    public void A_directory_without_an_index_is_refused() =>
        Assert.That(
            async () => await new IndexExporter(_folder.Path).ExportAsync(_folder.File("out")),
            Throws.InstanceOf<IndexNotFoundException>());

    private static byte[] GraphBytes(DiskAnnTestFiles files)
    {
        byte[] body = [.. files.Links.SelectMany(links => DiskAnnTestFiles.UInt32([(uint)links.Length, .. links]))];
        return
        [
            .. DiskAnnTestFiles.UInt64(24 + (ulong)body.Length),
            .. DiskAnnTestFiles.UInt32((uint)files.Links.Max(links => links.Length), (uint)files.Medoid),
            .. DiskAnnTestFiles.UInt64(0),
            .. body,
        ];
    }

    private Task<BuildReport> ImportAsync(DiskAnnTestFiles files) =>
        new DiskAnnImporter(_folder.File("index")).ImportAsync(files.Write(_folder), elementType: files.Type);

    private async Task<IReadOnlyList<string>> ImportAndExportAsync(DiskAnnTestFiles files)
    {
        await ImportAsync(files);
        return await new IndexExporter(_folder.File("index")).ExportAsync(_folder.File("out"));
    }

    private sealed class CreateFolder(string path) : IProgress<BuildProgress>
    {
        public void Report(BuildProgress value) => Directory.CreateDirectory(path);
    }

    private sealed class CancelAtOnce(CancellationTokenSource cancellation) : IProgress<BuildProgress>
    {
        public void Report(BuildProgress value) => cancellation.Cancel();
    }
}
