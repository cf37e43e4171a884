using System.Runtime.CompilerServices;

namespace VectorPipe.Bench.Gets;

/// <summary>A vector of <see cref="KeyedVectors"/> as FasterKV stores it: its components, without a reference.</summary>
[InlineArray(KeyedVectors.Components)]
internal struct FasterVector
{
    private byte _first;
}
