using System.Diagnostics;
using System.Runtime.CompilerServices;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Records;

/// <summary>
/// Verified pages of record files in memory, so that hits of a search need no reads for their keys, attributes and payloads.
/// </summary>
/// <remarks>
/// A page has eight places, and takes the one that was filled first. Thread-safe without locks: pages of record files never change, and a
/// place is replaced as a whole.
/// </remarks>
internal sealed class RecordPageCache
{
    // Enough for pages of two files, and of those that checkpoints add, to share a set without one losing its place.
    private const int Ways = 8;

    // A page in an array of its own, what is known about it, and the place.
    private const int PlaceBytes = PageCodec.PageUnit + 96;

    private readonly Place?[] _places;
    private int _clock;

    private RecordPageCache(int places)
    {
        _places = new Place?[places];
    }

    /// <summary>Bytes of memory when it is full.</summary>
    public long Bytes => _places.LongLength * PlaceBytes;

    /// <summary>A cache of at most so many bytes; null if they hold no eight pages.</summary>
    public static RecordPageCache? Of(long bytes)
    {
        long sets = Math.Min(bytes / PlaceBytes, Array.MaxLength) / Ways;
        return sets > 0 ? new RecordPageCache((int)sets * Ways) : null;
    }

    /// <summary>A page, which nobody changes, also when it has lost its place; empty if it is not here.</summary>
    public ReadOnlySpan<byte> Find(VerifiedPages file, long number)
    {
        foreach (ref Place? at in SetOf(file, number))
        {
            if (Volatile.Read(ref at) is { } place && place.File == file && place.Number == number)
                return place.Bytes;
        }

        return default;
    }

    /// <summary>Takes a page in.</summary>
    public void Keep(VerifiedPages file, long number, ReadOnlySpan<byte> page)
    {
        Debug.Assert(page.Length == PageCodec.PageUnit, "a page");
        Span<Place?> set = SetOf(file, number);
        int first = 0;
        int now = Interlocked.Increment(ref _clock);
        long oldest = -1;
        for (int i = 0; i < set.Length; i++)
        {
            // Differences are right also when the clock runs over.
            long age = Volatile.Read(ref set[i]) is { } place ? (uint)(now - place.Time) : long.MaxValue;
            if (age > oldest)
                (oldest, first) = (age, i);
        }

        Volatile.Write(ref set[first], new Place(file, number, now, page.ToArray()));
    }

    private Span<Place?> SetOf(VerifiedPages file, long number)
    {
        // Pages of a file go round the sets: with half of the places filled, none has too many. By a hash of file and page, one in fifty
        // had, and of 20 pages looked up 0.02 to 0.14 were read again.
        uint set = ((uint)RuntimeHelpers.GetHashCode(file) + (uint)number) % (uint)(_places.Length / Ways);
        return _places.AsSpan((int)set * Ways, Ways);
    }

    private sealed record Place(VerifiedPages File, long Number, int Time, byte[] Bytes);
}
