using VectorPipe.Searching;

namespace VectorPipe.Tests.Faults;

/// <summary>A query that counts how often it was ended.</summary>
internal sealed class SearchRequestProbe : SearchRequest, IRequestProbe
{
    public int Completions { get; private set; }

    public required SearchHit[] Expected { get; init; }

    public void AssertAnswer(string name) => SearchUnderTest.AssertEqual(name, Expected, Hits.AsSpan(0, Statistics.Hits));

    protected override void OnCompleted() => Completions++;
}
