using System.Globalization;
using NUnit.Framework;

namespace VectorPipe.Tool.Tests.Documentation;

/// <summary>The table of sizes is what the planner says.</summary>
public sealed class SizingTests
{
    private const int Million = 1_000_000;
    private const double Billion = 1e9;
    private const long LeastShown = 256L << 20;

    [Test]
    public void The_table_is_that_of_the_planner()
    {
        string[] rows = [.. Repository.Read("docs/sizing.md").Split('\n').Where(line => line.Count(letter => letter == '|') == 10).Skip(2)];
        string[] expected =
        [
            .. from millions in new[] { 1, 10, 100 }
               from vector in new (int Dimension, VectorElementType Type)[]
               {
                   (128, VectorElementType.UInt8), (128, VectorElementType.Float32), (384, VectorElementType.Float32),
                   (768, VectorElementType.Float32), (1536, VectorElementType.Float32),
               }
               select RowOf(millions, vector.Dimension, vector.Type),
        ];

        Assert.That(rows, Is.EqualTo(expected));
    }

    private static string RowOf(int millions, int dimension, VectorElementType type)
    {
        var options = new BuildOptions { Metric = DistanceMetric.Cosine, Threads = 2 };
        long count = (long)millions * Million;
        BuildPlan free = VectorIndex.PlanBuild(new CountedSource(type, dimension, count), options);
        long budget = Math.Max(2 * free.LeastMemoryBudget, LeastShown);
        BuildPlan bound = VectorIndex.PlanBuild(new CountedSource(type, dimension, count), options with { MemoryBudget = budget });

        int size = dimension * (type == VectorElementType.UInt8 ? 1 : sizeof(float));
        double open = (count * (32 + (size / 20.0))) + (1028L * dimension) + (8L * dimension * dimension);
        string name = type.ToString().ToLowerInvariant();
        return string.Create(
            CultureInfo.InvariantCulture,
            $"| {millions}M x {dimension:N0} {name} | {Bytes(open)} | {Bytes(free.IndexBytes)} | {Bytes(free.MemoryBytes)} "
            + $"| {Time(free.EstimatedSeconds)} | {Bytes(free.LeastMemoryBudget)} | {Bytes(budget)} | {Bytes(bound.ScratchBytes)} "
            + $"| {Time(bound.EstimatedSeconds)} |");
    }

    private static string Bytes(double bytes)
    {
        double billions = bytes / Billion;
        return billions.ToString(billions >= 10 ? "N0" : billions >= 1 ? "F1" : "F2", CultureInfo.InvariantCulture) + " GB";
    }

    private static string Time(double seconds) => seconds < 5400
        ? (seconds / 60).ToString("F0", CultureInfo.InvariantCulture) + " min"
        : (seconds / 3600).ToString(seconds < 36000 ? "F1" : "F0", CultureInfo.InvariantCulture) + " h";

    private sealed class CountedSource(VectorElementType type, int dimension, long count) : VectorSource
    {
        public override VectorElementType ElementType => type;

        public override int Dimension => dimension;

        public override long Count => count;

        public override ValueTask<int> ReadAsync(Memory<byte> rows, Memory<ulong> keys, CancellationToken cancellationToken = default) =>
            throw new InvalidOperationException("A plan reads no vector.");
    }
}
