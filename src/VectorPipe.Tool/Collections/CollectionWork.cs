namespace VectorPipe.Tool.Collections;

/// <summary>Runs work with the type of a collection's keys.</summary>
internal static class CollectionWork
{
    public static Task<int> RunAsync(string directory, ICollectionWork work, CancellationToken cancellationToken)
    {
        CollectionInfo info = VectorCollection.Inspect(directory);
        return info.KeyType switch
        {
            KeyType.UInt64 => work.RunAsync<ulong>(info, cancellationToken),
            KeyType.Int64 => work.RunAsync<long>(info, cancellationToken),
            KeyType.Int32 => work.RunAsync<int>(info, cancellationToken),
            KeyType.Guid => work.RunAsync<Guid>(info, cancellationToken),
            _ => work.RunAsync<string>(info, cancellationToken),
        };
    }
}
