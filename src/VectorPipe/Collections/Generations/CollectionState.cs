using System.Collections.Concurrent;

namespace VectorPipe.Collections.Generations;

/// <summary>An open collection in memory: the view in force, and up to which number its writes are visible.</summary>
/// <remarks>The writer's thread changes it; any number of threads read.</remarks>
internal sealed class CollectionState
{
    private readonly Lock _gate = new();
    private readonly List<CollectionView> _read = [];
    private CollectionView _view;
    private long _sequence;
    private long _count;
    private long _leases;

    public CollectionState()
    {
        _view = new CollectionView(this, null, null, []);
        _read.Add(_view);
    }

    /// <summary>The view in force. A reader takes a <see cref="Lease"/>.</summary>
    public CollectionView View => Volatile.Read(ref _view);

    /// <summary>Number of the newest group whose writes are visible.</summary>
    public long Sequence => Volatile.Read(ref _sequence);

    /// <summary>Leases so far: whether they become more tells whether somebody reads.</summary>
    public long Leases => Volatile.Read(ref _leases);

    /// <summary>Live records.</summary>
    public long Count => Volatile.Read(ref _count);

    /// <summary>Keys that do not have the handle to which they hash, because another key has it: nearly always none.</summary>
    public ConcurrentDictionary<KeyBytes, ulong> Displaced { get; } = new();

    /// <summary>The displaced keys for a manifest. One that was deleted keeps its handle until it is written again.</summary>
    public IReadOnlyList<(byte[] Key, ulong Handle)> ListDisplaced() =>
        [.. Displaced.Select(pair => (pair.Key.Bytes, pair.Value))];

    /// <summary>The handle that a key has, if it has one.</summary>
    /// <param name="home">The handle to which it hashes.</param>
    /// <param name="key">Its bytes; empty for integers.</param>
    public ulong HandleOf(ulong home, byte[] key) =>
        key.Length > 0 && Displaced.TryGetValue(new KeyBytes(key), out ulong handle) ? handle : home;

    /// <summary>Makes all writes up to a number visible.</summary>
    public void Publish(long sequence)
    {
        Volatile.Write(ref _count, _view.Count);
        Volatile.Write(ref _sequence, sequence);
    }

    /// <summary>Replaces the view.</summary>
    public void Publish(CollectionView view)
    {
        CollectionView replaced = _view;
        lock (_gate)
            _read.Add(view);
        Volatile.Write(ref _view, view);
        Volatile.Write(ref _count, view.Count);
        replaced.Release();
    }

    /// <summary>Gives up the view: nothing can be leased any more.</summary>
    public void Close() => _view.Release();

    /// <summary>Number of the oldest checkpoint of a generation whose pages may be read; of one that is not in force, no page is.</summary>
    public uint OldestCheckpoint(CollectionGeneration generation)
    {
        lock (_gate)
            return _read.Where(view => view.Generation == generation).Select(view => view.Checkpoint).DefaultIfEmpty(uint.MaxValue).Min();
    }

    /// <summary>Notes that nobody reads a view any more.</summary>
    /// <returns>Whether it was the last one that shows its generation as it was built. Views without changes are made of such.</returns>
    public bool Forget(CollectionView view)
    {
        lock (_gate)
        {
            _read.Remove(view);
            return view.Changes is null && !_read.Exists(other => other.Generation == view.Generation && other.Changes is null);
        }
    }

    /// <summary>Leases the view in force; dispose the lease.</summary>
    /// <exception cref="ObjectDisposedException">The collection was closed.</exception>
    public ViewLease Lease()
    {
        Interlocked.Increment(ref _leases);
        while (true)
        {
            CollectionView view = View;
            if (view.TryLease())
                return new ViewLease(view);

            // A view is replaced before it is given up.
            ObjectDisposedException.ThrowIf(View == view, view);
        }
    }
}
