using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Building.Clusters;
using VectorPipe.Numerics.Panels;

namespace VectorPipe.Building.Partitioned;

/// <summary>Chooses links among candidates by the rule of DiskANN (RobustPrune, NeurIPS 2019), over a panel.</summary>
/// <remarks>
/// One kernel call compares a chosen candidate with all later ones. Not thread-safe; one a thread. Grows to the largest candidate set and
/// allocates nothing after. Freed by <see cref="Dispose"/>.
/// </remarks>
internal sealed unsafe class PanelPruner(VectorTable table) : IDisposable
{
    private readonly PanelRows _vectors = table.Rows;
    private readonly VectorPanel _panel = new();
    private int[] _found = [];
    private int[] _positions = [];
    private float[] _distances = [];
    private bool[] _chosen = [];

    // Distances of a chosen candidate to the others, and the least of them so far per candidate.
    private float* _row;
    private float* _nearest;
    private int _lanes;

    /// <summary>Distances computed so far.</summary>
    public long Computed { get; private set; }

    /// <summary>Chooses links.</summary>
    /// <param name="candidates">Ascending and distinct, without the point itself.</param>
    /// <param name="alpha">Occlusion factor of the last round, at least 1.</param>
    /// <param name="fill">Fills the room that is left with the nearest candidates that were not chosen, except copies of a chosen one, up
    /// to so many times the distance of candidate number R; 0 leaves it empty.</param>
    /// <param name="links">Receives the positions; its length is R.</param>
    /// <returns>Links chosen.</returns>
    public int Prune(CandidateKeys candidates, float alpha, float fill, Span<int> links)
    {
        int count = candidates.Count;
        if (count == 0)
            return 0;
        Reserve(count);
        candidates.Unpack(_positions, _distances);
        Span<bool> chosen = _chosen.AsSpan(0, count);
        chosen.Clear();
        ReadOnlySpan<int> rows = table.Find(_positions.AsSpan(0, count), ref _found);
        _panel.Pack(_vectors, rows);
        new Span<float>(_nearest, VectorPanel.Lanes(count)).Fill(float.PositiveInfinity);

        int size = 0;
        for (float round = 1; size < links.Length; round = alpha)
        {
            for (int i = 0; i < count && size < links.Length; i++)
            {
                // A chosen candidate is at distance 0 from itself, as its copies are.
                if (_distances[i] > round * _nearest[i] || _nearest[i] == 0)
                    continue;
                links[size++] = _positions[i];
                chosen[i] = true;
                Occlude(i, rows[i], count);
            }

            if (round == alpha)
                break;
        }

        float reach = fill * _distances[Math.Min(count, links.Length) - 1];
        for (int i = 0; i < count && _distances[i] <= reach && size < links.Length; i++)
        {
            if (!chosen[i] && _nearest[i] != 0)
                links[size++] = _positions[i];
        }

        return size;
    }

    public void Dispose()
    {
        _panel.Dispose();
        NativeMemory.AlignedFree(_row);
        NativeMemory.AlignedFree(_nearest);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void Occlude(int chosen, int chosenRow, int count)
    {
        int from = chosen & -(2 * VectorPanel.GroupSize);
        PanelKernels.Distances(_vectors, chosenRow, _panel, from, _row);
        Computed += count - from;
        Debug.Assert(_row[chosen] == 0, "a vector is at distance 0 of itself");
        // The kernel computes whole groups, but a chosen candidate occludes later ones only.
        new Span<float>(_row + from, chosen - from).Fill(float.PositiveInfinity);
        float* row = _row;
        float* nearest = _nearest;
        for (int i = from; i < count; i += Vector<float>.Count)
            Vector.Min(Vector.Load(nearest + i), Vector.Load(row + i)).Store(nearest + i);
    }

    private void Reserve(int count)
    {
        if (count <= _lanes)
            return;
        _lanes = VectorPanel.Lanes(Math.Max(count, 2 * _lanes));
        _positions = new int[_lanes];
        _distances = new float[_lanes];
        _chosen = new bool[_lanes];
        NativeMemory.AlignedFree(_row);
        NativeMemory.AlignedFree(_nearest);
        _row = (float*)NativeMemory.AlignedAlloc((nuint)_lanes * sizeof(float), 64);
        _nearest = (float*)NativeMemory.AlignedAlloc((nuint)_lanes * sizeof(float), 64);
    }
}
