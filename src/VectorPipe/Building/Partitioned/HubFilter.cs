using System.Runtime.InteropServices;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// Thins out the links into hubs: counts all links first, then takes as many of each hub as are considered, at even strides.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
/// <param name="count">Points.</param>
/// <param name="most">Most links into a point that are considered; below 65,535.</param>
internal sealed class HubFilter(int count, int most)
{
    public const int BytesPerPoint = sizeof(ushort);

    private readonly ushort[] _counts = new ushort[count];
    private readonly Dictionary<int, (long All, long Seen)> _hubs = [];

    public void Count(ReadOnlySpan<int> targets)
    {
        foreach (int target in targets)
        {
            ref ushort counted = ref _counts[target];
            if (counted <= most)
                counted++;
            if (counted > most)
                CollectionsMarshal.GetValueRefOrAddDefault(_hubs, target, out _).All++;
        }
    }

    /// <summary>Whether a link is considered. Called for all links in the order in which they were counted.</summary>
    public bool TryTake(int target)
    {
        if (_counts[target] <= most)
            return true;
        ref (long All, long Seen) hub = ref CollectionsMarshal.GetValueRefOrNullRef(_hubs, target);

        // The hub was counted only from its first surplus link on.
        long all = hub.All + most;
        long index = hub.Seen++;
        long taken = (index * most + all - 1) / all;
        return taken < most && taken * all / most == index;
    }
}
