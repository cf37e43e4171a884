namespace VectorPipe.Collections.Writing;

/// <summary>Why writes wait.</summary>
[Flags]
internal enum HoldReason
{
    /// <summary>So much waits for a checkpoint or a rebuild, or is kept for the next generation, that no more may come.</summary>
    Rebuild = 1,

    /// <summary>An import makes the first generation: what it will hold is not known yet.</summary>
    Import = 2,
}
