using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using VectorPipe.Numerics;

namespace VectorPipe.Quantization;

/// <summary>
/// Approximate distances between one query and many coded vectors: for each chunk and centroid the query's share of the distance, so that
/// a code's distance is one look-up and one addition a byte.
/// </summary>
/// <remarks>
/// <para>
/// <see cref="DistanceMetric.L2"/>: squared distance to the decoded vector. <see cref="DistanceMetric.InnerProduct"/>: minus the inner product
/// with the decoded vector. <see cref="DistanceMetric.Cosine"/>: squared distance to the decoded vector, where the query and the vectors that
/// were coded are normalised by the caller: twice (1 - cos), the same order.
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
    private readonly float[] _query;
    private readonly float[] _rotated;
    private readonly RoundedDistanceTable? _rounded;
    private bool _isRounded;

    /// <param name="dimension">Components of a vector.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    public CodeDistanceTable(int dimension, int codeBytes)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(codeBytes, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(dimension, codeBytes);
        CodeBytes = codeBytes;
        _query = new float[dimension];
        _rotated = new float[dimension];
        if (RoundedDistanceTable.IsSupported && codeBytes is >= RoundedDistanceTable.MinCodeBytes and <= RoundedDistanceTable.MaxCodeBytes)
            _rounded = new RoundedDistanceTable(codeBytes);
        _memory = GC.AllocateArray<float>((codeBytes * Centroids) + (Alignment / sizeof(float)), pinned: true);
        _table = (float*)((Marshal.UnsafeAddrOfPinnedArrayElement(_memory, 0) + Alignment - 1) & -Alignment);
    }

    /// <summary>Bytes of a code.</summary>
    public int CodeBytes { get; }

    /// <summary>How far a distance of <see cref="Distances"/> may be from the sum of the table's exact entries, for the query that is set: rounding of sums apart.</summary>
    public float MaxRounding => _isRounded ? _rounded!.MaxError : 0;

    /// <summary>Fills the table for a query.</summary>
    /// <param name="quantizer">Has this table's dimension and code bytes.</param>
    /// <param name="metric">What is computed, see the remarks.</param>
    /// <param name="query">The query's components; normalised for cosine.</param>
    /// <exception cref="ArgumentException">The quantizer's or the query's shape is another.</exception>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void SetQuery(ProductQuantizer quantizer, DistanceMetric metric, ReadOnlySpan<float> query)
    {
        if (quantizer.Dimension != _query.Length || quantizer.CodeBytes != CodeBytes || query.Length != _query.Length)
        {
            throw new ArgumentException(
                $"Expected {_query.Length} dimensions in {CodeBytes} bytes, found a quantizer of {quantizer.Dimension} in {quantizer.CodeBytes} and a query of {query.Length}.");
        }

        ReadOnlySpan<float> mean = quantizer.Mean;
        bool inner = metric == DistanceMetric.InnerProduct;
        float constant = 0;
        for (int k = 0; k < _query.Length; k++)
        {
            _query[k] = inner ? -query[k] : query[k] - mean[k];
            constant += _query[k] * mean[k];
        }

        // A rotation changes neither distances nor products, as long as query and vectors are centred, or the mean's share is added, before it.
        float[] turned = _query;
        if (quantizer.Rotation is { } rotation)
        {
            rotation.Apply(_query, 1, _rotated);
            turned = _rotated;
        }

        fixed (float* centroids = quantizer.Centroids, values = turned)
        {
            for (int chunk = 0; chunk < CodeBytes; chunk++)
            {
                int first = quantizer.ChunkOffsets[chunk], length = quantizer.ChunkOffsets[chunk + 1] - first;
                float* row = _table + (chunk * Centroids);
                if (inner)
                    FillProducts(values + first, chunk == 0 ? constant : 0, centroids + (first * Centroids), length, row);
                else
                    FillSquares(values + first, centroids + (first * Centroids), length, row);
            }
        }

        _isRounded = _rounded is not null && _rounded.TryFill(_table);
        GC.KeepAlive(this); // The kernels hold a bare pointer into this object's pinned memory.
    }

    /// <summary>Distances of codes that lie anywhere in one array. The batch is what makes it fast: give all ids at once.</summary>
    /// <param name="codes">The code of id 0; id i lies at i x <see cref="CodeBytes"/> from it.</param>
    /// <param name="ids">Which codes.</param>
    /// <param name="result">Receives one distance an id.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public void Distances(byte* codes, ReadOnlySpan<uint> ids, Span<float> result)
    {
        result = result[..ids.Length];

        // The rounded table loads 64 codes before it uses the first, so short codes come without being asked for.
        if (!_isRounded || CodeBytes > CacheLine)
            Prefetch(codes, CodeBytes, ids);
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

    /// <summary>Distances by the exact entries.</summary>
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
        if (!Sse.IsSupported)
            return;
        foreach (uint id in ids)
        {
            byte* first = codes + ((nint)id * codeBytes), last = first + codeBytes - 1;
            Sse.Prefetch0(first);
            for (byte* line = first + CacheLine; line < last; line += CacheLine)
                Sse.Prefetch0(line);
            Sse.Prefetch0(last);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void FillSquares(float* query, float* centroids, int length, float* row)
    {
        for (int c = 0; c < Centroids; c += Vector<float>.Count)
        {
            Vector<float> sum = default;
            for (int k = 0; k < length; k++)
            {
                Vector<float> difference = Vector.Create(query[k]) - Vector.Load(centroids + (k * Centroids) + c);
                sum = Vector.MultiplyAddEstimate(difference, difference, sum);
            }

            sum.Store(row + c);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void FillProducts(float* negatedQuery, float constant, float* centroids, int length, float* row)
    {
        for (int c = 0; c < Centroids; c += Vector<float>.Count)
        {
            Vector<float> sum = Vector.Create(constant);
            for (int k = 0; k < length; k++)
                sum = Vector.MultiplyAddEstimate(Vector.Create(negatedQuery[k]), Vector.Load(centroids + (k * Centroids) + c), sum);
            sum.Store(row + c);
        }
    }
}
