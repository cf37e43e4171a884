using VectorPipe.Searching.State;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Records;

/// <summary>What the records of a generation hold beside the vectors in its pages: what the build wrote, and checkpoints since.</summary>
/// <remarks>
/// Immutable and thread-safe; the maintenance opens and closes the files. Files of checkpoints hold a record for each vector that they
/// added: the original vector, if pages round it, then the body.
/// </remarks>
/// <param name="built">What the build wrote; null if no record had a body.</param>
/// <param name="later">What checkpoints wrote, oldest first.</param>
/// <param name="moved">The keys that checkpoints added, replaced or deleted.</param>
/// <param name="vectorBytes">Bytes of an original vector if pages round it; else 0.</param>
internal sealed class RecordFiles(RecordFile? built, IReadOnlyList<RecordFile> later, MovedKeys moved, int vectorBytes)
{
    /// <summary>Most look-ups whose reads may be begun at once.</summary>
    public const int MostAhead = 64;

    /// <summary>What checkpoints wrote, oldest first.</summary>
    public IReadOnlyList<RecordFile> Later => later;

    /// <summary>Bytes of an original vector if pages round it; else 0.</summary>
    public int VectorBytes => vectorBytes;

    /// <summary>Identity of the records that the build wrote; null if none had a body.</summary>
    public ulong? BuiltIdentity => built?.Info.Identity;

    /// <summary>Records that have a body, or had one.</summary>
    public long MostBodies => (built?.Count ?? 0) + later.Sum(file => file.Count);

    /// <summary>Whether every vector that a checkpoint adds needs a record.</summary>
    public bool HasAll => vectorBytes > 0 || built is not null || later.Count > 0;

    /// <summary>Whether the newest checkpoint knows that a key was deleted.</summary>
    public bool IsDeleted(ulong handle) => moved.Count > 0 && moved.TryFind(handle, out uint? id) && id is null;

    /// <summary>Key, attributes and payload of a record that the generation has; empty if it has none of them.</summary>
    /// <param name="handle">The handle.</param>
    /// <param name="room">Receives the bytes; null for an array of their own.</param>
    public ReadOnlyMemory<byte> BodyOf(ulong handle, RecordRoom? room = null) =>
        FindLater(handle, room) is { } record ? record[vectorBytes..] : built?.Find(handle, room) ?? default;

    /// <summary>Whether a look-up has waited for the disk since reads were last begun; what checkpoints wrote is left out.</summary>
    public bool AreCold => built is { HasWaited: true };

    /// <summary>Begins the reads of look-ups that follow soon, but for what checkpoints wrote lately.</summary>
    /// <param name="handles">At most <see cref="MostAhead"/>.</param>
    public void BeginReads(ReadOnlySpan<ulong> handles)
    {
        Span<ulong> unmoved = stackalloc ulong[MostAhead];
        int count = 0;
        foreach (ulong handle in handles)
        {
            if (moved.Count == 0 || !moved.TryFind(handle, out _))
                unmoved[count++] = handle;
        }

        built?.BeginReads(unmoved[..count]);
    }

    /// <summary>The original vector of a record that a checkpoint added; null if the pages, or a file of their own, have it.</summary>
    public ReadOnlyMemory<byte>? VectorOf(ulong handle)
    {
        // No conditional expression: it would make an empty memory of null.
        if (vectorBytes == 0 || FindLater(handle, null) is not { } record)
            return null;
        return record[..vectorBytes];
    }

    /// <summary>The same records, whatever later checkpoints move: for a reader of all of them.</summary>
    public RecordFiles Freeze()
    {
        var frozen = new MovedKeys();
        foreach ((ulong key, uint? id) in HasAll ? moved.All() : [])
            frozen.Set(key, id);
        return new RecordFiles(built, later, frozen, vectorBytes);
    }

    /// <summary>All bodies that a key still has, each once; of keys that were deleted, too, if they were not added since.</summary>
    public IEnumerable<(ulong Handle, byte[] Body)> ReadAll()
    {
        foreach ((ulong handle, byte[] body) in built?.ReadAll() ?? [])
        {
            if (!moved.TryFind(handle, out _))
                yield return (handle, body);
        }

        foreach ((ulong handle, byte[] record) in ReadLater())
        {
            if (record.Length > vectorBytes)
                yield return (handle, record[vectorBytes..]);
        }
    }

    /// <summary>All bodies, those included that later ones replace: of a key the last one counts, if the key is there.</summary>
    public IEnumerable<(ulong Handle, byte[] Body)> ReadOldestFirst()
    {
        foreach ((ulong handle, byte[] body) in built?.ReadAll() ?? [])
        {
            if (!moved.TryFind(handle, out _))
                yield return (handle, body);
        }

        foreach ((ulong handle, byte[] body) in ReadLaterOldestFirst())
            yield return (handle, body);
    }

    /// <summary>The bodies that checkpoints wrote, those included that later ones replace.</summary>
    public IEnumerable<(ulong Handle, byte[] Body)> ReadLaterOldestFirst() =>
        later.SelectMany(file => file.ReadAll()).Select(record => (record.Handle, record.Body[vectorBytes..]));

    /// <summary>All records of checkpoints that a key still has, each once.</summary>
    public IEnumerable<(ulong Handle, byte[] Record)> ReadLater()
    {
        for (int i = 0; i < later.Count; i++)
        {
            foreach ((ulong handle, byte[] record) in later[i].ReadAll())
            {
                if (moved.TryFind(handle, out uint? id) && id is not null && !IsReplaced(handle, i))
                    yield return (handle, record);
            }
        }
    }

    private bool IsReplaced(ulong handle, int file)
    {
        for (int i = later.Count - 1; i > file; i--)
        {
            if (later[i].Contains(handle))
                return true;
        }

        return false;
    }

    // Keys that no checkpoint has moved yet, which are most, cost no look-up. One that was moved after these files is not in them.
    private ReadOnlyMemory<byte>? FindLater(ulong handle, RecordRoom? room)
    {
        if (later.Count == 0 || !moved.TryFind(handle, out _))
            return null;
        for (int i = later.Count - 1; i >= 0; i--)
        {
            if (later[i].Find(handle, room) is { } record)
                return record;
        }

        return null;
    }
}
