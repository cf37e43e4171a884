namespace VectorPipe.Devices;

/// <summary>What reads the pages of an index.</summary>
public enum DeviceKind
{
    /// <summary>io_uring where a real read through it succeeds, else portable.</summary>
    Auto = 0,

    /// <summary>Linux io_uring with direct reads; an error where it is missing or forbidden.</summary>
    Uring = 1,

    /// <summary>Positioned reads on own threads; any operating system.</summary>
    Portable = 2,

    /// <summary>The node file is read into memory when the index is opened; reads complete inline.</summary>
    Memory = 3,

    /// <summary>As <see cref="Memory"/>, but reads go through a ring to an own thread, whose capacity is the throttle.</summary>
    MemoryRing = 4,
}
