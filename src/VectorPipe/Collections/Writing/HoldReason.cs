namespace VectorPipe.Collections.Writing;

/// <summary>Why writes wait.</summary>
[Flags]
internal enum HoldReason
{
    /// <summary>As much as a rebuild takes in has been written again before it has ended.</summary>
    Rebuild = 1,

    /// <summary>An import makes the first generation: what it will hold is not known yet.</summary>
    Import = 2,
}
