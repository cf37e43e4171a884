using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using VectorPipe.Numerics;

namespace VectorPipe.Quantization;

/// <summary>
/// Approximate distances between one query and many coded vectors: for each byte of a code and each of its values the query's share of the distance, so that
/// a code's distance is one look-up and one addition a byte, and of codes with factors a multiplication.
/// </summary>
/// <remarks>
/// <para>
/// <see cref="DistanceMetric.L2"/>: squared distance to the decoded vector. <see cref="DistanceMetric.InnerProduct"/>: minus the inner product
/// with the decoded vector. <see cref="DistanceMetric.Cosine"/>: squared distance to the decoded vector, where the query and the vectors that
/// were coded are normalised by the caller: twice (1 - cos), the same order. Of codes with factors all three are estimates of the distance to the vector itself, and a squared distance may come out
/// below 0.
/// </para>
/// <para>Where the processor looks up bytes in registers, the entries are rounded to bytes: see <see cref="RoundedDistanceTable"/>. Within a query a code's distance is bit for bit the same whatever
/// the batch: all of its batches are computed from the one table or the other, and sums are made in order of a code's bytes, or of integers.</para>
/// <para>Not thread-safe: one instance a query slot. Allocates only when created.</para>
/// </remarks>
internal sealed unsafe class CodeDistanceTable
{
    private const int Centroids = ProductQuantizer.CentroidsPerChunk;
    private const int Alignment = 64;
    private const int CacheLine = 64;

    private readonly float[] _memory;
    private readonly float* _table;
    private readonly float[] _scratch;
    private readonly int _dimension;
    private readonly int _factorBytes;
    private readonly int _rows;
    private readonly RoundedDistanceTable? _rounded;
    private QueryTerms _terms;
    private bool _isRounded;

    /// <param name="dimension">Components of a vector.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    /// <param name="factorBytes">Bytes of factors among them: none, or <see cref="CodeFactors.Bytes"/>.</param>
    public CodeDistanceTable(int dimension, int codeBytes, int factorBytes = 0)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(codeBytes, factorBytes + 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(dimension, codeBytes);
        CodeBytes = codeBytes;
        _dimension = dimension;
        _factorBytes = factorBytes;
        _rows = codeBytes - factorBytes;
        _scratch = new float[2 * dimension];
        if (RoundedDistanceTable.IsSupported && _rows is >= RoundedDistanceTable.MinRows and <= RoundedDistanceTable.MaxRows)
            _rounded = new RoundedDistanceTable(_rows, codeBytes);
        _memory = GC.AllocateArray<float>((_rows * Centroids) + (Alignment / sizeof(float)), pinned: true);
        _table = (float*)((Marshal.UnsafeAddrOfPinnedArrayElement(_memory, 0) + Alignment - 1) & -Alignment);
    }

    /// <summary>Bytes of a code.</summary>
    public int CodeBytes { get; }

    /// <summary>How far a sum of entries may be from that of the exact ones, for the query that is set: rounding of sums apart. Of codes without factors the sum is the distance.</summary>
    public float MaxRounding => _isRounded ? _rounded!.MaxError : 0;

    /// <summary>Fills the table for a query.</summary>
    /// <param name="quantizer">Has this table's dimension, code bytes and bytes of factors.</param>
    /// <param name="metric">What is computed, see the remarks.</param>
    /// <param name="query">The query's components; normalised for cosine.</param>
    /// <exception cref="ArgumentException">The quantizer's or the query's shape is another.</exception>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void SetQuery(Quantizer quantizer, DistanceMetric metric, ReadOnlySpan<float> query)
    {
        if (quantizer.Dimension != _dimension || quantizer.CodeBytes != CodeBytes || quantizer.FactorBytes != _factorBytes || query.Length != _dimension)
        {
            throw new ArgumentException(
                $"Expected {_dimension} dimensions in {CodeBytes} bytes, {_factorBytes} of them factors, found a quantizer of {quantizer.Dimension} in {quantizer.CodeBytes}, {quantizer.FactorBytes} of them factors, and a query of {query.Length}.");
        }

        _terms = quantizer.FillTable(metric, query, _scratch, _table);
        _isRounded = _rounded is not null && _rounded.TryFill(_table);
        GC.KeepAlive(this); // The kernels hold a bare pointer into this object's pinned memory.
    }

    /// <summary>Distances of codes that lie anywhere in one array. The batch is what makes it fast: give all ids at once, and ask for their codes before (<see cref="Prefetch"/>).</summary>
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
                if (_factorBytes > 0)
                    TakeFactors(codes, id, ids.Length, distance);
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
        int length = CodeBytes, rows = _rows;
        byte* c0 = codes + ((nint)ids[0] * length), c1 = codes + ((nint)ids[1] * length);
        byte* c2 = codes + ((nint)ids[2] * length), c3 = codes + ((nint)ids[3] * length);
        byte* c4 = codes + ((nint)ids[4] * length), c5 = codes + ((nint)ids[5] * length);
        byte* c6 = codes + ((nint)ids[6] * length), c7 = codes + ((nint)ids[7] * length);
        float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
        float* row = _table;
        for (int j = 0; j < rows; j++, row += Centroids)
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
        for (int j = 0; j < _rows; j++, row += Centroids)
            sum += row[code[j]];
        return sum;
    }

    /// <summary>Makes distances of sums, in their place. The same operations on every path: nothing depends on the batch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void TakeFactors(byte* codes, uint* ids, int count, float* sums)
    {
        byte* factors = codes + _rows;
        float constant = _terms.Constant, weight = _terms.NormWeight;
        for (int i = 0; i < count; i++)
        {
            (float scale, float squaredNorm) = CodeFactors.Unpack(Unsafe.ReadUnaligned<uint>(factors + ((nint)ids[i] * CodeBytes)));
            sums[i] = (constant + (weight * squaredNorm)) + (scale * sums[i]);
        }
    }

    /// <summary>Asks for every code before the first is used.</summary>
    /// <remarks>
    /// ns a code in batches of 64, one by one / interleaved / interleaved after this: 143 / 29 / 10 from 32 MB, 283 / 39 / 13 from 1 GiB;
    /// it costs 0.5 when the codes are in the first-level cache.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal static void Prefetch(byte* codes, int codeBytes, ReadOnlySpan<uint> ids)
    {
        if (!Sse.IsSupported)
            return;
        bool isOneLine = CacheLine % codeBytes == 0;
        foreach (uint id in ids)
        {
            byte* first = codes + ((nint)id * codeBytes), last = first + codeBytes - 1;
            Sse.Prefetch0(first);
            if (isOneLine)
                continue;
            for (byte* line = first + CacheLine; line < last; line += CacheLine)
                Sse.Prefetch0(line);
            Sse.Prefetch0(last);
        }
    }
}
