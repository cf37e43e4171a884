using VectorPipe.Searching.Requests;
using VectorPipe.Tests.Searching;

namespace VectorPipe.Tests.Faults.Searches;

/// <summary>A query that counts its completions.</summary>
internal sealed class SearchRequestProbe : IRequestProbe
{
    private readonly RecordingCompletion _completion = new();

    public SearchRequestProbe() => Search = new SearchRequest(_completion);

    public SearchRequest Search { get; }

    public PendingRequest Request => Search;

    public int Completions => _completion.Count;

    public required SearchHit[] Expected { get; init; }

    public void AssertAnswer(string name) => SearchUnderTest.AssertEqual(name, Expected, Search.Hits.AsSpan(0, Search.Statistics.Hits));
}
