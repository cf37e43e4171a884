using System.Runtime.CompilerServices;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Records;
using VectorPipe.Collections.Waiting;
using VectorPipe.Storage.Records;
using VectorPipe.Tasks;

namespace VectorPipe.Collections.Reading;

/// <summary>Finds records by their handles.</summary>
internal static class RecordReader
{
    /// <summary>Finds a record.</summary>
    /// <param name="view">A leased view.</param>
    /// <param name="handle">Handle of its key.</param>
    /// <param name="sequence">The number up to which writes are visible.</param>
    /// <param name="withVector">Whether the vector is wanted.</param>
    /// <param name="withBody">Whether the rest is wanted.</param>
    /// <param name="room">Receives what is read of the rest; null for an array of its own.</param>
    /// <param name="cancellationToken">Ends the look-up.</param>
    /// <returns>The record, null if there is none; and whether a newer view knows where it is.</returns>
    [AsyncMethodBuilder(typeof(PooledTaskBuilder<>))]
    public static async ValueTask<(FoundRecord? Record, bool IsStale)> FindAsync(
        CollectionView view, ulong handle, long sequence, bool withVector, bool withBody, RecordRoom? room,
        CancellationToken cancellationToken)
    {
        if (view.TryFindWaiting(handle, sequence, out WaitingRecord waiting))
            return (waiting.IsDeletion ? null : new FoundRecord(handle, waiting.Vector, BodyOf(view, waiting.Body)), false);
        if (view.Generation is not { } generation)
            return (null, false);

        // Files of checkpoints keep records of keys that were deleted since: the page tells.
        ReadOnlyMemory<byte> vector = default;
        bool isMoved = generation.Index.Contents.Keys.Moved is { Count: > 0 } moved && moved.TryFind(handle, out _);
        if (withVector || isMoved)
        {
            (VectorRecord? found, bool isStale) =
                await generation.Index.FindAsync(handle, view.Changes, cancellationToken).ConfigureAwait(false);
            if (found is null)
                return (null, isStale);
            vector = isMoved ? view.Content!.Records.VectorOf(handle) ?? found.Bytes : found.Bytes;
        }

        // Without a vector, only a body shows that there is a record.
        ReadOnlyMemory<byte> body = withBody ? view.BodyOf(handle, room) : default;
        if (!withVector && !isMoved && body.Length == 0
            && await generation.Index.NodeOfAsync(handle, cancellationToken).ConfigureAwait(false) is null)
            return (null, false);
        return (new FoundRecord(handle, vector, BodyOf(view, body)), false);
    }

    /// <summary>Takes a body apart.</summary>
    /// <exception cref="IndexCorruptException">The bytes are no body.</exception>
    public static RecordBody BodyOf(CollectionView view, ReadOnlyMemory<byte> bytes) =>
        RecordBody.TryDecode(bytes, out RecordBody body)
            ? body
            : throw new IndexCorruptException(
                view.Generation?.Index.Info.Directory ?? "", "expected a record of key, attributes and payload, found other bytes");
}
