using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Reading;
using VectorPipe.Collections.Records;
using VectorPipe.Diagnostics;
using VectorPipe.Filters.Binding;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Serving;

namespace VectorPipe;

/// <content>Hits of searches, and what they bring along.</content>
public sealed partial class VectorCollection<TKey>
{
    /// <summary>The next hits of a cursor.</summary>
    internal async Task<CollectionResult<TKey>> NextAsync(CollectionCursor<TKey> cursor, int count, CancellationToken cancellationToken)
    {
        RequireOpen();
        cancellationToken.ThrowIfCancellationRequested();
        HitQueue queue = cursor.Hits;
        SearchStatistics cost = default;
        List<CollectionHit<TKey>> hits = cursor.Ready;
        while (true)
        {
            (ViewLease leased, MatchSet? matches) = await _search
                .LeaseAsync(cursor.Filter, cursor.Bound, cancellationToken).ConfigureAwait(false);
            using ViewLease lease = leased;
            bool isSpent = true;
            if (hits.Count < count && queue.WantedFor(count - hits.Count) is var wanted and > 0)
            {
                FoundRecords found = await _search
                    .SearchAsync(
                        lease.View, cursor.Query, wanted, cursor.Options, cursor.Bound, matches, cursor.PagesOf(lease.View),
                        cancellationToken)
                    .ConfigureAwait(false);
                cost = CursorCost.Sum(cost, found.Statistics);
                isSpent = !queue.Add(
                    found.Hits, wanted, found.Statistics.EndedBy, isFlat: found.Statistics.RecallBasis == RecallBasis.Exact,
                    isFresh: found.Sequence != cursor.Sequence);
                cursor.Sequence = found.Sequence;
            }

            int begun = 0;
            while (hits.Count < count && queue.TryPeek(out SearchHit hit))
            {
                if (--begun < 0 && AreRecordsCold(lease.View, cursor.Include))
                    begun = BeginReads(lease.View, queue.Peek(Math.Min(count - hits.Count, RecordFiles.MostAhead))) - 1;
                CollectionHit<TKey>? whole = await HitOfAsync(
                    lease.View, hit, _store.State.Sequence, cursor.Include, cursor.Bound, isOld: true, cancellationToken)
                    .ConfigureAwait(false);
                queue.Take();
                if (whole is { } live)
                    hits.Add(live);
            }

            if (hits.Count < count && !isSpent)
                continue;
            CollectionHit<TKey>[] given = [.. hits.Take(count)];
            hits.RemoveRange(0, given.Length);
            return new CollectionResult<TKey>(given, CursorCost.Of(cost, given.Length, count, queue.EndedBy));
        }
    }

    /// <summary>A search that is measured and traced, if somebody listens.</summary>
    internal Task<CollectionResult<TKey>> Observed(Task<CollectionResult<TKey>> search, int k, SearchOptions? options) =>
        Telemetry.IsListened
            ? Telemetry.ObserveAsync(
                new ValueTask<CollectionResult<TKey>>(search), "search", this,
                static result => new OperationCost(result.Count, result.Statistics), aim: new SearchAim(k, options)).AsTask()
            : search;

    private Task<CollectionResult<TKey>> SearchBytesAsync(
        ReadOnlyMemory<byte> query, int k, SearchOptions? options, Include include, Filter? filter, CancellationToken cancellationToken) =>
        Observed(FindNearestAsync(query, k, options, include, filter, cancellationToken), k, options);

    private async Task<CollectionResult<TKey>> FindNearestAsync(
        ReadOnlyMemory<byte> query, int k, SearchOptions? options, Include include, Filter? filter, CancellationToken cancellationToken)
    {
        CollectionSearch.Check(k, options);
        BoundFilter? bound = filter?.Bind(Schema);

        // Where all records wait in memory, nothing else would look at it.
        cancellationToken.ThrowIfCancellationRequested();
        (ViewLease leased, MatchSet? matches) = await _search.LeaseAsync(filter, bound, cancellationToken).ConfigureAwait(false);
        using ViewLease lease = leased;
        FoundRecords found = await _search
            .SearchAsync(lease.View, query, k, options, bound, matches, null, cancellationToken).ConfigureAwait(false);
        if (_keys.IsExact && include == Include.Key)
        {
            var keys = new CollectionHit<TKey>[found.Hits.Length];
            for (int rank = 0; rank < keys.Length; rank++)
                keys[rank] = new CollectionHit<TKey>(KeyOf(found.Hits[rank].Key, default), found.Hits[rank].Score);
            return new CollectionResult<TKey>(keys, found.Statistics);
        }

        var hits = new CollectionHit<TKey>[found.Hits.Length];
        int count = 0;
        int begun = 0;
        for (int rank = 0; rank < hits.Length; rank++)
        {
            if (rank >= begun && AreRecordsCold(lease.View, include))
                begun = rank + BeginReads(lease.View, found.Hits.AsSpan(rank));
            if (await HitOfAsync(lease.View, found.Hits[rank], found.Sequence, include, bound, isOld: false, cancellationToken)
                    .ConfigureAwait(false)
                is { } whole)
                hits[count++] = whole;
        }

        return new CollectionResult<TKey>(count == hits.Length ? hits : hits[..count], found.Statistics);
    }

    private bool AreRecordsCold(CollectionView view, Include include) => NeedsBody(include) && view.Content?.Records.AreCold == true;

    // Begins reads for the first of the hits, and returns for how many.
    private static int BeginReads(CollectionView view, ReadOnlySpan<SearchHit> hits)
    {
        Span<ulong> handles = stackalloc ulong[Math.Min(RecordFiles.MostAhead, hits.Length)];
        for (int i = 0; i < handles.Length; i++)
            handles[i] = hits[i].Key;
        view.Content?.Records.BeginReads(handles);
        return handles.Length;
    }

    // Where handles are hashes, only the record tells the key.
    private bool NeedsBody(Include include) => !_keys.IsExact || (include & (Include.Attributes | Include.Payload)) != 0;

    /// <summary>A hit with what it brings along; null if it was deleted since, or does not match any more.</summary>
    /// <param name="view">A leased view.</param>
    /// <param name="hit">The hit, by handle.</param>
    /// <param name="sequence">The number up to which writes are visible.</param>
    /// <param name="include">What is wanted.</param>
    /// <param name="filter">What it must match; null for none.</param>
    /// <param name="isOld">Whether it was found in another view, or by another number.</param>
    /// <param name="cancellationToken">Ends the look-up early.</param>
    private async ValueTask<CollectionHit<TKey>?> HitOfAsync(
        CollectionView view, SearchHit hit, long sequence, Include include, BoundFilter? filter, bool isOld,
        CancellationToken cancellationToken)
    {
        (ulong handle, float score) = hit;
        if (_keys.IsExact && include == Include.Key)
            return new CollectionHit<TKey>(KeyOf(handle, default), score);
        bool withBody = NeedsBody(include);
        FoundRecord? found = await FindAsync(view, handle, sequence, include.HasFlag(Include.Vector), withBody, cancellationToken)
            .ConfigureAwait(false);

        // Every hit is a record at that number; it can be deleted or replaced since, and a checkpoint forgets what it was.
        bool isForgotten = isOld || _store.State.View != view;
        if (found is not { } record)
        {
            return isForgotten
                ? null
                : throw new IndexCorruptException(Directory, $"expected a record of handle {handle}, which the index has, found none");
        }

        if (isForgotten && filter is not null && withBody && !IsMatchOf(filter)(record.Body))
            return null;
        return new CollectionHit<TKey>(KeyOf(handle, record.Body.Key.Span), score)
        {
            Attributes = AttributesOf(record, include),
            Payload = include.HasFlag(Include.Payload) ? record.Body.Payload : default,
            Vector = include.HasFlag(Include.Vector) ? record.Vector : default,
        };
    }

    private CollectionRecord<TKey> RecordOf(FoundRecord found, Include include) => new(
        KeyOf(found.Handle, found.Body.Key.Span), Schema.ElementType, AttributesOf(found, include))
    {
        Bytes = include.HasFlag(Include.Vector) ? found.Vector : default,
        Payload = include.HasFlag(Include.Payload) ? found.Body.Payload : default,
    };

    // Null unless they are wanted.
    private AttributeSet? AttributesOf(FoundRecord found, Include include)
    {
        if (!include.HasFlag(Include.Attributes))
            return null;
        return _attributes.TryDecode(found.Body.Attributes.Span, out AttributeSet? attributes) ? attributes : throw BadAttributes();
    }

    // A view knows the records of its own checkpoint: what a newer one has moved is found by the newest view.
    private async ValueTask<FoundRecord?> FindAsync(
        CollectionView view, ulong handle, long sequence, bool withVector, bool withBody, CancellationToken cancellationToken)
    {
        (FoundRecord? record, bool isStale) = await RecordReader
            .FindAsync(view, handle, sequence, withVector, withBody, cancellationToken).ConfigureAwait(false);
        while (isStale)
        {
            using ViewLease lease = _store.State.Lease();
            (record, isStale) = await RecordReader
                .FindAsync(lease.View, handle, _store.State.Sequence, withVector, withBody, cancellationToken).ConfigureAwait(false);

            // Keys are moved under a view that was replaced: it has their records in its waiting sets.
            if (isStale && _store.State.View == lease.View)
                throw new IndexCorruptException(
                    Directory, $"expected a node of handle {handle} where its last checkpoint put it, found none");
        }

        return record;
    }
}
