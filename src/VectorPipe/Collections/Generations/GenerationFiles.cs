using VectorPipe.Collections.Manifests;
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
        try
        {
            index = VectorIndex.Open(path, options);
            IndexInfo info = index.Info;
            CollectionSchema schema = manifest.Schema;
            if (info.Dimension != schema.Dimension || info.Metric != schema.Metric || info.ElementType != schema.ElementType)
                throw new IndexCorruptException(
                    path, $"expected vectors of {schema.Dimension} x {schema.ElementType} ({schema.Metric}), as the collection's manifest "
                    + $"states, found {info.Dimension} x {info.ElementType} ({info.Metric})");
            RecordFile? records = manifest.Records is { } file ? RecordFile.Open(folder.Io, path, file) : null;
            return new CollectionGeneration(manifest.Generation, index, records, closed);
        }
        catch (IndexNotFoundException e)
        {
            throw new IndexCorruptException($"{path}: expected the generation that {CollectionFolder.ManifestName} names: {e.Message}", e);
        }
        catch
        {
            index?.Dispose();
            throw;
        }
    }
}
