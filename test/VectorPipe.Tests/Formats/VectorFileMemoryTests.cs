using NUnit.Framework;
using VectorPipe.Formats;
using VectorPipe.Numerics;

namespace VectorPipe.Tests.Formats;

/// <summary>A file is streamed: what is allocated depends neither on its length nor on its number of rows.</summary>
[NonParallelizable]
public sealed class VectorFileMemoryTests
{
    private const int Dimension = 16;
    private const int Rows = 4 << 20;
    private const long AllocatedBytesMax = 4 << 20;

    [TestCase("v.u8bin")]
    [TestCase("v.bvecs")]
    [TestCase("v.npy")]
    public async Task Writing_and_reading_64_MB_allocates_little(string name)
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
        TestContext.Out.WriteLine($"allocated {written - start} bytes to write, {read - written} to read {rows} rows");
        Assert.That(rows, Is.EqualTo(Rows));
        Assert.That(written - start, Is.LessThan(AllocatedBytesMax), "writing");
        Assert.That(read - written, Is.LessThan(AllocatedBytesMax), "reading");
    }
}
