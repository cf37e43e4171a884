using System.Buffers.Binary;
using System.Diagnostics;

namespace VectorPipe.Searching.State;

/// <summary>The links that wait for a page, in the order in which they were added; valid until that object changes.</summary>
/// <param name="bytes">The links.</param>
/// <param name="linkBytes">Bytes of a link: four with the slot in the low bits, or five with the slot in the last.</param>
/// <param name="slotBits">Bits of a slot.</param>
internal readonly ref struct PageWaitingLinks(ReadOnlySpan<byte> bytes, int linkBytes, int slotBits)
{
    private readonly ReadOnlySpan<byte> _bytes = bytes;

    /// <summary>Their number.</summary>
    public int Count { get; } = bytes.Length / linkBytes;

    /// <summary>One of them.</summary>
    public WaitingLink this[int link]
    {
        get
        {
            Debug.Assert((uint)link < (uint)Count, "the page has the link");
            ReadOnlySpan<byte> bytes = _bytes.Slice(link * linkBytes, linkBytes);
            uint number = BinaryPrimitives.ReadUInt32LittleEndian(bytes);
            return bytes.Length > sizeof(uint)
                ? new WaitingLink(number, bytes[^1])
                : new WaitingLink(number >> slotBits, (int)(number & ((1u << slotBits) - 1)));
        }
    }
}
