namespace VectorPipe;

/// <summary>Selects the vectors that may be hits by their keys: a set of keys, or a condition.</summary>
/// <remarks>
/// <para>Immutable and thread-safe. Keep it: the first search of an index that uses it finds out which vectors match, and their exact
/// number; later searches of that index compute and read little more than without a filter. The result takes a bit for each vector, or 4
/// bytes for each match if they are few, and goes with the filter.</para>
/// <para>The first use costs, for a set, about a read for each key, or, if that is cheaper, the reading of all of the index's keys, 16 to
/// 24 bytes each; for a condition always the latter. With more than 2,000 matches, the first filter of an index makes its search cells,
/// too: about a microsecond of one thread for each vector, and less than a byte of memory (4 bytes in the plain layout).</para>
/// </remarks>
public sealed class KeyFilter
{
    private readonly Func<ulong, bool>? _condition;
    private readonly ulong[] _keys;

    private KeyFilter(ulong[] keys, Func<ulong, bool>? condition)
    {
        _keys = keys;
        _condition = condition;
    }

    /// <summary>The keys of a set, ascending; null for a condition.</summary>
    internal ulong[]? Keys => _condition is null ? _keys : null;

    /// <summary>Selects the vectors with these keys.</summary>
    /// <param name="keys">Keys, in any order; they are copied. One may come twice, or belong to no vector. None selects nothing.</param>
    public static KeyFilter Of(ReadOnlySpan<ulong> keys)
    {
        ulong[] sorted = keys.ToArray();
        Array.Sort(sorted);
        int kept = 0;
        for (int i = 0; i < sorted.Length; i++)
        {
            if (i == 0 || sorted[i] != sorted[i - 1])
                sorted[kept++] = sorted[i];
        }

        Array.Resize(ref sorted, kept);
        return new KeyFilter(sorted, null);
    }

    /// <summary>Selects the vectors whose keys meet a condition.</summary>
    /// <param name="condition">
    /// Whether a vector with this key may be a hit. Asked once for each key of an index, by one thread of the pool at a time; the same key
    /// must always get the same answer. What it throws is thrown by the search that asked.
    /// </param>
    /// <exception cref="ArgumentNullException">There is no condition.</exception>
    public static KeyFilter Where(Func<ulong, bool> condition)
    {
        ArgumentNullException.ThrowIfNull(condition);
        return new KeyFilter([], condition);
    }

    /// <summary>Whether a key is selected.</summary>
    internal bool Selects(ulong key) => _condition is null ? Array.BinarySearch(_keys, key) >= 0 : _condition(key);
}
