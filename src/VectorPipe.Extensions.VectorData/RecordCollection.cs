using System.Linq.Expressions;
using System.Runtime.CompilerServices;
using Microsoft.Extensions.AI;
using Microsoft.Extensions.VectorData;
using Microsoft.Extensions.VectorData.ProviderServices;
using VectorPipe.Tasks;
using Kinds = Microsoft.Extensions.VectorData.IndexKind;

namespace VectorPipe.Extensions.VectorData;

/// <summary>A collection of records, as Microsoft.Extensions.VectorData sees it.</summary>
/// <typeparam name="TOuter">Type of keys for callers: object for dynamic collections.</typeparam>
/// <typeparam name="TKey">Type of keys in the collection.</typeparam>
/// <typeparam name="TRecord">Type of records.</typeparam>
/// <remarks>Thread-safe. It closes nothing: the store does.</remarks>
internal sealed class RecordCollection<TOuter, TKey, TRecord> : VectorStoreCollection<TOuter, TRecord>
    where TOuter : notnull
    where TKey : notnull
    where TRecord : class
{
    // Records of which embeddings are made together.
    private const int RecordsTogether = 512;

    // Searches under way at once that find a buffer which others have used before, and hits of one that is kept.
    private const int MostIdleHits = 256;
    private const int MostHitsKept = 1024;

    private const string SearchName = "Search";

    private static readonly VectorSearchOptions<TRecord> _noOptions = new();

    private readonly OpenCollections _collections;
    private readonly CollectionModel _model;
    private readonly Func<TOuter, TKey> _toKey;
    private readonly RecordMapper<TKey, TRecord> _mapper;
    private readonly CollectionSchema _schema;
    private readonly ScoreScale _scale;
    private readonly SearchOptions? _search;
    private readonly StoreErrors _errors;
    private readonly VectorStoreCollectionMetadata _metadata;
    private readonly IdleObjects<CollectionHitBuffer<TKey>> _idleHits = new(MostIdleHits);

    public RecordCollection(
        OpenCollections collections, string name, CollectionModel model, Func<TOuter, TKey> toKey,
        RecordConverter<TRecord>? converter = null)
    {
        _collections = collections;
        _model = model;
        _toKey = toKey;
        Name = name;
        _schema = Schemas.Of(model);
        _scale = ScoreScale.Of(model.VectorProperty);
        _search = model.VectorProperty.IndexKind == Kinds.Flat ? new SearchOptions { Mode = SearchMode.Exact } : null;
        _mapper = new RecordMapper<TKey, TRecord>(model, converter);
        _errors = new StoreErrors(collections.Directory, name);
        _metadata = new VectorStoreCollectionMetadata
        {
            VectorStoreSystemName = StoreErrors.SystemName,
            VectorStoreName = collections.Directory,
            CollectionName = name,
        };
    }

    /// <inheritdoc/>
    public override string Name { get; }

    private bool MakesEmbeddings => !RecordModelBuilder.IsVector(_model.VectorProperty.Type);

    /// <inheritdoc/>
    public override Task<bool> CollectionExistsAsync(CancellationToken cancellationToken = default) =>
        _errors.RunAsync("CollectionExists", () => Task.Run(() => _collections.Exists(Name), cancellationToken));

    /// <inheritdoc/>
    public override Task EnsureCollectionExistsAsync(CancellationToken cancellationToken = default) => _errors.RunAsync(
        "EnsureCollectionExists", () => _collections.OpenAsync<TKey>(Name, _schema, isCreated: true, cancellationToken));

    /// <inheritdoc/>
    public override Task EnsureCollectionDeletedAsync(CancellationToken cancellationToken = default) =>
        _errors.RunAsync("EnsureCollectionDeleted", () => _collections.DeleteAsync(Name, cancellationToken));

    /// <inheritdoc/>
    public override Task<TRecord?> GetAsync(
        TOuter key, RecordRetrievalOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        TKey inner = _toKey(key);
        Include include = IncludeOf(options?.IncludeVectors ?? false);
        return _errors.RunAsync("Get", async () =>
        {
            VectorCollection<TKey> collection = await OpenAsync(cancellationToken).ConfigureAwait(false);
            CollectionRecord<TKey>? found = await collection.GetAsync(inner, include, cancellationToken).ConfigureAwait(false);
            return found is null ? null : ToRecord(found);
        });
    }

    /// <inheritdoc/>
    public override IAsyncEnumerable<TRecord> GetAsync(
        IEnumerable<TOuter> keys, RecordRetrievalOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        TKey[] inner = [.. keys.Select(_toKey)];
        return _errors.RunAsync(
            "GetBatch", GetManyAsync(inner, IncludeOf(options?.IncludeVectors ?? false), cancellationToken), cancellationToken);
    }

    /// <inheritdoc/>
    public override IAsyncEnumerable<TRecord> GetAsync(
        Expression<Func<TRecord, bool>> filter, int top, FilteredRecordRetrievalOptions<TRecord>? options = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(filter);
        ArgumentOutOfRangeException.ThrowIfLessThan(top, 1);
        options ??= new FilteredRecordRetrievalOptions<TRecord>();
        Filter condition = Translate(filter, "Get");
        IAsyncEnumerable<TRecord> found = ScanAsync(condition, IncludeOf(options.IncludeVectors), cancellationToken);
        return _errors.RunAsync("Get", PageAsync(found, top, options, cancellationToken), cancellationToken);
    }

    /// <inheritdoc/>
    public override Task DeleteAsync(TOuter key, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        TKey inner = _toKey(key);
        return _errors.RunAsync("Delete", async () =>
        {
            VectorCollection<TKey> collection = await OpenAsync(cancellationToken).ConfigureAwait(false);
            await collection.DeleteAsync(inner, cancellationToken).ConfigureAwait(false);
        });
    }

    /// <inheritdoc/>
    public override Task DeleteAsync(IEnumerable<TOuter> keys, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        TKey[] inner = [.. keys.Select(_toKey)];
        return _errors.RunAsync("DeleteBatch", async () =>
        {
            var writer = new BatchWriter<TKey>(await OpenAsync(cancellationToken).ConfigureAwait(false));
            foreach (TKey key in inner)
                await writer.DeleteAsync(key, cancellationToken).ConfigureAwait(false);
            await writer.FlushAsync(cancellationToken).ConfigureAwait(false);
        });
    }

    /// <inheritdoc/>
    public override Task UpsertAsync(TRecord record, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(record);
        return _errors.RunAsync("Upsert", async () =>
        {
            VectorCollection<TKey> collection = await OpenAsync(cancellationToken).ConfigureAwait(false);
            object form = _mapper.FormOf(record);
            TKey key = _mapper.KeyOf(form);
            ReadOnlyMemory<float> vector = (await VectorsOfAsync([form], cancellationToken).ConfigureAwait(false))[0];
            await collection.UpsertAsync(key, vector, _mapper.AttributesOf(form), _mapper.PayloadOf(form), cancellationToken)
                .ConfigureAwait(false);
        });
    }

    /// <inheritdoc/>
    public override Task UpsertAsync(IEnumerable<TRecord> records, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(records);
        return _errors.RunAsync("UpsertBatch", async () =>
        {
            var writer = new BatchWriter<TKey>(await OpenAsync(cancellationToken).ConfigureAwait(false));
            foreach (TRecord[] part in records.Chunk(RecordsTogether))
                await AddAsync(writer, part, cancellationToken).ConfigureAwait(false);
            await writer.FlushAsync(cancellationToken).ConfigureAwait(false);
        });
    }

    /// <inheritdoc/>
    public override IAsyncEnumerable<VectorSearchResult<TRecord>> SearchAsync<TInput>(
        TInput searchValue, int top, VectorSearchOptions<TRecord>? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(searchValue);
        ArgumentOutOfRangeException.ThrowIfLessThan(top, 1);
        options ??= _noOptions;
        _model.GetVectorPropertyOrSingle(options);
        Filter? filter = options.Filter is null ? null : Translate(options.Filter, SearchName);
        return FindAsync(searchValue, top, options, filter, IncludeOf(options.IncludeVectors), cancellationToken);
    }

    /// <inheritdoc/>
    public override object? GetService(Type serviceType, object? serviceKey = null)
    {
        ArgumentNullException.ThrowIfNull(serviceType);
        if (serviceKey is not null)
            return null;
        if (serviceType == typeof(VectorStoreCollectionMetadata))
            return _metadata;
        return serviceType == typeof(VectorCollection<TKey>) ? _collections.Find<TKey>(Name)
            : serviceType.IsInstanceOfType(this) ? this : null;
    }

    private Filter Translate(LambdaExpression filter, string operation)
    {
        try
        {
            return new LinqFilter().Translate(filter, _model);
        }
        catch (VectorPipeException e)
        {
            throw _errors.Wrap(operation, e);
        }
    }

    private ValueTask<VectorCollection<TKey>> OpenAsync(CancellationToken cancellationToken) =>
        _collections.Find<TKey>(Name) is { } open && open.Schema.Equals(_schema)
            ? ValueTask.FromResult(open)
            : new ValueTask<VectorCollection<TKey>>(_collections.OpenAsync<TKey>(Name, _schema, isCreated: false, cancellationToken));

    private Include IncludeOf(bool withVectors)
    {
        if (withVectors && MakesEmbeddings)
            throw new NotSupportedException(VectorDataStrings.IncludeVectorsNotSupportedWithEmbeddingGeneration);
        return Include.Attributes | Include.Payload | (withVectors ? Include.Vector : 0);
    }

    private TRecord ToRecord(CollectionRecord<TKey> found) =>
        _mapper.ToRecord(found.Key, found.Bytes.Span, found.Attributes, found.Payload.Span);

    private TRecord ToRecord(CollectionHitBuffer<TKey> hits, int index)
    {
        try
        {
            return _mapper.ToRecord(hits.KeyOf(index), hits.VectorOf(index), hits.AttributesOf(index), hits.PayloadOf(index));
        }
        catch (Exception e) when (StoreErrors.IsStoreError(e))
        {
            throw _errors.Wrap(SearchName, e);
        }
    }

    private async IAsyncEnumerable<TRecord> GetManyAsync(
        TKey[] keys, Include include, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        VectorCollection<TKey> collection = await OpenAsync(cancellationToken).ConfigureAwait(false);
        await foreach (CollectionRecord<TKey> found in collection.GetManyAsync(keys, include, cancellationToken).ConfigureAwait(false))
            yield return ToRecord(found);
    }

    private async IAsyncEnumerable<TRecord> ScanAsync(
        Filter filter, Include include, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        VectorCollection<TKey> collection = await OpenAsync(cancellationToken).ConfigureAwait(false);
        await foreach (CollectionRecord<TKey> found in collection.ScanAsync(filter, include, cancellationToken).ConfigureAwait(false))
            yield return ToRecord(found);
    }

    private async IAsyncEnumerable<TRecord> PageAsync(
        IAsyncEnumerable<TRecord> found, int top, FilteredRecordRetrievalOptions<TRecord> options,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        var orders = options.OrderBy?.Invoke(new()).Values;
        if (orders is not { Count: > 0 })
        {
            await foreach (TRecord record in found.Skip(options.Skip).Take(top).WithCancellation(cancellationToken).ConfigureAwait(false))
                yield return record;
            yield break;
        }

        // Keys of the order are compared in memory: no index is sorted by an attribute.
        List<TRecord> all = await found.ToListAsync(cancellationToken).ConfigureAwait(false);
        IOrderedEnumerable<TRecord>? sorted = null;
        foreach (var order in orders)
        {
            PropertyModel property = _model.GetDataOrKeyProperty(order.PropertySelector);
            Func<TRecord, object?> valueOf = record => property.GetValueAsObject(_mapper.FormOf(record));
            sorted = (sorted, order.Ascending) switch
            {
                (null, true) => all.OrderBy(valueOf),
                (null, false) => all.OrderByDescending(valueOf),
                (_, true) => sorted.ThenBy(valueOf),
                (_, false) => sorted.ThenByDescending(valueOf),
            };
        }

        foreach (TRecord record in sorted!.Skip(options.Skip).Take(top))
            yield return record;
    }

    private async Task AddAsync(BatchWriter<TKey> writer, TRecord[] records, CancellationToken cancellationToken)
    {
        object[] forms = [.. records.Select(_mapper.FormOf)];
        TKey[] keys = [.. forms.Select(_mapper.KeyOf)];
        ReadOnlyMemory<float>[] vectors = await VectorsOfAsync(forms, cancellationToken).ConfigureAwait(false);
        for (int i = 0; i < records.Length; i++)
        {
            await writer.UpsertAsync(keys[i], vectors[i], _mapper.AttributesOf(forms[i]), _mapper.PayloadOf(forms[i]), cancellationToken)
                .ConfigureAwait(false);
        }
    }

    private async Task<ReadOnlyMemory<float>[]> VectorsOfAsync(object[] records, CancellationToken cancellationToken)
    {
        if (!MakesEmbeddings)
            return [.. records.Select(record => _mapper.VectorIn(record)!.Value)];
        IReadOnlyList<Embedding> embeddings = await _model.VectorProperty
            .GenerateEmbeddingsAsync(records.Select(_model.VectorProperty.GetValueAsObject), cancellationToken).ConfigureAwait(false);
        return [.. embeddings.Select(embedding => ((Embedding<float>)embedding).Vector)];
    }

    private async Task<ReadOnlyMemory<float>> MakeVectorAsync(object value, CancellationToken cancellationToken)
    {
        VectorPropertyModel property = _model.VectorProperty;
        if (property.EmbeddingGenerationDispatcher is null)
        {
            throw new NotSupportedException(VectorDataStrings.InvalidSearchInputAndNoEmbeddingGeneratorWasConfigured(
                value.GetType(), "ReadOnlyMemory<float>, float[], Embedding<float>"));
        }

        Embedding made = await property.GenerateEmbeddingAsync(value, cancellationToken).ConfigureAwait(false);
        return ((Embedding<float>)made).Vector;
    }

    private async IAsyncEnumerable<VectorSearchResult<TRecord>> FindAsync<TInput>(
        TInput value, int top, VectorSearchOptions<TRecord> options, Filter? filter, Include include,
        [EnumeratorCancellation] CancellationToken cancellationToken)
        where TInput : notnull
    {
        // The usual type first, which then takes no box.
        ReadOnlyMemory<float> vector = value is ReadOnlyMemory<float> given ? given
            : RecordMapper<TKey, TRecord>.VectorOf(value) ?? await MakeVectorAsync(value, cancellationToken).ConfigureAwait(false);
        SearchOptions? search = options.ScoreThreshold is { } worst && _scale.BoundOf(worst) is { } bound
            ? (_search ?? SearchOptions.Default) with { Within = bound }
            : _search;
        if (!_idleHits.TryTake(out CollectionHitBuffer<TKey>? hits))
            hits = new CollectionHitBuffer<TKey>();
        try
        {
            await SearchAsync(vector, hits, checked(top + options.Skip), search, include, filter, cancellationToken).ConfigureAwait(false);
            for (int i = options.Skip; i < hits.Count; i++)
            {
                double score = _scale.Convert(hits.ScoreOf(i));
                if (options.ScoreThreshold is { } threshold && !_scale.IsWithin(score, threshold))
                    yield break;
                yield return new VectorSearchResult<TRecord>(ToRecord(hits, i), score);
            }
        }
        finally
        {
            if (hits.Count <= MostHitsKept)
                _idleHits.Keep(hits);
        }
    }

    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    private async ValueTask SearchAsync(
        ReadOnlyMemory<float> vector, CollectionHitBuffer<TKey> hits, int count, SearchOptions? search, Include include, Filter? filter,
        CancellationToken cancellationToken)
    {
        try
        {
            VectorCollection<TKey> collection = await OpenAsync(cancellationToken).ConfigureAwait(false);
            await collection.SearchAsync(vector, hits, count, search, include, filter, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (StoreErrors.IsStoreError(e))
        {
            throw _errors.Wrap(SearchName, e);
        }
    }
}
