using VectorPipe.Diagnostics;

namespace VectorPipe;

/// <content>What is asked of an index of lists.</content>
public sealed partial record BuildOptions
{
    /// <summary>
    /// What is built. An index of lists (<see cref="IndexKind.Ivf"/>) takes of the other options the metric, threads, seed, <see cref="PageSize"/>, and with <see cref="CodedLists"/> those of codes;
    /// <see cref="MemoryBudget"/>, and <see cref="PageVectors"/>: as given, or float16 if the vectors as given are to be dropped (<see cref="DropVectors"/>); options that speak of graphs have no effect on it. Default: <see cref="IndexKind.Graph"/>.
    /// </summary>
    public IndexKind Kind { get; init; } = IndexKind.Graph;

    /// <summary>Lists of an index of lists, 1 to the number of vectors, about. More make searches read less of what is far off, for memory: a centroid of up to four times a vector's size each. Default: as many as make a list about eight pages, or of coded lists four pages of codes; at least 128 vectors a list.</summary>
    public int? Lists { get; init; }

    /// <summary>Whether searches of an index of lists scan compressed codes, which lie on disk too, and read vectors for the best of them only. Fewer bytes a search for large vectors, more reads for small ones. Default: false.</summary>
    public bool CodedLists { get; init; }

    /// <summary>Refuses what does not go with the kind of index.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    private void ValidateKind()
    {
        Require.That(Enum.IsDefined(Kind), nameof(Kind), Kind, "Graph or Ivf");
        if (Kind == IndexKind.Graph)
        {
            Require.That(Lists is null, nameof(Lists), Lists, "none for a graph");
            Require.That(!CodedLists, nameof(CodedLists), CodedLists, "false for a graph");
            return;
        }

        Require.That(Lists is null or > 0, nameof(Lists), Lists, "1 or more");
        Require.That(Layout is null, nameof(Layout), Layout, "none for an index of lists");
        Require.That(NodesPerPage is null, nameof(NodesPerPage), NodesPerPage, "none for an index of lists");
        Require.That(ReplicasPerPage is null, nameof(ReplicasPerPage), ReplicasPerPage, "none for an index of lists");
        Require.That(PageGraphBytes is null, nameof(PageGraphBytes), PageGraphBytes, "none for an index of lists");
        Require.That(PageVectors is PageVectors.Auto or PageVectors.AsGiven || DropVectors, nameof(PageVectors), PageVectors, $"Auto or AsGiven for an index of lists, or Float16 with {nameof(DropVectors)}");
        Require.That(CodeBytes is null || CodedLists, nameof(CodeBytes), CodeBytes, "none for lists without codes");
    }
}
