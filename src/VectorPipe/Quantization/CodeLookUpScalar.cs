using System.Runtime.CompilerServices;

namespace VectorPipe.Quantization;

/// <summary>Sums of rounded entries of eight codes at once, by loads of single entries. No state; runs on every processor.</summary>
/// <remarks>
/// A row of the table is 256 integers. ns a code of 32 bytes in the first-level cache, busy EPYC without AVX-512: 12.0 this, 12.1 the same
/// with floats, 13 to 18 with eight bytes of a code in a register,
/// 12.3 with entries of 16 bits, 11.5 by AVX2 shuffles and blends before any code is turned: 256 entries of 16 bits take 32 shuffles and 30
/// blends, so there is no further path.
/// </remarks>
internal static unsafe class CodeLookUpScalar
{
    private const int Centroids = CentroidSearch.Centroids;

    /// <summary>The sums of codes.</summary>
    /// <param name="table">256 integers for each byte of a code.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    /// <param name="codes">The code of id 0.</param>
    /// <param name="ids">The ids.</param>
    /// <param name="count">The number of ids.</param>
    /// <param name="sums">Receives as many sums.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Sums(int* table, int codeBytes, byte* codes, uint* ids, int count, int* sums)
    {
        int i = 0;
        for (; i <= count - 8; i += 8)
            Eight(table, codeBytes, codes, ids + i, sums + i);
        for (; i < count; i++)
            sums[i] = One(table, codeBytes, codes + ((nint)ids[i] * codeBytes));
    }

    /// <summary>The sum of one code.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static int One(int* table, int codeBytes, byte* code)
    {
        int sum = 0;
        for (int j = 0; j < codeBytes; j++, table += Centroids)
            sum += table[code[j]];
        return sum;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Eight(int* row, nint length, byte* codes, uint* ids, int* sums)
    {
        byte* c0 = codes + (ids[0] * length), c1 = codes + (ids[1] * length), c2 = codes + (ids[2] * length),
            c3 = codes + (ids[3] * length);
        byte* c4 = codes + (ids[4] * length), c5 = codes + (ids[5] * length), c6 = codes + (ids[6] * length),
            c7 = codes + (ids[7] * length);
        int s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
        for (nint j = 0; j < length; j++, row += Centroids)
        {
            s0 += row[(nuint)c0[j]];
            s1 += row[(nuint)c1[j]];
            s2 += row[(nuint)c2[j]];
            s3 += row[(nuint)c3[j]];
            s4 += row[(nuint)c4[j]];
            s5 += row[(nuint)c5[j]];
            s6 += row[(nuint)c6[j]];
            s7 += row[(nuint)c7[j]];
        }

        sums[0] = s0;
        sums[1] = s1;
        sums[2] = s2;
        sums[3] = s3;
        sums[4] = s4;
        sums[5] = s5;
        sums[6] = s6;
        sums[7] = s7;
    }
}
