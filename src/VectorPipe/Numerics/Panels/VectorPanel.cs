using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace VectorPipe.Numerics.Panels;

/// <summary>Candidates packed in groups of 16, word by word, so that a kernel loads a register of candidates at once.</summary>
/// <remarks>Packing is not thread-safe. Grows to the largest set that is packed, and allocates nothing after.</remarks>
internal sealed unsafe class VectorPanel : IDisposable
{
    /// <summary>Candidates of a group.</summary>
    public const int GroupSize = 16;

    private const int WordSize = 4;

    // Kernels take two groups at a time; lanes after the last candidate are computed and ignored.
    private const int LaneMultiple = 2 * GroupSize;

    private byte* _words;
    private nuint _wordBytes;
    private int* _terms;
    private float* _auxiliary;
    private int _capacity;

    /// <summary>The number of packed candidates.</summary>
    public int Count { get; private set; }

    /// <summary>Words of a candidate.</summary>
    public int Words { get; private set; }

    /// <summary>The words of the candidates.</summary>
    public byte* First => _words;

    /// <summary>The <see cref="PanelRows.PanelTerms"/> of the candidates.</summary>
    public int* Terms => _terms;

    /// <summary>The <see cref="PanelRows.Auxiliary"/> numbers of the candidates.</summary>
    public float* Auxiliary => _auxiliary;

    /// <summary>Lanes that a kernel may write for a number of candidates: the length of a row of results.</summary>
    public static int Lanes(int count) => (count + LaneMultiple - 1) / LaneMultiple * LaneMultiple;

    /// <summary>Replaces the candidates.</summary>
    /// <param name="rows">All rows.</param>
    /// <param name="ids">The rows that become candidates, in order; at least one.</param>
    public void Pack(in PanelRows rows, ReadOnlySpan<int> ids)
    {
        Reserve(ids.Length, rows.Words);
        bool isFloat = rows.Distance == PanelDistance.Float;
        uint flip = isFloat ? 0 : 0x80808080;
        byte** sources = stackalloc byte*[GroupSize];
        byte* group = _words;
        for (int from = 0; from < ids.Length; from += GroupSize, group += (nint)rows.Words * GroupSize * WordSize)
        {
            for (int lane = 0; lane < GroupSize; lane++)
                sources[lane] = rows.Row(ids[Math.Min(from + lane, ids.Length - 1)]);
            if (Avx2.IsSupported)
                Transpose(sources, group, rows.Words, flip);
            else
                Interleave(sources, group, rows.Words, flip);
        }

        if (isFloat)
            return;
        for (int i = 0; i < ids.Length; i++)
            _terms[i] = rows.PanelTerm(ids[i]);
        if (rows.Auxiliary == 0)
            return;
        for (int i = 0; i < ids.Length; i++)
            _auxiliary[i] = rows.Aux(ids[i]);
    }

    /// <summary>Frees the memory.</summary>
    public void Dispose()
    {
        NativeMemory.AlignedFree(_words);
        NativeMemory.AlignedFree(_terms);
        NativeMemory.AlignedFree(_auxiliary);
        _words = null;
        _terms = null;
        _auxiliary = null;
        _wordBytes = 0;
        _capacity = 0;
    }

    private void Reserve(int count, int words)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        Count = count;
        Words = words;
        int lanes = Lanes(count);
        nuint bytes = (nuint)lanes * (nuint)words * WordSize;
        if (bytes > _wordBytes)
        {
            _wordBytes = Math.Max(bytes, _wordBytes * 2);
            NativeMemory.AlignedFree(_words);
            _words = (byte*)NativeMemory.AlignedAlloc(_wordBytes, 64);
            NativeMemory.Clear(_words, _wordBytes);
        }

        if (lanes <= _capacity)
            return;
        _capacity = Math.Max(lanes, Lanes(_capacity * 2));
        nuint numbers = (nuint)_capacity * WordSize;
        NativeMemory.AlignedFree(_terms);
        NativeMemory.AlignedFree(_auxiliary);
        _terms = (int*)NativeMemory.AlignedAlloc(numbers, 64);
        _auxiliary = (float*)NativeMemory.AlignedAlloc(numbers, 64);
        NativeMemory.Clear(_terms, numbers);
        NativeMemory.Clear(_auxiliary, numbers);
    }

    private static void Interleave(byte** sources, byte* group, int words, uint flip)
    {
        for (int word = 0; word < words; word++)
        {
            for (int lane = 0; lane < GroupSize; lane++)
                ((uint*)group)[word * GroupSize + lane] = ((uint*)sources[lane])[word] ^ flip;
        }
    }

    // Squares of 8 rows by 8 words. All are read, since a stride is a multiple of 32 bytes; only words of a row are written.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Transpose(byte** sources, byte* group, int words, uint flip)
    {
        Vector256<uint> flips = Vector256.Create(flip);
        for (int half = 0; half < GroupSize; half += 8)
        {
            byte** s = sources + half;
            float* target = (float*)group + half;
            for (int word = 0; word < words; word += 8, target += 8 * GroupSize)
            {
                nint offset = (nint)word * WordSize;
                Vector256<float> a = Read(s[0] + offset, flips), b = Read(s[1] + offset, flips);
                Vector256<float> c = Read(s[2] + offset, flips), d = Read(s[3] + offset, flips);
                Vector256<float> e = Read(s[4] + offset, flips), f = Read(s[5] + offset, flips);
                Vector256<float> g = Read(s[6] + offset, flips), h = Read(s[7] + offset, flips);
                Quads(a, b, c, d, out Vector256<float> q0, out Vector256<float> q1, out Vector256<float> q2, out Vector256<float> q3);
                Quads(e, f, g, h, out Vector256<float> r0, out Vector256<float> r1, out Vector256<float> r2, out Vector256<float> r3);
                int left = words - word;
                Write(target, 0, left, Avx.Permute2x128(q0, r0, 0x20));
                Write(target, 1, left, Avx.Permute2x128(q1, r1, 0x20));
                Write(target, 2, left, Avx.Permute2x128(q2, r2, 0x20));
                Write(target, 3, left, Avx.Permute2x128(q3, r3, 0x20));
                Write(target, 4, left, Avx.Permute2x128(q0, r0, 0x31));
                Write(target, 5, left, Avx.Permute2x128(q1, r1, 0x31));
                Write(target, 6, left, Avx.Permute2x128(q2, r2, 0x31));
                Write(target, 7, left, Avx.Permute2x128(q3, r3, 0x31));
            }
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector256<float> Read(byte* source, Vector256<uint> flips) => (Vector256.Load((uint*)source) ^ flips).AsSingle();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Write(float* target, int step, int left, Vector256<float> words)
    {
        if (step < left)
            words.Store(target + step * GroupSize);
    }

    // Transposes words 0 to 3 of four rows, and 4 to 7 in the upper halves: one word a register.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Quads(
        Vector256<float> a, Vector256<float> b, Vector256<float> c, Vector256<float> d,
        out Vector256<float> q0, out Vector256<float> q1, out Vector256<float> q2, out Vector256<float> q3)
    {
        Vector256<double> ab = Avx.UnpackLow(a, b).AsDouble(), cd = Avx.UnpackLow(c, d).AsDouble();
        q0 = Avx.UnpackLow(ab, cd).AsSingle();
        q1 = Avx.UnpackHigh(ab, cd).AsSingle();
        ab = Avx.UnpackHigh(a, b).AsDouble();
        cd = Avx.UnpackHigh(c, d).AsDouble();
        q2 = Avx.UnpackLow(ab, cd).AsSingle();
        q3 = Avx.UnpackHigh(ab, cd).AsSingle();
    }
}
