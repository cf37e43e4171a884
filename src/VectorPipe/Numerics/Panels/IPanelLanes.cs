namespace VectorPipe.Numerics.Panels;

/// <summary>One register of a panel: a 32-bit word, or the running sum, of each of several candidates.</summary>
/// <remarks>
/// Implementations are wrappers of one vector type; the JIT removes them, so that one kernel source serves every instruction set.
/// </remarks>
/// <typeparam name="TSelf">The implementing type.</typeparam>
internal unsafe interface IPanelLanes<TSelf>
    where TSelf : struct, IPanelLanes<TSelf>
{
    /// <summary>Candidates a register holds: 1, 4, 8 or 16.</summary>
    static abstract int Count { get; }

    /// <summary>Whether this processor has the instructions.</summary>
    static abstract bool IsSupported { get; }

    /// <summary>Reads a word of each candidate, or their sums.</summary>
    static abstract TSelf Load(byte* words);

    /// <summary>Reads one word into all lanes.</summary>
    static abstract TSelf Broadcast(byte* word);

    /// <summary>Adds the terms of one word of the row and of the candidates to the sums.</summary>
    static abstract TSelf Accumulate(TSelf sums, TSelf panel, TSelf row);

    /// <summary>Writes the sums.</summary>
    static abstract void Store(TSelf sums, byte* target);
}
