namespace VectorPipe.Searching.Serving;

/// <summary>Counts what waits, up to a bound. Thread-safe.</summary>
/// <remarks>One that is refused is not counted even for a moment: another one would be refused that there is room for.</remarks>
/// <param name="most">How many may wait.</param>
internal sealed class QueueBound(int most)
{
    private int _count;

    public int Most => most;

    public int Count => Volatile.Read(ref _count);

    /// <summary>Counts one more; false if as many wait as may.</summary>
    public bool TryEnter()
    {
        int count = Volatile.Read(ref _count);
        while (count < most)
        {
            int found = Interlocked.CompareExchange(ref _count, count + 1, count);
            if (found == count)
                return true;
            count = found;
        }

        return false;
    }

    /// <summary>Counts one less.</summary>
    public void Leave() => Interlocked.Decrement(ref _count);
}
