namespace VectorPipe.Searching.Policies;

/// <summary>As many reads as there are pages that are worth one, once the first pages have shown how far the answer reaches.</summary>
/// <remarks>
/// Which pages are worth a read is the page policy's to say, so this follows what remains to be gained: wide in the middle of a search, narrow at its end. Before there are results candidates promise too
/// much. Photo-SIFT 100K by gain: to be stricter later than sooner, to ask for a multiple of the threshold or to begin with 6 comes out on the same curve of reads and rounds.
/// </remarks>
internal sealed class RemainingWidth : IWidthPolicy
{
    /// <summary>Reads in flight at the beginning, and pages taken in at its end.</summary>
    public const int First = 4;

    private int _most;

    /// <inheritdoc/>
    public void Begin(int most) => _most = most;

    /// <inheritdoc/>
    public int Width(Frontier frontier) => frontier.Taken < First ? Math.Min(First, _most) : _most;
}
