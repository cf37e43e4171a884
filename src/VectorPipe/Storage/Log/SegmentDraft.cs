using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;

namespace VectorPipe.Storage.Log;

/// <summary>A segment before it has its name: its blocks are filled with zeros, some at a time.</summary>
/// <remarks>
/// <para>Single-threaded. A file of its full length, with all blocks written, changes no metadata of the file system later: a sync then
/// writes the log alone.</para>
/// <para>The room is reserved at once, where the file system can, so that a full disk is known at the beginning.</para>
/// </remarks>
internal sealed class SegmentDraft : IDisposable
{
    // Blocks of one write.
    private const int WriteBlocks = 256;

    private readonly LogFolder _folder;
    private readonly uint _segment;
    private readonly string _temporary;
    private readonly SafeFileHandle _file;
    private bool _isPublished;

    /// <param name="folder">The segments.</param>
    /// <param name="segment">Number of the segment, which does not exist.</param>
    /// <exception cref="IOException">The file cannot be created.</exception>
    public SegmentDraft(LogFolder folder, uint segment)
    {
        _folder = folder;
        _segment = segment;
        _temporary = folder.PathOf(segment) + ".tmp";
        folder.Io.Delete(_temporary);
        try
        {
            _file = folder.Io.Create(_temporary, isReserved: false, (long)folder.BlocksOf(segment) * LogBlock.Size, isDirect: true);
        }
        catch (IOException)
        {
            folder.Io.Delete(_temporary);
            throw;
        }
    }

    /// <summary>Whether it has the name of the segment, durably or not.</summary>
    public bool HasName { get; private set; }

    /// <summary>Blocks that are filled.</summary>
    public int Filled { get; private set; }

    /// <summary>Blocks of the segment.</summary>
    public int Blocks => _folder.BlocksOf(_segment);

    /// <summary>Fills blocks up to a number.</summary>
    /// <exception cref="IOException">A write failed: discard the draft.</exception>
    public void Fill(int blocks)
    {
        if (blocks <= Filled)
            return;
        using var zeros = new NativeBuffer((nuint)Math.Min(blocks - Filled, WriteBlocks) * LogBlock.Size);
        while (Filled < blocks)
        {
            int count = Math.Min(blocks - Filled, WriteBlocks);
            _folder.Io.Write(_file, zeros.Span(0, count * LogBlock.Size), (long)Filled * LogBlock.Size);
            Filled += count;
        }
    }

    /// <summary>Gives the segment its name, when all of its blocks are filled.</summary>
    /// <exception cref="IOException">A sync or the renaming failed: discard the draft.</exception>
    public void Publish()
    {
        Debug.Assert(Filled == Blocks && !HasName, "a segment has all of its blocks, and one name");
        _folder.Io.Sync(_file);
        _file.Dispose();
        _folder.Io.Rename(_temporary, _folder.PathOf(_segment));
        HasName = true;
        _folder.SyncDirectory();
        _isPublished = true;
    }

    /// <summary>Closes the file and deletes it unless it was published: on a full disk, deletions need the room that a part of a segment
    /// would take. If the sync of its name failed, another one proves nothing: the segment has to be made anew.</summary>
    /// <exception cref="IOException">It cannot be deleted; the next draft of the segment tries again.</exception>
    public void Discard()
    {
        Dispose();
        if (!_isPublished)
            _folder.Io.Delete(HasName ? _folder.PathOf(_segment) : _temporary);
    }

    /// <summary>Closes the file.</summary>
    public void Dispose() => _file.Dispose();
}
