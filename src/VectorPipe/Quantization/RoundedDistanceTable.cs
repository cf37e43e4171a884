using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace VectorPipe.Quantization;

/// <summary>A distance table rounded to 16 bits with one step for all entries. Sums are integers, so all processors agree.</summary>
/// <remarks>
/// <para>An entry is off by at most half a step; a step is 1/65,535 of the widest range of a chunk. With AVX-512 VBMI entries are looked
/// up in registers (<see cref="CodeLookUp512"/>), elsewhere in memory (<see cref="CodeLookUpMemory"/>); see
/// docs/decisions.md#code-look-ups.</para>
/// <para>Not thread-safe: one instance a query slot. Allocates only when created.</para>
/// </remarks>
internal sealed unsafe class RoundedDistanceTable
{
    /// <summary>The fewest bytes of a code.</summary>
    public const int MinRows = CodeLookUp512.Group;

    /// <summary>The most bytes of a code; their sum is far from the end of 32 bits.</summary>
    public const int MaxRows = 4096;

    // Sums on the stack before they become distances.
    private const int Batch = 256;
    private const int Centroids = CentroidSearch.Centroids;
    private const int Alignment = 64;

    private readonly byte[] _memory;
    private readonly byte* _table;
    private readonly int _codeBytes;
    private readonly bool _isInRegisters;
    private float _step;
    private float _base;

    /// <param name="codeBytes">Bytes of a code; <see cref="MinRows"/> to <see cref="MaxRows"/>.</param>
    /// <param name="isInRegisters">Whether to use <see cref="CodeLookUp512"/>; null: where the processor supports it.</param>
    public RoundedDistanceTable(int codeBytes, bool? isInRegisters = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(codeBytes, MinRows);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(codeBytes, MaxRows);
        _codeBytes = codeBytes;
        _isInRegisters = isInRegisters ?? CodeLookUp512.IsSupported;
        int rowBytes = _isInRegisters ? CodeLookUp512.RowBytes : Centroids * sizeof(ushort);
        _memory = GC.AllocateArray<byte>((codeBytes * rowBytes) + Alignment, pinned: true);
        _table = (byte*)((Marshal.UnsafeAddrOfPinnedArrayElement(_memory, 0) + Alignment - 1) & -Alignment);
    }

    /// <summary>The largest difference between a distance and the sum of the exact entries.</summary>
    public float MaxError => _codeBytes * _step / 2;

    /// <summary>Rounds a table.</summary>
    /// <param name="table">256 floats for each byte of a code.</param>
    /// <returns>False if the range of entries is not finite; the table is then unusable.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public bool TryFill(float* table)
    {
        float* least = stackalloc float[_codeBytes];
        float widest = 0, sum = 0;
        for (int chunk = 0; chunk < _codeBytes; chunk++)
        {
            (least[chunk], float most) = Range(table + (chunk * Centroids));
            widest = Math.Max(widest, most - least[chunk]);
            sum += least[chunk];
        }

        if (!float.IsFinite(widest) || !float.IsFinite(sum))
            return false;
        _base = sum;
        _step = widest / ushort.MaxValue;
        float factor = widest > 0 ? ushort.MaxValue / widest : 0;
        for (int chunk = 0; chunk < _codeBytes; chunk++)
        {
            float* entries = table + (chunk * Centroids);
            if (_isInRegisters)
                RoundToPlanes(entries, least[chunk], factor, _table + (chunk * CodeLookUp512.RowBytes));
            else
                RoundToRow(entries, least[chunk], factor, (ushort*)_table + (chunk * Centroids));
        }

        GC.KeepAlive(this); // The loops hold a bare pointer into this object's pinned memory.
        return true;
    }

    /// <summary>Computes the distances of codes.</summary>
    /// <param name="codes">The code of id 0.</param>
    /// <param name="ids">The ids.</param>
    /// <param name="count">The number of ids.</param>
    /// <param name="result">Receives as many distances.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    [SkipLocalsInit]
    public void Distances(byte* codes, uint* ids, int count, float* result)
    {
        int* sums = stackalloc int[Batch];
        for (int done = 0; done < count; done += Batch)
        {
            int some = Math.Min(Batch, count - done);
            if (_isInRegisters)
                CodeLookUp512.Sums(_table, _codeBytes, codes, ids + done, some, sums);
            else
                CodeLookUpMemory.Sums((ushort*)_table, _codeBytes, codes, ids + done, some, sums);
            int i = 0;
            for (; i <= some - Vector<float>.Count; i += Vector<float>.Count)
                ((Vector.ConvertToSingle(Vector.Load(sums + i)) * _step) + Vector.Create(_base)).Store(result + done + i);
            for (; i < some; i++)
                result[done + i] = (sums[i] * _step) + _base;
        }

        GC.KeepAlive(this); // The kernels hold a bare pointer into this object's pinned memory.
    }

    /// <summary>Computes the distance of one code.</summary>
    public float One(byte* code)
    {
        int sum = _isInRegisters ? CodeLookUp512.One(_table, _codeBytes, code) : CodeLookUpMemory.One((ushort*)_table, _codeBytes, code);
        GC.KeepAlive(this); // The loop holds a bare pointer into this object's pinned memory.
        return (sum * _step) + _base;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static (float Least, float Most) Range(float* entries)
    {
        Vector<float> low = Vector.Load(entries), high = low;
        for (int c = Vector<float>.Count; c < Centroids; c += Vector<float>.Count)
        {
            Vector<float> values = Vector.Load(entries + c);
            low = Vector.MinNative(low, values);
            high = Vector.MaxNative(high, values);
        }

        float least = low[0], most = high[0];
        for (int lane = 1; lane < Vector<float>.Count; lane++)
        {
            least = Math.Min(least, low[lane]);
            most = Math.Max(most, high[lane]);
        }

        return (least, most);
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void RoundToRow(float* entries, float least, float factor, ushort* row)
    {
        Vector<float> low = Vector.Create(least), factors = Vector.Create(factor), half = Vector.Create(0.5f);
        for (int c = 0; c < Centroids; c += Vector<ushort>.Count)
        {
            Vector<int> first = Vector.ConvertToInt32Native(((Vector.Load(entries + c) - low) * factors) + half);
            Vector<int> second = Vector.ConvertToInt32Native(((Vector.Load(entries + c + Vector<float>.Count) - low) * factors) + half);
            Vector.Narrow(Vector.AsVectorUInt32(first), Vector.AsVectorUInt32(second)).Store(row + c);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void RoundToPlanes(float* entries, float least, float factor, byte* row)
    {
        Vector256<float> factors = Vector256.Create(factor), offset = Vector256.Create(0.5f), low = Vector256.Create(least);
        for (int c = 0; c < Centroids; c += 32)
        {
            Vector256<int> a = Vector256.ConvertToInt32(((Vector256.Load(entries + c) - low) * factors) + offset);
            Vector256<int> b = Vector256.ConvertToInt32(((Vector256.Load(entries + c + 8) - low) * factors) + offset);
            Vector256<int> d = Vector256.ConvertToInt32(((Vector256.Load(entries + c + 16) - low) * factors) + offset);
            Vector256<int> e = Vector256.ConvertToInt32(((Vector256.Load(entries + c + 24) - low) * factors) + offset);
            Vector256<ushort> first = Vector256.Narrow(a.AsUInt32(), b.AsUInt32()), second = Vector256.Narrow(d.AsUInt32(), e.AsUInt32());
            Vector256.Narrow(first & Vector256.Create((ushort)0xFF), second & Vector256.Create((ushort)0xFF)).Store(row + c);
            Vector256.Narrow(first >> 8, second >> 8).Store(row + Centroids + c);
        }
    }
}
