using System.Buffers.Binary;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Records;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Storage.Records;

/// <summary>A record file in a directory of its own.</summary>
internal sealed class RecordFiles : IDisposable
{
    public const ulong Identity = 0x1234_5678_9abc_def0;
    public const uint Generation = 3;

    public static readonly string HeapName = RecordFileInfo.HeapName(Generation);
    public static readonly string KeysName = RecordFileInfo.DirectoryName(Generation);

    public string Directory { get; } = System.IO.Directory.CreateTempSubdirectory("vectorpipe-records-").FullName;

    public string HeapPath => PathOf(HeapName);

    public string KeysPath => PathOf(KeysName);

    /// <summary>The names of the files in the directory, sorted.</summary>
    public string[] FileNames =>
        [.. System.IO.Directory.GetFiles(Directory).Select(path => Path.GetFileName(path)).Order(StringComparer.Ordinal)];

    /// <summary>Bytes that the handle and the length determine.</summary>
    public static byte[] Body(ulong handle, int length) => TestBytes.Seeded(unchecked((handle * 31) + (ulong)length), length);

    public string PathOf(string name) => Path.Combine(Directory, name);

    public RecordFileWriter Writer(long capacity, IStorageIo? io = null, ulong identity = Identity) =>
        new(io ?? new UnsyncedStorageIo(refuses: false), Directory, identity, Generation, capacity);

    /// <summary>Writes records.</summary>
    public RecordFileInfo Write(IReadOnlyList<(ulong Handle, int Length)> records, IStorageIo? io = null, ulong identity = Identity)
    {
        using RecordFileWriter writer = Writer(records.Count, io, identity);
        foreach ((ulong handle, int length) in records)
            writer.Add(handle, Body(handle, length));
        return writer.Finish();
    }

    public RecordFile Open(RecordFileInfo info, IStorageIo? io = null) => RecordFile.Open(io ?? FileStorageIo.Instance, Directory, info);

    /// <summary>Changes bytes of a page's payload and gives the page a right checksum.</summary>
    public static void Change(string path, long page, int offset, ReadOnlySpan<byte> bytes)
    {
        byte[] file = File.ReadAllBytes(path);
        Span<byte> target = file.AsSpan((int)page * PageCodec.PageUnit, PageCodec.PageUnit);
        bytes.CopyTo(PageCodec.Payload(target)[offset..]);
        var identity = new PageIdentity(
            BinaryPrimitives.ReadUInt64LittleEndian(target[8..]), page, BinaryPrimitives.ReadUInt32LittleEndian(target[24..]));
        var kind = (PageKind)BinaryPrimitives.ReadUInt16LittleEndian(target[4..]);
        PageCodec.Seal(target, kind, PageCodec.Items(target), identity, PageCodec.PayloadLength(target));
        File.WriteAllBytes(path, file);
    }

    public void Dispose() => System.IO.Directory.Delete(Directory, recursive: true);
}
