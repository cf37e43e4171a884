using VectorPipe.Searching.Pools;

namespace VectorPipe.Reference.Searching;

/// <summary>Where a walk stands: how far the list has been asked for, and how its last pages have fared.</summary>
/// <remarks>Not thread-safe.</remarks>
internal sealed class Convergence
{
    // The gate of PipeANN's adaptive width and of relaxed monotonicity.
    private const int ConvergedAt = 5;

    private int _insertions;

    /// <summary>Pages taken in.</summary>
    public int Taken { get; private set; }

    /// <summary>Of them, those of whose candidates none was left in the pool.</summary>
    public int Wasted { get; private set; }

    /// <summary>Pages taken in since the last ones that brought a result; those that are taken in together count together.</summary>
    public int Fruitless { get; private set; }

    /// <summary>The most candidates from the nearest on whose pages had all been asked for when pages were taken in.</summary>
    public int Position { get; private set; }

    /// <summary>Whether the walk has come to the neighbourhood of the query: the nearest candidates have all been asked for.</summary>
    public bool HasConverged => Position >= ConvergedAt;

    /// <summary>A query begins.</summary>
    public void Reset() => Taken = Wasted = Fruitless = Position = _insertions = 0;

    /// <summary>Notes that pages were taken in together.</summary>
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
