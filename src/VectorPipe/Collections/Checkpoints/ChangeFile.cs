using System.Globalization;
using VectorPipe.Devices.Native;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>What one checkpoint changed in memory, or all of them since the build, as a stream file; see docs/format.md#changes.</summary>
internal static unsafe class ChangeFile
{
    // A waiting link: the id of its target, and the slot of the node that has it.
    private const int LinkBytes = sizeof(uint) + 1;

    /// <summary>Name of the file of a checkpoint.</summary>
    public static string NameOf(uint checkpoint) => string.Create(CultureInfo.InvariantCulture, $"changes-{checkpoint:D6}.vp");

    /// <summary>Writes what a checkpoint changed.</summary>
    /// <param name="path">The file.</param>
    /// <param name="index">The graph.</param>
    /// <param name="draft">The checkpoint.</param>
    /// <param name="moved">Nodes of the keys that it added, and keys that it deleted.</param>
    /// <param name="checkpoint">Its number.</param>
    /// <param name="places">Places of the node file.</param>
    /// <param name="io">Writes.</param>
    public static FileEntry Write(
        string path, GraphIndex index, GraphDraft draft, IReadOnlyDictionary<ulong, uint?> moved, uint checkpoint, uint places,
        IStorageIo io)
    {
        using var stream = new PagedStreamWriter(path, FileRole.Changes, index.Manifest.IndexId, checkpoint, length: null, io);
        var writer = new ChangeWriter(stream);
        GraphChanges changes = draft.Changes;
        WriteHeader(writer, changes, places);
        WritePages(writer, index, changes, [.. draft.Rewritten.Order()], draft.New.Contains);
        WriteBlocks(writer, changes, [.. draft.Relinked.Except(draft.Rewritten)]);
        WriteIds(writer, [.. draft.Died.Where(id => !draft.Rewritten.Contains(id / (uint)index.Layout.NodesPerPage))]);
        WriteLinks(writer, changes.Waiting, [.. draft.Linked.Where(page => !draft.Rewritten.Contains(page))], draft.EarlierLinksOf);
        WriteMoved(writer, moved);
        writer.Flush();
        stream.Complete();
        return stream.Entry;
    }

    /// <summary>Writes everything that changed since the build.</summary>
    /// <param name="path">The file.</param>
    /// <param name="index">The graph.</param>
    /// <param name="changes">The changes.</param>
    /// <param name="moved">Nodes of all keys that were added, and all keys that were deleted.</param>
    /// <param name="checkpoint">Number of the last checkpoint in it.</param>
    /// <param name="places">Places of the node file.</param>
    /// <param name="io">Writes.</param>
    public static FileEntry WriteAll(
        string path, GraphIndex index, GraphChanges changes, IReadOnlyDictionary<ulong, uint?> moved, uint checkpoint, uint places,
        IStorageIo io)
    {
        using var stream = new PagedStreamWriter(path, FileRole.Changes, index.Manifest.IndexId, checkpoint, length: null, io);
        var writer = new ChangeWriter(stream);
        uint built = index.NodeFile.Generation, nodesPerPage = (uint)index.Layout.NodesPerPage;
        uint[] rewritten = [.. Pages(changes).Where(page => changes.Writers[page] != built)];
        uint[] kept = [.. Pages(changes).Where(page => changes.Writers[page] == built)];
        WriteHeader(writer, changes, places);
        WritePages(writer, index, changes, rewritten, id => changes.Slots.States[(int)id] > 1);
        WriteBlocks(writer, changes, [.. kept.Where(page => changes.Relinked[(int)page])]);
        var dead = new List<uint>();
        foreach (uint page in kept)
        {
            for (uint id = page * nodesPerPage, end = id + (uint)index.NodesOf(page); id < end; id++)
            {
                if (!changes.IsLive(id))
                    dead.Add(id);
            }
        }

        WriteIds(writer, dead);
        WriteLinks(writer, changes.Waiting, [.. Pages(changes).Where(changes.Waiting.HasAny)], _ => 0);
        WriteMoved(writer, moved);
        writer.Flush();
        stream.Complete();
        return stream.Entry;
    }

    /// <summary>Reads files of changes, and applies them in order to what was built.</summary>
    /// <param name="directory">Directory of the index.</param>
    /// <param name="index">The graph; receives the codes of added nodes.</param>
    /// <param name="files">The files, oldest first; at least one.</param>
    /// <param name="keysCheckpoint">The checkpoint that wrote the key directory; 0 for that of the build.</param>
    /// <param name="moved">Receives the nodes of keys that changed since.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <returns>The changes, and the places of the node file.</returns>
    /// <exception cref="IndexCorruptException">A file is missing or damaged.</exception>
    public static (GraphChanges Changes, uint Places) Read(
        string directory, GraphIndex index, IReadOnlyList<FileEntry> files, uint keysCheckpoint, MovedKeys moved,
        CancellationToken cancellationToken)
    {
        var streams = new List<NativeBuffer>();
        try
        {
            foreach (FileEntry file in files)
                streams.Add(Load(directory, index, file, cancellationToken));
            int pages = streams.Max(stream => (int)*(uint*)stream.Pointer);
            if (pages < index.NodePages || pages > index.Capacity / index.Layout.NodesPerPage)
                throw new IndexCorruptException(
                    Path.Combine(directory, files[^1].Name), $"expected {index.NodePages} pages or more, found {pages}");
            GraphChanges changes = GraphDraft.Copy(index, null, pages);
            uint places = 0;
            for (int i = 0; i < files.Count; i++)
            {
                string path = Path.Combine(directory, files[i].Name);
                var reader = new ChangeReader(path, streams[i].Pointer, (long)streams[i].Length);
                places = Apply(ref reader, index, changes, files[i].Generation > keysCheckpoint ? moved : new MovedKeys());
            }

            changes.Waiting.Trim();
            string last = Path.Combine(directory, files[^1].Name);
            if (changes.FindDefect() is { } defect)
                throw new IndexCorruptException(last, defect);
            if (moved.All().FirstOrDefault(entry => entry.Id is { } id && !changes.IsLive(id)) is { Id: { } dead, Key: var key })
                throw new IndexCorruptException(last, $"expected key {key} to lead to a live node, found {dead}");
            return (changes, places);
        }
        finally
        {
            foreach (NativeBuffer stream in streams)
                stream.Dispose();
        }
    }

    private static NativeBuffer Load(string directory, GraphIndex index, FileEntry file, CancellationToken cancellationToken)
    {
        using var reader = new PageFileReader(directory, file, index.Manifest.IndexId);
        if (reader.Header.StreamLength < ChangeReader.HeaderBytes)
            throw new IndexCorruptException(reader.FilePath, 0, $"expected changes, found {reader.Header.StreamLength} bytes");
        var stream = new NativeBuffer((nuint)reader.Header.StreamLength);
        try
        {
            reader.ReadAll(stream, cancellationToken);
            return stream;
        }
        catch
        {
            stream.Dispose();
            throw;
        }
    }

    private static uint Apply(ref ChangeReader reader, GraphIndex index, GraphChanges changes, MovedKeys moved)
    {
        int nodesPerPage = index.Layout.NodesPerPage, codeBytes = index.Schema.CodeBytes;
        changes.Pages = (int)reader.Below((uint)changes.Places.Length + 1);
        uint places = reader.UInt32();
        changes.Live = (long)reader.UInt64();
        for (uint left = reader.UInt32(); left > 0; left--)
        {
            uint page = reader.Below((uint)changes.Pages);
            changes.Places[page] = reader.Below(places);
            changes.Writers[page] = reader.UInt32();
            changes.Waiting.Clear(page);
            changes.Slots.Set(page, reader.Bytes(nodesPerPage));
            changes.PageGraph.SetBlock(page, reader.Bytes(changes.PageGraph.BlockBytes));
            for (uint codes = reader.UInt32(); codes > 0; codes--)
            {
                uint id = (page * (uint)nodesPerPage) + reader.Below((uint)nodesPerPage);
                reader.Bytes(codeBytes).CopyTo(index.CodeOf(id));
            }
        }

        for (uint left = reader.UInt32(); left > 0; left--)
        {
            uint page = reader.Below((uint)changes.Pages);
            changes.PageGraph.SetBlock(page, reader.Bytes(changes.PageGraph.BlockBytes));
            changes.Relinked[(int)page] = true;
        }

        for (uint left = reader.UInt32(); left > 0; left--)
            changes.Slots.Free(reader.Below(changes.NodeCount));

        for (uint left = reader.UInt32(); left > 0; left--)
        {
            uint page = reader.Below((uint)changes.Pages);
            for (uint links = reader.CountOf(LinkBytes); links > 0; links--)
                changes.Waiting.Add(page, new WaitingLink(reader.Below(changes.NodeCount), reader.ByteBelow(nodesPerPage)));
        }

        for (uint left = reader.UInt32(); left > 0; left--)
        {
            ulong handle = reader.UInt64();
            uint value = reader.Below(changes.NodeCount + 1);
            moved.Set(handle, value > 0 ? value - 1 : null);
        }

        reader.RequireEnd();
        return places;
    }

    private static IEnumerable<uint> Pages(GraphChanges changes) => Enumerable.Range(0, changes.Pages).Select(page => (uint)page);

    private static void WriteHeader(ChangeWriter writer, GraphChanges changes, uint places)
    {
        writer.Write((uint)changes.Pages);
        writer.Write(places);
        writer.Write((ulong)changes.Live);
    }

    private static void WritePages(
        ChangeWriter writer, GraphIndex index, GraphChanges changes, uint[] pages, Predicate<uint> hasCode)
    {
        int nodesPerPage = index.Layout.NodesPerPage;
        var slots = new List<int>();
        writer.Write((uint)pages.Length);
        foreach (uint page in pages)
        {
            writer.Write(page);
            writer.Write(changes.Places[page]);
            writer.Write(changes.Writers[page]);
            writer.Write(changes.Slots.StatesOf(page));
            writer.Write(changes.PageGraph.BlockOf(page));
            slots.Clear();
            for (int slot = 0; slot < nodesPerPage; slot++)
            {
                uint id = (page * (uint)nodesPerPage) + (uint)slot;
                if (changes.IsLive(id) && hasCode(id))
                    slots.Add(slot);
            }

            writer.Write((uint)slots.Count);
            foreach (int slot in slots)
            {
                writer.Write((uint)slot);
                writer.Write(index.CodeOf((page * (uint)nodesPerPage) + (uint)slot));
            }
        }
    }

    private static void WriteBlocks(ChangeWriter writer, GraphChanges changes, IReadOnlyCollection<uint> pages)
    {
        writer.Write((uint)pages.Count);
        foreach (uint page in pages)
        {
            writer.Write(page);
            writer.Write(changes.PageGraph.BlockOf(page));
        }
    }

    private static void WriteIds(ChangeWriter writer, List<uint> ids)
    {
        writer.Write((uint)ids.Count);
        foreach (uint id in ids)
            writer.Write(id);
    }

    private static void WriteLinks(ChangeWriter writer, WaitingLinks waiting, uint[] pages, Func<uint, int> firstOf)
    {
        writer.Write((uint)pages.Length);
        foreach (uint page in pages)
        {
            PageWaitingLinks links = waiting[page];
            int first = firstOf(page);
            writer.Write(page);
            writer.Write((uint)((links.Count - first) * LinkBytes));
            for (int link = first; link < links.Count; link++)
            {
                (uint target, int slot) = links[link];
                writer.Write(target);
                writer.Write([(byte)slot]);
            }
        }
    }

    private static void WriteMoved(ChangeWriter writer, IReadOnlyDictionary<ulong, uint?> moved)
    {
        writer.Write((uint)moved.Count);
        foreach ((ulong handle, uint? id) in moved)
        {
            writer.Write(handle);
            writer.Write(MovedKeys.ValueOf(id));
        }
    }
}
