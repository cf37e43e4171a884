using System.Diagnostics;
using VectorPipe.Searching.State;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Places in a node file that no page needs: checkpoints write there, lowest place first, before they lengthen the file.</summary>
/// <remarks>
/// A place that a checkpoint gives up is free when nobody reads the pages of before: no search of this process, and no other process. Not
/// thread-safe.
/// </remarks>
internal sealed class FreePlaces
{
    private readonly SortedSet<uint> _free = [];
    private readonly Queue<(uint Checkpoint, List<uint> Places)> _retired = [];
    private readonly List<uint> _taken = [];

    /// <param name="places">Places of the file.</param>
    /// <param name="changes">The pages in force; null if all lie where the build put them.</param>
    /// <param name="checkpoint">Number of the checkpoint in force; 0 for none.</param>
    public FreePlaces(uint places, GraphChanges? changes, uint checkpoint)
    {
        Places = places;
        if (changes is null)
            return;

        // Another process may have opened the collection when they were in use.
        var retired = new SortedSet<uint>();
        for (uint place = 0; place < places; place++)
            retired.Add(place);
        for (int page = 0; page < changes.Pages; page++)
            retired.Remove(changes.Places[page]);
        _retired.Enqueue((checkpoint, [.. retired]));
        AssertInvariants();
    }

    /// <summary>Places of the file, free or not.</summary>
    public uint Places { get; private set; }

    /// <summary>Places that a checkpoint may take without lengthening the file.</summary>
    public int Free => _free.Count;

    /// <summary>Places that are given up and may still be read.</summary>
    public int Retired => _retired.Sum(entry => entry.Places.Count);

    /// <summary>Takes a place for a page of the checkpoint that is being made.</summary>
    public uint Take()
    {
        uint place = _free.Count > 0 ? _free.Min : Places++;
        _free.Remove(place);
        _taken.Add(place);
        return place;
    }

    /// <summary>Notes that a checkpoint is in force: it needs what it took, and gave other places up.</summary>
    /// <param name="checkpoint">Its number.</param>
    /// <param name="retired">The places that it gave up.</param>
    public void Commit(uint checkpoint, List<uint> retired)
    {
        Debug.Assert(!retired.Exists(_taken.Contains), "a checkpoint gives up places of earlier ones");
        _retired.Enqueue((checkpoint, retired));
        _taken.Clear();
        AssertInvariants();
    }

    /// <summary>Takes back what a checkpoint took that failed.</summary>
    public void Rollback()
    {
        _free.UnionWith(_taken);
        _taken.Clear();
        AssertInvariants();
    }

    /// <summary>Frees what checkpoints gave up.</summary>
    /// <param name="oldest">Number of the oldest checkpoint whose pages are read.</param>
    public void Reclaim(uint oldest)
    {
        while (_retired.TryPeek(out (uint Checkpoint, List<uint> Places) entry) && entry.Checkpoint <= oldest)
        {
            _free.UnionWith(entry.Places);
            _retired.Dequeue();
        }

        AssertInvariants();
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        var seen = new HashSet<uint>(_free);
        Debug.Assert(_taken.TrueForAll(seen.Add), "a place that was taken is not free");
        uint before = 0;
        foreach ((uint checkpoint, List<uint> places) in _retired)
        {
            Debug.Assert(checkpoint >= before, "checkpoints give up places in order");
            Debug.Assert(places.TrueForAll(seen.Add), "a place is given up once, and used again when it is free");
            before = checkpoint;
        }

        Debug.Assert(seen.All(place => place < Places), "all of them are places of the file");
    }
}
