using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>Keys that a session looks up, and room for their vectors.</summary>
internal ref struct LookupBatch<T> : ISessionBatch<LookupRequest>
    where T : unmanaged
{
    private readonly ReadOnlySpan<ulong> _keys;
    private readonly Span<T> _vectors;
    private readonly Span<bool> _found;
    private readonly CancellationToken _cancellationToken;

    public LookupBatch(ReadOnlySpan<ulong> keys, Span<T> vectors, Span<bool> found, CancellationToken cancellationToken)
    {
        _keys = keys;
        _vectors = vectors;
        _found = found;
        _cancellationToken = cancellationToken;
    }

    public readonly int Rows => _keys.Length;

    /// <summary>Keys that were found.</summary>
    public int Hits { get; private set; }

    public readonly void Ask(LookupRequest request, int row) =>
        request.Ask(_keys[row], withLinks: false, Stopwatch.GetTimestamp(), _cancellationToken);

    public void Take(LookupRequest request)
    {
        int dimension = _vectors.Length / _keys.Length;
        Span<T> row = _vectors.Slice(request.Row * dimension, dimension);
        _found[request.Row] = request.Found;
        if (request.Found)
        {
            request.Vector.CopyTo(MemoryMarshal.AsBytes(row));
            Hits++;
        }
        else
        {
            row.Clear();
        }
    }
}
