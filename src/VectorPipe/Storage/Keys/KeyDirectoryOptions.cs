namespace VectorPipe.Storage.Keys;

/// <summary>The layout of a key directory; by default nearly every look-up reads one page.</summary>
internal sealed record KeyDirectoryOptions
{
    /// <summary>The filled share of an average bucket's page: at 3/4 of 252 entries, one bucket in 200,000 needs a second page.</summary>
    private const double LoadFactor = 0.75;

    public static KeyDirectoryOptions Default { get; } = new();

    /// <summary>Seed of the hash; null to derive it from the identity of the index, which depends on all keys and vectors.</summary>
    public ulong? Seed { get; init; }

    /// <summary>Buckets; null for as many as the keys need.</summary>
    public long? Buckets { get; init; }

    /// <summary>The most entries of a page, 1 to <see cref="KeyBucketPage.Capacity"/>.</summary>
    public int EntriesPerPage { get; init; } = KeyBucketPage.Capacity;

    public long BucketsFor(long keys) => Buckets ?? Math.Max(1, (long)Math.Ceiling(keys / (EntriesPerPage * LoadFactor)));

    /// <summary>The most pages of a directory, the header included, however the keys spread over the buckets.</summary>
    /// <remarks>A bucket needs another page for each full one before it, and the keys fill only so many pages.</remarks>
    public long MaxPageCount(long keys) => KeyDirectoryShape.FirstPage(BucketsFor(keys)) + keys / EntriesPerPage;
}
