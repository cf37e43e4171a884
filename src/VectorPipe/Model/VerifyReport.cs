namespace VectorPipe;

/// <summary>The result of verifying every page of every file.</summary>
/// <param name="Pages">Pages read.</param>
/// <param name="Defects">One line a defect: file, page, what was expected and what was found. Empty if the index is sound.</param>
public sealed record VerifyReport(long Pages, IReadOnlyList<string> Defects)
{
    /// <summary>Whether there are no defects.</summary>
    public bool IsSound => Defects.Count == 0;
}
