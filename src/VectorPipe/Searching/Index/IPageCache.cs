namespace VectorPipe.Searching.Index;

/// <summary>Verified pages of a file in memory.</summary>
/// <remarks>All sessions of an index share it, so it is thread-safe; it is disposed after the last session.</remarks>
internal interface IPageCache : IDisposable
{
    CacheStatistics Statistics { get; }

    /// <summary>Whether <see cref="Find"/> copies pages, and needs room for them.</summary>
    bool GivesCopies { get; }

    /// <summary>Looks a page up.</summary>
    /// <param name="page">Number of the page.</param>
    /// <param name="room">The caller's room for a copy.</param>
    /// <returns>
    /// The verified bytes, or null if they are not here: <paramref name="room"/> if they were copied, else memory of the cache that does
    /// not change until disposal.
    /// </returns>
    unsafe byte* Find(uint page, byte* room);

    /// <summary>Offers a page that was just read and verified; the cache copies it if it keeps it.</summary>
    unsafe void Offer(uint page, byte* bytes);

    /// <summary>Forgets a page that nobody reads, before other bytes are written to its place.</summary>
    /// <remarks>Only of a cache that gives copies.</remarks>
    void Forget(uint page) => throw new NotSupportedException("Expected a cache that gives copies.");
}
