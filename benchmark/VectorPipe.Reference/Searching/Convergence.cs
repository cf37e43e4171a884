using VectorPipe.Searching.Pools;

namespace VectorPipe.Reference.Searching;

/// <summary>The progress of a walk: its requested candidates, and the use of its last pages. Not thread-safe.</summary>
internal sealed class Convergence
{
    // The value of PipeANN's adaptive width and of relaxed monotonicity.
    private const int ConvergedAt = 5;

    private int _insertions;

    /// <summary>Pages processed.</summary>
    public int Taken { get; private set; }

    /// <summary>Pages whose candidates had all left the pool before.</summary>
    public int Wasted { get; private set; }

    /// <summary>Pages processed since the last new result; pages processed together count together.</summary>
    public int Fruitless { get; private set; }

    /// <summary>The largest rank below which all candidates were requested.</summary>
    public int Position { get; private set; }

    /// <summary>Whether the walk is near the query: its nearest candidates were all requested.</summary>
    public bool HasConverged => Position >= ConvergedAt;

    /// <summary>Begins a query.</summary>
    public void Reset() => Taken = Wasted = Fruitless = Position = _insertions = 0;

    /// <summary>Counts pages that were processed together.</summary>
    public void Note(Frontier frontier, int pages, int wasted)
    {
        Taken += pages;
        Wasted += wasted;
        Fruitless = frontier.Results.Insertions == _insertions ? Fruitless + pages : 0;
        _insertions = frontier.Results.Insertions;
        CandidatePool candidates = frontier.Candidates;
        int unvisited = candidates.Unvisited == 0 ? -1 : candidates.First(CandidateState.Unvisited);
        Position = Math.Max(Position, unvisited < 0 ? candidates.Count : unvisited);
    }
}
