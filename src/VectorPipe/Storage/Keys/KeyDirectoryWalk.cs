using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Keys;

/// <summary>Walks every chain of a key directory: each page is in one chain, each key is in its bucket and occurs once.</summary>
/// <param name="path">The file, for errors.</param>
/// <param name="entry">The file as the manifest names it.</param>
/// <param name="shape">The parameters that the manifest states.</param>
/// <remarks>Not thread-safe. Takes memory for the keys of one chain.</remarks>
internal sealed class KeyDirectoryWalk(string path, FileEntry entry, KeyDirectoryShape shape)
{
    private readonly List<ulong> _chain = [];

    /// <summary>Reads and verifies a page; valid until the next call with the same <paramref name="isFirst"/>.</summary>
    /// <param name="number">The page.</param>
    /// <param name="isFirst">Whether it is the first page of a chain. A writer puts these in a row, and the others behind them, chain by
    /// chain, so two cursors read sequentially; they follow chains of any other order, too.</param>
    /// <param name="cancellationToken">Ends the read.</param>
    public delegate ReadOnlySpan<byte> PageSource(long number, bool isFirst, CancellationToken cancellationToken);

    /// <summary>Takes an entry, and describes its defect; null if it has none.</summary>
    public delegate string? EntrySink(ulong key, ulong value);

    /// <summary>Walks the directory.</summary>
    /// <exception cref="IndexCorruptException">A page or an entry has a defect, or their numbers are not those of the manifest.</exception>
    public void Run(PageSource read, EntrySink take, CancellationToken cancellationToken)
    {
        long pages = 1, entries = 0;
        int longest = 0;
        for (long bucket = 0; bucket < shape.Buckets; bucket++)
        {
            if (bucket % 1024 == 0)
                cancellationToken.ThrowIfCancellationRequested();
            int depth = WalkChain(bucket, read, take, cancellationToken);
            pages += depth;
            entries += _chain.Count;
            longest = Math.Max(longest, depth);
        }

        if (pages != entry.PageCount)
            throw new IndexCorruptException(path, $"expected {entry.PageCount} pages in chains, the header included, found {pages}");
        if (longest != shape.LongestChain)
            throw new IndexCorruptException(
                path, $"expected a longest chain of {shape.LongestChain} pages, as the manifest states, found {longest}");
        if (entries != shape.Entries)
            throw new IndexCorruptException(path, $"expected {shape.Entries} entries, as the manifest states, found {entries}");
    }

    /// <summary>Walks the chain of a bucket, and returns its number of pages.</summary>
    private int WalkChain(long bucket, PageSource read, EntrySink take, CancellationToken cancellationToken)
    {
        _chain.Clear();
        int depth = 0;
        for (long number = KeyDirectoryShape.FirstPage(bucket); number != 0; depth++)
        {
            var page = new KeyBucketPage(read(number, depth == 0, cancellationToken));
            if (page.FindDefect(bucket, depth, shape.Buckets, entry.PageCount) is { } defect)
                throw new IndexCorruptException(path, number, defect);
            for (int i = 0; i < page.Count; i++)
            {
                ulong key = page.Keys[i];
                string? wrong = shape.BucketOf(key) == bucket
                    ? take(key, page.Values[i])
                    : $"expected keys of bucket {bucket}, found key {key} of bucket {shape.BucketOf(key)}";
                if (wrong is not null)
                    throw new IndexCorruptException(path, number, wrong);
                _chain.Add(key);
            }

            number = page.Next;
        }

        _chain.Sort();
        for (int i = 1; i < _chain.Count; i++)
        {
            if (_chain[i] == _chain[i - 1])
                throw new IndexCorruptException(
                    path, KeyDirectoryShape.FirstPage(bucket),
                    $"expected a key once in the chain of bucket {bucket}, found key {_chain[i]} twice");
        }

        return depth;
    }
}
