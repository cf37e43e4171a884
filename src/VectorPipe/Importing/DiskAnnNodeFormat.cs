using System.Buffers.Binary;
using System.Runtime.InteropServices;
using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Importing;

/// <summary>A node of a DiskANN disk index: the vector, the number of its neighbours (uint32), their ids (uint32), zeros.</summary>
internal sealed record DiskAnnNodeFormat
{
    private const int IdBytes = 4;

    private readonly long _count;

    private DiskAnnNodeFormat(DiskAnnHeader header, VectorElementType elementType)
    {
        _count = header.Count;
        ElementType = elementType;
        VectorBytes = header.Dimension * elementType.SizeInBytes();
        MaxDegree = (header.NodeBytes - VectorBytes) / IdBytes - 1;
    }

    public VectorElementType ElementType { get; }
    public int VectorBytes { get; }

    /// <summary>The most neighbours of a node; the file states only its node size.</summary>
    public int MaxDegree { get; }

    /// <summary>The format of nodes with components of a known type.</summary>
    /// <exception cref="VectorFormatException">The node size has no room for such vectors, or no whole number of links.</exception>
    public static DiskAnnNodeFormat Create(DiskAnnHeader header, VectorElementType elementType, string path)
    {
        if (Fits(header, elementType))
            return new DiskAnnNodeFormat(header, elementType);
        throw new VectorFormatException(
            path, 32,
            $"a node size of {(long)header.Dimension * elementType.SizeInBytes() + IdBytes} bytes ({header.Dimension} x {elementType} "
            + "and a count), and 4 more a link", $"{header.NodeBytes}");
    }

    /// <summary>Detects the type of the components, which the file does not state, by the plausibility of its first nodes.</summary>
    /// <exception cref="VectorFormatException">No type fits, several do, or one of the two byte types, which look alike.</exception>
    public static DiskAnnNodeFormat Detect(DiskAnnHeader header, ReadOnlySpan<byte> units, string path)
    {
        var fitting = new List<VectorElementType>();
        foreach (VectorElementType type in (ReadOnlySpan<VectorElementType>)
            [VectorElementType.Float32, VectorElementType.Float16, VectorElementType.UInt8])
        {
            if (Fits(header, type) && new DiskAnnNodeFormat(header, type).MakesSense(header, units))
                fitting.Add(type);
        }

        if (fitting is [VectorElementType.Float32 or VectorElementType.Float16])
            return new DiskAnnNodeFormat(header, fitting[0]);
        string found = fitting switch
        {
            [] => "nodes that no type fits",
            [VectorElementType.UInt8] => "components of one byte, which may be either",
            _ => $"nodes that fit {string.Join(" and ", fitting)}",
        };
        throw VectorFormatException.ForFile(
            path, "an element type that the file reveals or the caller states (float32, uint8, int8)", found);
    }

    public ReadOnlySpan<byte> Vector(ReadOnlySpan<byte> node) => node[..VectorBytes];

    /// <summary>Copies the neighbours of a node at an offset of the file, in their order, and returns their number.</summary>
    /// <exception cref="VectorFormatException">There are too many neighbours, or one is no node.</exception>
    public int CopyLinks(ReadOnlySpan<byte> node, Span<uint> links, string path, long offset)
    {
        uint degree = BinaryPrimitives.ReadUInt32LittleEndian(node[VectorBytes..]);
        if (degree > MaxDegree)
            throw new VectorFormatException(path, offset + VectorBytes, $"at most {MaxDegree} neighbours", $"{degree}");
        links = links[..(int)degree];
        node.Slice(VectorBytes + IdBytes, (int)degree * IdBytes).CopyTo(MemoryMarshal.AsBytes(links));
        for (int i = 0; i < links.Length; i++)
        {
            if (links[i] >= _count)
                throw new VectorFormatException(
                    path, offset + VectorBytes + IdBytes + (i * IdBytes), $"a neighbour below {_count}", $"{links[i]}");
        }

        return links.Length;
    }

    private static bool Fits(DiskAnnHeader header, VectorElementType elementType)
    {
        long rest = header.NodeBytes - ((long)header.Dimension * elementType.SizeInBytes());
        return rest >= IdBytes && rest % IdBytes == 0;
    }

    private bool MakesSense(DiskAnnHeader header, ReadOnlySpan<byte> units)
    {
        for (long id = 0; id < Math.Min(_count, units.Length / header.UnitBytes * header.NodesPerUnit); id++)
        {
            int at = (int)(id / header.NodesPerUnit) * header.UnitBytes + (int)(id % header.NodesPerUnit) * header.NodeBytes;
            ReadOnlySpan<byte> node = units.Slice(at, header.NodeBytes);
            uint degree = BinaryPrimitives.ReadUInt32LittleEndian(node[VectorBytes..]);
            if (degree > MaxDegree)
                return false;
            ReadOnlySpan<uint> ids = MemoryMarshal.Cast<byte, uint>(node[(VectorBytes + IdBytes)..]);
            foreach (uint link in ids[..(int)degree])
            {
                if (link >= _count)
                    return false;
            }

            if (ids[(int)degree..].ContainsAnyExcept(0u))
                return false;
        }

        return true;
    }
}
