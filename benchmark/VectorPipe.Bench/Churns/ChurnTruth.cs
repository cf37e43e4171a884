using VectorPipe.Measuring.Data;
using VectorPipe.Measuring.Searches;

namespace VectorPipe.Bench.Churns;

/// <summary>The exact neighbours of the queries among the live records. Immutable.</summary>
internal sealed class ChurnTruth
{
    private readonly GroundTruth _truth;
    private readonly Recall _recall;
    private readonly int[] _rows;
    private readonly Dictionary<ulong, uint> _idOfKey;
    private readonly int _k;

    private ChurnTruth(GroundTruth truth, Recall recall, int[] rows, int k)
    {
        _truth = truth;
        _recall = recall;
        _rows = rows;
        _k = k;
        _idOfKey = rows.Index().ToDictionary(pair => (ulong)pair.Item, pair => (uint)pair.Index);
    }

    /// <summary>Compares the queries with all live records.</summary>
    /// <param name="rows">Rows of the base that are live.</param>
    /// <param name="folder">Folder of the files in between.</param>
    public static async Task<ChurnTruth> FindAsync(
        VectorMatrix vectors, IReadOnlyList<int> rows, VectorMatrix queries, int k, DistanceMetric metric, string folder,
        CancellationToken cancellationToken)
    {
        string extension = RowFile.ExtensionOf(vectors.ElementType);
        string live = Path.Combine(folder, "churn.live" + extension), query = Path.Combine(folder, "churn.query" + extension);
        string truthPath = Path.Combine(folder, "churn.truth.bin");
        int[] copy = [.. rows];
        await WriteAsync(live, vectors, row => copy[row], copy.Length, cancellationToken);
        await WriteAsync(query, queries, row => row, queries.Count, cancellationToken);
        await ExactNeighbours.WriteAsync(
            live, query, truthPath, k, metric, Environment.ProcessorCount, progress: null, cancellationToken);
        GroundTruth truth = await GroundTruth.LoadAsync(truthPath, cancellationToken);
        return new ChurnTruth(truth, new Recall(truth, truthPath, queries.Count, k, metric), copy, k);
    }

    /// <summary>Recall over all neighbours, over new ones and over old ones.</summary>
    /// <remarks>A hit that is as near as the truth's last counts for the farthest neighbour that was missed.</remarks>
    /// <param name="hits">Of each query, keys and scores.</param>
    /// <param name="isNew">Whether a row is new.</param>
    public (double All, double? New, double? Old) RecallOf(SearchHit[][] hits, Predicate<int> isNew)
    {
        long found = 0, foundNew = 0, news = 0;
        for (int query = 0; query < hits.Length; query++)
        {
            ReadOnlySpan<uint> ids = _truth.Ids(query)[.._k];
            SearchHit[] byId = [.. hits[query].Select(hit => hit with { Key = _idOfKey[hit.Key] })];
            var missed = new HashSet<uint>(ids.ToArray());
            int ties = 0;
            foreach (SearchHit hit in byId)
            {
                if (!missed.Remove((uint)hit.Key) && _recall.Counts(query, hit))
                    ties++;
            }

            for (int i = ids.Length - 1; i >= 0 && ties > 0; i--)
            {
                if (missed.Remove(ids[i]))
                    ties--;
            }

            foreach (uint id in ids)
            {
                bool counts = isNew(_rows[id]), isFound = !missed.Contains(id);
                found += isFound ? 1 : 0;
                news += counts ? 1 : 0;
                foundNew += counts && isFound ? 1 : 0;
            }
        }

        long all = (long)hits.Length * _k;
        long old = all - news;
        return (found / (double)all, news == 0 ? null : foundNew / (double)news, old == 0 ? null : (found - foundNew) / (double)old);
    }

    private static Task WriteAsync(
        string path, VectorMatrix vectors, Func<int, int> rowOf, int count, CancellationToken cancellationToken) =>
        RowFile.WriteAsync(
            path, vectors.ElementType, vectors.Dimension, count, (target, row) => vectors.Row(rowOf(row)).CopyTo(target.Span), "live",
            progress: null, cancellationToken);
}
