namespace VectorPipe.Tests.Crash;

/// <summary>Kinds of operation on storage.</summary>
internal enum StorageOperationKind
{
    CreateDirectory,
    Create,
    Write,
    Sync,
    Rename,
    Delete,
    SyncDirectory,
}
