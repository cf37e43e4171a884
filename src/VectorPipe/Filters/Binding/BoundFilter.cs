using System.Diagnostics;

namespace VectorPipe.Filters.Binding;

/// <summary>A filter for the records of one schema. Immutable and thread-safe; it allocates nothing for a record.</summary>
internal sealed class BoundFilter
{
    /// <summary>The end at which a record matches.</summary>
    public const int Match = -1;

    /// <summary>The end at which a record does not match.</summary>
    public const int NoMatch = -2;

    // Each test says which one is next, and the last one the answer.
    private readonly BoundLeaf[] _leaves;
    private readonly int _first;

    /// <param name="leaves">The tests; none for a constant.</param>
    /// <param name="first">The test to begin with, or the end for a constant.</param>
    public BoundFilter(BoundLeaf[] leaves, int first)
    {
        _leaves = leaves;
        _first = first;
        AssertInvariants();
    }

    /// <summary>The tests.</summary>
    public IReadOnlyList<BoundLeaf> Leaves => _leaves;

    /// <summary>Combines what all tests say of many records.</summary>
    /// <param name="passes">For each test of <see cref="Leaves"/>, a bit for each record that passes it.</param>
    /// <param name="matches">Receives a bit for each record that matches.</param>
    public void Combine(ReadOnlySpan<ulong[]> passes, Span<ulong> matches)
    {
        matches.Fill(_first == Match ? ulong.MaxValue : 0);
        if (_leaves.Length == 0)
            return;

        // The records that get to each test, in turn: tests lead forward.
        var arriving = new ulong[_leaves.Length];
        for (int word = 0; word < matches.Length; word++)
        {
            arriving.AsSpan().Clear();
            arriving[_first] = ulong.MaxValue;
            ulong matching = 0;
            for (int i = 0; i < _leaves.Length; i++)
            {
                Lead(arriving[i] & passes[i][word], _leaves[i].OnPass);
                Lead(arriving[i] & ~passes[i][word], _leaves[i].OnFail);
            }

            matches[word] = matching;

            void Lead(ulong records, int to)
            {
                if (to == Match)
                    matching |= records;
                else if (to != NoMatch)
                    arriving[to] |= records;
            }
        }
    }

    /// <summary>Whether a record matches.</summary>
    /// <param name="row">Its attributes, of the schema to which the filter is bound.</param>
    public bool Matches<TRow>(ref TRow row)
        where TRow : struct, IAttributeRow, allows ref struct
    {
        int at = _first;
        while (at >= 0)
        {
            BoundLeaf leaf = _leaves[at];
            at = row.Passes(leaf) ? leaf.OnPass : leaf.OnFail;
        }

        return at == Match;
    }

    /// <summary>Whether attributes in memory match.</summary>
    /// <exception cref="InvalidRecordException">An attribute has another type than in the schema.</exception>
    public bool Matches(AttributeSet attributes)
    {
        var row = new SetRow(attributes);
        return Matches(ref row);
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_first is Match or NoMatch or 0, "it begins with the first test or ends at once");
        for (int i = 0; i < _leaves.Length; i++)
        {
            foreach (int next in (int[])[_leaves[i].OnPass, _leaves[i].OnFail])
                Debug.Assert(next is Match or NoMatch || (next > i && next < _leaves.Length), "tests lead forward, so each record ends");
        }
    }
}
