using NUnit.Framework;
using VectorPipe.Formats;

namespace VectorPipe.Tests.Formats;

/// <summary>Files are streamed: allocation depends neither on the length of a file nor on its number of rows.</summary>
[NonParallelizable]
public sealed class VectorFileMemoryTests
{
    private const int Dimension = 16;
    private const int Rows = 4 << 20;
    private const long AllocatedBytesMax = 4 << 20;
    private const int Attempts = 5;

    [TestCase("v.u8bin")]
    [TestCase("v.bvecs")]
    [TestCase("v.npy")]
    public async Task Writing_and_reading_64_MB_allocates_little(string name)
    {
        // The count includes the threads of the test runner; the least of some attempts is the file's own.
        long writing = long.MaxValue, reading = long.MaxValue;
        for (int attempt = 0; attempt < Attempts && Math.Max(writing, reading) >= AllocatedBytesMax; attempt++)
        {
            (long written, long read) = await MeasureAsync(name);
            (writing, reading) = (Math.Min(writing, written), Math.Min(reading, read));
        }

        TestContext.Out.WriteLine($"allocated {writing} bytes to write, {reading} to read {Rows} rows");
        Assert.That(writing, Is.LessThan(AllocatedBytesMax), "writing");
        Assert.That(reading, Is.LessThan(AllocatedBytesMax), "reading");
    }

    private static async Task<(long Writing, long Reading)> MeasureAsync(string name)
    {
        using var folder = new TemporaryFolder();
        byte[] buffer = new byte[Dimension * 1000];

        long start = GC.GetTotalAllocatedBytes(precise: true);
        await using (VectorFileWriter writer = VectorFileWriter.Create(folder.File(name), VectorElementType.UInt8, Dimension))
        {
            while (writer.Count < Rows)
                await writer.WriteAsync(buffer.AsMemory(0, (int)Math.Min(1000, Rows - writer.Count) * Dimension));
            await writer.CompleteAsync();
        }

        long written = GC.GetTotalAllocatedBytes(precise: true);
        long rows = 0;
        await using (VectorFileReader reader = await VectorFileReader.OpenAsync(folder.File(name)))
        {
            for (int count; (count = await reader.ReadAsync(buffer)) > 0;)
                rows += count;
        }

        long read = GC.GetTotalAllocatedBytes(precise: true);
        Assert.That(rows, Is.EqualTo(Rows));
        return (written - start, read - written);
    }
}
