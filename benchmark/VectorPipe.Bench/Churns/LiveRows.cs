using System.Collections;
using System.Diagnostics;
using VectorPipe.Measuring.Data;

namespace VectorPipe.Bench.Churns;

/// <summary>The rows of the base that the collection holds; the key of a record is its row. Not thread-safe.</summary>
internal sealed class LiveRows
{
    private readonly List<int> _rows;
    private readonly BitArray _isLive;
    private readonly BitArray _isNew;
    private readonly ChurnPattern _pattern;
    private SplitMix64 _random;
    private int _next;

    /// <param name="rows">Rows of the base.</param>
    /// <param name="points">Rows at the start, from 0 on.</param>
    public LiveRows(int rows, int points, ChurnPattern pattern, ulong seed)
    {
        Debug.Assert(points <= rows, "the base has the rows of the start");
        _rows = [.. Enumerable.Range(0, points)];
        _isLive = new BitArray(rows);
        _isNew = new BitArray(rows);
        foreach (int row in _rows)
            _isLive[row] = true;
        _pattern = pattern;
        _random = new SplitMix64(seed);
        _next = points;
    }

    /// <summary>The live rows, in no order.</summary>
    public IReadOnlyList<int> Rows => _rows;

    /// <summary>Whether a row was inserted after the start.</summary>
    public bool IsNew(int row) => _isNew[row];

    /// <summary>Takes out the rows that the pattern deletes next.</summary>
    public int[] Delete(int count)
    {
        int[] deleted = _pattern switch
        {
            ChurnPattern.Grow => [],
            ChurnPattern.Sliding => DeleteOldest(count),
            _ => DeleteAny(count),
        };
        foreach (int row in deleted)
            _isLive[row] = false;
        return deleted;
    }

    /// <summary>Adds the next rows of the base that are not live; those from the beginning again after the last.</summary>
    public int[] Insert(int count)
    {
        Debug.Assert(_rows.Count + count <= _isLive.Count, "the base has as many rows that are not live");
        var inserted = new int[count];
        for (int i = 0; i < count; _next++)
        {
            int row = _next % _isLive.Count;
            if (_isLive[row])
                continue;
            inserted[i++] = row;
            _isLive[row] = _isNew[row] = true;
        }

        _next %= _isLive.Count;
        _rows.AddRange(inserted);
        return inserted;
    }

    private int[] DeleteOldest(int count)
    {
        int[] oldest = [.. _rows[..count]];
        _rows.RemoveRange(0, count);
        return oldest;
    }

    private int[] DeleteAny(int count)
    {
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
}
