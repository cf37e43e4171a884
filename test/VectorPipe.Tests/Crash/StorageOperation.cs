namespace VectorPipe.Tests.Crash;

/// <summary>An operation that a recording storage has seen.</summary>
/// <param name="Kind">The kind of operation.</param>
/// <param name="File">Number of the file, which it keeps when it is renamed; -1 for a directory.</param>
/// <param name="Name">Name of the file at the time, or path of the directory.</param>
/// <param name="NewName">Name after a rename.</param>
/// <param name="Offset">The begin of a write, or a new length.</param>
/// <param name="Bytes">The written bytes. The lock file is always written whole; this is empty when it is emptied.</param>
internal sealed record StorageOperation(
    StorageOperationKind Kind, int File, string Name, string NewName = "", long Offset = 0, byte[]? Bytes = null)
{
    /// <summary>Whether a loss of power can undo it.</summary>
    public bool Changes =>
        Kind is StorageOperationKind.Create or StorageOperationKind.Write or StorageOperationKind.SetLength or StorageOperationKind.Rename
            or StorageOperationKind.Delete;

    /// <summary>Whether it creates or deletes a directory.</summary>
    public bool ChangesFolder => Kind is StorageOperationKind.CreateDirectory or StorageOperationKind.DeleteDirectory;

    /// <summary>Whether a later sync makes it durable.</summary>
    /// <remarks>A sync of the file does so for a write or a length, a sync of the directory for a name.</remarks>
    /// <param name="sync">The later operation.</param>
    /// <param name="directory">The directory of all files; null if names are paths.</param>
    public bool IsSyncedBy(StorageOperation sync, string? directory) => Kind is StorageOperationKind.Write or StorageOperationKind.SetLength
        ? sync.Kind == StorageOperationKind.Sync && sync.File == File
        : sync.Kind == StorageOperationKind.SyncDirectory && sync.Name == (directory ?? FolderOf(Name));

    private static string FolderOf(string path) => Path.GetDirectoryName(path) is { Length: > 0 } folder ? folder : ".";

    /// <summary>Whether it can happen in part: a write of bytes to a file or to the lock.</summary>
    public bool IsWrite => Kind == StorageOperationKind.Write || (Kind == StorageOperationKind.Lock && Bytes is { Length: > 0 });

    public override string ToString() => Kind switch
    {
        StorageOperationKind.Lock when IsWrite => $"write {Bytes!.Length} bytes of {Name}",
        StorageOperationKind.Write => $"write {Bytes!.Length} bytes of {Name} at {Offset}",
        StorageOperationKind.SetLength => $"set the length of {Name} to {Offset}",
        StorageOperationKind.Rename => $"rename {Name} to {NewName}",
        _ => $"{Kind} {Name}",
    };
}
