using System.Diagnostics;
using System.Numerics;
using VectorPipe.Searching.State;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Places in a node file that no page needs: checkpoints write there, lowest place first, before they lengthen the file.</summary>
/// <remarks>
/// A place that a checkpoint gives up is free when nobody reads the pages of before: no search of this process, and no other process. Not
/// thread-safe.
/// </remarks>
internal sealed class FreePlaces
{
    // A bit for each place.
    private readonly List<ulong> _free = [];
    private readonly Queue<(uint Checkpoint, uint[] Places)> _retired = [];
    private readonly List<uint> _taken = [];

    // No word of bits before this one has a free place.
    private int _first;

    /// <param name="places">Places of the file.</param>
    /// <param name="changes">The pages in force; null if all lie where the build put them.</param>
    /// <param name="checkpoint">Number of the checkpoint in force; 0 for none.</param>
    public FreePlaces(uint places, GraphChanges? changes, uint checkpoint)
    {
        Places = places;
        if (changes is null)
            return;

        // Another process may have opened the collection when they were in use.
        uint[] used = changes.Places[..changes.Pages];
        Array.Sort(used);
        var retired = new List<uint>();
        uint next = 0;
        foreach (uint place in used.Append(places))
        {
            for (; next < place; next++)
                retired.Add(next);
            next = place + 1;
        }

        _retired.Enqueue((checkpoint, [.. retired]));
        Measure();
        AssertInvariants();
    }

    /// <summary>Places of the file, free or not.</summary>
    public uint Places { get; private set; }

    /// <summary>Places that a checkpoint may take without lengthening the file.</summary>
    public int Free { get; private set; }

    /// <summary>Bytes of memory after the last change; any thread may ask.</summary>
    public long MemoryBytes { get; private set; }

    /// <summary>Places that are given up and may still be read.</summary>
    public int Retired => _retired.Sum(entry => entry.Places.Length);

    /// <summary>Takes a place for a page of the checkpoint that is being made.</summary>
    public uint Take()
    {
        uint place = Free > 0 ? TakeLowest() : Places++;
        _taken.Add(place);
        return place;
    }

    /// <summary>Notes that a checkpoint is in force: it needs what it took, and gave other places up.</summary>
    /// <param name="checkpoint">Its number.</param>
    /// <param name="retired">The places that it gave up.</param>
    public void Commit(uint checkpoint, List<uint> retired)
    {
        Debug.Assert(!retired.Exists(_taken.Contains), "a checkpoint gives up places of earlier ones");
        _retired.Enqueue((checkpoint, [.. retired]));
        _taken.Clear();
        _taken.TrimExcess();
        Measure();
        AssertInvariants();
    }

    /// <summary>Takes back what a checkpoint took that failed.</summary>
    public void Rollback()
    {
        _taken.ForEach(Add);
        _taken.Clear();
        _taken.TrimExcess();
        Measure();
        AssertInvariants();
    }

    /// <summary>Frees what checkpoints gave up.</summary>
    /// <param name="oldest">Number of the oldest checkpoint whose pages are read.</param>
    public void Reclaim(uint oldest)
    {
        while (_retired.TryPeek(out (uint Checkpoint, uint[] Places) entry) && entry.Checkpoint <= oldest)
        {
            Array.ForEach(entry.Places, Add);
            _retired.Dequeue();
        }

        Measure();
        AssertInvariants();
    }

    private void Add(uint place)
    {
        int word = (int)(place / 64);
        while (_free.Count <= word)
            _free.Add(0);
        _free[word] |= 1UL << (int)(place % 64);
        _first = Math.Min(_first, word);
        Free++;
    }

    private uint TakeLowest()
    {
        while (_free[_first] == 0)
            _first++;
        ulong bits = _free[_first];
        _free[_first] = bits & (bits - 1);
        Free--;
        return ((uint)_first * 64) + (uint)BitOperations.TrailingZeroCount(bits);
    }

    private void Measure() =>
        MemoryBytes = ((long)_free.Capacity * sizeof(ulong))
            + ((_taken.Capacity + _retired.Sum(entry => (long)entry.Places.Length)) * sizeof(uint));

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        var seen = new HashSet<uint>();
        for (uint place = 0; place < _free.Count * 64; place++)
        {
            if ((_free[(int)(place / 64)] & (1UL << (int)(place % 64))) != 0)
                seen.Add(place);
        }

        Debug.Assert(seen.Count == Free, "the number of free places");
        Debug.Assert(_taken.TrueForAll(seen.Add), "a place that was taken is not free");
        uint before = 0;
        foreach ((uint checkpoint, uint[] places) in _retired)
        {
            Debug.Assert(checkpoint >= before, "checkpoints give up places in order");
            Debug.Assert(Array.TrueForAll(places, seen.Add), "a place is given up once, and used again when it is free");
            before = checkpoint;
        }

        Debug.Assert(seen.All(place => place < Places), "all of them are places of the file");
    }
}
