namespace VectorPipe.Tests.Building.Paging;

/// <summary>How a scratch file is damaged after it was written.</summary>
public enum ScratchDamage
{
    /// <summary>A bit of a write is flipped.</summary>
    FlippedBit,

    /// <summary>A write does not happen.</summary>
    LostWrite,

    /// <summary>The file is cut off in the middle after a write.</summary>
    CutFile,

    /// <summary>The file's name is gone after a write.</summary>
    MissingFile,
}
