using VectorPipe.Collections.Checkpoints;
using VectorPipe.Collections.Manifests;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Generations;

/// <summary>Opens the generation that a manifest names.</summary>
internal static class GenerationFiles
{
    /// <summary>Opens the generation; null if there is none.</summary>
    /// <param name="folder">The collection's directory.</param>
    /// <param name="manifest">Names it.</param>
    /// <param name="options">How its index is opened; null for the defaults.</param>
    /// <param name="closed">Called when a retired generation is closed.</param>
    /// <exception cref="IndexCorruptException">A file is missing or damaged.</exception>
    /// <exception cref="DeviceException">A file cannot be opened.</exception>
    public static CollectionGeneration? Open(
        CollectionFolder folder, CollectionManifest manifest, OpenOptions? options, Action<CollectionGeneration> closed)
    {
        if (manifest.Generation == 0)
            return null;
        string path = folder.GenerationPath(manifest.Generation);
        VectorIndex? index = null;
        var records = new List<RecordFile>();
        try
        {
            index = VectorIndex.Open(path, options);
            IndexInfo info = index.Info;
            CollectionSchema schema = manifest.Schema;
            if (info.Dimension != schema.Dimension || info.Metric != schema.Metric || info.ElementType != schema.ElementType)
                throw new IndexCorruptException(
                    path, $"expected vectors of {schema.Dimension} x {schema.ElementType} ({schema.Metric}), as the collection's manifest "
                    + $"states, found {info.Dimension} x {info.ElementType} ({info.Metric})");
            if (manifest.Records is { } built)
                records.Add(RecordFile.Open(folder.Io, path, built));
            foreach (RecordFileInfo later in manifest.LaterRecords)
                records.Add(RecordFile.Open(folder.Io, path, later));
            (GraphChanges? changes, FreePlaces? places) = LoadChanges(path, index, manifest);
            bool hasBuilt = manifest.Records is not null;
            var generation = new CollectionGeneration(manifest.Generation, index, hasBuilt ? records[0] : null, closed) { Places = places };
            generation.Opened = new GenerationContent(changes, manifest.Checkpoint, generation.With([.. records.Skip(hasBuilt ? 1 : 0)]));
            return generation;
        }
        catch (IndexNotFoundException e)
        {
            throw new IndexCorruptException($"{path}: expected the generation that {CollectionFolder.ManifestName} names: {e.Message}", e);
        }
        catch
        {
            index?.Dispose();
            records.ForEach(file => file.Dispose());
            throw;
        }
    }

    // Checkpoints find places by a calibrated search over codes.
    private static (GraphChanges? Changes, FreePlaces? Places) LoadChanges(string path, VectorIndex index, CollectionManifest manifest)
    {
        if (index.Contents is not GraphIndex { PageGraph: not null, Calibration: not null } graph || !graph.Schema.HasRoom
            || graph.Capacity > MovedKeys.MostNodes)
        {
            return manifest.Changes.Count == 0
                ? (null, null)
                : throw new IndexCorruptException(path, "expected an index with room for the changes that the collection's manifest names");
        }

        uint built = (uint)graph.NodePages;
        if (manifest.Changes.Count == 0)
            return (null, new FreePlaces(built, null, manifest.Checkpoint));
        (GraphChanges changes, uint places) = ChangeFile.Read(path, graph, manifest.Changes, graph.Moved, CancellationToken.None);
        return (changes, new FreePlaces(places, changes, manifest.Checkpoint));
    }
}
