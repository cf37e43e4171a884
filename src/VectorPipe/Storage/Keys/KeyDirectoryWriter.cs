using System.Diagnostics;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Keys;

/// <summary>Writes the key directory of a generation: collects keys with their nodes in any order, then sorts them by bucket.</summary>
/// <remarks>
/// <para>Not thread-safe. Takes 12 bytes per key and 8 bytes per bucket (0.05 bytes per key) at construction, and sorts in place in linear
/// time.</para>
/// <para>Pages: header; the first page of each bucket's chain, by bucket; then the other pages, chain by chain.</para>
/// </remarks>
internal sealed class KeyDirectoryWriter
{
    private readonly KeyDirectoryOptions _options;
    private readonly ulong[] _keys;
    private readonly uint[] _ids;

    // The first entry of each bucket after sorting, and the end of the last bucket.
    private readonly int[] _starts;
    private int _count;
    private ulong _seed;

    /// <param name="count">Keys that will be added: 0 to <see cref="Array.MaxLength"/>.</param>
    /// <param name="options">The layout of the directory.</param>
    public KeyDirectoryWriter(int count, KeyDirectoryOptions options)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.EntriesPerPage, KeyBucketPage.Capacity);
        _options = options;
        _keys = new ulong[count];
        _ids = new uint[count];
        _starts = new int[checked((int)options.BucketsFor(count)) + 1];
    }

    /// <summary>Adds a key, once.</summary>
    public void Add(ulong key, uint id)
    {
        _keys[_count] = key;
        _ids[_count++] = id;
    }

    /// <summary>Writes the file, after all keys were added.</summary>
    public (FileEntry File, KeyDirectoryShape Shape) Write(
        string path, ulong indexId, uint generation, IStorageIo io, CancellationToken cancellationToken)
    {
        if (_count != _keys.Length)
            throw new InvalidOperationException($"{path}: expected {_keys.Length} keys, as announced, found {_count}.");
        _seed = _options.Seed ?? FileIds.KeySeed(indexId, generation);
        Sort(cancellationToken);
        int buckets = _starts.Length - 1;
        long overflowPages = 0;
        int longest = 1;
        for (int bucket = 0; bucket < buckets; bucket++)
        {
            int pages = PagesOf(bucket);
            overflowPages += pages - 1;
            longest = Math.Max(longest, pages);
        }

        long firstOverflow = KeyDirectoryShape.FirstPage(buckets);
        using var file =
            new PageFileWriter(path, FileRole.Keys, indexId, generation, PageCodec.PageUnit, firstOverflow + overflowPages, io);
        long next = firstOverflow;
        for (int bucket = 0; bucket < buckets; bucket++)
        {
            if (bucket % 1024 == 0)
                cancellationToken.ThrowIfCancellationRequested();
            int pages = PagesOf(bucket);
            WritePage(file, bucket, 0, pages > 1 ? next : 0);
            next += pages - 1;
        }

        next = firstOverflow;
        for (int bucket = 0; bucket < buckets; bucket++)
        {
            int pages = PagesOf(bucket);
            for (int depth = 1; depth < pages; depth++)
            {
                cancellationToken.ThrowIfCancellationRequested();
                next++;
                WritePage(file, bucket, depth, depth + 1 < pages ? next : 0);
            }
        }

        file.Complete();
        return (file.Entry, new KeyDirectoryShape(_seed, buckets, _count, longest));
    }

    private int PagesOf(int bucket) =>
        Math.Max(1, (_starts[bucket + 1] - _starts[bucket] + _options.EntriesPerPage - 1) / _options.EntriesPerPage);

    private void WritePage(PageFileWriter file, int bucket, int depth, long next)
    {
        int from = _starts[bucket] + depth * _options.EntriesPerPage;
        int count = Math.Min(_options.EntriesPerPage, _starts[bucket + 1] - from);
        KeyBucketPage.Write(file.BeginPage(), bucket, depth, next, _keys.AsSpan(from, count), _ids.AsSpan(from, count));
        file.Seal(PageKind.KeyBucket, count, KeyBucketPage.PayloadSize);
    }

    /// <summary>Counting sort by bucket, in place: every swap puts one entry into its bucket.</summary>
    private void Sort(CancellationToken cancellationToken)
    {
        int buckets = _starts.Length - 1;
        foreach (ulong key in _keys)
            _starts[BucketOf(key) + 1]++;
        for (int bucket = 0; bucket < buckets; bucket++)
            _starts[bucket + 1] += _starts[bucket];

        int[] fill = _starts[..buckets];
        for (int bucket = 0; bucket < buckets; bucket++)
        {
            if (bucket % 1024 == 0)
                cancellationToken.ThrowIfCancellationRequested();
            int end = _starts[bucket + 1];
            while (fill[bucket] < end)
            {
                int at = fill[bucket];
                int home = BucketOf(_keys[at]);
                int target = fill[home]++;
                (_keys[at], _keys[target]) = (_keys[target], _keys[at]);
                (_ids[at], _ids[target]) = (_ids[target], _ids[at]);
            }
        }

        AssertSorted();
    }

    private int BucketOf(ulong key) => (int)KeyHash.Bucket(key, _seed, _starts.Length - 1);

    [Conditional("DEBUG")]
    private void AssertSorted()
    {
        int bucket = 0;
        for (int i = 0; i < _count; i++)
        {
            while (i >= _starts[bucket + 1])
                bucket++;
            Debug.Assert(BucketOf(_keys[i]) == bucket, "every entry lies in its bucket");
        }
    }
}
