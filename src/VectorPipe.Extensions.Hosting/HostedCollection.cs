using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace VectorPipe.Extensions.Hosting;

/// <summary>Opens a collection before the other services start, or are made with it, and closes it after they have stopped.</summary>
/// <remarks>So no request meets a collection that is not open yet, or not any more.</remarks>
internal sealed class HostedCollection<TKey>(
    string name, IOptionsMonitor<VectorCollectionSettings> settings, HostedTenants tenants, ILoggerFactory? loggers)
    : IHostedLifecycleService, IHostedCollection, IAsyncDisposable
    where TKey : notnull
{
    private readonly Lock _lock = new();
    private volatile VectorCollection<TKey>? _collection;
    private Task<VectorCollection<TKey>>? _opening;
    private bool _isClosed;

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public CollectionStatus? Status => _collection?.Status;

    /// <summary>The collection. If the host has not started yet, it is opened meanwhile.</summary>
    /// <remarks>A host makes its services before it starts the first of them, and one of them may ask for a collection then.</remarks>
    /// <exception cref="InvalidOperationException">The host has stopped.</exception>
    public VectorCollection<TKey> Collection => _collection ?? OpenOnceAsync(CancellationToken.None).GetAwaiter().GetResult();

    /// <inheritdoc/>
    public async Task StartingAsync(CancellationToken cancellationToken)
    {
        VectorCollection<TKey> collection = await OpenOnceAsync(cancellationToken).ConfigureAwait(false);
        await WarmUpAsync(collection, collection.Schema, cancellationToken).ConfigureAwait(false);
    }

    private Task<VectorCollection<TKey>> OpenOnceAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            if (_isClosed)
            {
                throw new InvalidOperationException(
                    $"Expected the host to run while the collection \"{name}\" is used: it is closed when the host stops.");
            }

            return _opening is null or { IsFaulted: true } or { IsCanceled: true }
                ? _opening = Task.Run(() => OpenAsync(cancellationToken), cancellationToken)
                : _opening;
        }
    }

    private async Task<VectorCollection<TKey>> OpenAsync(CancellationToken cancellationToken)
    {
        VectorCollectionSettings given = settings.Get(name);
        OpenOptions open = OpenOptions.Default with
        {
            Engine = tenants.Get(given.Tenant),
            CacheBytes = given.CacheBytes,
            FollowQueries = given.FollowQueries,
            LoggerFactory = loggers,
        };
        return _collection = await VectorCollection<TKey>.OpenAsync(
            given.Directory, given.ToSchema(),
            new CollectionOptions { Durability = given.Durability, ReadOnly = given.ReadOnly, Open = open },
            cancellationToken).ConfigureAwait(false);
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
        Task<VectorCollection<TKey>>? opening;
        lock (_lock)
        {
            _isClosed = true;
            opening = _opening;
        }

        if (opening is not null)
            await ((Task)opening).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
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
