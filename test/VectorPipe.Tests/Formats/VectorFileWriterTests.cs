using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Tests.Formats;

public sealed class VectorFileWriterTests
{
    private static IEnumerable<TestCaseData> Kinds =>
        TestBytes.Kinds.Select(kind => new TestCaseData(kind.Extension, kind.ElementType));

    private static IEnumerable<TestCaseData> KindsAndRuns =>
    [
        .. TestBytes.Kinds.Select(kind => new TestCaseData(kind.Extension, kind.ElementType, 6)),
        .. TestBytes.Kinds.Select(kind => new TestCaseData(kind.Extension, kind.ElementType, 20).SetCategory("Heavy")),
    ];

    [TestCaseSource(nameof(Kinds))]
    public async Task A_written_file_reads_back_the_same(string extension, VectorElementType elementType)
    {
        using var folder = new TemporaryFolder();
        string path = folder.File("v" + extension);
        byte[] values = TestBytes.Counting(4 * 3 * elementType.SizeInBytes());
        await WriteAsync(path, elementType, 3, values);

        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);
        byte[] rows = new byte[values.Length];
        Assert.That((reader.Count, reader.Dimension, reader.ElementType), Is.EqualTo((4L, 3, elementType)));
        Assert.That(await reader.ReadAsync(rows), Is.EqualTo(4));
        Assert.That(rows, Is.EqualTo(values));
    }

    [TestCase(".fbin", VectorElementType.Float32)]
    [TestCase(".u8bin", VectorElementType.UInt8)]
    [TestCase(".i8bin", VectorElementType.Int8)]
    [TestCase(".fvecs", VectorElementType.Float32)]
    [TestCase(".bvecs", VectorElementType.UInt8)]
    public async Task The_bytes_are_those_of_the_format(string extension, VectorElementType elementType)
    {
        using var folder = new TemporaryFolder();
        string path = folder.File("v" + extension);
        byte[] values = TestBytes.Counting(4 * 3 * elementType.SizeInBytes());

        await WriteAsync(path, elementType, 3, values);

        Assert.That(File.ReadAllBytes(path), Is.EqualTo(TestBytes.WholeFile(extension, elementType, 4, 3, values)));
    }

    [TestCaseSource(nameof(KindsAndRuns))]
    public async Task Random_shapes_and_buffers_survive_the_round_trip(string extension, VectorElementType elementType, int runs)
    {
        Random random = RandomizedTest.Start();
        using var folder = new TemporaryFolder();
        string path = folder.File("v" + extension);
        for (int run = 0; run < runs; run++)
        {
            int dimension = random.Next(4) == 0 ? random.Next(1, 70_000) : random.Next(1, 40);
            int rowBytes = dimension * elementType.SizeInBytes();
            int count = random.Next(1, Math.Max(2, Math.Min(3_000, 1_500_000 / rowBytes)));
            byte[] values = TestBytes.Random(random, count * rowBytes);
            string what = $"run {run}: {count} rows of dimension {dimension}";

            await using (VectorFileWriter writer = VectorFileWriter.Create(path, elementType, dimension))
            {
                for (int row = 0; row < count;)
                {
                    int rows = random.Next(0, Math.Min(count - row, 500) + 1);
                    await writer.WriteAsync(values.AsMemory(row * rowBytes, rows * rowBytes));
                    row += rows;
                }

                await writer.CompleteAsync();
            }

            TestBytes.AssertEqual(await ReadAllAsync(path, random), values, what);
        }
    }

    [Test]
    public async Task The_file_has_no_name_before_completion()
    {
        using var folder = new TemporaryFolder();
        await using VectorFileWriter writer = VectorFileWriter.Create(folder.File("v.u8bin"), VectorElementType.UInt8, 2);
        await writer.WriteAsync(new byte[400_000]);

        Assert.That(folder.FileNames, Has.Length.EqualTo(1).And.None.EqualTo("v.u8bin"));

        await writer.CompleteAsync();
        Assert.That(folder.FileNames, Is.EqualTo(new[] { "v.u8bin" }));
    }

    [Test]
    public async Task Disposal_before_completion_leaves_nothing_and_keeps_an_older_file()
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("v.u8bin", [1, 2, 3]);
        VectorFileWriter writer = VectorFileWriter.Create(path, VectorElementType.UInt8, 2);
        await writer.WriteAsync(new byte[400_000]);

        await writer.DisposeAsync();
        await writer.DisposeAsync();

        Assert.That(folder.FileNames, Is.EqualTo(new[] { "v.u8bin" }));
        Assert.That(File.ReadAllBytes(path), Is.EqualTo(new byte[] { 1, 2, 3 }));
    }

    [Test]
    public async Task Completion_replaces_an_older_file()
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("v.u8bin", [1, 2, 3]);

        await WriteAsync(path, VectorElementType.UInt8, 2, [7, 8]);

        Assert.That(File.ReadAllBytes(path), Is.EqualTo((byte[])[.. TestBytes.Int32(1, 2), 7, 8]));
    }

    [Test]
    public async Task A_write_cancelled_before_its_start_loses_nothing()
    {
        using var folder = new TemporaryFolder();
        await using VectorFileWriter writer = VectorFileWriter.Create(folder.File("v.u8bin"), VectorElementType.UInt8, 2);

        Assert.That(
            async () => await writer.WriteAsync(new byte[] { 1, 2 }, new CancellationToken(canceled: true)),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(
            async () => await writer.CompleteAsync(new CancellationToken(canceled: true)), Throws.InstanceOf<OperationCanceledException>());
        await writer.WriteAsync(new byte[] { 1, 2 });
        await writer.CompleteAsync();
        Assert.That(writer.Count, Is.EqualTo(1));
    }

    [Test]
    public async Task A_completion_that_fails_leaves_nothing_and_is_not_retried()
    {
        using var folder = new TemporaryFolder();
        string path = folder.File("v.u8bin");
        VectorFileWriter writer = VectorFileWriter.Create(path, VectorElementType.UInt8, 2);
        await writer.WriteAsync(new byte[] { 1, 2 });
        Directory.CreateDirectory(path);

        Assert.That(async () => await writer.CompleteAsync(), Throws.InstanceOf<SystemException>());
        Assert.That(async () => await writer.CompleteAsync(), Throws.InvalidOperationException);
        await writer.DisposeAsync();

        Assert.That(folder.FileNames, Is.Empty);
    }

    [Test]
    public async Task Part_of_a_row_is_refused_and_writing_goes_on()
    {
        using var folder = new TemporaryFolder();
        await using VectorFileWriter writer = VectorFileWriter.Create(folder.File("v.fbin"), VectorElementType.Float32, 2);

        Assert.That(async () => await writer.WriteAsync(new byte[12]), Throws.ArgumentException.With.Message.Contains("8 bytes, found 12"));
        await writer.WriteAsync(new byte[8]);
        Assert.That(writer.Count, Is.EqualTo(1));
    }

    [Test]
    public async Task A_file_without_vectors_is_not_completed()
    {
        using var folder = new TemporaryFolder();
        await using VectorFileWriter writer = VectorFileWriter.Create(folder.File("v.fbin"), VectorElementType.Float32, 2);

        Assert.That(
            async () => await writer.CompleteAsync(), Throws.InvalidOperationException.With.Message.Contains("at least one vector"));
    }

    [Test]
    public async Task A_completed_file_takes_no_more_rows()
    {
        using var folder = new TemporaryFolder();
        await using VectorFileWriter writer = VectorFileWriter.Create(folder.File("v.u8bin"), VectorElementType.UInt8, 1);
        await writer.WriteAsync(new byte[1]);
        await writer.CompleteAsync();

        Assert.That(async () => await writer.WriteAsync(new byte[1]), Throws.InvalidOperationException);
        Assert.That(async () => await writer.CompleteAsync(), Throws.InvalidOperationException);
        await writer.DisposeAsync();
        Assert.That(async () => await writer.WriteAsync(new byte[1]), Throws.InstanceOf<ObjectDisposedException>());
    }

    [TestCase("v.fbin", VectorElementType.UInt8)]
    [TestCase("v.fvecs", VectorElementType.Float16)]
    [TestCase("v.u8bin", VectorElementType.Int8)]
    [TestCase("v.bvecs", VectorElementType.Float32)]
    [TestCase("v.i8bin", VectorElementType.UInt8)]
    [TestCase("v.ivecs", VectorElementType.Float32)]
    [TestCase("v", VectorElementType.Float32)]
    public void A_name_of_another_format_is_refused_and_nothing_is_created(string name, VectorElementType elementType)
    {
        using var folder = new TemporaryFolder();
        string path = folder.File(name);

        Assert.That(
            () => VectorFileWriter.Create(path, elementType, 2),
            Throws.TypeOf<VectorFormatException>().With.Message.Contains(path).And.Property("Path").EqualTo(path));
        Assert.That(folder.FileNames, Is.Empty);
    }

    [TestCase(0)]
    [TestCase(-1)]
    [TestCase(int.MaxValue)]
    public void A_dimension_out_of_range_is_refused(int dimension)
    {
        using var folder = new TemporaryFolder();

        Assert.That(
            () => VectorFileWriter.Create(folder.File("v.fbin"), VectorElementType.Float32, dimension),
            Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(folder.FileNames, Is.Empty);
    }

    [Test]
    public void A_folder_of_that_name_or_a_missing_folder_is_refused_at_once()
    {
        using var folder = new TemporaryFolder();
        Directory.CreateDirectory(folder.File("v.fbin"));

        Assert.That(() => VectorFileWriter.Create(folder.File("v.fbin"), VectorElementType.Float32, 1), Throws.TypeOf<IOException>());
        Assert.That(
            () => VectorFileWriter.Create(Path.Combine(folder.Path, "no", "v.fbin"), VectorElementType.Float32, 1),
            Throws.TypeOf<DirectoryNotFoundException>());
    }

    private static async Task WriteAsync(string path, VectorElementType elementType, int dimension, byte[] values)
    {
        await using VectorFileWriter writer = VectorFileWriter.Create(path, elementType, dimension);
        await writer.WriteAsync(values);
        await writer.CompleteAsync();
    }

    private static async Task<byte[]> ReadAllAsync(string path, Random random)
    {
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);
        int rowBytes = reader.Dimension * reader.ElementType.SizeInBytes();
        var all = new MemoryStream();
        while (true)
        {
            byte[] rows = new byte[rowBytes + random.Next(0, 5 * rowBytes)];
            int count = await reader.ReadAsync(rows);
            if (count == 0)
                return all.ToArray();
            all.Write(rows, 0, count * rowBytes);
        }
    }
}
