namespace VectorPipe.Tests.Crash;

/// <summary>Kinds of operation on storage.</summary>
internal enum StorageOperationKind
{
    CreateDirectory,
    Lock,
    Create,
    Open,
    Write,
    SetLength,
    Sync,
    Rename,
    Delete,
    DeleteDirectory,
    SyncDirectory,
}
