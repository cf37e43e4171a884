using System.Runtime.InteropServices;

namespace VectorPipe.Building.Partitioned;

/// <summary>
/// Thins out the links into points that very many link to: all are counted first, and then, of those into a hub, as many taken as are
/// considered, at even strides.
/// </summary>
/// <remarks>Not thread-safe.</remarks>
/// <param name="count">Points.</param>
/// <param name="most">Links into a point that are considered, at most; below 65,535.</param>
internal sealed class HubFilter(int count, int most)
{
    /// <summary>Bytes of memory a point.</summary>
    public const int BytesPerPoint = sizeof(ushort);

    private readonly ushort[] _counts = new ushort[count];
    private readonly Dictionary<int, (long All, long Seen)> _hubs = [];

    /// <summary>Counts links.</summary>
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

        // The count began when the first ones were over.
        long all = hub.All + most;
        long index = hub.Seen++;
        long taken = (index * most + all - 1) / all;
        return taken < most && taken * all / most == index;
    }
}
