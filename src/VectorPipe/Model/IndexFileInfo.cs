namespace VectorPipe.Model;

/// <summary>A file of an index.</summary>
/// <param name="Role">What it is for: Nodes, Codes, CodeBook, Keys.</param>
/// <param name="Name">Name within the directory.</param>
/// <param name="PageSize">Bytes of a page.</param>
/// <param name="PageCount">Pages, the header included.</param>
/// <param name="Length">Bytes.</param>
internal sealed record IndexFileInfo(string Role, string Name, int PageSize, long PageCount, long Length);
