using System.Diagnostics;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>Keys whose nodes a session looks up.</summary>
internal readonly ref struct NodeBatch(
    ReadOnlySpan<ulong> keys, Span<uint?> nodes, Action<int, Exception>? failed, CancellationToken cancellationToken)
    : ISessionBatch<LookupRequest>
{
    private readonly ReadOnlySpan<ulong> _keys = keys;
    private readonly Span<uint?> _nodes = nodes;

    public int Rows => _keys.Length;

    public void Ask(LookupRequest request, int row)
    {
        request.Ask(_keys[row], withLinks: false, Stopwatch.GetTimestamp(), cancellationToken);
        request.WithVector = false;
    }

    public void Take(LookupRequest request) => _nodes[request.Row] = request.Found ? request.NodeId : null;

    public bool TakesError(LookupRequest request)
    {
        failed?.Invoke(request.Row, request.Error!);
        return failed is not null;
    }
}
