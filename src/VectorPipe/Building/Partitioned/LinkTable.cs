using System.Diagnostics;
using VectorPipe.Devices;

namespace VectorPipe.Building.Partitioned;

/// <summary>Out-links by position in leaf order, in native memory: a build step reads one table, which is frozen meanwhile, and writes another.</summary>
/// <remarks>Different rows may be written by different threads at a time. Freed by <see cref="Dispose"/>.</remarks>
internal sealed unsafe class LinkTable : IDisposable
{
    private readonly NativeBuffer _memory;
    private readonly int _stride;

    /// <param name="count">Rows, at least 1.</param>
    /// <param name="maxDegree">Most links a row (R).</param>
    public LinkTable(int count, int maxDegree)
    {
        Count = count;
        MaxDegree = maxDegree;
        _stride = maxDegree + 1;
        _memory = new NativeBuffer((nuint)count * (nuint)_stride * sizeof(int));
    }

    /// <summary>How many rows.</summary>
    public int Count { get; }

    /// <summary>Most links a row.</summary>
    public int MaxDegree { get; }

    /// <summary>The links of a position.</summary>
    public ReadOnlySpan<int> Links(int position)
    {
        int* row = Row(position);
        return new ReadOnlySpan<int>(row + 1, *row);
    }

    /// <summary>Replaces the links of a position.</summary>
    public void SetLinks(int position, ReadOnlySpan<int> links)
    {
        Debug.Assert(links.Length <= MaxDegree, "a row holds at most MaxDegree links");
        int* row = Row(position);
        *row = links.Length;
        links.CopyTo(new Span<int>(row + 1, MaxDegree));
    }

    /// <summary>Frees the rows.</summary>
    public void Dispose() => _memory.Dispose();

    private int* Row(int position) => (int*)_memory.Pointer + (nint)position * _stride;
}
