using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Manifests;

/// <summary>The records of a generation as the manifest names them.</summary>
internal static class RecordFileInfoCodec
{
    public static void Write(BinaryWriter writer, RecordFileInfo records)
    {
        writer.Write(records.Identity);
        Write(writer, records.Heap);
        writer.Write(records.HeapBytes);
        Write(writer, records.Directory);
        writer.Write(records.Shape.Seed);
        writer.Write(records.Shape.Buckets);
        writer.Write(records.Shape.Entries);
        writer.Write(records.Shape.LongestChain);
    }

    /// <exception cref="EndOfStreamException">The bytes end too early.</exception>
    public static RecordFileInfo Read(BinaryReader reader) =>
        new(
            reader.ReadUInt64(), ReadEntry(reader), reader.ReadInt64(), ReadEntry(reader),
            new KeyDirectoryShape(reader.ReadUInt64(), reader.ReadInt64(), reader.ReadInt64(), reader.ReadInt32()));

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
}
