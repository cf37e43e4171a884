using NUnit.Framework;
using VectorPipe.Formats;

namespace VectorPipe.Tests.Formats;

/// <summary>Files are streamed: allocation depends neither on the length of a file nor on its number of rows.</summary>
[Alone]
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
        string path = "";
        int files = 0;
        long writing = await Allocations.OfProcessAsync(
            async () =>
            {
                path = folder.File($"{files++}{name}");
                await using VectorFileWriter writer = VectorFileWriter.Create(path, VectorElementType.UInt8, Dimension);
                while (writer.Count < Rows)
                    await writer.WriteAsync(buffer.AsMemory(0, (int)Math.Min(1000, Rows - writer.Count) * Dimension));
                await writer.CompleteAsync();
            },
            AllocatedBytesMax - 1);
        long reading = await Allocations.OfProcessAsync(
            async () =>
            {
                long rows = 0;
                await using VectorFileReader reader = await VectorFileReader.OpenAsync(path);
                for (int count; (count = await reader.ReadAsync(buffer)) > 0;)
                    rows += count;
                Assert.That(rows, Is.EqualTo(Rows));
            },
            AllocatedBytesMax - 1);
        TestContext.Out.WriteLine($"allocated {writing} bytes to write, {reading} to read {Rows} rows");
        Assert.That(writing, Is.LessThan(AllocatedBytesMax), "writing");
        Assert.That(reading, Is.LessThan(AllocatedBytesMax), "reading");
    }
}
