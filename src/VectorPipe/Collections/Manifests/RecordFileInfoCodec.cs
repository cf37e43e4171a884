using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Manifests;

/// <summary>Files and key directories of a generation as the manifest names them.</summary>
internal static class RecordFileInfoCodec
{
    public static void Write(BinaryWriter writer, RecordFileInfo records)
    {
        writer.Write(records.Identity);
        Write(writer, records.Heap);
        writer.Write(records.HeapBytes);
        Write(writer, records.Directory);
        Write(writer, records.Shape);
    }

    /// <exception cref="EndOfStreamException">The bytes end too early.</exception>
    public static RecordFileInfo Read(BinaryReader reader) =>
        new(
            reader.ReadUInt64(), ReadEntry(reader), reader.ReadInt64(), ReadEntry(reader),
            ReadShape(reader));

    public static void Write(BinaryWriter writer, KeyRegion keys)
    {
        writer.Write(keys.Offset);
        writer.Write(keys.PageCount);
        writer.Write(keys.Generation);
        Write(writer, keys.Shape);
        writer.Write(keys.Changed);
    }

    /// <exception cref="EndOfStreamException">The bytes end too early.</exception>
    public static KeyRegion ReadRegion(BinaryReader reader) =>
        new(reader.ReadInt64(), reader.ReadInt64(), reader.ReadUInt32(), ReadShape(reader), reader.ReadInt64());

    public static void Write(BinaryWriter writer, FileEntry file)
    {
        writer.Write((int)file.Role);
        writer.Write(file.Name);
        writer.Write(file.FileId);
        writer.Write(file.Generation);
        writer.Write(file.PageSize);
        writer.Write(file.PageCount);
    }

    public static FileEntry ReadEntry(BinaryReader reader) =>
        new(
            (FileRole)reader.ReadInt32(), reader.ReadString(), reader.ReadUInt64(), reader.ReadUInt32(), reader.ReadInt32(),
            reader.ReadInt64());

    private static void Write(BinaryWriter writer, KeyDirectoryShape shape)
    {
        writer.Write(shape.Seed);
        writer.Write(shape.Buckets);
        writer.Write(shape.Entries);
        writer.Write(shape.LongestChain);
    }

    private static KeyDirectoryShape ReadShape(BinaryReader reader) =>
        new(reader.ReadUInt64(), reader.ReadInt64(), reader.ReadInt64(), reader.ReadInt32());
}
