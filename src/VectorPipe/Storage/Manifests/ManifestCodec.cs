using System.Buffers;
using System.Buffers.Binary;
using System.Text;
using VectorPipe.Model;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Quantization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>The bytes of a manifest: a header, tagged sections, and a checksum over everything.</summary>
/// <remarks>
/// Layout: docs/format.md#manifest. A reader skips sections with unknown tags, unless the tag's highest bit is set:
/// such a section changes the meaning of the rest, and the reader refuses the index.
/// </remarks>
internal static class ManifestCodec
{
    /// <summary>Longest manifest; an ordinary one has a few hundred bytes.</summary>
    public const int MaxLength = 1 << 20;

    private const int HeaderSize = 32;
    private const int SchemaSize = 64;
    private const int KeysSize = 32;
    private const int MergedSize = 32 + GapCode.Size;

    // The number of RaBitQ codes.
    private const int RemovedCode = 2;
    private const int MaxNameBytes = 255;

    private const uint SchemaTag = 1;
    private const uint FileTag = 2;
    private const uint KeysTag = 3;
    private const uint MergedTag = 4 | MandatoryBit;
    private const uint CalibrationTag = 5;
    private const uint ListsTag = 8 | MandatoryBit;
    private const uint MandatoryBit = 0x8000_0000;

    private static ReadOnlySpan<byte> Magic => "VPINDEX\0"u8;

    public static byte[] Write(Manifest manifest)
    {
        var writer = new ArrayBufferWriter<byte>(1024);
        Span<byte> header = Take(writer, HeaderSize);
        Magic.CopyTo(header);
        BinaryPrimitives.WriteUInt32LittleEndian(header[8..], SchemaLimits.FormatVersion);
        BinaryPrimitives.WriteUInt64LittleEndian(header[16..], manifest.IndexId);
        BinaryPrimitives.WriteUInt32LittleEndian(header[24..], manifest.Generation);
        WriteSchema(writer, manifest.Schema);
        WriteKeys(writer, manifest.Keys);
        if (manifest.Schema.Merged is { } merged)
            WriteMerged(writer, merged);
        if (manifest.Schema.Lists is { } lists)
            IvfSection.Write(Section(writer, ListsTag, IvfSection.Size), lists);
        if (manifest.Calibration is { } calibration)
            CalibrationSection.Write(Section(writer, CalibrationTag, CalibrationSection.SizeOf(calibration)), calibration);
        foreach (FileEntry file in manifest.Files)
            WriteFile(writer, file);

        byte[] bytes = new byte[writer.WrittenCount + 4];
        writer.WrittenSpan.CopyTo(bytes);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(12), (uint)bytes.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(bytes.Length - 4), Crc32C.Compute(bytes.AsSpan(0, bytes.Length - 4)));
        return bytes;
    }

    /// <exception cref="IndexCorruptException">The bytes are no manifest, or one that this version cannot read.</exception>
    public static Manifest Read(string path, ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < HeaderSize + 4)
            throw new IndexCorruptException(path, $"expected a manifest of at least {HeaderSize + 4} bytes, found {bytes.Length}");
        if (!bytes[..8].SequenceEqual(Magic))
            throw new IndexCorruptException(path, "expected a manifest that begins with \"VPINDEX\", found other bytes");
        uint length = BinaryPrimitives.ReadUInt32LittleEndian(bytes[12..]);
        if (length != bytes.Length)
            throw new IndexCorruptException(path, $"expected {length} bytes, as the manifest states, found {bytes.Length}");
        uint stored = BinaryPrimitives.ReadUInt32LittleEndian(bytes[^4..]);
        uint computed = Crc32C.Compute(bytes[..^4]);
        if (stored != computed)
            throw new IndexCorruptException(path, $"expected checksum {stored:x8} (stored), found {computed:x8} (computed)");
        uint version = BinaryPrimitives.ReadUInt32LittleEndian(bytes[8..]);
        if (version != SchemaLimits.FormatVersion)
            throw new IndexCorruptException(
                path, $"expected format version {SchemaLimits.FormatVersion}, found {version}: the index was written by "
                + (version < SchemaLimits.FormatVersion
                    ? "an older version of VectorPipe; rebuild it from its vectors"
                    : "a newer version of VectorPipe"));

        IndexSchema? schema = null;
        KeyDirectoryShape? keys = null;
        MergedPageLayout? merged = null;
        IvfShape? lists = null;
        Calibration? calibration = null;
        var files = new List<FileEntry>();
        ReadOnlySpan<byte> rest = bytes[HeaderSize..^4];
        while (rest.Length > 0)
        {
            if (rest.Length < 8 || BinaryPrimitives.ReadUInt32LittleEndian(rest[4..]) > rest.Length - 8)
                throw new IndexCorruptException(path, $"expected a whole section, found {rest.Length} bytes");
            uint tag = BinaryPrimitives.ReadUInt32LittleEndian(rest);
            ReadOnlySpan<byte> body = rest.Slice(8, (int)BinaryPrimitives.ReadUInt32LittleEndian(rest[4..]));
            rest = rest[(8 + body.Length)..];
            if (tag == SchemaTag)
                schema = ReadSchema(path, body);
            else if (tag == FileTag)
                files.Add(ReadFile(path, body));
            else if (tag == KeysTag)
                keys = ReadKeys(path, body);
            else if (tag == MergedTag)
                merged = ReadMerged(path, body);
            else if (tag == ListsTag)
                lists = IvfSection.Read(path, body);
            else if (tag == CalibrationTag)
                calibration = CalibrationSection.Read(path, body);
            else if ((tag & MandatoryBit) != 0)
                throw new IndexCorruptException(
                    path, $"expected known mandatory sections, found tag {tag:x8}: the index was written by a newer version of VectorPipe");
        }

        if (schema is null)
            throw new IndexCorruptException(path, "expected a schema section, found none");
        if (keys is null)
            throw new IndexCorruptException(path, "expected a key directory section, found none; rebuild the index from its vectors");
        schema = schema with { Merged = merged, Lists = lists };
        Check(path, keys.Entries == schema.Count, "number of keys", keys.Entries);
        if (merged is not null && lists is not null)
            throw new IndexCorruptException(path, $"expected one kind of index, found merged pages beside {lists.Lists} lists");
        schema.Shape.Check(path, schema, calibration);
        Check(path, schema.EntryPoint >= 0 && schema.EntryPoint < Math.Max(1, schema.IdCount), "entry point", schema.EntryPoint);
        Check(
            path, !schema.IsRounded || schema.ElementType == VectorElementType.Float32, "element type of rounded vectors",
            (int)schema.ElementType);
        foreach (FileRole role in FileRoles.OfIndex)
        {
            int found = files.Count(file => file.Role == role);
            int expected = schema.Shape.HasFile(role) ? 1 : 0;

            // A user may have dropped the vectors that pages hold rounded.
            bool mayMiss = role == FileRole.Vectors && found == 0;
            if (found != expected && !mayMiss)
                throw new IndexCorruptException(path, $"expected {expected} file(s) of role {role}, found {found}");
        }

        return new Manifest(
            BinaryPrimitives.ReadUInt64LittleEndian(bytes[16..]), BinaryPrimitives.ReadUInt32LittleEndian(bytes[24..]), schema, keys, files)
        { Calibration = calibration };
    }

    private static void WriteSchema(ArrayBufferWriter<byte> writer, IndexSchema schema)
    {
        Span<byte> body = Section(writer, SchemaTag, SchemaSize);
        BinaryPrimitives.WriteUInt32LittleEndian(body, (uint)schema.Metric);
        BinaryPrimitives.WriteUInt32LittleEndian(body[4..], (uint)schema.ElementType);
        BinaryPrimitives.WriteInt32LittleEndian(body[8..], schema.Dimension);
        BinaryPrimitives.WriteInt32LittleEndian(body[12..], schema.MaxDegree);
        BinaryPrimitives.WriteInt64LittleEndian(body[16..], schema.Count);
        BinaryPrimitives.WriteInt64LittleEndian(body[24..], schema.EntryPoint);
        BinaryPrimitives.WriteInt32LittleEndian(body[32..], schema.CodeBytes);
        BinaryPrimitives.WriteInt32LittleEndian(body[36..], schema.BuildListSize);
        BinaryPrimitives.WriteSingleLittleEndian(body[40..], schema.Alpha);
        BinaryPrimitives.WriteSingleLittleEndian(body[44..], schema.MeanDegree);
        BinaryPrimitives.WriteUInt64LittleEndian(body[48..], schema.Seed);
        BinaryPrimitives.WriteUInt32LittleEndian(body[56..], (uint)schema.Code);
    }

    private static IndexSchema ReadSchema(string path, ReadOnlySpan<byte> body)
    {
        if (body.Length < SchemaSize)
            throw new IndexCorruptException(path, $"expected a schema of {SchemaSize} bytes, found {body.Length}");
        var schema = new IndexSchema
        {
            Metric = (DistanceMetric)BinaryPrimitives.ReadUInt32LittleEndian(body),
            ElementType = (VectorElementType)BinaryPrimitives.ReadUInt32LittleEndian(body[4..]),
            Dimension = BinaryPrimitives.ReadInt32LittleEndian(body[8..]),
            MaxDegree = BinaryPrimitives.ReadInt32LittleEndian(body[12..]),
            Count = BinaryPrimitives.ReadInt64LittleEndian(body[16..]),
            EntryPoint = BinaryPrimitives.ReadInt64LittleEndian(body[24..]),
            CodeBytes = BinaryPrimitives.ReadInt32LittleEndian(body[32..]),
            BuildListSize = BinaryPrimitives.ReadInt32LittleEndian(body[36..]),
            Alpha = BinaryPrimitives.ReadSingleLittleEndian(body[40..]),
            MeanDegree = BinaryPrimitives.ReadSingleLittleEndian(body[44..]),
            Seed = BinaryPrimitives.ReadUInt64LittleEndian(body[48..]),
            Code = (CodeKind)BinaryPrimitives.ReadUInt32LittleEndian(body[56..]),
        };
        Check(path, Enum.IsDefined(schema.Metric), "metric", (int)schema.Metric);
        Check(path, Enum.IsDefined(schema.ElementType), "element type", (int)schema.ElementType);
        Check(path, schema.Dimension is > 0 and <= SchemaLimits.MaxDimension, "dimension", schema.Dimension);
        Check(path, schema.MaxDegree is > 0 and <= SchemaLimits.MaxDegree, "degree", schema.MaxDegree);
        Check(path, schema.Count is >= 0 and <= SchemaLimits.MaxCount, "number of nodes", schema.Count);
        Check(path, schema.CodeBytes >= 0 && schema.CodeBytes <= schema.Dimension, "code size", schema.CodeBytes);
        if ((int)schema.Code == RemovedCode)
            throw new IndexCorruptException(
                path, "expected codes of kind Pq or Opq, found RaBitQ, which this version cannot read; rebuild the index from its vectors");
        bool isCodable = schema.Code switch
        {
            CodeKind.Pq => true,
            CodeKind.Opq => schema.Dimension <= Rotation.MaxDimension,
            _ => false,
        };
        Check(path, isCodable, "code kind", (int)schema.Code);
        return schema;
    }

    private static void WriteKeys(ArrayBufferWriter<byte> writer, KeyDirectoryShape keys)
    {
        Span<byte> body = Section(writer, KeysTag, KeysSize);
        BinaryPrimitives.WriteUInt64LittleEndian(body, keys.Seed);
        BinaryPrimitives.WriteInt64LittleEndian(body[8..], keys.Buckets);
        BinaryPrimitives.WriteInt64LittleEndian(body[16..], keys.Entries);
        BinaryPrimitives.WriteInt32LittleEndian(body[24..], keys.LongestChain);
        BinaryPrimitives.WriteUInt32LittleEndian(body[28..], KeyHash.FunctionNumber);
    }

    private static KeyDirectoryShape ReadKeys(string path, ReadOnlySpan<byte> body)
    {
        if (body.Length < KeysSize)
            throw new IndexCorruptException(path, $"expected a key directory section of {KeysSize} bytes, found {body.Length}");
        var keys = new KeyDirectoryShape(
            BinaryPrimitives.ReadUInt64LittleEndian(body),
            BinaryPrimitives.ReadInt64LittleEndian(body[8..]),
            BinaryPrimitives.ReadInt64LittleEndian(body[16..]),
            BinaryPrimitives.ReadInt32LittleEndian(body[24..]));
        uint function = BinaryPrimitives.ReadUInt32LittleEndian(body[28..]);
        Check(path, keys.Buckets is > 0 and <= SchemaLimits.MaxCount, "number of buckets", keys.Buckets);
        Check(path, keys.LongestChain > 0, "length of the longest chain", keys.LongestChain);
        Check(path, function == KeyHash.FunctionNumber, "hash function", function);
        return keys;
    }

    private static void WriteMerged(ArrayBufferWriter<byte> writer, MergedPageLayout merged)
    {
        Span<byte> body = Section(writer, MergedTag, MergedSize);
        BinaryPrimitives.WriteInt32LittleEndian(body, merged.Owned);
        BinaryPrimitives.WriteInt32LittleEndian(body[4..], merged.Replicas);
        BinaryPrimitives.WriteInt32LittleEndian(body[8..], merged.PageSize);
        BinaryPrimitives.WriteInt32LittleEndian(body[12..], merged.PageGraphBytes);
        BinaryPrimitives.WriteInt32LittleEndian(body[16..], merged.Entries);
        BinaryPrimitives.WriteUInt32LittleEndian(body[20..], (uint)(merged.Stored ?? 0));
        merged.Links.WriteLengths(body[24..]);
        BinaryPrimitives.WriteInt32LittleEndian(body[40..], merged.Fill);
        BinaryPrimitives.WriteUInt32LittleEndian(body[44..], (uint)merged.Capacity);
    }

    private static MergedPageLayout ReadMerged(string path, ReadOnlySpan<byte> body)
    {
        if (body.Length < MergedSize)
            throw new IndexCorruptException(path, $"expected a section of {MergedSize} bytes for the merged layout, found {body.Length}");
        var merged = new MergedPageLayout(
            BinaryPrimitives.ReadInt32LittleEndian(body),
            BinaryPrimitives.ReadInt32LittleEndian(body[4..]),
            BinaryPrimitives.ReadInt32LittleEndian(body[8..]),
            BinaryPrimitives.ReadInt32LittleEndian(body[12..]),
            BinaryPrimitives.ReadInt32LittleEndian(body[16..]))
        {
            Fill = BinaryPrimitives.ReadInt32LittleEndian(body[40..]),
            Capacity = BinaryPrimitives.ReadUInt32LittleEndian(body[44..]),
        };
        uint stored = BinaryPrimitives.ReadUInt32LittleEndian(body[20..]);
        Check(path, stored is 0 or (uint)VectorElementType.Float16, "element type of vectors in pages", stored);
        Check(path, merged.Owned is > 0 and <= ushort.MaxValue, "number of nodes per page", merged.Owned);
        Check(path, merged.Fill > 0 && merged.Fill <= merged.Owned, "number of nodes that a build places in a page", merged.Fill);
        Check(path, merged.Replicas is >= 0 and <= ushort.MaxValue, "number of replicas per page", merged.Replicas);
        Check(path, PageCodec.IsPageSize(merged.PageSize), "page size", merged.PageSize);
        Check(
            path, merged.PageGraphBytes is >= 0 and <= PageGraphBlock.MaxBytes, "size of a block of the page graph", merged.PageGraphBytes);
        Check(path, merged.Entries is > 0 and <= MergedPageLayout.MaxEntries, "number of entry points", merged.Entries);
        Span<byte> lengths = stackalloc byte[GapCode.Magnitudes];
        GapCode.ReadLengths(body[24..], lengths);
        if (GapCode.FindDefect(lengths) is { } defect)
            throw new IndexCorruptException(path, $"code of link lists: {defect}");
        return merged with { Stored = stored == 0 ? null : (VectorElementType)stored, Links = new GapCode(lengths) };
    }

    private static void WriteFile(ArrayBufferWriter<byte> writer, FileEntry file)
    {
        int nameBytes = Encoding.UTF8.GetByteCount(file.Name);
        Span<byte> body = Section(writer, FileTag, 32 + nameBytes);
        BinaryPrimitives.WriteUInt16LittleEndian(body, (ushort)file.Role);
        BinaryPrimitives.WriteUInt16LittleEndian(body[2..], (ushort)nameBytes);
        BinaryPrimitives.WriteUInt32LittleEndian(body[4..], file.Generation);
        BinaryPrimitives.WriteUInt64LittleEndian(body[8..], file.FileId);
        BinaryPrimitives.WriteInt64LittleEndian(body[16..], file.PageCount);
        BinaryPrimitives.WriteInt32LittleEndian(body[24..], file.PageSize);
        Encoding.UTF8.GetBytes(file.Name, body[32..]);
    }

    private static FileEntry ReadFile(string path, ReadOnlySpan<byte> body)
    {
        if (body.Length < 32 || BinaryPrimitives.ReadUInt16LittleEndian(body[2..]) != body.Length - 32)
            throw new IndexCorruptException(path, $"expected a file section of 32 bytes and a name, found {body.Length} bytes");
        var file = new FileEntry(
            (FileRole)BinaryPrimitives.ReadUInt16LittleEndian(body),
            Encoding.UTF8.GetString(body[32..]),
            BinaryPrimitives.ReadUInt64LittleEndian(body[8..]),
            BinaryPrimitives.ReadUInt32LittleEndian(body[4..]),
            BinaryPrimitives.ReadInt32LittleEndian(body[24..]),
            BinaryPrimitives.ReadInt64LittleEndian(body[16..]));
        Check(path, body.Length - 32 <= MaxNameBytes, "length of a file name", body.Length - 32);
        Check(path, FileRoles.OfIndex.Contains(file.Role), "file role", (int)file.Role);
        Check(path, PageCodec.IsPageSize(file.PageSize), "page size", file.PageSize);
        Check(path, file.PageCount > 0 && file.PageCount <= long.MaxValue / PageCodec.MaxPageSize, "page count", file.PageCount);

        // A name with a separator could lead out of the directory; no file system accepts a zero in a name.
        if (file.Name.Length == 0 || file.Name.Contains('\0') || Path.GetFileName(file.Name) != file.Name || file.Name is "." or "..")
            throw new IndexCorruptException(path, $"expected a plain file name, found \"{file.Name}\"");
        return file;
    }

    internal static void Check(string path, bool valid, string what, long value)
    {
        if (!valid)
            throw new IndexCorruptException(path, $"expected a valid {what}, found {value}");
    }

    private static Span<byte> Section(ArrayBufferWriter<byte> writer, uint tag, int length)
    {
        Span<byte> section = Take(writer, 8 + length);
        BinaryPrimitives.WriteUInt32LittleEndian(section, tag);
        BinaryPrimitives.WriteUInt32LittleEndian(section[4..], (uint)length);
        return section[8..];
    }

    private static Span<byte> Take(ArrayBufferWriter<byte> writer, int length)
    {
        Span<byte> span = writer.GetSpan(length)[..length];
        span.Clear();
        writer.Advance(length);
        return span;
    }
}
