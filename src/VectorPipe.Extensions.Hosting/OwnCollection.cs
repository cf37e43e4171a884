namespace VectorPipe.Extensions.Hosting;

/// <summary>A collection that the program opens itself.</summary>
internal sealed class OwnCollection(string name, Func<CollectionStatus?> status) : IHostedCollection
{
    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public CollectionStatus? Status => status();

    /// <inheritdoc/>
    /// <remarks>Only the program can search it: an error of its device stays until a search of the program reads again.</remarks>
    public Task TryAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
