using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace VectorPipe.Searching.Pools;

/// <summary>The best L nodes by code distance. They steer the walk.</summary>
/// <remarks>
/// Sorted by (distance, id), so that equal distances cannot make two runs differ. Not thread-safe. AggressiveOptimization: see
/// docs/decisions.md#compiled-at-once.
/// </remarks>
internal sealed class CandidatePool
{
    private ulong[] _keys = [];
    private CandidateState[] _states = [];
    private readonly int[] _counts = new int[(int)CandidateState.Visited + 1];
    private int _listSize;
    private int _cursor;

    public int Count { get; private set; }

    /// <summary>Entries whose page was not asked for.</summary>
    public int Unvisited => _counts[(int)CandidateState.Unvisited];

    /// <summary>Entries that can be expanded without a read.</summary>
    public int Loaded => _counts[(int)CandidateState.Loaded];

    /// <summary>Entries whose page is in flight.</summary>
    public int Submitted => _counts[(int)CandidateState.Submitted];

    public int ListSize => _listSize;

    /// <summary>The pool takes no candidate that is farther than this.</summary>
    public float Threshold => Count < _listSize ? float.PositiveInfinity : CandidateKey.Distance(_keys[Count - 1]);

    /// <summary>Ranks below this are all visited.</summary>
    public int FirstOpen => _cursor;

    public void Reset(int listSize)
    {
        if (_keys.Length < listSize)
        {
            _keys = new ulong[listSize];
            _states = new CandidateState[listSize];
        }

        _listSize = listSize;
        Count = _cursor = 0;
        _counts.AsSpan().Clear();
    }

    /// <summary>Makes room for more entries; those that have fallen out do not come back.</summary>
    public void Grow(int listSize)
    {
        Debug.Assert(listSize > _listSize, "a pool does not shrink");
        if (_keys.Length < listSize)
        {
            Array.Resize(ref _keys, listSize);
            Array.Resize(ref _states, listSize);
        }

        _listSize = listSize;
    }

    public uint Id(int rank) => (uint)_keys[rank];

    public float Distance(int rank) => CandidateKey.Distance(_keys[rank]);

    public CandidateState State(int rank) => _states[rank];

    /// <summary>Takes in the candidates that are among the best; the worst entries fall out when the pool is full.</summary>
    /// <param name="keys">Candidates that are not in the pool, see <see cref="CandidateKey"/>; ascending.</param>
    /// <param name="states">State of each.</param>
    /// <returns>The best rank of a candidate that was taken; <see cref="Count"/> if none was.</returns>
    /// <remarks>One pass from the back: candidates come by the dozen, and one by one each would move half of the pool.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public int Merge(ReadOnlySpan<ulong> keys, ReadOnlySpan<CandidateState> states)
    {
        int old = Count - 1, added = keys.Length - 1;
        for (int surplus = Count + keys.Length - _listSize; surplus > 0; surplus--)
        {
            if (added >= 0 && (old < 0 || keys[added] > _keys[old]))
                added--;
            else
                _counts[(int)_states[old--]]--;
        }

        Count = old + added + 2;
        int rank = Count;
        for (int at = Count - 1; added >= 0; at--)
        {
            if (old >= 0 && _keys[old] > keys[added])
            {
                _keys[at] = _keys[old];
                _states[at] = _states[old--];
            }
            else
            {
                _counts[(int)states[added]]++;
                _keys[at] = keys[added];
                _states[at] = states[added--];
                rank = at;
            }
        }

        _cursor = Math.Min(_cursor, rank);
        return rank;
    }

    /// <summary>Rank of the best entry of a state; -1 if there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public int First(CandidateState state)
    {
        Debug.Assert(state != CandidateState.Visited, "visited entries are passed over");
        while (_cursor < Count && _states[_cursor] == CandidateState.Visited)
            _cursor++;
        int offset = _states.AsSpan(_cursor, Count - _cursor).IndexOf(state);
        return offset < 0 ? -1 : _cursor + offset;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void SetState(int rank, CandidateState state)
    {
        _counts[(int)_states[rank]]--;
        _states[rank] = state;
        _counts[(int)state]++;
    }

    /// <summary>Gives every entry of a page that is not visited a new state, and counts them.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public int SetPageState(uint firstId, uint nodesPerPage, CandidateState state)
    {
        int found = 0;
        int rank = _cursor;

        // Few candidates are of the page: pass over eight, or four, at a time. Distances have 32 bits, so signed comparisons do.
        ref ulong keys = ref MemoryMarshal.GetArrayDataReference(_keys);
        if (Vector512.IsHardwareAccelerated)
        {
            Vector512<ulong> first = Vector512.Create((ulong)firstId), ids = Vector512.Create((ulong)uint.MaxValue);
            Vector512<long> nodes = Vector512.Create((long)nodesPerPage);
            for (; rank <= Count - Vector512<ulong>.Count; rank += Vector512<ulong>.Count)
            {
                Vector512<long> distances = ((Vector512.LoadUnsafe(ref keys, (nuint)rank) - first) & ids).AsInt64();
                for (ulong mask = Vector512.LessThan(distances, nodes).ExtractMostSignificantBits(); mask != 0; mask &= mask - 1)
                    found += SetStateUnlessVisited(rank + BitOperations.TrailingZeroCount(mask), state);
            }
        }
        else if (Vector256.IsHardwareAccelerated)
        {
            Vector256<ulong> first = Vector256.Create((ulong)firstId), ids = Vector256.Create((ulong)uint.MaxValue);
            Vector256<long> nodes = Vector256.Create((long)nodesPerPage);
            for (; rank <= Count - Vector256<ulong>.Count; rank += Vector256<ulong>.Count)
            {
                Vector256<long> distances = ((Vector256.LoadUnsafe(ref keys, (nuint)rank) - first) & ids).AsInt64();
                for (uint mask = Vector256.LessThan(distances, nodes).ExtractMostSignificantBits(); mask != 0; mask &= mask - 1)
                    found += SetStateUnlessVisited(rank + BitOperations.TrailingZeroCount(mask), state);
            }
        }

        for (; rank < Count; rank++)
        {
            if ((uint)_keys[rank] - firstId < nodesPerPage)
                found += SetStateUnlessVisited(rank, state);
        }

        AssertInvariants();
        return found;
    }

    private int SetStateUnlessVisited(int rank, CandidateState state)
    {
        if (_states[rank] == CandidateState.Visited)
            return 0;
        SetState(rank, state);
        return 1;
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        int unvisited = 0, loaded = 0, submitted = 0;
        for (int rank = 0; rank < Count; rank++)
        {
            unvisited += _states[rank] == CandidateState.Unvisited ? 1 : 0;
            loaded += _states[rank] == CandidateState.Loaded ? 1 : 0;
            submitted += _states[rank] == CandidateState.Submitted ? 1 : 0;
            Debug.Assert(rank == 0 || _keys[rank - 1] < _keys[rank], "the pool is sorted, without duplicates");
            Debug.Assert(rank >= _cursor || _states[rank] == CandidateState.Visited, "all entries before the cursor are visited");
        }

        Debug.Assert(unvisited == Unvisited && loaded == Loaded && submitted == Submitted, "the counts are exact");
    }
}
