using System.Runtime.CompilerServices;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Reading;
using VectorPipe.Collections.Records;
using VectorPipe.Diagnostics;
using VectorPipe.Filters.Binding;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Serving;
using VectorPipe.Storage.Records;
using VectorPipe.Tasks;

namespace VectorPipe;

/// <content>Hits of searches, and what they bring along.</content>
public sealed partial class VectorCollection<TKey>
{
    // Searches under way at once that find a buffer which others have used before.
    private const int MostIdleBuffers = 256;

    private readonly IdleObjects<CollectionHitBuffer<TKey>> _buffers = new(MostIdleBuffers);

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
                FoundRecords found = cursor.Found;
                await _search
                    .SearchAsync(
                        lease.View, cursor.Query, wanted, cursor.Options, cursor.Bound, matches, cursor.PagesOf(lease.View), found,
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
                FoundRecord? record = await RecordOfAsync(
                    lease.View, hit, _store.State.Sequence, cursor.Include, cursor.Bound, isOld: true, room: null, cancellationToken)
                    .ConfigureAwait(false);
                queue.Take();
                if (record is { } live)
                    hits.Add(HitOf(live, hit.Score, cursor.Include));
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

    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    private async ValueTask ObserveAsync(ValueTask search, CollectionHitBuffer<TKey> buffer, int k, SearchOptions? options) =>
        await Telemetry.ObserveAsync(
            BufferOf(search, buffer), "search", this, static found => new OperationCost(found.Count, found.Statistics),
            aim: new SearchAim(k, options)).ConfigureAwait(false);

    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private static async ValueTask<CollectionHitBuffer<TKey>> BufferOf(ValueTask search, CollectionHitBuffer<TKey> buffer)
    {
        await search.ConfigureAwait(false);
        return buffer;
    }

    /// <summary>The key of a record that was found.</summary>
    internal TKey KeyOf(FoundRecord found) => KeyOf(found.Handle, found.Body.Key.Span);

    /// <summary>The attributes of a record that was found; null unless they are wanted.</summary>
    internal AttributeSet? AttributesOf(FoundRecord found, Include include)
    {
        if ((include & Include.Attributes) == 0)
            return null;
        return _attributes.TryDecode(found.Body.Attributes.Span, out AttributeSet? attributes) ? attributes : throw BadAttributes();
    }

    private Task<CollectionResult<TKey>> SearchBytesAsync(
        ReadOnlySpan<byte> query, int k, SearchOptions? options, Include include, Filter? filter, CancellationToken cancellationToken)
    {
        if (!_buffers.TryTake(out CollectionHitBuffer<TKey>? buffer))
            buffer = new CollectionHitBuffer<TKey>();
        buffer.Begin(this, query, include);
        return Observed(FindNearestAsync(buffer, k, options, filter, cancellationToken), k, options);
    }

    private async Task<CollectionResult<TKey>> FindNearestAsync(
        CollectionHitBuffer<TKey> buffer, int k, SearchOptions? options, Filter? filter, CancellationToken cancellationToken)
    {
        try
        {
            await FillAsync(buffer, k, options, filter, cancellationToken).ConfigureAwait(false);
            return buffer.ToResult();
        }
        finally
        {
            buffer.Clear();
            if (!buffer.IsLarge)
                _buffers.Keep(buffer);
        }
    }

    /// <summary>Searches for the query of a buffer that has begun, and ends it.</summary>
    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    private async ValueTask FillAsync(
        CollectionHitBuffer<TKey> buffer, int k, SearchOptions? options, Filter? filter, CancellationToken cancellationToken)
    {
        bool isWhole = false;
        try
        {
            CollectionSearch.Check(k, options);
            BoundFilter? bound = filter?.Bind(Schema);

            // Where all records wait in memory, nothing else would look at it.
            cancellationToken.ThrowIfCancellationRequested();
            (ViewLease leased, MatchSet? matches) = await _search.LeaseAsync(filter, bound, cancellationToken).ConfigureAwait(false);
            using ViewLease lease = leased;
            FoundRecords found = buffer.Found;
            await _search
                .SearchAsync(lease.View, buffer.Query, k, options, bound, matches, null, found, cancellationToken).ConfigureAwait(false);
            int begun = 0;
            for (int rank = 0; rank < found.Count; rank++)
            {
                if (rank >= begun && AreRecordsCold(lease.View, buffer.Include))
                    begun = rank + BeginReads(lease.View, found.Hits[rank..]);
                SearchHit hit = found.Hits[rank];
                FoundRecord? record = await RecordOfAsync(
                    lease.View, hit, found.Sequence, buffer.Include, bound, isOld: false, buffer.NextRoom(), cancellationToken)
                    .ConfigureAwait(false);
                if (record is { } live)
                    buffer.Add(live, hit.Score);
            }

            isWhole = true;
        }
        finally
        {
            buffer.End(isWhole);
        }
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

    /// <summary>The record of a hit, with what is wanted of it; null if it was deleted since, or does not match any more.</summary>
    /// <param name="view">A leased view.</param>
    /// <param name="hit">The hit, by handle.</param>
    /// <param name="sequence">The number up to which writes are visible.</param>
    /// <param name="include">What is wanted.</param>
    /// <param name="filter">What it must match; null for none.</param>
    /// <param name="isOld">Whether it was found in another view, or by another number.</param>
    /// <param name="room">Receives what is read; null for arrays of its own.</param>
    /// <param name="cancellationToken">Ends the look-up early.</param>
    private async ValueTask<FoundRecord?> RecordOfAsync(
        CollectionView view, SearchHit hit, long sequence, Include include, BoundFilter? filter, bool isOld, RecordRoom? room,
        CancellationToken cancellationToken)
    {
        if (_keys.IsExact && include == Include.Key)
            return new FoundRecord(hit.Key, default, default);
        bool withBody = NeedsBody(include);
        FoundRecord? found = await FindAsync(view, hit.Key, sequence, (include & Include.Vector) != 0, withBody, room, cancellationToken)
            .ConfigureAwait(false);

        // Every hit is a record at that number; it can be deleted or replaced since, and a checkpoint forgets what it was.
        bool isForgotten = isOld || _store.State.View != view;
        if (found is not { } record)
        {
            return isForgotten
                ? null
                : throw new IndexCorruptException(Directory, $"expected a record of handle {hit.Key}, which the index has, found none");
        }

        return isForgotten && filter is not null && withBody && !IsMatchOf(filter)(record.Body) ? null : record;
    }

    /// <summary>A hit with what it brings along.</summary>
    internal CollectionHit<TKey> HitOf(FoundRecord found, float score, Include include) => new(KeyOf(found), score)
    {
        Attributes = AttributesOf(found, include),
        Payload = (include & Include.Payload) != 0 ? found.Body.Payload : default,
        Vector = (include & Include.Vector) != 0 ? found.Vector : default,
    };

    private CollectionRecord<TKey> RecordOf(FoundRecord found, Include include) => new(
        KeyOf(found), Schema.ElementType, AttributesOf(found, include))
    {
        Bytes = (include & Include.Vector) != 0 ? found.Vector : default,
        Payload = (include & Include.Payload) != 0 ? found.Body.Payload : default,
    };

    // A view knows the records of its own checkpoint: what a newer one has moved is found by the newest view.
    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    private async ValueTask<FoundRecord?> FindAsync(
        CollectionView view, ulong handle, long sequence, bool withVector, bool withBody, RecordRoom? room,
        CancellationToken cancellationToken)
    {
        (FoundRecord? record, bool isStale) = await RecordReader
            .FindAsync(view, handle, sequence, withVector, withBody, room, cancellationToken).ConfigureAwait(false);
        while (isStale)
        {
            using ViewLease lease = _store.State.Lease();
            (record, isStale) = await RecordReader
                .FindAsync(lease.View, handle, _store.State.Sequence, withVector, withBody, room, cancellationToken).ConfigureAwait(false);

            // Keys are moved under a view that was replaced: it has their records in its waiting sets.
            if (isStale && _store.State.View == lease.View)
                throw new IndexCorruptException(
                    Directory, $"expected a node of handle {handle} where its last checkpoint put it, found none");
        }

        return record;
    }
}
