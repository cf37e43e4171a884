namespace VectorPipe.Tests.Crash;

/// <summary>How a storage operation fails.</summary>
public enum StorageFault
{
    /// <summary>The disk reports an error; nothing happened.</summary>
    IoError,

    /// <summary>The disk is full; nothing happened.</summary>
    DiskFull,

    /// <summary>Half of a write happened; operations that are no writes fail as with <see cref="IoError"/>.</summary>
    ShortWrite,

    /// <summary>The process is dead: this operation and all later ones do not happen.</summary>
    Death,

    /// <summary>As <see cref="Death"/>, in the middle of a write.</summary>
    DeathInWrite,
}
