using System.Buffers.Binary;
using VectorPipe.Formats;

namespace VectorPipe.Importing;

/// <summary>Block 0 of a DiskANN disk index: the content of its file.</summary>
/// <remarks>
/// <code>
/// offset size
///      0    4  number of 8-byte words in the C++ programs: 9 in plain indexes, 8 or 9 in early ones (12: re-ordered vectors, not
///              supported); 96 in the Rust program
///      4    4  1
///      8    8  nodes
///     16    8  dimension
///     24    8  medoid: the node at which a search enters
///     32    8  bytes of a node
///     40    8  nodes of a block; 0: a node spans blocks
///     48    8  frozen points (none in an index of vectors alone)
///     64    8  whether re-ordered vectors follow; early C++ builders and PipeANN, which lack this mark: bytes of the file
///     72    8  bytes of the file (absent with 8 words)
///     80    8  Rust: bytes of data associated with a node
///     88    8  Rust: bytes of a block; 0 means 4,096
///     96  4+4  Rust: version of the layout, 1.0; 0.0 is the version of the C++ program
/// </code>
/// </remarks>
internal sealed record DiskAnnHeader
{
    /// <summary>Bytes that <see cref="Parse"/> looks at.</summary>
    public const int Bytes = 104;

    private const uint EarlyMark = 8;
    private const uint PlainMark = 9;
    private const uint ReorderedMark = 12;
    private const uint RustMark = 96;
    private const int DefaultBlockBytes = 4096;
    private const int MaxBlockBytes = 1 << 20;
    private const int MaxNodeBytes = 1 << 20;

    /// <summary>The program that wrote the file.</summary>
    public required DiskAnnVariant Variant { get; init; }

    /// <summary>Nodes, at least 1.</summary>
    public required long Count { get; init; }

    /// <summary>Components of a vector, at least 1.</summary>
    public required int Dimension { get; init; }

    /// <summary>The node at which a search enters.</summary>
    public required long Medoid { get; init; }

    public required int NodeBytes { get; init; }

    /// <summary>Nodes of a block; 0 if a node spans blocks.</summary>
    public required int NodesPerBlock { get; init; }

    public required int BlockBytes { get; init; }
    public int NodesPerUnit => Math.Max(1, NodesPerBlock);

    /// <summary>Bytes of a unit: a block, or the blocks of one node.</summary>
    public int UnitBytes => NodesPerBlock > 0 ? BlockBytes : (NodeBytes + BlockBytes - 1) / BlockBytes * BlockBytes;

    /// <summary>The units, which follow block 0, as rows of bytes.</summary>
    public RowLayout Units => new(UnitBytes, 1, (Count + NodesPerUnit - 1) / NodesPerUnit, BlockBytes, 0);

    /// <summary>Reads a header from the first <see cref="Bytes"/> of a file, and checks it against the file's length.</summary>
    /// <exception cref="VectorFormatException">No disk index, an unsupported kind, or one that the file's length contradicts.</exception>
    public static DiskAnnHeader Parse(ReadOnlySpan<byte> head, string path, long fileLength)
    {
        HeaderChecks.HeaderLength(path, head.Length, Bytes);
        uint mark = BinaryPrimitives.ReadUInt32LittleEndian(head);
        if (mark == ReorderedMark)
            throw new VectorFormatException(
                path, 0, "a plain disk index", $"{mark}: codes in the place of vectors, and re-ordered vectors behind them");
        if (mark is not (EarlyMark or PlainMark or RustMark))
            throw new VectorFormatException(
                path, 0, $"a DiskANN disk index, which begins with {EarlyMark}, {PlainMark} or {RustMark}", $"{mark}");
        if (BinaryPrimitives.ReadUInt32LittleEndian(head[4..]) is var columns and not 1)
            throw new VectorFormatException(path, 4, "1", $"{columns}");
        DiskAnnVariant variant = VariantOf(mark, head, fileLength);
        int blockBytes = variant == DiskAnnVariant.Rust ? ParseRust(head, path) : DefaultBlockBytes;

        long count = Field(head, path, 8, 1, uint.MaxValue, "a number of nodes");
        var header = new DiskAnnHeader
        {
            Variant = variant,
            Count = count,
            Dimension = HeaderChecks.Dimension(path, 16, Field(head, path, 16, 1, int.MaxValue, "a dimension"), 1),
            Medoid = Field(head, path, 24, 0, count - 1, "a medoid"),
            NodeBytes = (int)Field(head, path, 32, 1, MaxNodeBytes, "a node size"),
            NodesPerBlock = (int)Field(head, path, 40, 0, blockBytes, "a number of nodes per block"),
            BlockBytes = blockBytes,
        };
        if ((long)header.NodesPerBlock * header.NodeBytes > blockBytes)
            throw new VectorFormatException(
                path, 40, $"at most {blockBytes / header.NodeBytes} nodes of {header.NodeBytes} bytes a block", $"{header.NodesPerBlock}");
        Field(head, path, 48, 0, 0, "a number of frozen points");
        if (variant == DiskAnnVariant.Early)
            Field(head, path, 64, fileLength, fileLength, "the length of the file");
        else
            Field(head, path, 64, 0, 0, "a mark of re-ordered vectors");
        HeaderChecks.FileLength(path, header.Units, fileLength);
        if (mark != EarlyMark)
            Field(head, path, 72, fileLength, fileLength, "the length of the file");
        return header;
    }

    /// <summary>The program that writes such a header.</summary>
    private static DiskAnnVariant VariantOf(uint mark, ReadOnlySpan<byte> head, long fileLength)
    {
        if (mark == RustMark)
            return DiskAnnVariant.Rust;

        // With 9 words, the early header has the length of the file at the place of the later mark of re-ordered vectors. No mark is so
        // large.
        bool hasLengthForMark = BinaryPrimitives.ReadUInt64LittleEndian(head[64..]) == (ulong)fileLength;
        return mark == EarlyMark || hasLengthForMark ? DiskAnnVariant.Early : DiskAnnVariant.Cpp;
    }

    /// <summary>Checks the fields of the Rust program, and returns the bytes of a block.</summary>
    private static int ParseRust(ReadOnlySpan<byte> head, string path)
    {
        (uint major, uint minor) =
            (BinaryPrimitives.ReadUInt32LittleEndian(head[96..]), BinaryPrimitives.ReadUInt32LittleEndian(head[100..]));
        if (minor != 0 || major > 1)
            throw new VectorFormatException(path, 96, "layout version 0.0 or 1.0", $"{major}.{minor}");
        if (major == 0 || BinaryPrimitives.ReadUInt64LittleEndian(head[88..]) == 0)
            return DefaultBlockBytes;
        Field(head, path, 80, 0, 0, "a size of data associated with a node");
        return (int)Field(head, path, 88, Bytes, MaxBlockBytes, "a block size");
    }

    private static long Field(ReadOnlySpan<byte> head, string path, int offset, long least, long most, string what)
    {
        ulong value = BinaryPrimitives.ReadUInt64LittleEndian(head[offset..]);
        if (value < (ulong)least || value > (ulong)most)
            throw new VectorFormatException(path, offset, $"{what} of {(least == most ? $"{least}" : $"{least} to {most}")}", $"{value}");
        return (long)value;
    }
}
