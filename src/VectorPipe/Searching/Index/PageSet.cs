using VectorPipe.Storage.Files;

namespace VectorPipe.Searching.Index;

/// <summary>The pages of one file of an index, as searches read and verify them. A cache may hold them.</summary>
/// <remarks>Immutable and shared by all threads.</remarks>
/// <param name="file">Number of the file on the device.</param>
/// <param name="entry">The file as the manifest names it.</param>
/// <param name="path">Its path, for errors.</param>
/// <param name="verify">Verifies a page.</param>
internal sealed unsafe class PageSet(int file, FileEntry entry, string path, PageSet.Verifier verify)
{
    /// <summary>Verifies the bytes of a page, numbered from 0 behind its file's header.</summary>
    /// <exception cref="IndexCorruptException">They are damaged, or another page.</exception>
    public delegate void Verifier(uint page, byte* bytes);

    /// <summary>Number of the file on the device.</summary>
    public int File { get; } = file;

    public string Path { get; } = path;

    public int PageSize => entry.PageSize;

    /// <summary>Pages, without the file's header.</summary>
    public long Count => entry.PageCount - 1;

    public long FileBytes => entry.Length;

    /// <summary>Numbers of all pages, in order.</summary>
    public IEnumerable<uint> Numbers
    {
        get
        {
            for (long page = 0; page < Count; page++)
                yield return (uint)page;
        }
    }

    /// <summary>Offset of a page in the file: page 0 of the file is its header.</summary>
    public long OffsetOf(uint page) => (page + 1L) * PageSize;

    /// <summary>Verifies a page that was read.</summary>
    /// <exception cref="IndexCorruptException">It is damaged, or another page.</exception>
    public void Verify(uint page, byte* bytes) => verify(page, bytes);
}
