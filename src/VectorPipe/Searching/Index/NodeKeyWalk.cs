using VectorPipe.Devices;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Searching.Index;

/// <summary>Walks over the keys of an index in the order of its key directory.</summary>
internal static class NodeKeyWalk
{
    /// <summary>Takes a key and its node; returns what is wrong with them, null for nothing.</summary>
    public delegate string? Sink(ulong key, uint id);

    /// <summary>Takes all keys that the directory has and that have not moved since it was written.</summary>
    /// <param name="index">The index.</param>
    /// <param name="keys">The directory.</param>
    /// <param name="take">Receives each key once, with its node.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="IndexCorruptException">A page or an entry is damaged.</exception>
    /// <exception cref="DeviceException">A page cannot be read.</exception>
    public static void Run(SearchIndex index, NodeKeys keys, Sink take, CancellationToken cancellationToken)
    {
        // Through the device, which has the file open: another process may delete its name.
        using var file = new DeviceFileReader(index.Device, SearchIndex.KeysFile);
        using var reader = new KeyRegionReader(file, index.KeysPath, index.KeyFile, keys.Directory);
        reader.Walk(Take, cancellationToken);

        string? Take(ulong key, ulong value)
        {
            if (!keys.IsBuilt)
                value &= ~KeyBucketPage.ChangedBit;
            if ((value & KeyBucketPage.TombstoneBit) != 0 || keys.Moved.TryFind(key, out _))
                return null;
            return value < keys.NodeCount
                ? take(key, (uint)value)
                : $"expected key {key} to lead to a node below {keys.NodeCount}, found {value}";
        }
    }
}
