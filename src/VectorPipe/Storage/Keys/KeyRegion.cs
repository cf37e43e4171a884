namespace VectorPipe.Storage.Keys;

/// <summary>Where a key directory lies in its file: that of the build at the beginning, a later one behind it.</summary>
/// <param name="Offset">Page p of the directory is this many pages further on in the file.</param>
/// <param name="PageCount">Pages, page 0 included, which only the directory of the build has.</param>
/// <param name="Generation">Generation in the headers of its pages.</param>
/// <param name="Shape">Its parameters.</param>
/// <param name="Changed">Keys that were added, moved or deleted between the build and this directory.</param>
internal sealed record KeyRegion(long Offset, long PageCount, uint Generation, KeyDirectoryShape Shape, long Changed)
{
    /// <summary>The page of the file behind it.</summary>
    public long End => Offset + PageCount;
}
