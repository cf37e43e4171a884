namespace VectorPipe.Extensions.VectorData;

/// <summary>The collections that a store has opened: each once, however many objects stand for it, as it has one writer.</summary>
/// <remarks>Safe for any number of callers. They share an engine: a store may have many.</remarks>
internal sealed class OpenCollections : IDisposable
{
    private readonly CollectionOptions _options;

    // Its own; null if the options name one.
    private readonly VectorPipeEngine? _engine;
    private readonly Dictionary<string, IDisposable> _open = new(StringComparer.Ordinal);
    private readonly SemaphoreSlim _gate = new(1);
    private bool _isDisposed;

    /// <param name="directory">Directory of the store.</param>
    /// <param name="options">Options of each collection.</param>
    public OpenCollections(string directory, CollectionOptions options)
    {
        Directory = directory;
        OpenOptions open = options.Open ?? OpenOptions.Default;
        if (open.Engine is null)
        {
            var shared = new VectorPipeEngineOptions { SearchThreads = open.SearchThreads ?? Environment.ProcessorCount };
            _engine = new VectorPipeEngine(shared);
            open = open with { Engine = _engine, SearchThreads = null };
        }

        _options = options with { Open = open };
    }

    /// <summary>Directory of the store.</summary>
    public string Directory { get; }

    /// <summary>Whether a collection exists.</summary>
    public bool Exists(string name) => CollectionNames.IsCollection(CollectionNames.PathOf(Directory, name));

    /// <summary>The collection, if it is open with keys of this type; else null.</summary>
    public VectorCollection<TKey>? Find<TKey>(string name)
        where TKey : notnull
    {
        lock (_open)
            return _open.GetValueOrDefault(name) as VectorCollection<TKey>;
    }

    /// <summary>Opens a collection, or returns the one that is open.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="schema">Its schema.</param>
    /// <param name="isCreated">Whether it is created if it does not exist.</param>
    /// <param name="cancellationToken">Cancels the opening.</param>
    /// <exception cref="InvalidOperationException">It is open with keys of another type or with another schema.</exception>
    /// <exception cref="VectorPipeException">It cannot be opened, or does not exist and is not to be created.</exception>
    public async Task<VectorCollection<TKey>> OpenAsync<TKey>(
        string name, CollectionSchema schema, bool isCreated, CancellationToken cancellationToken)
        where TKey : notnull
    {
        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            ObjectDisposedException.ThrowIf(_isDisposed, typeof(VectorPipeVectorStore));
            IDisposable? found;
            lock (_open)
                found = _open.GetValueOrDefault(name);
            if (found is not null)
                return Check<TKey>(name, schema, found);
            if (!isCreated && !Exists(name))
            {
                throw new IndexNotFoundException(
                    $"expected a collection \"{name}\" in {Directory}, found none: call EnsureCollectionExistsAsync first");
            }

            VectorCollection<TKey> opened = await OpenAsync<TKey>(
                CollectionNames.PathOf(Directory, name), schema, cancellationToken).ConfigureAwait(false);
            lock (_open)
                _open.Add(name, opened);
            return opened;
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <summary>Closes a collection and deletes its directory; does nothing if it does not exist.</summary>
    public async Task DeleteAsync(string name, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            IDisposable? open;
            lock (_open)
                _open.Remove(name, out open);
            if (open is IAsyncDisposable closing)
                await closing.DisposeAsync().ConfigureAwait(false);
            string path = CollectionNames.PathOf(Directory, name);
            await Task.Run(() => VectorCollection.Delete(path), cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <summary>Closes all.</summary>
    public void Dispose()
    {
        _gate.Wait();
        try
        {
            _isDisposed = true;
            IDisposable[] open;
            lock (_open)
            {
                open = [.. _open.Values];
                _open.Clear();
            }

            foreach (IDisposable collection in open)
                collection.Dispose();
            _engine?.Dispose();
        }
        finally
        {
            _gate.Release();
        }
    }

    private async Task<VectorCollection<TKey>> OpenAsync<TKey>(string path, CollectionSchema schema, CancellationToken cancellationToken)
        where TKey : notnull
    {
        try
        {
            return await VectorCollection<TKey>.OpenAsync(path, schema, _options, cancellationToken).ConfigureAwait(false);
        }
        catch (ArgumentException e)
        {
            // The schema is no argument of whoever calls this.
            throw new InvalidOperationException(e.Message, e);
        }
    }

    private static VectorCollection<TKey> Check<TKey>(string name, CollectionSchema schema, IDisposable found)
        where TKey : notnull
    {
        if (found is not VectorCollection<TKey> collection)
        {
            throw new InvalidOperationException(
                $"Expected keys of \"{name}\" to be {found.GetType().GetGenericArguments()[0].Name}, as it is open, "
                + $"found {typeof(TKey).Name}.");
        }

        return collection.Schema.Equals(schema)
            ? collection
            : throw new InvalidOperationException(
                $"Expected the schema with which \"{name}\" is open: {collection.Schema.Describe()}; found {schema.Describe()}.");
    }
}
