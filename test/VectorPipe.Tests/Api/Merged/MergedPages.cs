using System.Buffers.Binary;
using VectorPipe.Storage.Generations;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Tests.Api.Merged;

/// <summary>The node pages of an index on disk: tests read them, or make them wrong with a right checksum.</summary>
internal sealed class MergedPages
{
    private readonly string _path;

    public MergedPages(TestIndex test)
        : this(test.Directory, test.NodeFile)
    {
    }

    private MergedPages(string directory, string path)
    {
        _path = path;
        Bytes = File.ReadAllBytes(path);
        Schema = IndexDirectory.ReadManifest(directory).Schema;
        Layout = Schema.CreateLayout();
    }

    public byte[] Bytes { get; }

    public IndexSchema Schema { get; }

    public NodeLayout Layout { get; }

    /// <summary>Node pages, without the header.</summary>
    public int Count => (int)Layout.PageCount(Schema.Count);

    /// <summary>Nodes of a page.</summary>
    public int Nodes(int page) => PageCodec.Items(Page(page));

    public int Replicas(int page) => BinaryPrimitives.ReadUInt16LittleEndian(PageCodec.Payload(Page(page)));

    public uint ReplicaId(int page, int replica) =>
        BinaryPrimitives.ReadUInt32LittleEndian(Page(page)[(Layout.ReplicaIdsOffset + (4 * replica))..]);

    public ulong Key(int page, int slot) => BinaryPrimitives.ReadUInt64LittleEndian(Page(page)[(Layout.KeyOffset + (8 * slot))..]);

    public ReadOnlySpan<byte> Vector(int page, int slot) =>
        Page(page).Slice(Layout.VectorOffset + (slot * Layout.VectorStride), Layout.VectorBytes);

    /// <summary>Ids of all vectors of a page, replicas too.</summary>
    public IEnumerable<uint> Ids(int page) => Enumerable.Range(0, Nodes(page)).Select(slot => (uint)((page * Layout.NodesPerPage) + slot))
        .Concat(Enumerable.Range(0, Replicas(page)).Select(replica => ReplicaId(page, replica)));

    public unsafe uint[] Links(int page, int slot)
    {
        uint[] links = new uint[NodeLayout.MaxLinks];
        fixed (byte* first = Page(page))
        {
            var view = new NodePage(first, Layout);
            return view.TryReadLinks(slot, (uint)Schema.IdCount, links)
                ? links[..view.LinkCount(slot)]
                : throw new InvalidDataException($"page {page}, slot {slot}: no list");
        }
    }

    public void SetUInt16(int page, int offset, int value) => BinaryPrimitives.WriteUInt16LittleEndian(Page(page)[offset..], (ushort)value);

    public void SetUInt32(int page, int offset, uint value) => BinaryPrimitives.WriteUInt32LittleEndian(Page(page)[offset..], value);

    public void Fill(int page, int offset, int length, byte value) => Page(page).Slice(offset, length).Fill(value);

    /// <summary>Makes the page's checksum right and writes the file.</summary>
    public void Save(int page, int? nodes = null)
    {
        Span<byte> bytes = Page(page);
        var identity = new PageIdentity(
            BinaryPrimitives.ReadUInt64LittleEndian(bytes[8..]), page + 1, BinaryPrimitives.ReadUInt32LittleEndian(bytes[24..]));
        PageCodec.Seal(bytes, Layout.PageKind, nodes ?? PageCodec.Items(bytes), identity, PageCodec.PayloadLength(bytes));
        File.WriteAllBytes(_path, Bytes);
    }

    private Span<byte> Page(int page) => Bytes.AsSpan((page + 1) * Layout.PageSize, Layout.PageSize);
}
