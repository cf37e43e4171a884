namespace VectorPipe.Devices.Native;

/// <summary>How an operating system reserves addresses, and gives and takes the memory behind them part by part.</summary>
/// <remarks>Thread-safe; of one part, only one call at a time. Parts are whole pages of <see cref="Environment.SystemPageSize"/>.</remarks>
internal unsafe interface IReservedMemory
{
    /// <summary>Reserves addresses without memory behind them.</summary>
    /// <exception cref="InsufficientMemoryException">There are none.</exception>
    byte* Reserve(long bytes);

    /// <summary>Gives memory to a part that has none: zeros. Nothing may touch the part before.</summary>
    /// <exception cref="InsufficientMemoryException">There is none.</exception>
    void Take(byte* first, long bytes);

    /// <summary>Gives the memory of a part back to the system. Nothing may touch the part before it is taken again.</summary>
    /// <exception cref="InvalidOperationException">The system refused.</exception>
    void GiveBack(byte* first, long bytes);

    /// <summary>Frees all that was reserved together.</summary>
    void Free(byte* first, long bytes);
}
