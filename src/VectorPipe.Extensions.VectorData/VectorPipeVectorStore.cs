using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.VectorData;
using Microsoft.Extensions.VectorData.ProviderServices;

namespace VectorPipe.Extensions.VectorData;

/// <summary>Collections in the directories below one, as a store of Microsoft.Extensions.VectorData.</summary>
/// <remarks>
/// <para>Thread-safe. A collection is opened at its first use and closed with the store; all objects of one name share it. Other stores
/// and processes cannot write to it meanwhile.</para>
/// <para>Keys are int, long, ulong, Guid or string. Indexed data properties become attributes, on which filters work; the others are
/// stored beside them.</para>
/// </remarks>
public sealed class VectorPipeVectorStore : VectorStore
{
    private readonly VectorPipeVectorStoreOptions _options;
    private readonly OpenCollections _collections;
    private readonly StoreErrors _errors;
    private readonly VectorStoreMetadata _metadata;

    /// <summary>Makes a store of a directory; nothing is read or written yet.</summary>
    /// <param name="directory">The directory; it need not exist.</param>
    /// <param name="options">How collections are opened; null for the defaults.</param>
    /// <exception cref="ArgumentException"><paramref name="directory"/> is empty.</exception>
    public VectorPipeVectorStore(string directory, VectorPipeVectorStoreOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(directory);
        _options = options ?? new VectorPipeVectorStoreOptions();
        Directory = Path.GetFullPath(directory);
        _collections = new OpenCollections(Directory, _options.CollectionOptions ?? new CollectionOptions());
        _errors = new StoreErrors(Directory, null);
        _metadata = new VectorStoreMetadata { VectorStoreSystemName = StoreErrors.SystemName, VectorStoreName = Directory };
    }

    /// <summary>Full path of the directory.</summary>
    public string Directory { get; }

    /// <inheritdoc/>
    [RequiresDynamicCode("The properties of the record are found and set by reflection. Use GetDynamicCollection instead.")]
    [RequiresUnreferencedCode("The properties of the record are found by reflection. Use GetDynamicCollection instead.")]
    public override VectorStoreCollection<TKey, TRecord> GetCollection<TKey, TRecord>(
        string name, VectorStoreCollectionDefinition? definition = null)
    {
        if (typeof(TRecord) == typeof(Dictionary<string, object?>))
            throw new ArgumentException(VectorDataStrings.GetCollectionWithDictionaryNotSupported);
        CollectionModel model = new RecordModelBuilder().Build(
            typeof(TRecord), typeof(TKey), definition, definition?.EmbeddingGenerator ?? _options.EmbeddingGenerator);
        return new RecordCollection<TKey, TKey, TRecord>(_collections, CheckedName(name), model, key => key);
    }

    /// <inheritdoc/>
    public override VectorStoreCollection<object, Dictionary<string, object?>> GetDynamicCollection(
        string name, VectorStoreCollectionDefinition definition)
    {
        ArgumentNullException.ThrowIfNull(definition);
        CollectionModel model = new RecordModelBuilder().BuildDynamic(
            definition, definition.EmbeddingGenerator ?? _options.EmbeddingGenerator);
        Type key = model.KeyProperty.Type;
        if (key == typeof(int))
            return Dynamic<int>(name, model);
        if (key == typeof(long))
            return Dynamic<long>(name, model);
        if (key == typeof(ulong))
            return Dynamic<ulong>(name, model);
        return key == typeof(Guid) ? Dynamic<Guid>(name, model) : Dynamic<string>(name, model);
    }

    /// <inheritdoc/>
    public override async IAsyncEnumerable<string> ListCollectionNamesAsync(
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        string[] names = await _errors.RunAsync(
            "ListCollectionNames", () => Task.Run(() => CollectionNames.In(Directory), cancellationToken)).ConfigureAwait(false);
        foreach (string name in names)
        {
            cancellationToken.ThrowIfCancellationRequested();
            yield return name;
        }
    }

    /// <inheritdoc/>
    public override Task<bool> CollectionExistsAsync(string name, CancellationToken cancellationToken = default)
    {
        CheckedName(name);
        return _errors.RunAsync("CollectionExists", () => Task.Run(() => _collections.Exists(name), cancellationToken));
    }

    /// <inheritdoc/>
    public override Task EnsureCollectionDeletedAsync(string name, CancellationToken cancellationToken = default)
    {
        CheckedName(name);
        return _errors.RunAsync("EnsureCollectionDeleted", () => _collections.DeleteAsync(name, cancellationToken));
    }

    /// <inheritdoc/>
    public override object? GetService(Type serviceType, object? serviceKey = null)
    {
        ArgumentNullException.ThrowIfNull(serviceType);
        if (serviceKey is not null)
            return null;
        return serviceType == typeof(VectorStoreMetadata) ? _metadata : serviceType.IsInstanceOfType(this) ? this : null;
    }

    /// <summary>Closes all collections. Writes that were acknowledged are on disk, or as durable as the options say.</summary>
    /// <param name="disposing">Whether it is called by <see cref="VectorStore.Dispose()"/>.</param>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
            _collections.Dispose();
        base.Dispose(disposing);
    }

    private static string CheckedName(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return name;
    }

    private RecordCollection<object, TKey, Dictionary<string, object?>> Dynamic<TKey>(string name, CollectionModel model)
        where TKey : notnull => new(
            _collections, CheckedName(name), model,
            key => key is TKey typed
                ? typed
                : throw new ArgumentException($"Expected a key of {typeof(TKey).Name}, found {key.GetType().Name}.", nameof(key)));
}
