using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Records;
using VectorPipe.Collections.Waiting;

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
    /// <param name="cancellationToken">Ends the look-up.</param>
    /// <returns>The record; null if there is none.</returns>
    public static async ValueTask<FoundRecord?> FindAsync(
        CollectionView view, ulong handle, long sequence, bool withVector, bool withBody, CancellationToken cancellationToken)
    {
        if (view.TryFindWaiting(handle, sequence, out WaitingRecord waiting))
            return waiting.IsDeletion ? null : new FoundRecord(handle, waiting.Vector, BodyOf(view, waiting.Body));
        if (view.Generation is not { } generation)
            return null;
        ReadOnlyMemory<byte> vector = default;
        if (withVector)
        {
            VectorRecord? record = await generation.Index.GetAsync(handle, cancellationToken).ConfigureAwait(false);
            if (record is null)
                return null;
            vector = record.Bytes;
        }
        else if (!withBody && !await generation.Index.ContainsAsync(handle, cancellationToken).ConfigureAwait(false))
        {
            return null;
        }

        return new FoundRecord(handle, vector, withBody ? BodyOf(view, generation.BodyOf(handle)) : default);
    }

    /// <summary>Takes a body apart.</summary>
    /// <exception cref="IndexCorruptException">The bytes are no body.</exception>
    public static RecordBody BodyOf(CollectionView view, byte[] bytes) =>
        RecordBody.TryDecode(bytes, out RecordBody body)
            ? body
            : throw new IndexCorruptException(
                view.Generation?.Index.Info.Directory ?? "", "expected a record of key, attributes and payload, found other bytes");
}
