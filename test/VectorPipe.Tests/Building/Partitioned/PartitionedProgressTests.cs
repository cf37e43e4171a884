using NUnit.Framework;
using VectorPipe.Building.GraphPhases;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;
using VectorPipe.Building.Work;

namespace VectorPipe.Tests.Building.Partitioned;

internal sealed class PartitionedProgressTests
{
    private static readonly string[] _phases = ["partition", "leaves", "merge", "refine", "merge", "repair", "reachability", "check"];

    private static readonly GraphParameters _parameters = new(MaxDegree: 16, ListSize: 20, Alpha: 1.2f, Threads: 2, Seed: 7);

    [Test]
    public void Phases_follow_each_other_and_each_ends_at_its_total()
    {
        var progress = new RecordedProgress();

        Build(progress, 2, CancellationToken.None);

        string[] begun = [.. progress.Reports.Where(report => report.Done == 0).Select(report => report.Phase)];
        string[] ended = [.. progress.Reports.Where(report => report.Done == report.Total).Select(report => report.Phase)];
        Assert.That(begun.Distinct(), Is.EqualTo(_phases.Distinct()));
        Assert.That(ended, Is.EqualTo(begun));
    }

    [Test]
    public void Cancellation_ends_a_build_in_the_current_phase(
        [Values("partition", "leaves", "merge", "refine", "repair", "reachability", "check")] string phase, [Values(1, 2)] int threads)
    {
        using var cancellation = new CancellationTokenSource();
        var progress = new RecordedProgress { OnReport = report => { if (report.Phase == phase) cancellation.Cancel(); } };

        Assert.That(() => Build(progress, threads, cancellation.Token), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(progress.Reports[^1].Phase, Is.EqualTo(phase));
    }

    [Test]
    public void A_build_cancelled_before_its_start_does_nothing()
    {
        var progress = new RecordedProgress();

        Assert.That(() => Build(progress, 1, new CancellationToken(canceled: true)), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(progress.Reports, Is.Empty);
    }

    private static void Build(RecordedProgress progress, int threads, CancellationToken cancellationToken)
    {
        TestVectors vectors =
            TestVectors.Clustered(DistanceMetric.L2, VectorElementType.UInt8, dimension: 8, count: 600, queries: 0, seed: 3);
        new PartitionedBuilder(new PartitionedOptions { LeafSize = 50 })
            .Build(vectors.ToPointTable(), _parameters with { Threads = threads }, new GraphReport(), progress, cancellationToken)
            .Dispose();
    }

    private sealed class RecordedProgress : IProgress<GraphProgress>
    {
        private readonly List<GraphProgress> _reports = [];

        public Action<GraphProgress>? OnReport { get; init; }

        public IReadOnlyList<GraphProgress> Reports => _reports;

        public void Report(GraphProgress value)
        {
            lock (_reports)
                _reports.Add(value);
            OnReport?.Invoke(value);
        }
    }
}
