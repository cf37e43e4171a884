using VectorPipe.Collections.Records;
using VectorPipe.Collections.Waiting;

namespace VectorPipe.Collections.Generations;

/// <summary>A view up to a sequence number: the content that a rebuild takes, whatever is written meanwhile.</summary>
/// <param name="View">The view, leased; its sets get no more writes up to the number.</param>
/// <param name="Sequence">The number.</param>
/// <param name="Count">Live records.</param>
internal sealed record PinnedView(CollectionView View, long Sequence, long Count)
{
    /// <summary>Sets that are taken in: the oldest ones, all but one that had no writes.</summary>
    public int Sets { get; init; } = View.Sets.Length;

    /// <summary>What the generation's records hold beside the vectors in pages; null without a generation.</summary>
    public RecordFiles? Records { get; init; } = View.Content?.Records;

    /// <summary>Whether a waiting write replaced or deleted a record of the generation.</summary>
    public bool Hides(ulong handle) => View.Hides(handle, Sequence);

    /// <summary>The live records that wait.</summary>
    public IEnumerable<WaitingRecord> Waiting()
    {
        for (int i = 0; i < View.Sets.Length; i++)
        {
            foreach (WaitingRecord record in View.Sets[i].LiveAt(Sequence))
            {
                if (!IsHiddenAbove(record.Handle, i))
                    yield return record;
            }
        }
    }

    /// <summary>Handles whose records in the generation were replaced or deleted, each once.</summary>
    public IEnumerable<ulong> Replaced()
    {
        var seen = new HashSet<ulong>();
        for (int i = 0; i < View.Sets.Length; i++)
        {
            foreach ((ulong handle, bool replaces) in View.Sets[i].FirstWrites(Sequence))
            {
                if (seen.Add(handle) && replaces)
                    yield return handle;
            }
        }
    }

    private bool IsHiddenAbove(ulong handle, int set)
    {
        foreach (WaitingSet newer in View.Sets[(set + 1)..])
        {
            if (newer.Hides(handle, Sequence))
                return true;
        }

        return false;
    }
}
