using System.Globalization;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Log;

/// <summary>The segments of one log in a directory: their names, their identities, and their preparation.</summary>
/// <param name="directory">The directory.</param>
/// <param name="logId">Identity of the log; every segment derives its own from it.</param>
/// <param name="io">Writes.</param>
/// <param name="segmentBlocks">Blocks of a segment; 16 MiB by default.</param>
internal sealed class LogFolder(string directory, ulong logId, IStorageIo io, int segmentBlocks = LogFolder.DefaultSegmentBlocks)
{
    /// <summary>Blocks of a segment unless a test sets fewer: 16 MiB.</summary>
    public const int DefaultSegmentBlocks = 4096;

    private const string Prefix = "log-", Suffix = ".vp";

    /// <summary>Blocks of a segment.</summary>
    public int SegmentBlocks { get; } = segmentBlocks;

    /// <summary>Writes.</summary>
    public IStorageIo Io { get; } = io;

    /// <summary>Identity of a segment.</summary>
    public ulong IdentityOf(uint segment) => FileIds.OfLogSegment(logId, segment);

    /// <summary>Path of a segment.</summary>
    public string PathOf(uint segment) =>
        Path.Combine(directory, string.Create(CultureInfo.InvariantCulture, $"{Prefix}{segment:D6}{Suffix}"));

    /// <summary>Numbers of the segments in the directory, in order.</summary>
    public uint[] Segments() =>
    [
        .. Directory.EnumerateFiles(directory, $"{Prefix}*{Suffix}")
            .Select(path => Path.GetFileNameWithoutExtension(path)[Prefix.Length..])
            .Where(number => uint.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out _))
            .Select(number => uint.Parse(number, CultureInfo.InvariantCulture))
            .Order(),
    ];

    /// <summary>Whether a segment is there.</summary>
    public bool Has(uint segment) => File.Exists(PathOf(segment));

    /// <summary>Opens a segment for writing; a new one if it does not exist.</summary>
    public SafeFileHandle OpenForWriting(uint segment)
    {
        if (Has(segment))
        {
            // It was recycled, or a process died that has named it: without a sync, the groups to come could lose their name.
            SyncDirectory();
        }
        else
        {
            using var draft = new SegmentDraft(this, segment);
            try
            {
                draft.Fill(SegmentBlocks);
                draft.Publish();
            }
            catch (IOException)
            {
                draft.Discard();
                throw;
            }
        }

        return Io.OpenForUpdate(PathOf(segment), isDirect: true);
    }

    /// <summary>Makes the names of the segments durable.</summary>
    public void SyncDirectory() => Io.SyncDirectory(directory);

    /// <summary>Turns a segment that is not needed into a later one; its old blocks fail the check of the new identity.</summary>
    public void Recycle(uint segment, uint later) => Io.Rename(PathOf(segment), PathOf(later));

    /// <summary>Deletes a segment.</summary>
    public void Delete(uint segment) => Io.Delete(PathOf(segment));
}
