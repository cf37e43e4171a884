using VectorPipe.Building.Paging;
using VectorPipe.Numerics;

namespace VectorPipe.Building.Partitioned;

/// <summary>Splits a leaf that drew far more points than others, by k-means of its own and, where points are too alike for that, by their numbers.</summary>
/// <remarks>Not thread-safe. Owns the centroids of what it splits; freed by <see cref="Dispose"/>.</remarks>
internal sealed class LeafSplitter(PointTable points, int leafSize, PagedMemory? paging, CancellationToken cancellationToken) : IDisposable
{
    /// <summary>Work on a leaf grows with the square of its size, so no leaf may be larger than this many times the average.</summary>
    public const int MaxSizes = 3;
    private const int SamplesPerPart = 32;
    private const int Iterations = 3;
    private const int LoadedRows = 256;

    private readonly List<VectorTable> _owned = [];

    /// <summary>Whether a leaf of so many points must be split.</summary>
    public bool IsTooLarge(int size) => size > MaxSizes * leafSize;

    /// <summary>Adds a leaf to others, split if it is too large.</summary>
    public void Add(LeafPart leaf, List<LeafPart> parts)
    {
        if (!IsTooLarge(leaf.Points.Length))
        {
            parts.Add(leaf);
            return;
        }

        ReadOnlySpan<int> members = leaf.Points.Span;
        using var rows = new VectorTable(leaf.Centroids.Form, members.Length);
        Load(rows, members);

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

    /// <summary>Frees the centroids.</summary>
    public void Dispose() => _owned.ForEach(table => table.Dispose());

    private void Load(VectorTable rows, ReadOnlySpan<int> members)
    {
        using PageLease lease = PageLease.Rent(paging);
        for (int first = 0; first < members.Length; first += LoadedRows)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int end = Math.Min(first + LoadedRows, members.Length);
            lease.Begin();
            for (int i = first; i < end; i++)
                points.Ask(lease, members[i], 1);
            lease.Fetch();
            for (int i = first; i < end; i++)
                rows.Load(i, points, members[i]);
        }
    }

    private void AddRuns(int group, VectorTable centroids, int centroid, ReadOnlyMemory<int> members, List<LeafPart> parts)
    {
        int runs = IsTooLarge(members.Length) ? (members.Length - 1) / leafSize + 1 : Math.Min(1, members.Length);
        for (int run = 0; run < runs; run++)
        {
            int from = (int)((long)members.Length * run / runs);
            int to = (int)((long)members.Length * (run + 1) / runs);
            parts.Add(new LeafPart(group, centroids, centroid, members[from..to]));
        }
    }
}
