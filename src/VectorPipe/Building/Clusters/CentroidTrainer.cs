using System.Runtime.InteropServices;
using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Work;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Clusters;

/// <summary>
/// Trains the centroids of a partition on a sample: first groups, then the leaves of each group, then all leaves together.
/// </summary>
internal sealed class CentroidTrainer(
    PointTable points, int leafCount, GraphParameters parameters, PagedMemory? paging, CancellationToken cancellationToken)
{
    private const uint SamplePurpose = 1;
    private const int SamplesPerLeaf = 16;
    private const int SamplesPerGroup = 256;
    private const int MinSamples = 20_000;
    private const int GroupIterations = 4;
    private const int LeafIterations = 3;
    private const int JointIterations = 2;
    private const int BlockRows = 256;

    /// <summary>Groups in which the leaf of a point is sought.</summary>
    public const int GroupProbes = 8;

    private readonly KernelRowFormat _form = KernelRowFormat.Of(points);

    /// <summary>Points of the sample, about.</summary>
    public static long SampleRows(long count, long leaves) => Math.Min(count, Math.Max(MinSamples, leaves * SamplesPerLeaf));

    public CentroidTree Train()
    {
        using VectorTable sample = DrawSample();
        int groups = Math.Clamp((int)Math.Round(Math.Sqrt(leafCount)), 1, sample.Count);
        CentroidTree tree = Split(sample, TrainGroups(sample, groups));
        for (int iteration = 0; iteration < JointIterations; iteration++)
            Move(tree, sample);
        return tree;
    }

    private VectorTable DrawSample()
    {
        double share = (double)SampleRows(points.Count, leafCount) / points.Count;
        var chosen = new List<int>();
        for (int point = 0; point < points.Count; point++)
        {
            if (share >= 1 || PointHash.IsSampled(parameters.Seed, SamplePurpose, point, share))
                chosen.Add(point);
        }

        return VectorTable.Load(points, CollectionsMarshal.AsSpan(chosen), paging, cancellationToken);
    }

    private VectorTable TrainGroups(VectorTable sample, int groups)
    {
        int count = (int)Math.Min(sample.Count, (long)groups * SamplesPerGroup);
        int[] members = new int[count];
        for (int i = 0; i < count; i++)
            members[i] = (int)((long)i * sample.Count / count);
        using var means = new KMeans(_form);
        return means.Train(sample, members, groups, GroupIterations, cancellationToken);
    }

    // Each group gets leaves in proportion to its share of the sample.
    private CentroidTree Split(VectorTable sample, VectorTable trained)
    {
        int[] nearest = new int[sample.Count];
        ForEachBlock(sample.Count, () => new KMeans(_form), (means, from, count) =>
            means.Assign(sample, Sequence.Of(from, count), trained, nearest.AsSpan(from, count), cancellationToken), BlockRows * 16);
        int[] members = CountingSort.Group(nearest, trained.Count, out int[] offsets);

        int[] occupied = [.. Enumerable.Range(0, trained.Count).Where(group => offsets[group] < offsets[group + 1])];
        var groups = new VectorTable(_form, occupied.Length);
        int[] leafOffsets = new int[occupied.Length + 1];
        for (int i = 0; i < occupied.Length; i++)
        {
            groups.Copy(i, trained, occupied[i]);
            int size = offsets[occupied[i] + 1] - offsets[occupied[i]];
            leafOffsets[i + 1] = leafOffsets[i] + Math.Clamp((int)Math.Round((double)size * leafCount / sample.Count), 1, size);
        }

        trained.Dispose();
        var leaves = new VectorTable(_form, leafOffsets[^1]);
        WorkQueue.Run(
            parameters.Threads,
            occupied.Length,
            () => new KMeans(_form),
            (means, group) =>
            {
                ReadOnlySpan<int> own = members.AsSpan(offsets[occupied[group]]..offsets[occupied[group] + 1]);
                using VectorTable centroids =
                    means.Train(sample, own, leafOffsets[group + 1] - leafOffsets[group], LeafIterations, cancellationToken);
                for (int i = 0; i < centroids.Count; i++)
                    leaves.Copy(leafOffsets[group] + i, centroids, i);
            },
            cancellationToken);
        return new CentroidTree(groups, leaves, leafOffsets);
    }

    // One iteration of Lloyd over all leaves.
    private void Move(CentroidTree tree, VectorTable sample)
    {
        int[] nearest = new int[sample.Count];
        ForEachBlock(
            sample.Count, () => new LeafAssigner(),
            (assigner, from, count) => assigner.Assign(tree, sample.Rows, from, GroupProbes, nearest.AsSpan(from, count)), BlockRows);
        int[] members = CountingSort.Group(nearest, tree.Leaves.Count, out int[] offsets);
        ForEachBlock(
            tree.Leaves.Count,
            () => new KMeans(_form),
            (means, from, count) =>
            {
                double[] sums = new double[_form.Components];
                for (int leaf = from; leaf < from + count; leaf++)
                {
                    if (offsets[leaf] < offsets[leaf + 1])
                        tree.Leaves.SetMean(leaf, sample, members.AsSpan(offsets[leaf]..offsets[leaf + 1]), sums);
                }
            },
            BlockRows);
        tree.PackLeaves();
    }

    private void ForEachBlock<TScratch>(int rows, Func<TScratch> createScratch, Action<TScratch, int, int> body, int blockRows)
        where TScratch : IDisposable
    {
        WorkQueue.Run(
            parameters.Threads,
            (rows - 1) / blockRows + 1,
            createScratch,
            (scratch, block) => body(scratch, block * blockRows, Math.Min(blockRows, rows - block * blockRows)),
            cancellationToken);
    }
}
