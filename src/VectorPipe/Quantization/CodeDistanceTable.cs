using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using VectorPipe.Numerics;

namespace VectorPipe.Quantization;

/// <summary>
/// Approximate distances between one query and many coded vectors: for each byte of a code and each of its values the query's share of the
/// distance, so that
/// a code's distance is one look-up and one addition a byte.
/// </summary>
/// <remarks>
/// <para>
/// <see cref="DistanceMetric.L2"/>: squared distance to the decoded vector. <see cref="DistanceMetric.InnerProduct"/>: minus the inner
/// product
/// with the decoded vector. <see cref="DistanceMetric.Cosine"/>: squared distance to the decoded vector, where the query and the vectors
/// that
/// were coded are normalised by the caller: twice (1 - cos), the same order.
/// </para>
/// <para>Entries of codes of 16 bytes and more are rounded to 16 bits: see <see cref="RoundedDistanceTable"/>. A code's distance is bit for
/// bit the same whatever the batch and the processor's registers:
/// all batches of a query are computed from the one table or the other, and sums are made in order of a code's bytes, or of
/// integers.</para>
/// <para>Not thread-safe: one instance a query slot. Allocates only when created.</para>
/// </remarks>
internal sealed unsafe class CodeDistanceTable
{
    private const int Centroids = ProductQuantizer.CentroidsPerChunk;
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

    /// <summary>How far a sum of entries may be from that of the exact ones, for the query that is set: rounding of sums apart.</summary>
    public float MaxRounding => _isRounded ? _rounded!.MaxError : 0;

    /// <summary>Fills the table for a query.</summary>
    /// <param name="quantizer">Has this table's dimension and code bytes.</param>
    /// <param name="metric">What is computed, see the remarks.</param>
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

        quantizer.FillTable(metric, query, _scratch, _table);
        _isRounded = _rounded is not null && _rounded.TryFill(_table);
        GC.KeepAlive(this); // The kernels hold a bare pointer into this object's pinned memory.
    }

    /// <summary>
    /// Distances of codes that lie anywhere in one array. The batch is what makes it fast: give all ids at once, and ask for their codes
    /// before (<see cref="Prefetch"/>).
    /// </summary>
    /// <param name="codes">The code of id 0; id i lies at i x <see cref="CodeBytes"/> from it.</param>
    /// <param name="ids">Which codes.</param>
    /// <param name="result">Receives one distance an id.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Distances(byte* codes, ReadOnlySpan<uint> ids, Span<float> result)
    {
        result = result[..ids.Length];
        fixed (uint* id = ids)
        {
            fixed (float* distance = result)
            {
                if (_isRounded)
                    _rounded!.Distances(codes, id, ids.Length, distance);
                else
                    Exact(codes, id, ids.Length, distance);
            }
        }

        GC.KeepAlive(this); // The kernels hold a bare pointer into this object's pinned memory.
    }

    /// <summary>Sums of the exact entries.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal void Exact(byte* codes, uint* ids, int count, float* result)
    {
        int i = 0;
        for (; i <= count - 8; i += 8)
            InterleavedEight(codes, ids + i, result + i);

        for (; i < count; i++)
            result[i] = One(codes + ((nint)ids[i] * CodeBytes));
    }

    /// <summary>Eight codes by eight running scalar sums.</summary>
    /// <remarks>
    /// 6.5-9.5 ns a code of 32 bytes in the first-level cache, against 12 for one sum. AVX2 gathers took 12.7 ns in the run where this took
    /// 9.5 (EPYC with AVX-512), and about the same as this on Sapphire Rapids, so there is no second path.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal void InterleavedEight(byte* codes, uint* ids, float* result)
    {
        int length = CodeBytes;
        byte* c0 = codes + ((nint)ids[0] * length), c1 = codes + ((nint)ids[1] * length);
        byte* c2 = codes + ((nint)ids[2] * length), c3 = codes + ((nint)ids[3] * length);
        byte* c4 = codes + ((nint)ids[4] * length), c5 = codes + ((nint)ids[5] * length);
        byte* c6 = codes + ((nint)ids[6] * length), c7 = codes + ((nint)ids[7] * length);
        float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
        float* row = _table;
        for (int j = 0; j < length; j++, row += Centroids)
        {
            s0 += row[c0[j]];
            s1 += row[c1[j]];
            s2 += row[c2[j]];
            s3 += row[c3[j]];
            s4 += row[c4[j]];
            s5 += row[c5[j]];
            s6 += row[c6[j]];
            s7 += row[c7[j]];
        }

        result[0] = s0;
        result[1] = s1;
        result[2] = s2;
        result[3] = s3;
        result[4] = s4;
        result[5] = s5;
        result[6] = s6;
        result[7] = s7;
    }

    /// <summary>One code.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal float One(byte* code)
    {
        float sum = 0;
        float* row = _table;
        for (int j = 0; j < CodeBytes; j++, row += Centroids)
            sum += row[code[j]];
        return sum;
    }

    /// <summary>Asks for every code before the first is used.</summary>
    /// <remarks>
    /// ns a code in batches of 64, one by one / interleaved / interleaved after this: 143 / 29 / 10 from 32 MB, 283 / 39 / 13 from 1 GiB;
    /// it costs 0.5 when the codes are in the first-level cache.
    /// </remarks>
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
