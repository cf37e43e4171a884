using VectorPipe.Collections.Waiting;
using VectorPipe.Searching.Pools;

namespace VectorPipe.Collections.Generations;

/// <summary>What a search looks at: a generation, and the sets of writes that wait above it.</summary>
/// <remarks>Immutable; the newest set grows.</remarks>
internal sealed class CollectionView : IHiddenKeys
{
    private readonly CollectionState _state;
    private readonly WaitingSet[] _sets;

    /// <param name="state">Says up to which number writes are visible.</param>
    /// <param name="generation">The generation; null if it would be empty.</param>
    /// <param name="sets">The sets, the newest last.</param>
    public CollectionView(CollectionState state, CollectionGeneration? generation, params WaitingSet[] sets)
    {
        _state = state;
        _sets = sets;
        Generation = generation;
    }

    public CollectionGeneration? Generation { get; }

    /// <summary>The sets of writes above the generation, the newest last.</summary>
    public ReadOnlySpan<WaitingSet> Sets => _sets;

    /// <summary>The set that grows.</summary>
    public WaitingSet Newest => _sets[^1];

    /// <summary>Writes that wait.</summary>
    public long Writes => _sets.Sum(set => (long)set.Writes);

    /// <summary>Bytes of the sets.</summary>
    public long WaitingBytes => _sets.Sum(set => set.Bytes);

    /// <summary>Live records; exact on the writer's thread.</summary>
    public long Count => (Generation?.Count ?? 0) + _sets.Sum(set => (long)set.Live - set.Replaced);

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
    public CollectionView With(WaitingSet newest) => new(_state, Generation, [.. _sets, newest]);

    /// <summary>The view after a rebuild took in its oldest sets.</summary>
    /// <param name="generation">The new generation.</param>
    /// <param name="sets">Sets that it took in.</param>
    public CollectionView Above(CollectionGeneration? generation, int sets) => new(_state, generation, _sets[sets..]);
}
