namespace VectorPipe.Tool.Collections;

/// <summary>Work on a collection whose type of keys is found in its directory.</summary>
internal interface ICollectionWork
{
    /// <summary>Does the work and returns the exit code.</summary>
    Task<int> RunAsync<TKey>(CollectionInfo info, CancellationToken cancellationToken)
        where TKey : notnull, IParsable<TKey>;
}
