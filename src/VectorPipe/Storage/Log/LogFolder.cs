using System.Globalization;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Log;

/// <summary>The segments of one log in a directory: their names, their identities, and their preparation.</summary>
/// <param name="directory">The directory.</param>
/// <param name="logId">Identity of the log; every segment derives its own from it.</param>
/// <param name="io">Writes.</param>
/// <param name="mostBlocks">Blocks of the largest segments; 16 MiB by default.</param>
internal sealed class LogFolder(string directory, ulong logId, IStorageIo io, int mostBlocks = LogFolder.DefaultMostBlocks)
{
    /// <summary>Blocks of the largest segments unless a test sets fewer: 16 MiB.</summary>
    public const int DefaultMostBlocks = 4096;

    /// <summary>Blocks of the first segment: 256 KiB.</summary>
    public const int FirstBlocks = 64;

    private const string Prefix = "log-", Suffix = ".vp";

    /// <summary>Blocks of the largest segments, which hold the longest group.</summary>
    public int MostBlocks { get; } = mostBlocks;

    /// <summary>Writes.</summary>
    public IStorageIo Io { get; } = io;

    /// <summary>Blocks of a segment: each of the first ones is twice as long as the one before.</summary>
    /// <remarks>A log is opened by reading its last segment to the end. With 16 MiB from the first segment on, a collection of 1,000
    /// vectors took 18 ms to open instead of 8, and 18 MB on disk instead of 1.7.</remarks>
    public int BlocksOf(uint segment) => (int)Math.Min((long)FirstBlocks << (int)Math.Min(segment - 1, 16), MostBlocks);

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
                draft.Fill(BlocksOf(segment));
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

    /// <summary>Turns a segment that is not needed into a later one of its length; its old blocks fail the check of the new
    /// identity.</summary>
    public void Recycle(uint segment, uint later) => Io.Rename(PathOf(segment), PathOf(later));

    /// <summary>Deletes a segment.</summary>
    public void Delete(uint segment) => Io.Delete(PathOf(segment));
}
