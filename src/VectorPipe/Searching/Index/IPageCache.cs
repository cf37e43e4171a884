namespace VectorPipe.Searching.Index;

/// <summary>Verified pages of a file in memory, asked before a read is issued and told of every page that was read.</summary>
/// <remarks>
/// Shared by all sessions of an index: every method but disposal may be called by any number of threads at once. Disposed after the last
/// session.
/// </remarks>
internal interface IPageCache : IDisposable
{
    /// <summary>What it holds, and has saved.</summary>
    CacheStatistics Statistics { get; }

    /// <summary>Whether what is found is a copy, for which room is needed.</summary>
    bool GivesCopies { get; }

    /// <summary>Looks a page up.</summary>
    /// <param name="page">Number of the page, below the number of pages.</param>
    /// <param name="room">Room for a page, the caller's own; not used unless copies are given.</param>
    /// <returns>
    /// The verified bytes, or null if they are not here: <paramref name="room"/> if they had to be copied, else the cache's own memory,
    /// which stays as it is until disposal.
    /// </returns>
    unsafe byte* Find(uint page, byte* room);

    /// <summary>Offers a page that was just read and verified; it is copied if it is kept.</summary>
    /// <param name="page">Number of the page.</param>
    /// <param name="bytes">Its bytes.</param>
    unsafe void Offer(uint page, byte* bytes);
}
