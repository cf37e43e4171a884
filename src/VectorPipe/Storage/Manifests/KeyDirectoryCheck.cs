using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>Walks every chain of a key directory and notes which key leads to which node.</summary>
/// <remarks>
/// Takes 8 bytes per internal id, in native memory because there may be more ids than an array has elements. One thread fills it; any
/// number may read it afterwards.
/// </remarks>
internal sealed unsafe class KeyDirectoryCheck : IDisposable
{
    private readonly NativeBuffer _memory;
    private readonly long _ids;
    private readonly ulong* _keys;
    private readonly ulong* _hasKey;

    private KeyDirectoryCheck(long ids)
    {
        _ids = ids;

        // A buffer has at least one byte, an index may have no vectors.
        _memory = new NativeBuffer((nuint)Math.Max(1, _ids + ((_ids + 63) / 64)) * sizeof(ulong));
        _keys = (ulong*)_memory.Pointer;
        _hasKey = _keys + _ids;
    }

    /// <summary>Walks the directory of an index.</summary>
    /// <exception cref="IndexCorruptException">A page is damaged or in no chain, or the entries are not one per node.</exception>
    public static KeyDirectoryCheck Walk(PageFileReader file, IDevice device, Manifest manifest, CancellationToken cancellationToken)
    {
        var check = new KeyDirectoryCheck(manifest.Schema.IdCount);
        try
        {
            check.Walk(file, device, manifest.Keys, cancellationToken);
            return check;
        }
        catch
        {
            check.Dispose();
            throw;
        }
    }

    /// <summary>Walks a directory that leads to nodes below a number.</summary>
    /// <exception cref="IndexCorruptException">A page is damaged or in no chain, or two entries have one node.</exception>
    public static KeyDirectoryCheck Walk(KeyRegionReader reader, long ids, CancellationToken cancellationToken)
    {
        var check = new KeyDirectoryCheck(ids);
        try
        {
            reader.Walk((key, value) => check.Take(key, value & ~KeyBucketPage.ChangedBit), cancellationToken);
            return check;
        }
        catch
        {
            check.Dispose();
            throw;
        }
    }

    /// <summary>The key that leads to a node; null if there is none.</summary>
    public ulong? KeyOf(long id) => id < _ids && (_hasKey[id / 64] & (1UL << (int)(id % 64))) != 0 ? _keys[id] : null;

    public void Dispose() => _memory.Dispose();

    /// <summary>Describes the defect of a node's entry; null if its key leads to it.</summary>
    public string? FindDefect(long id, ulong key)
    {
        // Each entry has its own node, and there are as many entries as nodes: if every node has one, there are no others.
        if (KeyOf(id) is not { } expected)
            return $"expected a key to lead to node {id}, found none; the node holds key {key}";
        return expected == key ? null : $"expected node {id} to hold key {expected}, as the key directory states, found key {key}";
    }

    private void Walk(PageFileReader reader, IDevice device, KeyDirectoryShape shape, CancellationToken cancellationToken)
    {
        long firstOverflow = KeyDirectoryShape.FirstPage(shape.Buckets);
        using var first = new PageCursor(device, reader.FilePath, reader.Entry, PageKind.KeyBucket, firstOverflow);
        using var others = new PageCursor(device, reader.FilePath, reader.Entry, PageKind.KeyBucket, reader.Entry.PageCount);
        new KeyDirectoryWalk(reader.FilePath, reader.Entry, shape)
            .Run((number, isFirst, token) => (isFirst ? first : others).Read(number, token), Take, cancellationToken);
    }

    private string? Take(ulong key, ulong value)
    {
        if (value >= (ulong)_ids)
            return $"expected key {key} to lead to a node below {_ids}, found {value}";
        ulong bit = 1UL << (int)(value % 64);
        if ((_hasKey[value / 64] & bit) != 0)
            return $"expected one key to lead to node {value}, found keys {_keys[value]} and {key}";
        _hasKey[value / 64] |= bit;
        _keys[value] = key;
        return null;
    }
}
