using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Churns;

/// <summary>The rows of the base that the collection holds; the key of a record is its row. Not thread-safe.</summary>
internal sealed class LiveRows
{
    private readonly List<int> _rows;
    private readonly ChurnPattern _pattern;
    private SplitMix64 _random;
    private int _next;

    /// <param name="points">Rows at the start, from 0 on.</param>
    public LiveRows(int points, ChurnPattern pattern, ulong seed)
    {
        _rows = [.. Enumerable.Range(0, points)];
        _pattern = pattern;
        _random = new SplitMix64(seed);
        _next = points;
    }

    /// <summary>The live rows, in no order.</summary>
    public IReadOnlyList<int> Rows => _rows;

    /// <summary>Takes out the rows that the pattern deletes next.</summary>
    public int[] Delete(int count)
    {
        if (_pattern == ChurnPattern.Grow)
            return [];
        if (_pattern == ChurnPattern.Sliding)
        {
            int[] oldest = [.. _rows[..count]];
            _rows.RemoveRange(0, count);
            return oldest;
        }

        var deleted = new int[count];
        for (int i = 0; i < count; i++)
        {
            int at = _random.Next(_rows.Count);
            deleted[i] = _rows[at];
            _rows[at] = _rows[^1];
            _rows.RemoveAt(_rows.Count - 1);
        }

        return deleted;
    }

    /// <summary>Adds the next rows of the base.</summary>
    public int[] Insert(int count)
    {
        int[] inserted = [.. Enumerable.Range(_next, count)];
        _next += count;
        _rows.AddRange(inserted);
        return inserted;
    }
}
