using System.Diagnostics;
using System.Numerics;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Keys;

/// <summary>Writes a key directory: collects keys with their values in any order, then sorts them by bucket.</summary>
/// <typeparam name="TValue">A value in memory: 32 bits for the id of a node, 64 for the place of a record.</typeparam>
/// <remarks>
/// <para>Not thread-safe. Takes 8 bytes and a value per key and 8 bytes per bucket (0.05 bytes per key) at construction, and sorts in
/// place in linear time.</para>
/// <para>Pages: header; the first page of each bucket's chain, by bucket; then the other pages, chain by chain.</para>
/// </remarks>
internal sealed class KeyDirectoryWriter<TValue>
    where TValue : unmanaged, IUnsignedNumber<TValue>
{
    private readonly KeyDirectoryOptions _options;
    private readonly ulong[] _keys;
    private readonly TValue[] _values;

    // The first entry of each bucket after sorting, and the end of the last bucket.
    private int[] _starts;
    private int _announced;
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
        _values = new TValue[count];
        _announced = count;
        _starts = StartsFor(count);
    }

    /// <summary>Adds a key, once.</summary>
    public void Add(ulong key, TValue value)
    {
        _keys[_count] = key;
        _values[_count++] = value;
    }

    /// <summary>Lowers the announced number of keys to those that were added.</summary>
    public void Trim()
    {
        _announced = _count;
        _starts = StartsFor(_count);
    }

    /// <summary>Writes the file, after all keys were added.</summary>
    /// <param name="path">File to create.</param>
    /// <param name="role">The purpose of the file: a directory of nodes or of records.</param>
    /// <param name="indexId">Identity from which that of the file and the seed are derived.</param>
    /// <param name="generation">Generation that writes.</param>
    /// <param name="io">Writes.</param>
    /// <param name="cancellationToken">Observed between pages.</param>
    public (FileEntry File, KeyDirectoryShape Shape) Write(
        string path, FileRole role, ulong indexId, uint generation, IStorageIo io, CancellationToken cancellationToken)
    {
        if (_count != _announced)
            throw new InvalidOperationException($"{path}: expected {_announced} keys, as announced, found {_count}.");
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
            new PageFileWriter(path, role, indexId, generation, PageCodec.PageUnit, firstOverflow + overflowPages, io);
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

    /// <summary>A key that was added more than once, after <see cref="Write"/> has sorted the keys; null if there is none.</summary>
    public ulong? FindDuplicate()
    {
        ulong[] bucketKeys = [];
        for (int bucket = 0; bucket + 1 < _starts.Length; bucket++)
        {
            int count = _starts[bucket + 1] - _starts[bucket];
            if (bucketKeys.Length < count)
                bucketKeys = new ulong[2 * count];
            Span<ulong> keys = bucketKeys.AsSpan(0, count);
            _keys.AsSpan(_starts[bucket], count).CopyTo(keys);
            keys.Sort();
            for (int i = 1; i < count; i++)
            {
                if (keys[i] == keys[i - 1])
                    return keys[i];
            }
        }

        return null;
    }

    private int[] StartsFor(int count) => new int[checked((int)_options.BucketsFor(count)) + 1];

    private int PagesOf(int bucket) =>
        Math.Max(1, (_starts[bucket + 1] - _starts[bucket] + _options.EntriesPerPage - 1) / _options.EntriesPerPage);

    private void WritePage(PageFileWriter file, int bucket, int depth, long next)
    {
        int from = _starts[bucket] + depth * _options.EntriesPerPage;
        int count = Math.Min(_options.EntriesPerPage, _starts[bucket + 1] - from);
        KeyBucketPage.Write<TValue>(file.BeginPage(), bucket, depth, next, _keys.AsSpan(from, count), _values.AsSpan(from, count));
        file.Seal(PageKind.KeyBucket, count, KeyBucketPage.PayloadSize);
    }

    /// <summary>Counting sort by bucket, in place: every swap puts one entry into its bucket.</summary>
    private void Sort(CancellationToken cancellationToken)
    {
        int buckets = _starts.Length - 1;
        foreach (ulong key in _keys.AsSpan(0, _count))
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
                (_values[at], _values[target]) = (_values[target], _values[at]);
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
