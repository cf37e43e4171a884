using System.Runtime.CompilerServices;
using VectorPipe.Collections.Attributes;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Records;
using VectorPipe.Filters.Binding;
using VectorPipe.Model.Errors;
using VectorPipe.Numerics.Distances;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Serving;
using VectorPipe.Searching.State;
using VectorPipe.Tasks;

namespace VectorPipe.Collections.Reading;

/// <summary>Searches a collection: its generation by the index, then the writes above it one by one.</summary>
/// <remarks>
/// <para>Thread-safe. The generation comes first: a record that a write hides from it was visible then, so the writes, which are
/// looked at later, have the newer one.</para>
/// </remarks>
internal sealed class CollectionSearch(CollectionState state, CollectionSchema schema)
{
    // Long scans give the scratch back to nobody: a burst of searches leaves no more than this behind.
    private const int MostIdle = 32;

    private static readonly Comparison<SearchHit> _ascending = (x, y) => Compare(x.Score.CompareTo(y.Score), x, y);
    private static readonly Comparison<SearchHit> _descending = (x, y) => Compare(y.Score.CompareTo(x.Score), x, y);

    private readonly IdleObjects<Scratch> _idle = new(MostIdle);
    private readonly AttributeDefinition[] _definitions = [.. schema.Attributes];
    private readonly AttributeCodec _attributes = new(schema);

    /// <summary>Checks what a caller gave, before anything is read for it.</summary>
    /// <exception cref="ArgumentOutOfRangeException">k or an option is out of its range.</exception>
    public static void Check(int k, SearchOptions? options)
    {
        SearchPlanner.Check(k, options ?? SearchOptions.Default);
        if (options?.Keys is { } keys)
            throw Require.Violated(nameof(options.Keys), keys, "none for a collection, whose searches take a filter of their own");
    }

    /// <summary>Leases a view of which is known what matches a filter; dispose the lease.</summary>
    /// <param name="filter">The filter; null for none.</param>
    /// <param name="bound">The same, bound to the schema.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <returns>The view, and the matches in its generation; null without a filter or a generation.</returns>
    public async ValueTask<(ViewLease Lease, MatchSet? Matches)> LeaseAsync(
        Filter? filter, BoundFilter? bound, CancellationToken cancellationToken)
    {
        while (true)
        {
            ViewLease lease = state.Lease();
            if (filter is null || lease.View.Content is not { } content)
                return (lease, null);
            try
            {
                MatchSet? matches = await content.Matches
                    .FindAsync(lease.View, filter, bound!, _definitions, cancellationToken).ConfigureAwait(false);
                if (matches is not null)
                    return (lease, matches);
            }
            catch
            {
                lease.Dispose();
                throw;
            }

            // A checkpoint came first: the next view has another content.
            lease.Dispose();
        }
    }

    /// <summary>Searches for the k nearest records.</summary>
    /// <param name="view">A leased view.</param>
    /// <param name="query">The query's bytes, which were checked.</param>
    /// <param name="k">Records to find, checked.</param>
    /// <param name="options">How the index is searched, checked; null for the defaults.</param>
    /// <param name="filter">Which records may be hits; null for all.</param>
    /// <param name="matches">The records of the view's generation that match the filter, from <see cref="LeaseAsync"/>.</param>
    /// <param name="kept">Pages that earlier searches for the query have read of the same view; null for none.</param>
    /// <param name="found">Receives the answer.</param>
    /// <param name="cancellationToken">Ends the search early.</param>
    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    public async ValueTask SearchAsync(
        CollectionView view, ReadOnlyMemory<byte> query, int k, SearchOptions? options, BoundFilter? filter, MatchSet? matches,
        KeptPages? kept, FoundRecords found, CancellationToken cancellationToken)
    {
        found.Clear();
        SearchStatistics? indexed = null;
        if (view.Generation is { } generation)
            indexed = await generation.Index
                .SearchAsync(
                    query.Span, k, options, new Admission(view, matches), view.Changes, kept,
                    found.RoomFor((int)Math.Min(k, view.GenerationCount)), cancellationToken)
                .ConfigureAwait(false);

        // Without a search before it, the scan would run on the caller's thread: short enough, see CollectionTuning.
        long sequence = state.Sequence;
        if (!_idle.TryTake(out Scratch? scratch))
            scratch = new Scratch(schema);
        try
        {
            Merge(view, query.Span, k, SearchPlanner.BoundOf(options, schema.Metric), indexed, sequence, scratch, filter, found);
        }
        finally
        {
            _idle.Keep(scratch);
        }
    }

    private static int Compare(int byScore, SearchHit x, SearchHit y) => byScore != 0 ? byScore : x.Key.CompareTo(y.Key);

    private void Merge(
        CollectionView view, ReadOnlySpan<byte> query, int k, float bound, SearchStatistics? indexed, long sequence, Scratch scratch,
        BoundFilter? filter, FoundRecords found)
    {
        Predicate<byte[]>? isWanted = filter is null ? null : IsMatchOf(filter);
        ResultPool waiting = scratch.Results;
        waiting.Reset((int)Math.Min(k, Math.Max(1, view.Writes)), bound: bound);
        scratch.Exact.SetQuery(query);
        int distances = 0;
        bool isWhole = indexed is null or { RecallBasis: RecallBasis.Exact } || bound < float.PositiveInfinity;
        for (int i = view.Sets.Length - 1; i >= 0; i--)
            distances += view.Sets[i].Scan(scratch.Exact, sequence, waiting, k, view.Sets[(i + 1)..], isWanted, isWhole);
        waiting.Sort();
        int count = Merge(view, indexed?.Hits ?? 0, waiting, k, sequence, found);
        SearchStatistics statistics = indexed ?? NothingIndexed(filter is not null);
        bool hasAllMatches = filter is not null && indexed is null or { EndedBy: SearchEnd.AllMatches };
        SearchEnd end = indexed is { EndedBy: SearchEnd.MaxReads or SearchEnd.Deadline } ? statistics.EndedBy
            : count == k ? SearchEnd.Complete
            : bound < float.PositiveInfinity ? SearchEnd.AllWithin
            : count >= state.Count ? SearchEnd.AllVectors
            : hasAllMatches ? SearchEnd.AllMatches
            : SearchEnd.Limit;
        found.End(count, sequence, statistics with
        {
            Hits = count,
            EndedBy = end,
            ExactDistances = statistics.ExactDistances + distances,
        });
    }

    private static SearchStatistics NothingIndexed(bool hasFilter) => new()
    {
        RecallBasis = RecallBasis.Exact,
        Matches = hasFilter ? 0 : null,
        Strategy = hasFilter ? FilterStrategy.Nothing : FilterStrategy.None,
    };

    /// <summary>Brings hits of the index and those that wait together, in the room, and returns their number.</summary>
    private int Merge(CollectionView view, int indexed, ResultPool waiting, int k, long sequence, FoundRecords found)
    {
        Span<SearchHit> room = found.RoomFor(indexed + waiting.Count).Span;
        int count = 0;
        for (int rank = 0; rank < indexed; rank++)
        {
            // What was replaced since the index was searched: the waiting record takes its place.
            if (!view.Hides(room[rank].Key, sequence))
                room[count++] = room[rank];
        }

        for (int rank = 0; rank < waiting.Count; rank++)
            room[count++] = new SearchHit(waiting.Key(rank), QueryDistance.ToScore(schema.Metric, waiting.Distance(rank)));
        room[..count].Sort(schema.Metric == DistanceMetric.L2 ? _ascending : _descending);
        return Math.Min(k, count);
    }

    // Records that wait were checked when they were written.
    private Predicate<byte[]> IsMatchOf(BoundFilter filter) =>
        body => RecordBody.TryDecode(body, out RecordBody record)
            && _attributes.TryMatch(filter, record.Attributes.Span, out bool matches) && matches;

    private sealed class Scratch(CollectionSchema schema)
    {
        public QueryDistance Exact { get; } = QueryDistance.Create(schema.Metric, schema.ElementType, schema.Dimension);

        public ResultPool Results { get; } = new();
    }
}
