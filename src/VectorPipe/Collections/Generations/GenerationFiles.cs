using VectorPipe.Collections.Checkpoints;
using VectorPipe.Collections.Columns;
using VectorPipe.Collections.Manifests;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Pages;
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
        ColumnFile? columns = null;
        try
        {
            RecordPageCache? cache = RecordPageCache.Of(CacheBytesOf(path, manifest, options));
            index = VectorIndex.OpenPart(path, options, cache?.Bytes ?? 0);
            IndexInfo info = index.Info;
            CollectionSchema schema = manifest.Schema;
            if (info.Dimension != schema.Dimension || info.Metric != schema.Metric || info.ElementType != schema.ElementType)
                throw new IndexCorruptException(
                    path, $"expected vectors of {schema.Dimension} x {schema.ElementType} ({schema.Metric}), as the collection's manifest "
                    + $"states, found {info.Dimension} x {info.ElementType} ({info.Metric})");
            if (manifest.Records is { } built)
                records.Add(RecordFile.Open(folder.Io, path, built, cache));
            foreach (RecordFileInfo later in manifest.LaterRecords)
                records.Add(RecordFile.Open(folder.Io, path, later, cache));
            if (manifest.Columns is { } entry)
                columns = ColumnFile.Open(folder.Io, path, entry, manifest.Records?.Identity ?? 0);
            (GraphChanges? changes, FreePlaces? places, KeyPlaces? keyPlaces) = LoadChanges(path, index, manifest);
            bool hasBuilt = manifest.Records is not null;
            var generation = new CollectionGeneration(manifest.Generation, index, hasBuilt ? records[0] : null, closed)
            {
                Places = places,
                KeyPlaces = keyPlaces,
                RecordPages = cache,
                Columns = columns,
            };
            RecordFile[] ofCheckpoints = [.. records.Skip(hasBuilt ? 1 : 0)];
            generation.Latest = new GenerationContent(
                changes, manifest.Checkpoint, generation.With(ofCheckpoints, index.Contents.Keys.Moved), new ContentMatches());
            if (changes is not null)
                generation.ReleaseBuilt();
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
            columns?.Dispose();
            throw;
        }
    }

    // What the files of the index leave of the memory for pages, and no more than the records take: a quarter is for later ones. Twice
    // their bytes, so that half of the places are free: they are hashed.
    private static long CacheBytesOf(string path, CollectionManifest manifest, OpenOptions? options)
    {
        if (options is not { CacheBytes: > 0 } || manifest.Records is not { } built)
            return 0;
        long left = options.CacheBytes - VectorIndex.Inspect(path).DiskBytes;
        long records = manifest.LaterRecords.Append(built).Sum(file => file.Heap.Length + file.Directory.Length);
        return Math.Clamp(left, 0, 2 * (records + (records / 4)));
    }

    // Checkpoints find places by a calibrated search over codes.
    private static (GraphChanges? Changes, FreePlaces? Places, KeyPlaces? KeyPlaces) LoadChanges(
        string path, VectorIndex index, CollectionManifest manifest)
    {
        if (index.Contents is not GraphIndex { PageGraph: not null, Calibration: not null } graph || !graph.Schema.HasRoom
            || graph.Capacity > MovedKeys.MostNodes)
        {
            return manifest.Changes.Count == 0
                ? (null, null, null)
                : throw new IndexCorruptException(path, "expected an index with room for the changes that the collection's manifest names");
        }

        uint built = (uint)graph.NodePages;
        long keyPages = new FileInfo(graph.KeysPath).Length / PageCodec.PageUnit;
        if (manifest.Keys is { } keys)
            RequireKeys(graph, keys, keyPages);
        var keyPlaces = new KeyPlaces(graph.KeyFile.PageCount, keyPages, manifest.Keys, manifest.Checkpoint);
        if (manifest.Changes.Count == 0)
            return (null, new FreePlaces(built, null, manifest.Checkpoint), keyPlaces);
        uint keysCheckpoint = (manifest.Keys?.Generation ?? graph.KeyFile.Generation) - graph.KeyFile.Generation;
        var moved = new MovedKeys();
        (GraphChanges changes, uint places) = ChangeFile.Read(path, graph, manifest.Changes, keysCheckpoint, moved, CancellationToken.None);
        graph.Publish(
            manifest.Keys is { } later
                ? new NodeKeys(later, IsBuilt: false, changes.NodeCount, moved)
                : graph.Keys with { Moved = moved });
        return (changes, new FreePlaces(places, changes, manifest.Checkpoint), keyPlaces);
    }

    private static void RequireKeys(GraphIndex graph, KeyRegion keys, long pages)
    {
        if (keys.Offset + 1 < graph.KeyFile.PageCount || keys.Shape.Buckets < 1
            || keys.PageCount < KeyDirectoryShape.FirstPage(keys.Shape.Buckets) || keys.End > pages)
            throw new IndexCorruptException(
                graph.KeysPath,
                $"expected a key directory of {keys.Shape.Buckets} buckets from page {keys.Offset + 1} to page {keys.End - 1}, as the "
                + $"collection's manifest states, behind {graph.KeyFile.PageCount} pages of the build, found {pages} pages");
    }
}
