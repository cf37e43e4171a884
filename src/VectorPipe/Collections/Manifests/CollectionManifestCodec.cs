using System.Buffers.Binary;
using VectorPipe.Collections.Attributes;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Log;
using VectorPipe.Storage.Records;

namespace VectorPipe.Collections.Manifests;

/// <summary>The bytes of the file COLLECTION, see docs/format.md#collection.</summary>
internal static class CollectionManifestCodec
{
    /// <summary>Most bytes of the file.</summary>
    public const int MaxLength = 1 << 24;

    private const uint Version = 2;
    private const int HeaderBytes = 16;

    private static ReadOnlySpan<byte> Magic => "VPCOLLEC"u8;

    public static byte[] Write(CollectionManifest manifest)
    {
        using var stream = new MemoryStream();
        using var writer = new BinaryWriter(stream);
        writer.Write(Magic);
        writer.Write(Version);
        writer.Write(0);
        writer.Write(manifest.Id);
        writer.Write(manifest.HashSeed);
        writer.Write((int)manifest.KeyType);
        byte[] schema = SchemaCodec.Write(manifest.Schema);
        writer.Write(schema.Length);
        writer.Write(schema);
        writer.Write(manifest.Generation);
        writer.Write(manifest.Log.Segment);
        writer.Write(manifest.Log.Block);
        writer.Write(manifest.Log.Group);
        writer.Write(manifest.Log.Checksum);
        writer.Write(manifest.Records is not null);
        if (manifest.Records is { } built)
            RecordFileInfoCodec.Write(writer, built);
        writer.Write(manifest.Columns is not null);
        if (manifest.Columns is { } columns)
            RecordFileInfoCodec.Write(writer, columns);
        writer.Write(manifest.Checkpoint);
        writer.Write(manifest.Changes.Count);
        foreach (FileEntry file in manifest.Changes)
            RecordFileInfoCodec.Write(writer, file);
        writer.Write(manifest.Keys is not null);
        if (manifest.Keys is { } keys)
            RecordFileInfoCodec.Write(writer, keys);
        writer.Write(manifest.LaterRecords.Count);
        foreach (RecordFileInfo records in manifest.LaterRecords)
            RecordFileInfoCodec.Write(writer, records);
        writer.Write(manifest.Displaced.Count);
        foreach ((byte[] key, ulong handle) in manifest.Displaced)
        {
            writer.Write(handle);
            writer.Write((ushort)key.Length);
            writer.Write(key);
        }

        writer.Flush();
        byte[] bytes = new byte[stream.Length + sizeof(uint)];
        stream.ToArray().CopyTo(bytes, 0);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(12), bytes.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(bytes.Length - sizeof(uint)), Crc32C.Compute(bytes.AsSpan(..^sizeof(uint))));
        return bytes;
    }

    /// <summary>Reads the file.</summary>
    /// <exception cref="IndexCorruptException">The bytes are damaged, or of a later version.</exception>
    public static CollectionManifest Read(string path, ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < HeaderBytes + sizeof(uint) || !bytes.StartsWith(Magic))
            throw new IndexCorruptException(path, $"expected a collection's manifest, found {bytes.Length} other bytes");
        uint version = BinaryPrimitives.ReadUInt32LittleEndian(bytes[8..]);
        if (version != Version)
            throw new IndexCorruptException(path, $"expected version {Version} of the format, found {version}");
        int length = BinaryPrimitives.ReadInt32LittleEndian(bytes[12..]);
        if (length != bytes.Length)
            throw new IndexCorruptException(path, $"expected {length} bytes, found {bytes.Length}");
        uint checksum = BinaryPrimitives.ReadUInt32LittleEndian(bytes[^sizeof(uint)..]), found = Crc32C.Compute(bytes[..^sizeof(uint)]);
        if (checksum != found)
            throw new IndexCorruptException(path, $"expected the checksum {checksum:x8}, found {found:x8}");
        try
        {
            using var stream = new MemoryStream(bytes[HeaderBytes..^sizeof(uint)].ToArray());
            using var reader = new BinaryReader(stream);
            return Read(path, reader);
        }
        catch (EndOfStreamException e)
        {
            throw new IndexCorruptException($"{path}: expected more bytes.", e);
        }
    }

    private static CollectionManifest Read(string path, BinaryReader reader)
    {
        ulong id = reader.ReadUInt64(), seed = reader.ReadUInt64();
        var keyType = (KeyType)reader.ReadInt32();
        if (!Enum.IsDefined(keyType))
            throw new IndexCorruptException(path, $"expected a known type of keys, found {(int)keyType}");
        if (!SchemaCodec.TryRead(reader.ReadBytes(reader.ReadInt32()), out CollectionSchema? schema))
            throw new IndexCorruptException(path, "expected a schema, found other bytes");
        var manifest = new CollectionManifest
        {
            Id = id,
            HashSeed = seed,
            KeyType = keyType,
            Schema = schema,
            Generation = reader.ReadUInt32(),
            Log = new LogPosition(reader.ReadUInt32(), reader.ReadInt32(), reader.ReadUInt64(), reader.ReadUInt32()),
            Records = reader.ReadBoolean() ? RecordFileInfoCodec.Read(reader) : null,
            Columns = reader.ReadBoolean() ? RecordFileInfoCodec.ReadEntry(reader) : null,
            Checkpoint = reader.ReadUInt32(),
        };
        var changes = new FileEntry[Math.Clamp(reader.ReadInt32(), 0, MaxLength)];
        for (int i = 0; i < changes.Length; i++)
            changes[i] = RecordFileInfoCodec.ReadEntry(reader);
        KeyRegion? keys = reader.ReadBoolean() ? RecordFileInfoCodec.ReadRegion(reader) : null;
        var later = new RecordFileInfo[Math.Clamp(reader.ReadInt32(), 0, MaxLength)];
        for (int i = 0; i < later.Length; i++)
            later[i] = RecordFileInfoCodec.Read(reader);
        var displaced = new (byte[] Key, ulong Handle)[reader.ReadInt32()];
        for (int i = 0; i < displaced.Length; i++)
        {
            ulong handle = reader.ReadUInt64();
            displaced[i] = (reader.ReadBytes(reader.ReadUInt16()), handle);
        }

        return manifest with { Changes = changes, Keys = keys, LaterRecords = later, Displaced = displaced };
    }
}
