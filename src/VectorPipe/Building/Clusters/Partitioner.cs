using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Work;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Clusters;

/// <summary>Divides points into leaves of near neighbours, and orders the leaves.</summary>
internal sealed class Partitioner(
    PointTable points, int leafSize, GraphParameters parameters, PagedMemory? paging, IProgress<GraphProgress>? progress,
    CancellationToken cancellationToken)
{
    private const int BlockRows = 256;

    private readonly KernelRowFormat _form = KernelRowFormat.Of(points);

    /// <summary>Divides points into leaves of about <paramref name="leafSize"/> points; the caller owns the result.</summary>
    public static LeafMap Run(
        PointTable points, int leafSize, GraphParameters parameters, PagedMemory? paging, IProgress<GraphProgress>? progress,
        CancellationToken cancellationToken) =>
        new Partitioner(points, leafSize, parameters, paging, progress, cancellationToken).Run();

    private LeafMap Run()
    {
        var meter = new ProgressMeter(progress, "partition", points.Count);
        int leaves = (points.Count - 1) / leafSize + 1;
        using CentroidTree tree = new CentroidTrainer(points, leaves, parameters, paging, cancellationToken).Train();
        int[] leafOf = Assign(tree, meter);
        int[] members = CountingSort.Group(leafOf, tree.Leaves.Count, out int[] offsets);

        using var splitter = new LeafSplitter(points, leafSize, paging, cancellationToken);
        var parts = new List<LeafPart>();
        for (int group = 0; group < tree.Groups.Count; group++)
        {
            for (int leaf = tree.GroupOffsets[group]; leaf < tree.GroupOffsets[group + 1]; leaf++)
            {
                if (offsets[leaf] < offsets[leaf + 1])
                    splitter.Add(new LeafPart(group, tree.Leaves, leaf, members.AsMemory(offsets[leaf]..offsets[leaf + 1])), parts);
            }
        }

        LeafMap map = Order(tree, parts);
        meter.Complete();
        return map;
    }

    private int[] Assign(CentroidTree tree, ProgressMeter meter)
    {
        int count = points.Count;
        int[] leafOf = new int[count];
        WorkQueue.Run(
            parameters.Threads,
            (count - 1) / BlockRows + 1,
            () => new AssignScratch(_form, BlockRows, PageLease.Rent(paging)),
            (scratch, block) =>
            {
                int first = block * BlockRows;
                int rows = Math.Min(BlockRows, count - first);
                scratch.Lease.Begin();
                points.Ask(scratch.Lease, first, rows);
                scratch.Lease.Fetch();
                for (int i = 0; i < rows; i++)
                    scratch.Rows.Load(i, points, first + i);
                scratch.Assigner.Assign(tree, scratch.Rows.Rows, 0, CentroidTrainer.GroupProbes, leafOf.AsSpan(first, rows));
                meter.Advance(rows);
            },
            cancellationToken);
        return leafOf;
    }

    private LeafMap Order(CentroidTree tree, List<LeafPart> parts)
    {
        int[] partGroups = [.. parts.Select(part => part.Group)];
        int[] byGroup = CountingSort.Group(partGroups, tree.Groups.Count, out int[] groupStarts);
        int[] groups = [.. Enumerable.Range(0, tree.Groups.Count).Where(group => groupStarts[group] < groupStarts[group + 1])];
        NearChain.Order(tree.Groups, groups, groups[0], cancellationToken);

        using var unordered = new VectorTable(_form, parts.Count);
        for (int i = 0; i < parts.Count; i++)
            unordered.Copy(i, parts[i].Centroids, parts[i].Centroid);

        var orderedGroups = new VectorTable(_form, groups.Length);
        var centroids = new VectorTable(_form, parts.Count);
        int[] groupOffsets = new int[groups.Length + 1];
        int[] offsets = new int[parts.Count + 1];
        int[] ordered = new int[points.Count];
        int leaf = 0;
        int last = byGroup[groupStarts[groups[0]]];
        for (int i = 0; i < groups.Length; i++)
        {
            orderedGroups.Copy(i, tree.Groups, groups[i]);
            Span<int> own = byGroup.AsSpan(groupStarts[groups[i]]..groupStarts[groups[i] + 1]);
            NearChain.Order(unordered, own, last, cancellationToken);
            foreach (int part in own)
            {
                centroids.Copy(leaf, unordered, part);
                parts[part].Points.Span.CopyTo(ordered.AsSpan(offsets[leaf]));
                offsets[leaf + 1] = offsets[leaf] + parts[part].Points.Length;
                leaf++;
            }

            last = own[^1];
            groupOffsets[i + 1] = leaf;
        }

        return new LeafMap(offsets, ordered, centroids, orderedGroups, groupOffsets);
    }

    private sealed class AssignScratch(KernelRowFormat form, int rows, PageLease lease) : IDisposable
    {
        public VectorTable Rows { get; } = new(form, rows);

        public LeafAssigner Assigner { get; } = new();

        public PageLease Lease => lease;

        public void Dispose()
        {
            Rows.Dispose();
            Assigner.Dispose();
            lease.Dispose();
        }
    }
}
