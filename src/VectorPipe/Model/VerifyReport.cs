namespace VectorPipe;

/// <summary>What a verification of every page of every file found.</summary>
/// <param name="Pages">Pages read.</param>
/// <param name="Defects">One line a defect: file, page, what was expected and what was found. Empty if the index is sound.</param>
public sealed record VerifyReport(long Pages, IReadOnlyList<string> Defects)
{
    /// <summary>Whether nothing is wrong.</summary>
    public bool IsSound => Defects.Count == 0;
}
