using NUnit.Framework;
using VectorPipe.Building.Clusters;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Partitioned;

namespace VectorPipe.Tests.Building.Partitioned;

internal sealed class RefineWorkerTests
{
    private const int Points = 600;
    private const int Seed = 20265;

    [Test]
    public void A_cancellation_does_not_wait_for_the_end_of_a_leaf()
    {
        using PartitionCase data = PartitionCase.Create(Points, dimension: 8, Seed);
        var centroids = new VectorTable(data.Table.Form, 1);
        var groups = new VectorTable(data.Table.Form, 1);
        centroids.Copy(0, data.Table, 0);
        groups.Copy(0, data.Table, 0);
        using var map = new LeafMap([0, Points], [.. Enumerable.Range(0, Points)], centroids, groups, [0, 1]);
        using var cancellation = new CancellationTokenSource();
        var context = new BuildContext(
            map,
            new SampleLevels(map, start: 0, rate: 8, seed: 1),
            data.Table,
            Entry: 0,
            new PartitionedOptions(),
            new GraphParameters(MaxDegree: 4, ListSize: 10, Alpha: 1.2f, Threads: 1, Seed: 1),
            Paging: null,
            Progress: null,
            new Effort(),
            cancellation.Token);
        using var frozen = new LinkTable(Points, maxDegree: 4);
        using var refined = new LinkTable(Points, maxDegree: 4);
        for (int row = 0; row < Points; row++)
            frozen.SetLinks(row, [(row + 1) % Points]);
        using var worker = new RefineWorker(context, frozen, refined, nearest: null);

        cancellation.Cancel();

        Assert.That(() => worker.Run(0), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(Enumerable.Range(0, Points).Select(refined.Degree), Has.All.Zero, "no point was begun");
    }
}
