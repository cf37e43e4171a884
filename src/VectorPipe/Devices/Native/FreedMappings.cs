using System.Diagnostics;

namespace VectorPipe.Devices.Native;

/// <summary>Keeps mappings that were freed a short time ago for the next block of their length.</summary>
/// <remarks>
/// <para>Thread-safe. A process that searches many indexes opens and closes a device queue for nearly every search, and the pages of a
/// fresh mapping cost a fault each (docs/decisions.md#memory-of-closed-queues).</para>
/// <para>Bounded: what does not fit is given back to the system, the oldest first.</para>
/// </remarks>
internal static class FreedMappings
{
    /// <summary>Bytes of mappings that are kept at most.</summary>
    public const nuint MostBytes = 16 << 20;

    // A quarter of all: a larger block is rare, and lives long.
    private const nuint MostLength = MostBytes / 4;

    private static readonly Lock _gate = new();
    private static readonly List<(nint Mapping, nuint Length)> _kept = [];
    private static nuint _bytes;

    /// <summary>Bytes that are kept.</summary>
    public static nuint Bytes
    {
        get
        {
            lock (_gate)
                return _bytes;
        }
    }

    /// <summary>Takes a mapping of a length, whose content is that of its last owner; 0 if none is kept.</summary>
    public static nint Take(nuint length)
    {
        if (length > MostLength)
            return 0;
        lock (_gate)
        {
            // The latest is the likeliest to be in a cache of the processor.
            for (int i = _kept.Count - 1; i >= 0; i--)
            {
                if (_kept[i].Length != length)
                    continue;
                nint mapping = _kept[i].Mapping;
                _kept.RemoveAt(i);
                _bytes -= length;
                AssertInvariants();
                return mapping;
            }
        }

        return 0;
    }

    /// <summary>Keeps a mapping, or gives it back to the system.</summary>
    public static void Give(nint mapping, nuint length)
    {
        if (length > MostLength)
        {
            _ = Libc.Munmap(mapping, length);
            return;
        }

        lock (_gate)
        {
            _kept.Add((mapping, length));
            _bytes += length;
            while (_bytes > MostBytes)
            {
                (nint oldest, nuint oldestLength) = _kept[0];
                _kept.RemoveAt(0);
                _bytes -= oldestLength;
                _ = Libc.Munmap(oldest, oldestLength);
            }

            AssertInvariants();
        }
    }

    [Conditional("DEBUG")]
    private static void AssertInvariants()
    {
        nuint bytes = 0;
        foreach ((_, nuint length) in _kept)
            bytes += length;
        Debug.Assert(bytes == _bytes && bytes <= MostBytes, "the bytes of the kept mappings are counted, and bounded");
    }
}
