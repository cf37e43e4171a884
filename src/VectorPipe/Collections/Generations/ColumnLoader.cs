using VectorPipe.Collections.Columns;
using VectorPipe.Collections.Records;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.State;

namespace VectorPipe.Collections.Generations;

/// <summary>Reads the attributes of all records of a generation into memory: once.</summary>
/// <remarks>Those that the build took lie in a file of their own; those that checkpoints added since are in records.</remarks>
internal sealed class ColumnLoader
{
    private readonly CollectionGeneration _generation;
    private readonly GenerationContent _content;
    private readonly AttributeDefinition[] _definitions;
    private readonly SearchIndex _index;
    private readonly GraphChanges? _changes;
    private readonly CancellationToken _cancellationToken;

    // The nodes of the handles whose attributes are in records that are read.
    private readonly HandleMap _ids = new();

    /// <param name="generation">The generation, leased; no checkpoint of it is committed meanwhile.</param>
    /// <param name="content">Its newest content.</param>
    /// <param name="definitions">The attributes of the schema.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    public ColumnLoader(
        CollectionGeneration generation, GenerationContent content, AttributeDefinition[] definitions, CancellationToken cancellationToken)
    {
        _generation = generation;
        _content = content;
        _definitions = definitions;
        _index = generation.Index.Contents;
        _changes = content.Changes;
        _cancellationToken = cancellationToken;
    }

    private uint Nodes => _changes?.NodeCount ?? _index.NodeCount;

    /// <summary>Reads the file of columns, and what checkpoints wrote since; without a file all keys and all records.</summary>
    /// <exception cref="InvalidFilterException">There are too many nodes for filters.</exception>
    /// <exception cref="IndexCorruptException">A page is damaged, or files contradict each other.</exception>
    /// <exception cref="DeviceException">A file cannot be read.</exception>
    public CollectionColumns Load()
    {
        if (Nodes > CollectionColumns.MostNodes)
            throw new InvalidFilterException(
                $"Filters: expected a collection of at most {CollectionColumns.MostNodes} nodes, found {Nodes} nodes.");
        try
        {
            return _generation.Columns is { } file ? LoadColumns(file) : LoadRecords();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DeviceException($"{_generation.Index.Info.Directory}: {e.Message}", e);
        }
    }

    /// <summary>Reads all keys, then all records from front to back.</summary>
    public CollectionColumns LoadRecords()
    {
        var columns = new CollectionColumns(_definitions, Nodes);
        NodeKeyWalk.Run(_index, _index.Keys, (handle, id) => AddNode(columns, handle, id), _cancellationToken);
        AddMoved(columns);
        AddRecords(columns, _content.Records.ReadOldestFirst());
        columns.Seal();
        return columns;
    }

    // What a checkpoint has replaced or deleted shows in the version and the state of its slot.
    private CollectionColumns LoadColumns(ColumnFile file)
    {
        CollectionColumns columns = file.Load(_definitions, _index.NodeCount, Nodes, _cancellationToken);
        if (columns.Count != _index.Schema.Count)
            throw new IndexCorruptException(
                _generation.Index.Info.Directory, $"expected columns of {_index.Schema.Count} records, found {columns.Count}");
        if (_changes is null)
            return columns;
        for (uint id = 0; id < _index.NodeCount; id++)
        {
            if (!_changes.Slots.IsBuilt(id))
                columns.Remove(id);
        }

        AddMoved(columns);
        AddRecords(columns, _content.Records.ReadLaterOldestFirst());
        columns.Seal();
        return columns;
    }

    private void AddMoved(CollectionColumns columns)
    {
        foreach ((ulong handle, uint? id) in _index.Keys.Moved.All())
        {
            if (id is { } node && AddNode(columns, handle, node) is { } defect)
                throw new IndexCorruptException(_index.KeysPath, defect);
        }

        if ((_changes?.Live ?? _index.Schema.Count) is var expected && columns.Count != expected)
            throw new IndexCorruptException(_index.KeysPath, $"expected keys of {expected} nodes that live, found {columns.Count}");
    }

    private string? AddNode(CollectionColumns columns, ulong handle, uint id)
    {
        if (id >= (uint)columns.Nodes || _changes?.IsLive(id) == false)
            return $"expected handle {handle} to lead to a node that lives, below {columns.Nodes}, found {id}";
        columns.TryAdd(id, default);
        _ids.Set(handle, (int)id);
        return null;
    }

    private void AddRecords(CollectionColumns columns, IEnumerable<(ulong Handle, byte[] Body)> records)
    {
        foreach ((ulong handle, byte[] bytes) in records)
        {
            _cancellationToken.ThrowIfCancellationRequested();
            if (!_ids.TryGet(handle, out int id))
                continue;
            if (!RecordBody.TryDecode(bytes, out RecordBody body) || !columns.TryAdd((uint)id, body.Attributes.Span))
                throw new IndexCorruptException(
                    _generation.Index.Info.Directory,
                    $"expected attributes of the schema in the record of handle {handle}, found other bytes");
        }
    }
}
