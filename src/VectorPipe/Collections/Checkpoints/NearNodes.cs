using VectorPipe.Devices.Native;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>The nodes near to each of some vectors, nearest first; in native memory, which the garbage collector does not
/// move.</summary>
/// <remarks>Several threads may set rows, each its own.</remarks>
internal sealed unsafe class NearNodes : IDisposable
{
    /// <summary>Most nodes of a vector.</summary>
    public const int Most = 256;

    private readonly NativeBuffer _ids;
    private readonly int[] _counts;

    /// <param name="rows">Vectors.</param>
    public NearNodes(int rows)
    {
        _ids = new NativeBuffer((nuint)rows * Most * sizeof(uint));
        _counts = new int[rows];
    }

    /// <summary>Internal ids of the nodes near to a vector, whose row was set.</summary>
    public ReadOnlySpan<uint> this[int row] => new(RowOf(row), _counts[row]);

    /// <summary>Forgets all rows: one that is not set again cannot be read.</summary>
    public void Clear() => _counts.AsSpan().Fill(-1);

    /// <summary>Sets the nodes near to a vector.</summary>
    /// <param name="row">The vector.</param>
    /// <param name="nodes">Nodes as <see cref="Searching.Pools.CandidateKey"/>, nearest first.</param>
    public void Set(int row, ReadOnlySpan<ulong> nodes)
    {
        int count = Math.Min(Most, nodes.Length);
        uint* ids = RowOf(row);
        for (int i = 0; i < count; i++)
            ids[i] = (uint)nodes[i];
        _counts[row] = count;
    }

    public void Dispose() => _ids.Dispose();

    private uint* RowOf(int row) => (uint*)_ids.Pointer + ((nint)row * Most);
}
