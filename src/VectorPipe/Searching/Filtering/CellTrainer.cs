using VectorPipe.Devices.Native;
using VectorPipe.Quantization;

namespace VectorPipe.Searching.Filtering;

/// <summary>Makes the cells of a graph from the codes in memory, without a read.</summary>
/// <remarks>
/// A tree of two levels: k-means over a sample of the units, then within each of its groups. Units are compared by the mean of what their
/// codes stand for, before the rotation is undone, since a rotation keeps distances. Same codes, same cells. One thread; takes up to
/// <see cref="MostSampleBytes"/> bytes for the time being. See docs/decisions.md#cells for its cost.
/// </remarks>
internal sealed unsafe class CellTrainer
{
    /// <summary>The most bytes of the sample.</summary>
    public const int MostSampleBytes = 1 << 26;

    private const int MostCells = 16_384;
    private const ulong Seed = 0x5EED_CE11;

    private readonly Quantizer _quantizer;
    private readonly NativeBuffer _codes;
    private readonly int _unitNodes;
    private readonly int _filled;
    private readonly long _nodes;
    private readonly int _dimension;
    private readonly CancellationToken _cancellationToken;

    /// <param name="quantizer">The code book.</param>
    /// <param name="codes">The codes, by internal id; they stay in memory until the cells are made.</param>
    /// <param name="unitNodes">Slots of a unit.</param>
    /// <param name="filled">Slots of a unit in which the build placed nodes, the first ones.</param>
    /// <param name="idCount">Internal ids are below this, at least 1.</param>
    /// <param name="cancellationToken">Ends the training.</param>
    public CellTrainer(
        Quantizer quantizer, NativeBuffer codes, int unitNodes, int filled, long idCount, CancellationToken cancellationToken)
    {
        _quantizer = quantizer;
        _codes = codes;
        _unitNodes = unitNodes;
        _filled = filled;
        _nodes = idCount;
        _dimension = quantizer.Dimension;
        _cancellationToken = cancellationToken;
    }

    private int Units => (int)((_nodes + _unitNodes - 1) / _unitNodes);

    /// <summary>Makes the cells.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public CodeCells Train()
    {
        // As many cells as a query would scan matches per cell of its best size, see docs/decisions.md#cells.
        int cells = (int)Math.Clamp(Math.Sqrt(_nodes), 1, Math.Min(MostCells, Units));
        float[] sample = Sample(cells, out int count);
        var groups = new CellMeans(_dimension, (int)Math.Ceiling(Math.Sqrt(cells)), Seed);
        int[] groupOf = groups.Train(sample, count, _cancellationToken);
        var leaves = new CellMeans[groups.Count];
        int[] firstCell = new int[groups.Count + 1];
        for (int group = 0; group < groups.Count; group++)
        {
            float[] members = Members(sample, groupOf, group, out int size);
            leaves[group] = new CellMeans(_dimension, Math.Max(1, (int)((long)cells * size / count)), Seed + (ulong)group + 1);
            leaves[group].Train(members, size, _cancellationToken);
            firstCell[group + 1] = firstCell[group] + leaves[group].Count;
        }

        return Assign(groups, leaves, firstCell);
    }

    private float[] Sample(int cells, out int count)
    {
        const int PerCell = 64;
        count = (int)Math.Min(Units, Math.Min((long)cells * PerCell, Math.Max(cells, MostSampleBytes / sizeof(float) / _dimension)));
        var sample = new float[checked(count * _dimension)];
        for (int i = 0; i < count; i++)
        {
            if (i % 1024 == 0)
                _cancellationToken.ThrowIfCancellationRequested();
            MeanOf((uint)((long)i * Units / count), sample.AsSpan(i * _dimension, _dimension));
        }

        return sample;
    }

    private float[] Members(float[] sample, int[] groupOf, int group, out int size)
    {
        size = groupOf.Count(other => other == group);
        var members = new float[size * _dimension];
        for (int i = 0, at = 0; i < groupOf.Length; i++)
        {
            if (groupOf[i] == group)
                sample.AsSpan(i * _dimension, _dimension).CopyTo(members.AsSpan(at++ * _dimension));
        }

        return members;
    }

    private CodeCells Assign(CellMeans groups, CellMeans[] leaves, int[] firstCell)
    {
        int cells = firstCell[^1];
        var cellOf = new int[Units];
        var starts = new int[cells + 1];
        var mean = new float[_dimension];
        for (int unit = 0; unit < cellOf.Length; unit++)
        {
            if (unit % 1024 == 0)
                _cancellationToken.ThrowIfCancellationRequested();
            MeanOf((uint)unit, mean);
            int group = groups.Nearest(mean);
            cellOf[unit] = firstCell[group] + leaves[group].Nearest(mean);
            starts[cellOf[unit] + 1]++;
        }

        for (int cell = 0; cell < cells; cell++)
            starts[cell + 1] += starts[cell];
        var units = new uint[cellOf.Length];
        int[] next = [.. starts];
        for (int unit = 0; unit < cellOf.Length; unit++)
            units[next[cellOf[unit]]++] = (uint)unit;
        return new CodeCells(_unitNodes, units, starts, Encode(leaves));
    }

    private byte[] Encode(CellMeans[] leaves)
    {
        int cells = leaves.Sum(leaf => leaf.Count);
        var vectors = new float[cells * _dimension];
        int at = 0;
        foreach (CellMeans leaf in leaves)
        {
            for (int cell = 0; cell < leaf.Count; cell++, at++)
            {
                Span<float> vector = vectors.AsSpan(at * _dimension, _dimension);
                if (_quantizer.Rotation is { } rotation)
                    rotation.ApplyInverse(leaf.Mean(cell), vector);
                else
                    leaf.Mean(cell).CopyTo(vector);
                for (int k = 0; k < _dimension; k++)
                    vector[k] += _quantizer.Mean[k];
            }
        }

        var codes = new byte[cells * _quantizer.CodeBytes];
        _quantizer.Encode(vectors, cells, codes);
        return codes;
    }

    // The mean of the nodes that the build placed in a unit.
    private void MeanOf(uint unit, Span<float> mean)
    {
        mean.Clear();
        long first = (long)unit * _unitNodes;
        int count = (int)Math.Min(_filled, _nodes - first);
        ReadOnlySpan<float> centroids = _quantizer.Centroids;
        ReadOnlySpan<int> offsets = _quantizer.ChunkOffsets;
        for (int i = 0; i < count; i++)
        {
            byte* code = _codes.Pointer + ((nint)(first + i) * _quantizer.CodeBytes);
            for (int chunk = 0; chunk < _quantizer.CodeBytes; chunk++)
            {
                int centroid = code[chunk];
                for (int k = offsets[chunk]; k < offsets[chunk + 1]; k++)
                    mean[k] += centroids[(k * Quantizer.CentroidsPerChunk) + centroid];
            }
        }

        for (int k = 0; k < mean.Length; k++)
            mean[k] /= Math.Max(1, count);
    }
}
