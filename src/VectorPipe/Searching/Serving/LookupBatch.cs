using System.Diagnostics;
using System.Runtime.InteropServices;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>Keys that a session looks up, and room for their vectors.</summary>
internal ref struct LookupBatch<T>(
    ReadOnlySpan<ulong> keys, Span<T> vectors, Span<bool> found, CancellationToken cancellationToken) : ISessionBatch<LookupRequest>
    where T : unmanaged
{
    private readonly ReadOnlySpan<ulong> _keys = keys;
    private readonly Span<T> _vectors = vectors;
    private readonly Span<bool> _found = found;
    private readonly CancellationToken _cancellationToken = cancellationToken;

    public readonly int Rows => _keys.Length;

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

    public readonly bool TakesError(LookupRequest request) => false;
}
