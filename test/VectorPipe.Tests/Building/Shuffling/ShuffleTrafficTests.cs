using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Tests.Api;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Building.Shuffling;

/// <summary>The report of a build counts the scratch files of its shuffles.</summary>
[Platform("Linux")]
internal sealed class ShuffleTrafficTests
{
    private const int Count = 1000;
    private const int Dimension = 128;

    [TestCase(IndexKind.Graph, true)]
    [TestCase(IndexKind.Ivf, true)]
    [TestCase(IndexKind.Ivf, false)]
    public void A_report_counts_all_bytes_of_scratch_files(IndexKind kind, bool hasBudget)
    {
        using var folder = new TemporaryFolder();
        byte[] rows = new byte[Count * Dimension];
        new Random(1).NextBytes(rows);
        BuildOptions options = kind == IndexKind.Graph
            ? BuildOptionsTuning.SmallGraph(degree: 16, listSize: 32, codeBytes: 8)
            : new BuildOptions { Ivf = new IvfBuild { Lists = 10 } };
        if (hasBudget)
        {
            BuildPlan plan = new VectorIndexBuilder(folder.File("index"), options).Plan(VectorSource.FromMemory<byte>(rows, Dimension));
            options = options with { MemoryBudget = plan.LeastMemoryBudget };
        }

        var io = new RecordingStorageIo();
        BuildReport report = new VectorIndexBuilder(folder.File("index"), options, null, io) { CalibrationQueries = 50 }
            .BuildAsync(VectorSource.FromMemory<byte>(rows, Dimension)).GetAwaiter().GetResult();

        long written = io.Operations
            .Where(done => done.Kind == StorageOperationKind.Write && done.Name.StartsWith("scratch", StringComparison.Ordinal))
            .Sum(done => (long)done.Bytes!.Length);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(written, Is.GreaterThan(Count * Dimension), "the build shuffles its vectors");
            Assert.That(report.ScratchBytesWritten, Is.EqualTo(written));
            Assert.That(report.ScratchBytesRead, Is.GreaterThan(Count * Dimension), "what is shuffled is read back");
        }
    }
}
