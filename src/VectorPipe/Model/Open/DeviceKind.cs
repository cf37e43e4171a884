namespace VectorPipe;

/// <summary>How an index's files are read.</summary>
public enum DeviceKind
{
    /// <summary>
    /// io_uring where a real read succeeds through it, else <see cref="Portable"/>; the choice and its reason are logged.
    /// </summary>
    Auto = 0,

    /// <summary>Linux io_uring; opening fails if it cannot be had.</summary>
    Uring = 1,

    /// <summary>Blocking reads on a bounded number of own threads; any operating system.</summary>
    Portable = 2,

    /// <summary>The file is read into memory once; a read is a copy on the calling thread.</summary>
    Memory = 3,
}
