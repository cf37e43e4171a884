using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Manifests;
using VectorPipe.Collections.Records;
using VectorPipe.Collections.Waiting;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Storage.Log;

namespace VectorPipe.Collections.Writing;

/// <summary>Brings the writes of the log back into memory. It writes nothing, so a recovery that was interrupted repeats itself.</summary>
internal static class CollectionRecovery
{
    /// <summary>Fills a state with a generation and the writes above it.</summary>
    /// <param name="state">Empty.</param>
    /// <param name="manifest">The manifest in force.</param>
    /// <param name="generation">The generation it names; null for none.</param>
    /// <param name="log">The segments.</param>
    /// <param name="cancellationToken">Ends the recovery.</param>
    /// <returns>The end of the log, and the highest number of a group, whole or torn.</returns>
    /// <exception cref="IndexCorruptException">The log is damaged, not only torn at its end.</exception>
    public static (LogPosition End, ulong LastSeen) Run(
        CollectionState state, CollectionManifest manifest, CollectionGeneration? generation, LogFolder log,
        CancellationToken cancellationToken)
    {
        CollectionSchema schema = manifest.Schema;
        int vectorBytes = schema.Dimension * schema.ElementType.SizeInBytes();
        var set = new WaitingSet(schema.Metric, schema.ElementType, schema.Dimension);
        foreach ((byte[] key, ulong handle) in manifest.Displaced)
            state.Displaced[new KeyBytes(key)] = handle;
        using var reader = new LogReader(log);
        LogPosition end = reader.Read(manifest.Log, (at, payload) =>
        {
            cancellationToken.ThrowIfCancellationRequested();
            while (!payload.IsEmpty)
            {
                if (GroupCodec.TryRead(ref payload, vectorBytes, out LoggedWrite write) && TryApply(write, (long)at.Group))
                    continue;
                throw new IndexCorruptException(
                    log.PathOf(at.Segment), at.Block, $"expected writes in group {at.Group}, found other bytes");
            }
        });
        state.Publish(new CollectionView(state, generation, generation?.Latest, set));
        state.Publish((long)end.Group);
        return (end, reader.LastSeen);

        bool TryApply(in LoggedWrite write, long sequence)
        {
            if (write.Kind == WriteKind.Delete)
            {
                set.AddDeletion(write.Handle, sequence, write.Replaces);
                return true;
            }

            byte[] body = write.Body.ToArray();
            if (!RecordBody.TryDecode(body, out RecordBody parts))
                return false;
            if (write.IsDisplaced)
                state.Displaced[new KeyBytes(parts.Key.ToArray())] = write.Handle;
            set.Add(write.Handle, sequence, write.Vector, body, write.Replaces);
            return true;
        }
    }
}
