using System.Diagnostics;
using VectorPipe.Collections.Waiting;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Generations;

/// <summary>What a search looks at: a generation, what checkpoints changed of it, and the sets of writes that wait above it.</summary>
/// <remarks>
/// Immutable; the newest set grows. Searches lease it: while a view is leased, its generation stays open, and the places of its pages are
/// not written to.
/// </remarks>
internal sealed class CollectionView : IHiddenKeys
{
    private readonly CollectionState _state;
    private readonly WaitingSet[] _sets;

    private LeaseCount _leases = new();

    /// <param name="state">Says up to which number writes are visible.</param>
    /// <param name="generation">The generation, open; null if it would be empty.</param>
    /// <param name="content">What it holds; null without a generation.</param>
    /// <param name="sets">The sets, the newest last.</param>
    public CollectionView(
        CollectionState state, CollectionGeneration? generation, GenerationContent? content, params WaitingSet[] sets)
    {
        _state = state;
        _sets = sets;
        Generation = generation;
        Content = content;
        bool isOpen = generation is null || generation.TryLease();
        Debug.Assert(isOpen, "a generation is open when a view of it is made");
    }

    public CollectionGeneration? Generation { get; }

    /// <summary>What the generation holds; null without one.</summary>
    public GenerationContent? Content { get; }

    /// <summary>What checkpoints changed of the generation; null for nothing.</summary>
    public GraphChanges? Changes => Content?.Changes;

    /// <summary>Number of the last checkpoint; 0 for none.</summary>
    public uint Checkpoint => Content?.Checkpoint ?? 0;

    /// <summary>Records of the generation, those included that waiting writes replaced or deleted.</summary>
    public long GenerationCount => Changes?.Live ?? Generation?.Count ?? 0;

    /// <summary>The sets of writes above the generation, the newest last.</summary>
    public ReadOnlySpan<WaitingSet> Sets => _sets;

    /// <summary>The set that grows.</summary>
    public WaitingSet Newest => _sets[^1];

    /// <summary>Writes that wait.</summary>
    public long Writes => Sum(static set => set.Writes);

    /// <summary>Older records that waiting writes replaced or deleted, and that memory and pages still have.</summary>
    public long Replaced => Sum(static set => set.Replaced);

    /// <summary>Bytes of the sets.</summary>
    public long WaitingBytes => Sum(static set => set.Bytes);

    /// <summary>Bytes of memory of the generation, its changes, and the sets.</summary>
    public long MemoryBytes => WaitingBytes + (Generation?.MemoryBytes ?? 0) + (Changes is null ? 0 : Generation!.MemoryOf(Changes))
        + (Content?.Matches.MemoryBytes ?? 0);

    /// <summary>Live records; exact on the writer's thread.</summary>
    public long Count => GenerationCount + Sum(static set => (long)set.Live - set.Replaced);

    /// <summary>Whether a visible write replaced or deleted a record of the generation.</summary>
    public bool Hides(ulong key) => Hides(key, _state.Sequence);

    /// <summary>Whether a write up to a number replaced or deleted a record of the generation.</summary>
    public bool Hides(ulong handle, long sequence) => TryFindWaiting(handle, sequence, out _);

    /// <summary>Finds the newest write of a handle up to a number.</summary>
    /// <returns>False if there is none: then the generation answers.</returns>
    public bool TryFindWaiting(ulong handle, long sequence, out WaitingRecord record)
    {
        for (int i = _sets.Length - 1; i >= 0; i--)
        {
            if (_sets[i].TryFind(handle, sequence, out record))
                return true;
        }

        record = default;
        return false;
    }

    /// <summary>The view with another set on top.</summary>
    public CollectionView With(WaitingSet newest) => new(_state, Generation, Content, [.. _sets, newest]);

    /// <summary>A view of the same writes above another generation.</summary>
    /// <param name="generation">The generation; null if it would be empty.</param>
    /// <param name="sets">The sets that it has not taken in, the newest last.</param>
    public CollectionView Above(CollectionGeneration? generation, params WaitingSet[] sets) =>
        new(_state, generation, generation?.Latest, sets);

    /// <summary>The view after a checkpoint took in its oldest sets.</summary>
    /// <param name="content">What the generation holds then.</param>
    /// <param name="sets">Sets that it took in.</param>
    public CollectionView After(GenerationContent content, int sets) => new(_state, Generation, content, _sets[sets..]);

    /// <summary>Key, attributes and payload of a key's record in the generation; empty without one. On the writer's thread.</summary>
    public ReadOnlyMemory<byte> FindBody(ulong handle) =>
        Content is null || Content.Records.IsDeleted(handle) ? default : BodyOf(handle);

    /// <summary>Key, attributes and payload of a record that the generation has; empty if it has none of them.</summary>
    /// <param name="handle">The handle.</param>
    /// <param name="room">Receives the bytes; null for an array of their own.</param>
    public ReadOnlyMemory<byte> BodyOf(ulong handle, RecordRoom? room = null) => Content?.Records.BodyOf(handle, room) ?? default;

    /// <summary>Leases the view; false if it was replaced, and nobody reads it.</summary>
    public bool TryLease() => _leases.TryTake();

    /// <summary>Ends a lease, or the state's hold.</summary>
    public void Release()
    {
        if (!_leases.End())
            return;
        if (_state.Forget(this))
            Generation?.ReleaseBuilt();
        Generation?.Release();
    }

    private long Sum(Func<WaitingSet, long> of)
    {
        long sum = 0;
        foreach (WaitingSet set in _sets)
            sum += of(set);
        return sum;
    }
}
