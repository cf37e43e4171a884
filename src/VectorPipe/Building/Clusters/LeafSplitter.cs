using VectorPipe.Building.Graphs;
using VectorPipe.Building.Paging;
using VectorPipe.Numerics.Sorting;

namespace VectorPipe.Building.Clusters;

/// <summary>
/// Splits a leaf that drew far more points than others: by k-means of its own, and points too alike for that by their numbers.
/// </summary>
/// <remarks>Not thread-safe. Owns the centroids of what it splits; freed by <see cref="Dispose"/>.</remarks>
internal sealed class LeafSplitter(PointTable points, int leafSize, PagedMemory? paging, CancellationToken cancellationToken) : IDisposable
{
    /// <summary>A leaf is no larger than so many times the average, since work on a leaf grows with the square of its size.</summary>
    public const int MaxSizes = 3;

    // Leaves of distinct points never grow this large, but all copies of a vector fall into the same leaf.
    private const int MostSizes = 160;

    private const int SamplesPerPart = 32;
    private const int Iterations = 3;

    private readonly List<VectorTable> _owned = [];

    /// <summary>Most points that are split together, with their vectors in memory.</summary>
    public static long MostRows(int leafSize) => (long)MostSizes * leafSize;

    public bool IsTooLarge(int size) => size > (long)MaxSizes * leafSize;

    /// <summary>Adds a leaf to <paramref name="parts"/>, split if it is too large.</summary>
    public void Add(LeafPart leaf, List<LeafPart> parts)
    {
        if (!IsTooLarge(leaf.Points.Length))
        {
            parts.Add(leaf);
            return;
        }

        // The bound counts points, not bytes: leaves must not depend on the memory budget.
        int runs = (int)((leaf.Points.Length - 1) / MostRows(leafSize)) + 1;
        foreach (ReadOnlyMemory<int> run in Runs(leaf.Points, runs))
            Split(leaf with { Points = run }, parts);
    }

    public void Dispose() => _owned.ForEach(table => table.Dispose());

    // Runs of about equal length, by the numbers of the points.
    private static IEnumerable<ReadOnlyMemory<int>> Runs(ReadOnlyMemory<int> points, int runs)
    {
        for (int run = 0; run < runs; run++)
            yield return points[(int)((long)points.Length * run / runs)..(int)((long)points.Length * (run + 1) / runs)];
    }

    private void Split(LeafPart leaf, List<LeafPart> parts)
    {
        ReadOnlySpan<int> members = leaf.Points.Span;
        using VectorTable rows = VectorTable.Load(points, members, paging, cancellationToken);
        int count = (members.Length - 1) / leafSize + 1;
        int[] sample = new int[Math.Min(members.Length, count * SamplesPerPart)];
        for (int i = 0; i < sample.Length; i++)
            sample[i] = (int)((long)i * members.Length / sample.Length);
        using var means = new KMeans(rows.Form);
        VectorTable centroids = means.Train(rows, sample, count, Iterations, cancellationToken);
        _owned.Add(centroids);
        int[] nearest = new int[members.Length];
        means.Assign(rows, Sequence.Of(members.Length), centroids, nearest, cancellationToken);
        int[] grouped = CountingSort.Group(nearest, count, out int[] offsets);
        for (int i = 0; i < grouped.Length; i++)
            grouped[i] = members[grouped[i]];
        for (int i = 0; i < count; i++)
            AddRuns(leaf.Group, centroids, i, grouped.AsMemory(offsets[i]..offsets[i + 1]), parts);
    }

    private void AddRuns(int group, VectorTable centroids, int centroid, ReadOnlyMemory<int> members, List<LeafPart> parts)
    {
        int runs = IsTooLarge(members.Length) ? (members.Length - 1) / leafSize + 1 : Math.Min(1, members.Length);
        foreach (ReadOnlyMemory<int> run in Runs(members, runs))
            parts.Add(new LeafPart(group, centroids, centroid, run));
    }
}
