using System.Diagnostics;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Searching.Index;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Writes a key directory anew: the entries of the one in force, with the keys that changed since.</summary>
/// <remarks>
/// One pass, in the order of the hash, which is that of the buckets whatever their number. Memory: the changed keys, and the entries of a
/// bucket. Not thread-safe; writes one directory.
/// </remarks>
/// <param name="index">The index.</param>
/// <param name="moved">Nodes of keys that changed since the directory in force was written; null for those that were deleted.</param>
/// <param name="count">Keys of the new directory.</param>
/// <param name="io">Reads and writes.</param>
/// <param name="cancellationToken">Ends it.</param>
internal sealed class KeyRewrite(
    SearchIndex index, IReadOnlyDictionary<ulong, uint?> moved, long count, IStorageIo io, CancellationToken cancellationToken)
{
    private const int PagesTogether = 64;

    // Pages of long chains for which there is room beside the first pages: a hash needs fewer by far.
    private const int ShareOfOverflow = 16;
    private const int LeastOverflow = 4;

    private readonly KeyRegion _old = index.Keys.Directory;
    private readonly long _buckets = KeyDirectoryOptions.Default.BucketsFor(count);
    private readonly byte[] _pages = new byte[PagesTogether * PageCodec.PageUnit];
    private readonly byte[] _further = new byte[PageCodec.PageUnit];
    private readonly List<(long Bucket, ulong Key, ulong Value)> _pending = [];
    private readonly List<ulong> _keys = [];
    private readonly List<ulong> _values = [];
    private (long Bucket, ulong Key, ulong Value)[] _added = [];
    private SafeFileHandle? _target;
    private uint _generation;
    private long _offset;
    private long _most;
    private long _written;
    private long _overflow;
    private long _changed;
    private long _entries;
    private int _takenAdded;
    private int _longest = 1;

    /// <summary>Called before each write: another writer could have made it, too; an exception prevents it.</summary>
    public Action? BeforeWrite { get; init; }

    /// <summary>Writes the directory. When it returns, all of it is on disk.</summary>
    /// <param name="places">Gives room.</param>
    /// <param name="generation">Generation in the headers of its pages.</param>
    /// <returns>The directory; null if chains are so long that there is no room for them.</returns>
    /// <exception cref="IndexCorruptException">The directory in force is damaged.</exception>
    public KeyRegion? Write(KeyPlaces places, uint generation)
    {
        long firstOverflow = KeyDirectoryShape.FirstPage(_buckets);
        _most = firstOverflow + LeastOverflow + (_buckets / ShareOfOverflow);
        _overflow = firstOverflow;
        _offset = places.Find(_most - 1) - 1;
        _generation = generation;
        _changed = _old.Changed;
        _added = [.. moved.Where(entry => entry.Value is not null)
            .Select(entry => (BucketOf(entry.Key), entry.Key, (ulong)entry.Value! | KeyBucketPage.ChangedBit)).Order()];
        using SafeFileHandle target = _target = io.OpenForUpdate(index.KeysPath, isDirect: false);
        using var reader = new KeyRegionReader(io, index.KeysPath, index.KeyFile, _old);
        long bucket = 0;
        var inOld = new HashSet<ulong>();
        reader.Walk(Take, cancellationToken);
        FlushBelow(_buckets);
        WriteTogether();
        if (_overflow > _most)
            return null;
        if (_entries != count)
            throw new IndexCorruptException(index.KeysPath, $"expected keys of {count} nodes that live, found {_entries}");
        _changed += _added.LongCount(entry => !inOld.Contains(entry.Key));
        io.Sync(target);
        return new KeyRegion(_offset, _overflow, generation, new KeyDirectoryShape(_old.Shape.Seed, _buckets, count, _longest), _changed);

        string? Take(ulong key, ulong value)
        {
            // The entries of buckets before this one have all been taken.
            if (_old.Shape.BucketOf(key) is var next && next > bucket)
            {
                FlushBelow((long)((UInt128)next * (ulong)_buckets / (ulong)_old.Shape.Buckets));
                bucket = next;
            }

            if (!moved.ContainsKey(key))
            {
                _pending.Add((BucketOf(key), key, value));
                return null;
            }

            inOld.Add(key);
            _changed += (value & KeyBucketPage.ChangedBit) == 0 ? 1 : 0;
            return null;
        }
    }

    private long BucketOf(ulong key) => KeyHash.Bucket(key, _old.Shape.Seed, _buckets);

    // Writes the buckets below a number, all of whose entries are there.
    private void FlushBelow(long end)
    {
        cancellationToken.ThrowIfCancellationRequested();
        for (; _takenAdded < _added.Length && _added[_takenAdded].Bucket < end; _takenAdded++)
            _pending.Add(_added[_takenAdded]);
        _pending.Sort();
        int taken = 0;
        for (; _written < end; _written++)
        {
            _keys.Clear();
            _values.Clear();
            for (; taken < _pending.Count && _pending[taken].Bucket == _written; taken++)
            {
                _keys.Add(_pending[taken].Key);
                _values.Add(_pending[taken].Value);
            }

            WriteChain();
        }

        _pending.RemoveRange(0, taken);
        Debug.Assert(_pending.TrueForAll(entry => entry.Bucket >= end), "buckets are written in order");
    }

    private void WriteChain()
    {
        int pages = Math.Max(1, (_keys.Count + KeyBucketPage.Capacity - 1) / KeyBucketPage.Capacity);
        _longest = Math.Max(_longest, pages);
        _entries += _keys.Count;
        int at = (int)(_written % PagesTogether);
        Span<byte> first = _pages.AsSpan(at * PageCodec.PageUnit, PageCodec.PageUnit);
        Fill(first, KeyDirectoryShape.FirstPage(_written), 0, pages > 1 ? _overflow : 0);
        if (at == PagesTogether - 1)
            WriteTogether(PagesTogether);
        for (int depth = 1; depth < pages; depth++)
        {
            long number = _overflow++;
            if (number >= _most)
                continue;
            Fill(_further, number, depth, depth + 1 < pages ? _overflow : 0);
            Write(_further, number);
        }
    }

    private void Fill(Span<byte> page, long number, int depth, long next)
    {
        page.Clear();
        int from = depth * KeyBucketPage.Capacity, count = Math.Min(KeyBucketPage.Capacity, _keys.Count - from);
        ReadOnlySpan<ulong> keys = CollectionsMarshal.AsSpan(_keys).Slice(from, count);
        ReadOnlySpan<ulong> values = CollectionsMarshal.AsSpan(_values).Slice(from, count);
        KeyBucketPage.Write(page, _written, depth, next, keys, values);
        PageCodec.Seal(
            page, PageKind.KeyBucket, count, new PageIdentity(index.KeyFile.FileId, number, _generation), KeyBucketPage.PayloadSize);
    }

    // The rest of the first pages.
    private void WriteTogether() => WriteTogether((int)(_written % PagesTogether));

    private void WriteTogether(int pages)
    {
        if (pages == 0)
            return;
        Write(_pages.AsSpan(0, pages * PageCodec.PageUnit), KeyDirectoryShape.FirstPage(_written - (_written % PagesTogether)));
    }

    private void Write(ReadOnlySpan<byte> pages, long number)
    {
        BeforeWrite?.Invoke();
        io.Write(_target!, pages, (_offset + number) * PageCodec.PageUnit);
    }
}
