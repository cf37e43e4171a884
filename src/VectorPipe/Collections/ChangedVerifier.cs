using Microsoft.Win32.SafeHandles;
using VectorPipe.Collections.Generations;
using VectorPipe.Devices.Native;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Collections;

/// <summary>Reads the node pages of a generation that checkpoints have changed, and describes the defects.</summary>
/// <param name="generation">The generation, open.</param>
/// <param name="changes">What checkpoints changed.</param>
/// <param name="cancellationToken">Ends it.</param>
internal sealed unsafe class ChangedVerifier(CollectionGeneration generation, GraphChanges changes, CancellationToken cancellationToken)
{
    private const int MaxDescribed = 1000;

    private readonly GraphIndex _index = (GraphIndex)generation.Index.Contents;
    private readonly NodeKeys _keys = generation.Index.Contents.Keys;
    private readonly uint[] _links = new uint[NodeLayout.MaxLinks];

    /// <summary>Reads all pages.</summary>
    /// <returns>The defects.</returns>
    public IReadOnlyList<string> Run()
    {
        var defects = new List<string>();
        using KeyDirectoryCheck keys = Walk();
        using SafeFileHandle file = FileStorageIo.Instance.OpenForReading(_index.NodePath);
        using var buffer = new NativeBuffer((nuint)_index.Layout.PageSize);
        long live = 0;
        for (uint page = 0; page < changes.Pages && defects.Count < MaxDescribed; page++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            try
            {
                _index.Read(file, page, buffer, changes);
                if (FindDefect(page, new NodePage(buffer.Pointer, _index.Layout), keys, ref live) is { } defect)
                    defects.Add(new IndexCorruptException(_index.NodePath, changes.Places[page] + 1L, defect).Message);
            }
            catch (Exception e) when (e is IndexCorruptException or DeviceException)
            {
                defects.Add(e.Message);
            }
        }

        if (defects.Count == 0 && live != changes.Live)
            defects.Add($"{_index.NodePath}: expected {changes.Live} live nodes, found {live}.");
        if (defects.Count == 0 && FindLost(keys) is { } lost)
            defects.Add(lost);
        return defects;
    }

    private KeyDirectoryCheck Walk()
    {
        using var reader = new KeyRegionReader(FileStorageIo.Instance, _index.KeysPath, _index.KeyFile, _keys.Directory);
        return KeyDirectoryCheck.Walk(reader, _keys.NodeCount, cancellationToken);
    }

    // An entry that leads nowhere would send a look-up from view to view.
    private string? FindLost(KeyDirectoryCheck keys)
    {
        for (uint id = 0; id < _keys.NodeCount; id++)
        {
            if (keys.KeyOf(id) is { } key && !changes.IsLive(id) && !_keys.Moved.TryFind(key, out _))
                return $"{_index.KeysPath}: expected key {key} to lead to a live node, found {id}.";
        }

        return null;
    }

    private string? FindDefect(uint number, NodePage page, KeyDirectoryCheck keys, ref long live)
    {
        if (page.FindMisplaced(number, changes.NodeCount, hasHoles: true) is { } misplaced)
            return misplaced;
        uint first = number * (uint)_index.Layout.NodesPerPage;
        for (int slot = 0; slot < _index.Layout.NodesPerPage; slot++)
        {
            bool isInPage = slot < page.Count && page.State(slot) == NodeState.Live;
            if (changes.IsLive(first + (uint)slot) && !isInPage)
                return $"expected a live node in slot {slot}, found none";
            if (!changes.IsLive(first + (uint)slot))
                continue;
            live++;
            if (FindDefect(first + (uint)slot, page.Key(slot), keys) is { } mismatch)
                return mismatch;
            if (!page.TryReadLinks(slot, changes.NodeCount, _links))
                return $"expected a list of {page.LinkCount(slot)} links below {changes.NodeCount} in slot {slot}, found other bytes";
        }

        return null;
    }

    private string? FindDefect(uint id, ulong key, KeyDirectoryCheck keys)
    {
        if (!_keys.Moved.TryFind(key, out uint? moved))
            return keys.FindDefect(id, key);
        return moved == id
            ? null
            : $"expected key {key} to lead to node {id}, which holds it, found {(moved is null ? "none" : $"node {moved}")}";
    }
}
