using VectorPipe.Searching;

namespace VectorPipe.Tests.Faults;

/// <summary>A query that counts how often it was ended.</summary>
internal sealed class SearchRequestProbe : SearchRequest
{
    /// <summary>Answers and errors that it was given: one, for every query.</summary>
    public int Completions { get; private set; }

    protected override void OnCompleted() => Completions++;
}
