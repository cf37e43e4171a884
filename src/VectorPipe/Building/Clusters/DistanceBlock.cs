using System.Runtime.InteropServices;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Clusters;

/// <summary>Scratch for the distances of some rows to all candidates of a panel.</summary>
/// <remarks>Not thread-safe. Grows to the largest block and allocates nothing after. Freed by <see cref="Dispose"/>.</remarks>
internal sealed unsafe class DistanceBlock : IDisposable
{
    private float* _distances;
    private nuint _capacity;

    /// <summary>Entries from one row to the next.</summary>
    public int Stride { get; private set; }

    /// <summary>Distances of the i-th row; entries behind the last candidate are infinite.</summary>
    public float* Row(int i) => _distances + (nint)i * Stride;

    public void Compute(in PanelRows rows, ReadOnlySpan<int> ids, VectorPanel panel)
    {
        Stride = VectorPanel.Lanes(panel.Count);
        nuint needed = (nuint)Stride * (nuint)ids.Length;
        if (needed > _capacity)
        {
            NativeMemory.AlignedFree(_distances);
            _distances = (float*)NativeMemory.AlignedAlloc(needed * sizeof(float), 64);
            _capacity = needed;
        }

        PanelKernels.Distances(rows, ids, panel, _distances, Stride);
    }

    public void Dispose()
    {
        NativeMemory.AlignedFree(_distances);
        _distances = null;
        _capacity = 0;
    }
}
