namespace VectorPipe.Storage.Keys;

/// <summary>How a key directory is laid out; what is not said is chosen so that nearly every look-up reads one page.</summary>
internal sealed record KeyDirectoryOptions
{
    /// <summary>
    /// Share of a page's entries that an average bucket fills: at 3/4 of 252, one bucket in some 200,000 needs a second page.
    /// </summary>
    private const double LoadFactor = 0.75;

    /// <summary>The defaults.</summary>
    public static KeyDirectoryOptions Default { get; } = new();

    /// <summary>
    /// Seed of the hash; null for one that follows from the identity of the index, which depends on all keys and vectors.
    /// </summary>
    public ulong? Seed { get; init; }

    /// <summary>Buckets; null for as many as the keys need.</summary>
    public long? Buckets { get; init; }

    /// <summary>Most entries of a page, 1 to <see cref="KeyBucketPage.Capacity"/>.</summary>
    public int EntriesPerPage { get; init; } = KeyBucketPage.Capacity;

    /// <summary>Buckets for a number of keys.</summary>
    public long BucketsFor(long keys) => Buckets ?? Math.Max(1, (long)Math.Ceiling(keys / (EntriesPerPage * LoadFactor)));

    /// <summary>
    /// Pages that the directory of a number of keys has at most, the header included, however they are spread over the buckets.
    /// </summary>
    public long MaxPageCount(long keys)
    {
        // A bucket needs another page for each full one before it, and of full pages there are no more than fill with all keys.
        return KeyDirectoryShape.FirstPage(BucketsFor(keys)) + keys / EntriesPerPage;
    }
}
