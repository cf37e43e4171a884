using System.Runtime.CompilerServices;

namespace VectorPipe.Quantization;

/// <summary>Sums of rounded entries by loads of single entries, four codes at once. No state; runs on every processor.</summary>
/// <remarks>
/// A row of the table is 256 numbers of 16 bits. Loads bound the time: two bytes of a code are loaded together, and four codes leave
/// their sums and addresses in registers. See docs/decisions.md#code-look-ups.
/// </remarks>
internal static unsafe class CodeLookUpMemory
{
    private const int Centroids = CentroidSearch.Centroids;
    private const int Step = 4;

    /// <summary>Computes the sums of codes.</summary>
    /// <param name="table">256 entries for each byte of a code.</param>
    /// <param name="codeBytes">Bytes of a code.</param>
    /// <param name="codes">The code of id 0.</param>
    /// <param name="ids">The ids.</param>
    /// <param name="count">The number of ids.</param>
    /// <param name="sums">Receives as many sums.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static void Sums(ushort* table, int codeBytes, byte* codes, uint* ids, int count, int* sums)
    {
        int i = 0;
        for (; i <= count - 4; i += 4)
            Four(table, codeBytes, codes, ids + i, sums + i);
        for (; i < count; i++)
            sums[i] = One(table, codeBytes, codes + ((nint)ids[i] * codeBytes));
    }

    /// <summary>Computes the sum of one code.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static int One(ushort* table, int codeBytes, byte* code)
    {
        int sum = 0;
        for (int j = 0; j < codeBytes; j++, table += Centroids)
            sum += table[code[j]];
        return sum;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Four(ushort* row, nint length, byte* codes, uint* ids, int* sums)
    {
        byte* c0 = codes + (ids[0] * length), c1 = codes + (ids[1] * length);
        byte* c2 = codes + (ids[2] * length), c3 = codes + (ids[3] * length);
        int s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        nint j = 0;
        for (; j <= length - Step; j += Step, row += Step * Centroids)
        {
            s0 += Pair(row, c0 + j);
            s1 += Pair(row, c1 + j);
            s2 += Pair(row, c2 + j);
            s3 += Pair(row, c3 + j);
            s0 += Pair(row + (2 * Centroids), c0 + j + 2);
            s1 += Pair(row + (2 * Centroids), c1 + j + 2);
            s2 += Pair(row + (2 * Centroids), c2 + j + 2);
            s3 += Pair(row + (2 * Centroids), c3 + j + 2);
        }

        for (; j < length; j++, row += Centroids)
        {
            s0 += row[c0[j]];
            s1 += row[c1[j]];
            s2 += row[c2[j]];
            s3 += row[c3[j]];
        }

        sums[0] = s0;
        sums[1] = s1;
        sums[2] = s2;
        sums[3] = s3;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Pair(ushort* row, byte* code)
    {
        uint two = *(ushort*)code;
        return row[(nuint)(byte)two] + row[Centroids + (nuint)(two >> 8)];
    }
}
