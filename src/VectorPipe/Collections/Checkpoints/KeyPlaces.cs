using System.Diagnostics;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Where in the key file a checkpoint may write a key directory: where nobody reads another one.</summary>
/// <remarks>The directory of the build stays. Not thread-safe.</remarks>
internal sealed class KeyPlaces
{
    private readonly long _built;
    private readonly List<(uint Checkpoint, long First, long End)> _retired = [];

    // The directory in force, if a checkpoint wrote it.
    private (long First, long End)? _current;

    /// <param name="built">Pages of the file that the build wrote.</param>
    /// <param name="pages">Pages of the file.</param>
    /// <param name="current">The directory in force if a checkpoint wrote it; null for that of the build.</param>
    /// <param name="checkpoint">Number of the checkpoint in force; 0 for none.</param>
    public KeyPlaces(long built, long pages, KeyRegion? current, uint checkpoint)
    {
        _built = built;
        if (current is null)
            return;

        // Another process may have opened the collection when an earlier directory was in force.
        _current = (current.Offset + 1, current.End);
        Retire(checkpoint, built, current.Offset + 1);
        Retire(checkpoint, current.End, pages);
        AssertInvariants();
    }

    /// <summary>Finds room: the first page of the lowest that nobody reads.</summary>
    public long Find(long pages)
    {
        long first = _built;
        foreach ((long from, long end) in Used().Order())
        {
            if (first + pages <= from)
                break;
            first = Math.Max(first, end);
        }

        return first;
    }

    /// <summary>Notes that a directory is in force, and the one before it given up.</summary>
    public void Commit(uint checkpoint, KeyRegion directory)
    {
        if (_current is { } old)
            Retire(checkpoint, old.First, old.End);
        _current = (directory.Offset + 1, directory.End);
        AssertInvariants();
    }

    /// <summary>Frees what checkpoints gave up.</summary>
    /// <param name="oldest">Number of the oldest checkpoint whose keys are looked up.</param>
    public void Reclaim(uint oldest) => _retired.RemoveAll(entry => entry.Checkpoint <= oldest);

    private void Retire(uint checkpoint, long first, long end)
    {
        if (first < end)
            _retired.Add((checkpoint, first, end));
    }

    private IEnumerable<(long First, long End)> Used() =>
        _retired.Select(entry => (entry.First, entry.End)).Concat(_current is { } current ? [current] : []);

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        long end = _built;
        foreach ((long first, long next) in Used().Order())
        {
            Debug.Assert(first >= end && next > first, "directories lie side by side, behind that of the build");
            end = next;
        }
    }
}
