using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Policies;

/// <summary>Three reads at first, and twice as many each time: few while a search knows little, many once it knows more.</summary>
/// <remarks>
/// The page policy bounds the width, too: it chooses only pages that are worth a read, few at the end of a search. See
/// docs/decisions.md#doubling-width.
/// </remarks>
internal sealed class RemainingWidth : IWidthPolicy
{
    /// <summary>Reads in flight until as many pages were taken in.</summary>
    public const int First = 3;

    private int _most;

    public void Begin(int most) => _most = most;

    public int Width(Frontier frontier)
    {
        int width = First;
        for (int end = First; frontier.Taken >= end && width < _most; end += width)
            width *= 2;
        return Math.Min(width, _most);
    }
}
