using System.Globalization;
using System.Text.RegularExpressions;
using NUnit.Framework;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Partitioned;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api.Builds;

/// <summary>A memory budget bounds a build and does not change its index.</summary>
[Platform("Linux")]
internal sealed class MemoryBudgetTests
{
    [TestCase(VectorElementType.Float32, 192, 600, 1)]
    [TestCase(VectorElementType.Float32, 384, 600, 1, Category = "Heavy")]
    [TestCase(VectorElementType.UInt8, 128, 1_000, 3, Category = "Heavy")]
    [TestCase(VectorElementType.UInt8, 128, 1_000, 3, IndexLayout.Plain, Category = "Heavy")]
    [TestCase(VectorElementType.Float32, 384, 30_000, 1, Category = "Heavy")]
    [TestCase(VectorElementType.Float32, 384, 30_000, 3, IndexLayout.Plain, Category = "Heavy")]
    [TestCase(VectorElementType.UInt8, 128, 40_000, 1, IndexLayout.Plain, Category = "Heavy")]
    [TestCase(VectorElementType.UInt8, 128, 40_000, 3, Category = "Heavy")]
    public void The_least_budget_is_named_and_builds_the_same_bytes(
        VectorElementType type, int dimension, int count, int threads, IndexLayout layout = IndexLayout.Merged)
    {
        using var folder = new TemporaryFolder();
        byte[] rows = Rows(type, dimension, count);
        BuildOptions options =
            (BuildOptionsTuning.SmallGraph(degree: 16, listSize: 32, codeBytes: 8) with { Threads = threads }).In(layout);
        Build(folder.File("free"), rows, type, dimension, options);

        ArgumentOutOfRangeException refusal = Assert.Throws<ArgumentOutOfRangeException>(
            () => Build(folder.File("refused"), rows, type, dimension, options with { MemoryBudget = 1 << 20 }))!;
        Assert.That(Directory.Exists(folder.File("refused")), Is.False, "a build that is refused leaves nothing");
        long least = LeastOf(refusal);
        Assert.That(
            () => Build(folder.File("refused"), rows, type, dimension, options with { MemoryBudget = least - 1 }),
            Throws.TypeOf<ArgumentOutOfRangeException>());

        BuildReport report = Build(folder.File("least"), rows, type, dimension, options with { MemoryBudget = least });
        TestContext.Out.WriteLine(
            $"least {least:N0} bytes, {report.ScratchBytesWritten:N0} bytes written to scratch, {report.ScratchBytesRead:N0} read");
        if (count >= 30_000 && type == VectorElementType.Float32)
            Assert.That(report.ScratchBytesRead, Is.GreaterThan(0), "tables are larger than the budget");
        AssertSameFiles(folder.File("least"), folder.File("free"));
    }

    /// <summary>With more room, ranges of shuffled links are read together.</summary>
    [TestCase(2_500, 1)]
    [TestCase(5_000, 1, Category = "Heavy")]
    [TestCase(40_000, 3, Category = "Heavy")]
    public void More_than_the_least_budget_builds_the_same_bytes(int count, int threads)
    {
        const int dimension = 32, room = 64 << 20;
        using var folder = new TemporaryFolder();
        byte[] rows = Rows(VectorElementType.UInt8, dimension, count);
        BuildOptions options = BuildOptionsTuning.SmallGraph(degree: 16, listSize: 32, codeBytes: 8) with { Threads = threads };
        Build(folder.File("free"), rows, VectorElementType.UInt8, dimension, options);
        long least =
            new VectorIndexBuilder(folder.File("more"), options).Plan(VectorSource.FromMemory<byte>(rows, dimension)).LeastMemoryBudget;
        BuildReport report =
            Build(folder.File("more"), rows, VectorElementType.UInt8, dimension, options with { MemoryBudget = least + room });
        Assert.That(report.ScratchBytesRead, Is.GreaterThan(0), "links are shuffled");
        AssertSameFiles(folder.File("more"), folder.File("free"));
    }

    [TestCase(3, Category = "Heavy")]
    public void A_budget_builds_the_same_bytes_from_many_copies_of_one_vector(int threads)
    {
        const int count = 80_000, dimension = 16;
        using var folder = new TemporaryFolder();
        byte[] rows = Rows(VectorElementType.UInt8, dimension, count);
        for (int row = 0; row < count; row += 2)
            rows.AsSpan(0, dimension).CopyTo(rows.AsSpan(row * dimension));
        Assert.That(LeafSplitter.MostRows(new PartitionedOptions().LeafSize), Is.LessThan(count / 2), "half of them are copies of one");
        BuildOptions options = BuildOptionsTuning.SmallGraph(degree: 16, listSize: 32, codeBytes: 8) with { Threads = threads };
        Build(folder.File("free"), rows, VectorElementType.UInt8, dimension, options);
        long least =
            new VectorIndexBuilder(folder.File("least"), options).Plan(VectorSource.FromMemory<byte>(rows, dimension)).LeastMemoryBudget;
        Build(folder.File("least"), rows, VectorElementType.UInt8, dimension, options with { Threads = 1, MemoryBudget = least });
        AssertSameFiles(folder.File("least"), folder.File("free"));
    }

    private static BuildReport Build(string directory, byte[] rows, VectorElementType type, int dimension, BuildOptions options)
    {
        VectorSource source = type == VectorElementType.UInt8
            ? VectorSource.FromMemory<byte>(rows, dimension)
            : VectorSource.FromMemory<float>(System.Runtime.InteropServices.MemoryMarshal.Cast<byte, float>(rows).ToArray(), dimension);
        return new VectorIndexBuilder(directory, options) { CalibrationQueries = 50 }.BuildAsync(source).GetAwaiter().GetResult();
    }

    private static long LeastOf(ArgumentOutOfRangeException refusal)
    {
        Match match = Regex.Match(refusal.Message, @"at least ([\d,.\s]+?) bytes");
        Assert.That(match.Success, Is.True, refusal.Message);
        return long.Parse(Regex.Replace(match.Groups[1].Value, @"\D", ""), CultureInfo.InvariantCulture);
    }

    private static void AssertSameFiles(string directory, string expected)
    {
        string[] names = [.. Directory.EnumerateFiles(expected).Select(path => Path.GetFileName(path)!).Order(StringComparer.Ordinal)];
        Assert.That(
            Directory.EnumerateFiles(directory).Select(Path.GetFileName).Order(StringComparer.Ordinal), Is.EqualTo(names),
            "no scratch is left");
        foreach (string name in names)
            Assert.That(
                File.ReadAllBytes(Path.Combine(directory, name)).AsSpan().SequenceEqual(File.ReadAllBytes(Path.Combine(expected, name))),
                Is.True, name);
    }

    // Around a few hundred centres, so that there is something to partition.
    private static byte[] Rows(VectorElementType type, int dimension, int count)
    {
        var random = new Random(20272);
        byte[] centres = new byte[200 * dimension];
        random.NextBytes(centres);
        byte[] bytes = new byte[(long)count * dimension];
        for (int row = 0; row < count; row++)
        {
            ReadOnlySpan<byte> centre = centres.AsSpan(random.Next(200) * dimension, dimension);
            for (int i = 0; i < dimension; i++)
                bytes[row * dimension + i] = (byte)(centre[i] / 2 + random.Next(64));
        }

        if (type == VectorElementType.UInt8)
            return bytes;
        float[] floats = [.. bytes.Select(b => b / 255f)];
        return System.Runtime.InteropServices.MemoryMarshal.AsBytes(floats.AsSpan()).ToArray();
    }
}
