using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace VectorPipe.Extensions.Hosting;

/// <summary>Opens a collection before the other services start, and closes it after they have stopped.</summary>
/// <remarks>So no request meets a collection that is not open yet, or not any more.</remarks>
internal sealed class HostedCollection<TKey>(
    string name, IOptionsMonitor<VectorCollectionSettings> settings, HostedTenants tenants, ILoggerFactory? loggers)
    : IHostedLifecycleService, IHostedCollection, IAsyncDisposable
    where TKey : notnull
{
    private volatile VectorCollection<TKey>? _collection;

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public CollectionStatus? Status => _collection?.Status;

    /// <summary>The collection.</summary>
    /// <exception cref="InvalidOperationException">The host has not started, or has stopped.</exception>
    public VectorCollection<TKey> Collection => _collection ?? throw new InvalidOperationException(
        $"Expected the host to run before the collection \"{name}\" is used: it is opened when the host starts, and closed when it stops.");

    /// <inheritdoc/>
    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        VectorCollectionSettings given = settings.Get(name);
        OpenOptions open = OpenOptions.Default with
        {
            Engine = tenants.Get(given.Tenant),
            CacheBytes = given.CacheBytes,
            FollowQueries = given.FollowQueries,
            LoggerFactory = loggers,
        };
        CollectionSchema schema = given.ToSchema();
        _collection = await VectorCollection<TKey>.OpenAsync(
            given.Directory, schema, new CollectionOptions { Durability = given.Durability, ReadOnly = given.ReadOnly, Open = open },
            cancellationToken).ConfigureAwait(false);
        await WarmUpAsync(_collection, schema, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Makes all writes durable and closes the collection.</summary>
    public async Task StoppedAsync(CancellationToken cancellationToken)
    {
        if (_collection is { Status: { IsReadOnly: false } } open)
            await open.FlushAsync(cancellationToken).ConfigureAwait(false);
        await DisposeAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async Task TryAsync(CancellationToken cancellationToken)
    {
        try
        {
            if (_collection is { } open)
                await WarmUpAsync(open, open.Schema, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is VectorPipeException or ObjectDisposedException)
        {
            // The status says it.
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        VectorCollection<TKey>? open = _collection;
        _collection = null;
        if (open is not null)
            await open.DisposeAsync().ConfigureAwait(false);
    }

    // The first search makes machine code and starts the threads: not at the cost of the first caller.
    private static async Task WarmUpAsync(
        VectorCollection<TKey> collection, CollectionSchema schema, CancellationToken cancellationToken)
    {
        switch (schema.ElementType)
        {
            case VectorElementType.Float32:
                await SearchAsync(collection, Ones<float>(schema, 1), cancellationToken).ConfigureAwait(false);
                break;
            case VectorElementType.Float16:
                await SearchAsync(collection, Ones(schema, (Half)1), cancellationToken).ConfigureAwait(false);
                break;
            case VectorElementType.UInt8:
                await SearchAsync(collection, Ones<byte>(schema, 1), cancellationToken).ConfigureAwait(false);
                break;
            case VectorElementType.Int8:
                await SearchAsync(collection, Ones<sbyte>(schema, 1), cancellationToken).ConfigureAwait(false);
                break;
        }
    }

    private static ReadOnlyMemory<T> Ones<T>(CollectionSchema schema, T one)
    {
        var vector = new T[schema.Dimension];
        vector.AsSpan().Fill(one);
        return vector;
    }

    private static async Task SearchAsync<T>(
        VectorCollection<TKey> collection, ReadOnlyMemory<T> query, CancellationToken cancellationToken)
        where T : unmanaged => await collection.SearchAsync(query, 10, cancellationToken: cancellationToken).ConfigureAwait(false);
}
