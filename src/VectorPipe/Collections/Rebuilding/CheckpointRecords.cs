using VectorPipe.Collections.Checkpoints;
using VectorPipe.Collections.Generations;
using VectorPipe.Collections.Manifests;
using VectorPipe.Collections.Records;
using VectorPipe.Collections.Waiting;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Rebuilding;

/// <summary>Writes the records of the vectors that a checkpoint adds.</summary>
/// <param name="io">Writes.</param>
/// <param name="directory">Directory of the generation.</param>
/// <param name="manifest">The next manifest.</param>
/// <param name="isAlone">Whether no other process writes to the collection.</param>
internal sealed class CheckpointRecords(IStorageIo io, string directory, CollectionManifest manifest, Func<bool> isAlone)
{
    /// <summary>Files that a look-up of a moved record visits at most.</summary>
    public const int MostFiles = 8;

    /// <summary>Whether records of the generation hold anything beside the vectors in pages, those of a checkpoint included.</summary>
    public static bool HasRecords(PinnedView pinned) =>
        pinned.View.Content!.Records.HasAll || pinned.Waiting().Any(record => record.Body.Length > 0);

    /// <summary>Writes the records, with those of earlier checkpoints if there are many files.</summary>
    /// <returns>The files of checkpoints, oldest first.</returns>
    public IReadOnlyList<RecordFileInfo> Write(PinnedView pinned, GraphCheckpoint checkpoint, CancellationToken cancellationToken)
    {
        if (!HasRecords(pinned))
            return manifest.LaterRecords;
        RecordFiles old = pinned.View.Content!.Records;
        uint number = manifest.Generation + checkpoint.Number;
        bool takesIn = old.Later.Count >= MostFiles;
        long most = pinned.Waiting().LongCount() + (takesIn ? old.Later.Sum(file => file.Count) : 0);
        if (most == 0)
            return manifest.LaterRecords;
        using var writer = new RecordFileWriter(io, directory, manifest.Id ^ number, number, most, isAlone);
        foreach ((ulong handle, byte[] record) in takesIn ? old.ReadLater() : [])
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (!pinned.Hides(handle))
                writer.Add(handle, record);
        }

        byte[] buffer = [];
        foreach (WaitingRecord record in pinned.Waiting())
        {
            cancellationToken.ThrowIfCancellationRequested();
            int length = old.VectorBytes + record.Body.Length;
            if (buffer.Length < length)
                buffer = new byte[length];
            record.Vector.Span[..old.VectorBytes].CopyTo(buffer);
            record.Body.CopyTo(buffer.AsSpan(old.VectorBytes));
            writer.Add(record.Handle, buffer.AsSpan(0, length));
        }

        RecordFileInfo written = writer.Finish(cancellationToken);
        return takesIn ? [written] : [.. manifest.LaterRecords, written];
    }
}
