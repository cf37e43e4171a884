namespace VectorPipe.Storage.Files;

/// <summary>A file as the manifest names it.</summary>
/// <param name="Role">The purpose of the file.</param>
/// <param name="Name">Name within the index directory: at most 255 bytes, no separators.</param>
/// <param name="FileId">Identity (<see cref="FileIds.OfFile"/>), repeated in every page of the file.</param>
/// <param name="Generation">Generation of the index that wrote the file.</param>
/// <param name="PageSize">Bytes of a page.</param>
/// <param name="PageCount">Pages, the file header included.</param>
internal sealed record FileEntry(FileRole Role, string Name, ulong FileId, uint Generation, int PageSize, long PageCount)
{
    public long Length => PageSize * PageCount;
}
