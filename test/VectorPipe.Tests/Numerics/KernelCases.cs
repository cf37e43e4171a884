using System.Runtime.CompilerServices;

namespace VectorPipe.Tests.Numerics;

/// <summary>Dimensions and rows for tests of kernels.</summary>
internal static class KernelCases
{
    public const int Seed = 20_260;

    public static IEnumerable<int> Dimensions => Enumerable.Range(1, 70).Concat([96, 100, 128, 384, 960, 1536]);

    /// <summary>Fills rows with random values, the type's smallest value, its largest, or both in turn.</summary>
    public static void Fill<T>(Span<T> rows, Random random, int pattern)
    {
        for (int i = 0; i < rows.Length; i++)
        {
            bool high = pattern == 1 || (pattern == 3 && i % 2 == 0);
            if (typeof(T) == typeof(byte))
                Unsafe.As<T, byte>(ref rows[i]) = pattern == 0 ? (byte)random.Next(256) : high ? byte.MaxValue : byte.MinValue;
            else if (typeof(T) == typeof(sbyte))
                Unsafe.As<T, sbyte>(ref rows[i]) = pattern == 0 ? (sbyte)random.Next(-128, 128) : high ? sbyte.MaxValue : sbyte.MinValue;
            else if (typeof(T) == typeof(Half))
                Unsafe.As<T, Half>(ref rows[i]) = (Half)Real(random, pattern, high, 100f);
            else
                Unsafe.As<T, float>(ref rows[i]) = Real(random, pattern, high, 1e9f);
        }
    }

    private static float Real(Random random, int pattern, bool high, float extreme) =>
        pattern == 0 ? ((random.NextSingle() * 2) - 1) * MathF.Pow(2, random.Next(-20, 3)) : high ? extreme : -extreme;
}
