using System.Globalization;
using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;
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

    /// <summary>Opens a segment for writing, creating it full of zeros if it does not exist.</summary>
    /// <remarks>
    /// A file of its full length, with all blocks written, changes no metadata of the file system later: a sync then writes the log alone.
    /// </remarks>
    public SafeFileHandle OpenForWriting(uint segment)
    {
        string path = PathOf(segment);
        if (File.Exists(path))
        {
            // It was recycled, or a process died that has named it: without a sync, the groups to come could lose their name.
            Io.SyncDirectory(directory);
            return Io.OpenForUpdate(path, isDirect: true);
        }

        string temporary = path + ".tmp";
        Io.Delete(temporary);
        try
        {
            using SafeFileHandle created = Io.Create(temporary, isReserved: false, (long)SegmentBlocks * LogBlock.Size, isDirect: true);
            WriteZeros(created);
            Io.Sync(created);
        }
        catch (IOException)
        {
            // On a full disk, deletions need the room that a part of a segment would take.
            Io.Delete(temporary);
            throw;
        }

        Io.Rename(temporary, path);
        Io.SyncDirectory(directory);
        return Io.OpenForUpdate(path, isDirect: true);
    }

    /// <summary>Turns a segment that is not needed into a later one; its old blocks fail the check of the new identity.</summary>
    public void Recycle(uint segment, uint later) => Io.Rename(PathOf(segment), PathOf(later));

    /// <summary>Deletes a segment.</summary>
    public void Delete(uint segment) => Io.Delete(PathOf(segment));

    private void WriteZeros(SafeFileHandle file)
    {
        using var zeros = new NativeBuffer((nuint)Math.Min(SegmentBlocks, 256) * LogBlock.Size);
        for (int block = 0; block < SegmentBlocks; block += 256)
        {
            int count = Math.Min(256, SegmentBlocks - block);
            Io.Write(file, zeros.Span(0, count * LogBlock.Size), (long)block * LogBlock.Size);
        }
    }
}
