namespace VectorPipe;

/// <summary>The device that reads an index's files.</summary>
public enum DeviceKind
{
    /// <summary>
    /// io_uring if a trial read succeeds, else <see cref="Portable"/>; the choice and its reason are logged.
    /// </summary>
    Auto = 0,

    /// <summary>Linux io_uring; opening fails if it is not available.</summary>
    Uring = 1,

    /// <summary>Blocking reads on a bounded number of threads of its own; any operating system.</summary>
    Portable = 2,

    /// <summary>The files are read into memory once; a read is a copy on the calling thread.</summary>
    Memory = 3,
}
