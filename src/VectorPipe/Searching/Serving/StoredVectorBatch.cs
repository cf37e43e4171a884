using System.Diagnostics;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Serving;

/// <summary>Searches of a session for vectors that are stored one by one; the plan says who receives what they meet.</summary>
internal readonly struct StoredVectorBatch(
    IReadOnlyList<ReadOnlyMemory<byte>> vectors, SearchPlan plan, CancellationToken cancellationToken) : ISessionBatch<SearchRequest>
{
    public int Rows => vectors.Count;

    public void Ask(SearchRequest request, int row) =>
        request.Ask(vectors[row].Span, plan, Stopwatch.GetTimestamp(), cancellationToken);

    public void Take(SearchRequest request)
    {
    }

    public bool TakesError(SearchRequest request) => false;
}
