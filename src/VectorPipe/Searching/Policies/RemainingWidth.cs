using VectorPipe.Searching.Pools;
using VectorPipe.Searching.Requests;

namespace VectorPipe.Searching.Policies;

/// <summary>Few reads at first, and twice as many each time: few while a search knows little, many once it knows more.</summary>
/// <remarks>
/// The page policy bounds the width, too: it chooses only pages that are worth a read, few at the end of a search. See
/// docs/decisions.md#doubling-width.
/// </remarks>
internal sealed class RemainingWidth : IWidthPolicy
{
    /// <summary>Reads in flight until as many pages were taken in.</summary>
    public const int First = 3;

    /// <summary>The same while the device is idle but for the query: it has time for pages that a later choice would leave out.</summary>
    public const int FirstAlone = 8;

    /// <summary>Whether the device is idle but for the query.</summary>
    public bool IsAlone { get; set; }

    private int _most;

    public void Begin(int most) => _most = most;

    public int Width(Frontier frontier)
    {
        int width = IsAlone ? FirstAlone : First;
        for (int end = width; frontier.Taken >= end && width < _most; end += width)
            width *= 2;
        return Math.Min(width, _most);
    }
}
