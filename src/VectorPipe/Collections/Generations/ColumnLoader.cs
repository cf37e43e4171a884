using VectorPipe.Collections.Columns;
using VectorPipe.Collections.Records;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.State;

namespace VectorPipe.Collections.Generations;

/// <summary>Reads the attributes of all records of a generation into memory.</summary>
internal static class ColumnLoader
{
    /// <summary>Reads all keys, then all records from front to back.</summary>
    /// <param name="generation">The generation, leased; no checkpoint of it is committed meanwhile.</param>
    /// <param name="content">Its newest content.</param>
    /// <param name="definitions">The attributes of the schema.</param>
    /// <exception cref="IndexCorruptException">A page is damaged, or files contradict each other.</exception>
    /// <exception cref="DeviceException">A file cannot be read.</exception>
    public static CollectionColumns Load(CollectionGeneration generation, GenerationContent content, AttributeDefinition[] definitions)
    {
        SearchIndex index = generation.Index.Contents;
        GraphChanges? changes = content.Changes;
        var columns = new CollectionColumns(definitions, changes?.NodeCount ?? index.NodeCount);
        var ids = new HandleMap();
        try
        {
            NodeKeyWalk.Run(index, index.Keys, AddNode, CancellationToken.None);
            foreach ((ulong handle, uint? id) in index.Keys.Moved.All())
            {
                if (id is { } node && AddNode(handle, node) is { } defect)
                    throw new IndexCorruptException(index.KeysPath, defect);
            }

            if ((changes?.Live ?? index.Schema.Count) is var expected && columns.Count != expected)
                throw new IndexCorruptException(index.KeysPath, $"expected keys of {expected} nodes that live, found {columns.Count}");
            foreach ((ulong handle, byte[] bytes) in content.Records.ReadOldestFirst())
            {
                if (!ids.TryGet(handle, out int id))
                    continue;
                if (!RecordBody.TryDecode(bytes, out RecordBody body) || !columns.TryAdd((uint)id, body.Attributes.Span))
                    throw new IndexCorruptException(
                        generation.Index.Info.Directory,
                        $"expected attributes of the schema in the record of handle {handle}, found other bytes");
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new DeviceException($"{generation.Index.Info.Directory}: {e.Message}", e);
        }

        columns.Seal();
        return columns;

        string? AddNode(ulong handle, uint id)
        {
            if (id >= (uint)columns.Nodes || changes?.IsLive(id) == false)
                return $"expected handle {handle} to lead to a node that lives, below {columns.Nodes}, found {id}";
            columns.TryAdd(id, default);
            ids.Set(handle, (int)id);
            return null;
        }
    }
}
