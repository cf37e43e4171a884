using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Numerics;

namespace VectorPipe.Quantization;

/// <summary>Approximate distances between one query and many codes: the sum of one table entry for each byte of a code.</summary>
/// <remarks>
/// <para><see cref="DistanceMetric.L2"/>: squared distance to the decoded vector. <see cref="DistanceMetric.InnerProduct"/>: minus the
/// inner product with it. <see cref="DistanceMetric.Cosine"/>: squared distance, where the caller normalises the query and the coded
/// vectors: twice (1 - cos), the same order.</para>
/// <para>Codes of 16 bytes and more use a <see cref="RoundedDistanceTable"/>. The distance of a code has the same bits in every batch and
/// on every processor: all batches of a query use the same table, and sums are made in the order of the bytes of a code, or of
/// integers.</para>
/// <para>Not thread-safe: one instance a query slot. Allocates only when created.</para>
/// </remarks>
internal sealed unsafe class CodeDistanceTable
{
    private const int Centroids = Quantizer.CentroidsPerChunk;
    private const int Alignment = 64;

    private readonly float[] _memory;
    private readonly float* _table;
    private readonly float[] _scratch;
    private readonly int _dimension;
    private readonly RoundedDistanceTable? _rounded;
    private bool _isRounded;

    /// <param name="dimension">Components of a vector.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    public CodeDistanceTable(int dimension, int codeBytes)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(codeBytes, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(dimension, codeBytes);
        CodeBytes = codeBytes;
        _dimension = dimension;
        _scratch = new float[2 * dimension];
        if (codeBytes is >= RoundedDistanceTable.MinRows and <= RoundedDistanceTable.MaxRows)
            _rounded = new RoundedDistanceTable(codeBytes);
        _memory = GC.AllocateArray<float>((codeBytes * Centroids) + (Alignment / sizeof(float)), pinned: true);
        _table = (float*)((Marshal.UnsafeAddrOfPinnedArrayElement(_memory, 0) + Alignment - 1) & -Alignment);
    }

    /// <summary>Bytes of a code.</summary>
    public int CodeBytes { get; }

    /// <summary>The largest difference between a sum of entries and that of the exact ones, except for the rounding of sums.</summary>
    public float MaxRounding => _isRounded ? _rounded!.MaxError : 0;

    /// <summary>Fills the table for a query.</summary>
    /// <param name="quantizer">Has this table's dimension and code bytes.</param>
    /// <param name="metric">See the remarks.</param>
    /// <param name="query">The query's components; normalised for cosine.</param>
    /// <exception cref="ArgumentException">The quantizer's or the query's shape is another.</exception>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void SetQuery(Quantizer quantizer, DistanceMetric metric, ReadOnlySpan<float> query)
    {
        if (quantizer.Dimension != _dimension || quantizer.CodeBytes != CodeBytes || query.Length != _dimension)
        {
            throw new ArgumentException(
                $"Expected {_dimension} dimensions in {CodeBytes} bytes, found a quantizer of {quantizer.Dimension} in "
                + $"{quantizer.CodeBytes} and a query of {query.Length}.");
        }

        ProductTable.Fill(quantizer, metric, query, _scratch, _table);
        _isRounded = _rounded is not null && _rounded.TryFill(_table);
        GC.KeepAlive(this); // The kernels hold a bare pointer into this object's pinned memory.
    }

    /// <summary>Computes distances of codes. Pass all ids of a batch at once, and call <see cref="Prefetch"/> for them before.</summary>
    /// <param name="codes">The code of id 0; id i lies at i x <see cref="CodeBytes"/> from it.</param>
    /// <param name="ids">Which codes.</param>
    /// <param name="result">Receives one distance an id.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Distances(byte* codes, ReadOnlySpan<uint> ids, Span<float> result)
    {
        result = result[..ids.Length];
        fixed (uint* id = ids)
        fixed (float* distance = result)
        {
            if (_isRounded)
                _rounded!.Distances(codes, id, ids.Length, distance);
            else
                Exact(codes, id, ids.Length, distance);
        }

        GC.KeepAlive(this); // The kernels hold a bare pointer into this object's pinned memory.
    }

    /// <summary>Computes sums of the exact entries, four codes at a time.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal void Exact(byte* codes, uint* ids, int count, float* result)
    {
        nint length = CodeBytes;
        int i = 0;
        for (; i <= count - 4; i += 4)
        {
            byte* c0 = codes + (ids[i] * length), c1 = codes + (ids[i + 1] * length);
            byte* c2 = codes + (ids[i + 2] * length), c3 = codes + (ids[i + 3] * length);
            float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
            float* row = _table;
            for (nint j = 0; j < length; j++, row += Centroids)
            {
                s0 += row[c0[j]];
                s1 += row[c1[j]];
                s2 += row[c2[j]];
                s3 += row[c3[j]];
            }

            result[i] = s0;
            result[i + 1] = s1;
            result[i + 2] = s2;
            result[i + 3] = s3;
        }

        for (; i < count; i++)
            result[i] = One(codes + (ids[i] * length));
    }

    /// <summary>Computes the sum of the exact entries of one code.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal float One(byte* code)
    {
        float sum = 0;
        float* row = _table;
        for (int j = 0; j < CodeBytes; j++, row += Centroids)
            sum += row[code[j]];
        return sum;
    }

    /// <summary>Requests every code from memory before the first is used: 13 ns a code instead of 39, from 1 GiB.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal static void Prefetch(byte* codes, int codeBytes, ReadOnlySpan<uint> ids)
    {
        if (!CachePrefetch.IsSupported)
            return;
        bool isOneLine = CachePrefetch.LineBytes % codeBytes == 0;
        foreach (uint id in ids)
        {
            byte* first = codes + ((nint)id * codeBytes), last = first + codeBytes - 1;
            CachePrefetch.Line(first);
            if (isOneLine)
                continue;
            for (byte* line = first + CachePrefetch.LineBytes; line < last; line += CachePrefetch.LineBytes)
                CachePrefetch.Line(line);
            CachePrefetch.Line(last);
        }
    }
}
