using VectorPipe.Storage.Files;
using VectorPipe.Storage.Log;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Storage.Log;

/// <summary>A log in a temporary directory, with small segments.</summary>
internal sealed class LogFiles : IDisposable
{
    public const int SegmentBlocks = 16;
    public const ulong LogId = 0x1234_5678_9abc_def0;

    public string Directory { get; } = System.IO.Directory.CreateTempSubdirectory("vectorpipe-log-").FullName;

    public LogFolder Folder(IStorageIo? io = null) => new(Directory, LogId, io ?? FileStorageIo.Instance, SegmentBlocks);

    /// <summary>Opens the log as a new process does: it reads all groups, then appends.</summary>
    public LogWriter Open(List<byte[]> groups, IStorageIo? io = null, LogPosition? from = null)
    {
        LogFolder folder = Folder(io);
        using var reader = new LogReader(folder);
        LogPosition end = reader.Read(from ?? LogPosition.Start, (_, payload) => groups.Add(payload.ToArray()));
        return new LogWriter(folder, end, reader.LastSeen);
    }

    /// <summary>All groups.</summary>
    public List<byte[]> Read(LogPosition? from = null)
    {
        List<byte[]> groups = [];
        using var reader = new LogReader(Folder());
        reader.Read(from ?? LogPosition.Start, (_, payload) => groups.Add(payload.ToArray()));
        return groups;
    }

    /// <summary>A payload that its number determines.</summary>
    public static byte[] Payload(int number, int length) => TestBytes.Seeded((ulong)number, length);

    /// <summary>Writes groups and syncs each, in a new log.</summary>
    public List<byte[]> Write(params int[] lengths)
    {
        List<byte[]> groups = [.. lengths.Select((length, i) => Payload(i, length))];
        using LogWriter writer = Open([]);
        foreach (byte[] group in groups)
        {
            writer.Append(group);
            writer.Sync();
        }

        return groups;
    }

    public string PathOf(uint segment) => Folder().PathOf(segment);

    public void Dispose() => System.IO.Directory.Delete(Directory, recursive: true);
}
