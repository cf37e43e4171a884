using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics.Panels;

/// <summary>8 candidates of four bytes, multiplied and added by AVX-VNNI: unsigned candidate by signed row.</summary>
internal readonly unsafe struct BytePanelLanesVnni : IPanelLanes<BytePanelLanesVnni>
{
    private readonly Vector256<int> _value;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private BytePanelLanesVnni(Vector256<int> value) => _value = value;

    public static int Count => Vector256<int>.Count;

    public static bool IsSupported => AvxVnni.IsSupported;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanesVnni Load(byte* words) => new(Vector256.Load((int*)words));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanesVnni Broadcast(byte* word) => new(Vector256.Create(*(int*)word));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static BytePanelLanesVnni Accumulate(BytePanelLanesVnni sums, BytePanelLanesVnni panel, BytePanelLanesVnni row) =>
        new(AvxVnni.MultiplyWideningAndAdd(sums._value, panel._value.AsByte(), row._value.AsSByte()));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Store(BytePanelLanesVnni sums, byte* target) => sums._value.Store((int*)target);
}
