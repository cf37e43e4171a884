using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Tests.Formats;

internal sealed class VectorFileReadingTests
{
    private static IEnumerable<TestCaseData> Kinds =>
        TestBytes.Kinds.Select(kind => new TestCaseData(kind.Extension, kind.Format, kind.ElementType));

    [TestCaseSource(nameof(Kinds))]
    public async Task Open_reports_the_content_of_the_file(string extension, VectorFileFormat format, VectorElementType elementType)
    {
        using var folder = new TemporaryFolder();
        byte[] values = TestBytes.Counting(3 * 5 * elementType.SizeInBytes());
        string path = folder.Write("v" + extension, TestBytes.WholeFile(extension, elementType, 3, 5, values));

        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);

        Assert.That(
            (reader.Path, reader.Format, reader.ElementType, reader.Dimension, reader.Count),
            Is.EqualTo((path, format, elementType, 5, 3L)));
    }

    [TestCaseSource(nameof(Kinds))]
    public async Task Rows_arrive_without_prefixes_in_order(string extension, VectorFileFormat format, VectorElementType elementType)
    {
        using var folder = new TemporaryFolder();
        int rowBytes = 5 * elementType.SizeInBytes();
        byte[] values = TestBytes.Counting(3 * rowBytes);
        string path = folder.Write("v" + extension, TestBytes.WholeFile(extension, elementType, 3, 5, values));
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);
        byte[] rows = new byte[values.Length];

        Assert.That(await reader.ReadAsync(rows), Is.EqualTo(3), $"rows of {format}");
        Assert.That(rows, Is.EqualTo(values));
    }

    [Test]
    public async Task A_buffer_takes_only_whole_rows_and_keeps_its_tail()
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("v.u8bin", TestBytes.Int32(3, 4), TestBytes.Counting(12));
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);
        byte[] rows = [0, 0, 0, 0, 0, 0, 0, 0, 77, 77, 77];

        Assert.That(await reader.ReadAsync(rows), Is.EqualTo(2));
        Assert.That(rows, Is.EqualTo(new byte[] { 1, 2, 3, 4, 5, 6, 7, 8, 77, 77, 77 }));
    }

    [Test]
    public async Task Every_read_at_the_end_returns_zero_rows()
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("v.u8bin", TestBytes.Int32(1, 4), TestBytes.Counting(4));
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);
        byte[] rows = new byte[8];

        Assert.That(await reader.ReadAsync(rows), Is.EqualTo(1));
        Assert.That(await reader.ReadAsync(rows), Is.Zero);
        Assert.That(await reader.ReadAsync(rows), Is.Zero);
    }

    [Test]
    public async Task A_buffer_shorter_than_a_row_is_refused_and_reading_goes_on()
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("v.u8bin", TestBytes.Int32(1, 4), TestBytes.Counting(4));
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);

        Assert.That(async () => await reader.ReadAsync(new byte[3]), Throws.ArgumentException.With.Message.Contains("4 bytes, found 3"));
        Assert.That(await reader.ReadAsync(new byte[4]), Is.EqualTo(1));
    }

    [Test]
    public async Task The_case_of_the_extension_does_not_matter()
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("V.U8BIN", TestBytes.Int32(1, 4), TestBytes.Counting(4));

        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);

        Assert.That(reader.Format, Is.EqualTo(VectorFileFormat.U8bin));
    }

    [Test]
    public void A_cancelled_open_throws()
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("v.u8bin", TestBytes.Int32(1, 4), TestBytes.Counting(4));

        Assert.That(
            async () => await VectorFileReader.OpenAsync(path, new CancellationToken(canceled: true)),
            Throws.InstanceOf<OperationCanceledException>());
    }

    [Test]
    public async Task A_read_cancelled_before_its_start_loses_nothing()
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("v.u8bin", TestBytes.Int32(2, 4), TestBytes.Counting(8));
        await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);
        byte[] rows = new byte[8];

        Assert.That(
            async () => await reader.ReadAsync(rows, new CancellationToken(canceled: true)),
            Throws.InstanceOf<OperationCanceledException>());
        Assert.That(await reader.ReadAsync(rows), Is.EqualTo(2));
    }

    [Test]
    public async Task A_disposed_reader_refuses_to_read_and_may_be_disposed_again()
    {
        using var folder = new TemporaryFolder();
        string path = folder.Write("v.u8bin", TestBytes.Int32(2, 4), TestBytes.Counting(8));
        VectorFileReader reader = await VectorFileReader.OpenAsync(path);
        await reader.DisposeAsync();
        await reader.DisposeAsync();

        Assert.That(async () => await reader.ReadAsync(new byte[8]), Throws.InstanceOf<ObjectDisposedException>());
    }
}
