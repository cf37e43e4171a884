using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.Arm;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics;

/// <summary>Requests memory into the first-level cache, where the framework has an instruction for it.</summary>
/// <remarks>On Arm64 that is the one of SVE, on processors with SVE registers of 128 bits (Neoverse N2, V2 and later).</remarks>
internal static unsafe class CachePrefetch
{
    /// <summary>Bytes of a cache line, or a part of one.</summary>
    public const int LineBytes = 64;

    /// <summary>Whether a request has an effect here.</summary>
    public static bool IsSupported
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
#pragma warning disable SYSLIB5003 // SVE is marked experimental; a lost prefetch costs time, not an answer.
            return Sse.IsSupported || Sve.IsSupported;
#pragma warning restore SYSLIB5003
        }
    }

    /// <summary>Requests the line of an address; any address will do.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Line(void* address)
    {
#pragma warning disable SYSLIB5003 // As above.
        if (Sse.IsSupported)
            Sse.Prefetch0(address);
        else if (Sve.IsSupported)
            Sve.Prefetch8Bit(Sve.CreateTrueMaskByte(SveMaskPattern.All), address, SvePrefetchType.LoadL1Temporal);
#pragma warning restore SYSLIB5003
    }

    /// <summary>Requests the lines at an address and at every 64 bytes after it.</summary>
    /// <param name="first">The first byte.</param>
    /// <param name="bytes">Bytes that are covered.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Lines(byte* first, nint bytes)
    {
        for (nint offset = 0; offset < bytes; offset += LineBytes)
            Line(first + offset);
    }
}
