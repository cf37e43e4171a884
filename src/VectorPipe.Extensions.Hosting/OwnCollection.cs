namespace VectorPipe.Extensions.Hosting;

/// <summary>A collection that the program opens itself.</summary>
internal sealed class OwnCollection(string name, Func<CollectionStatus?> status) : IHostedCollection
{
    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public CollectionStatus? Status => status();
}
