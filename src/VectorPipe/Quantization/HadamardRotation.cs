using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Quantization;

/// <summary>A random rotation in n log n steps: rounds of random signs and Walsh-Hadamard transforms (Ailon and Chazelle 2009).</summary>
/// <remarks>
/// <para>A round changes signs and then, in turns, transforms the first 2^p components, transforms the last 2^p, or replaces components i and i + n/2 by their sum and difference over the square root of 2;
/// 2^p is the largest power that fits, and if nothing is left all rounds transform. So no vector is padded: as many components come out as went in. (Without signs between, sums and differences would undo
/// the last step of a transform.)</para>
/// <para>Immutable, so any number of threads may use it. Every machine computes the same bits.</para>
/// </remarks>
internal sealed class HadamardRotation
{
    /// <summary>Rounds: each end is transformed three times.</summary>
    public const int Rounds = 8;

    private const float HalfRoot = 0.70710678f;

    private readonly byte[] _signs;
    private readonly float[] _factors;
    private readonly int _dimension;
    private readonly int _transformed;

    /// <param name="dimension">Components of a vector; 1 or more.</param>
    /// <param name="signs">See <see cref="Signs"/>; taken over.</param>
    public HadamardRotation(int dimension, byte[] signs)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(dimension, 1);
        ArgumentOutOfRangeException.ThrowIfNotEqual(signs.Length, SignBytes(dimension));
        _dimension = dimension;
        _transformed = 1 << BitOperations.Log2((uint)dimension);
        _signs = signs;
        _factors = new float[Rounds * dimension];
        float length = 1 / MathF.Sqrt(_transformed);
        for (int round = 0; round < Rounds; round++)
        {
            int first = First(round);
            for (int k = 0; k < dimension; k++)
            {
                int bit = (round * dimension) + k;
                bool isTransformed = !IsMixing(round) && k >= first && k < first + _transformed;
                _factors[bit] = ((signs[bit / 8] >> (bit % 8) & 1) == 0 ? 1 : -1) * (isTransformed ? length : 1);
            }
        }
    }

    /// <summary>A bit a round and component, rounds one after another, lowest bit of the first byte first: set where the sign changes.</summary>
    public ReadOnlySpan<byte> Signs => _signs;

    /// <summary>Bytes of the signs.</summary>
    public static int SignBytes(int dimension) => Rounds / 8 * dimension;

    /// <summary>A rotation by chance.</summary>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="seed">Same seed, same rotation.</param>
    public static HadamardRotation Random(int dimension, ulong seed)
    {
        var random = new SplitMix64(seed);
        var signs = new byte[SignBytes(dimension)];
        for (int i = 0; i < signs.Length; i++)
            signs[i] = (byte)(random.Next() >> 56);
        return new HadamardRotation(dimension, signs);
    }

    /// <summary>Rotates a vector in its place.</summary>
    public void Apply(Span<float> vector)
    {
        for (int round = 0; round < Rounds; round++)
        {
            ApplyFactors(vector, round);
            Step(vector, round);
        }
    }

    /// <summary>Rotates a vector back in its place.</summary>
    public void ApplyInverse(Span<float> vector)
    {
        // Each step but the lengths of the transforms is its own inverse; a transform that is not shortened multiplies lengths by what the factors divide them by.
        for (int round = Rounds - 1; round >= 0; round--)
        {
            Step(vector, round);
            ApplyFactors(vector, round);
        }
    }

    private bool IsMixing(int round) => round % 3 == 2 && _transformed < _dimension;

    private int First(int round) => round % 3 == 0 ? 0 : _dimension - _transformed;

    private void Step(Span<float> vector, int round)
    {
        if (IsMixing(round))
            MixHalves(vector);
        else
            Transform(vector.Slice(First(round), _transformed));
    }

    private void ApplyFactors(Span<float> vector, int round)
    {
        ReadOnlySpan<float> factors = _factors.AsSpan(round * _dimension, _dimension);
        for (int k = 0; k < factors.Length; k++)
            vector[k] *= factors[k];
    }

    private void MixHalves(Span<float> vector)
    {
        int half = _dimension / 2;
        Span<float> low = vector[..half], high = vector[half..];
        for (int k = 0; k < low.Length; k++)
            (low[k], high[k]) = ((low[k] + high[k]) * HalfRoot, (low[k] - high[k]) * HalfRoot);
    }

    /// <summary>The transform, not brought to length.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Transform(Span<float> vector)
    {
        for (int half = 1; half < vector.Length; half *= 2)
        {
            for (int first = 0; first < vector.Length; first += 2 * half)
            {
                Span<float> low = vector.Slice(first, half), high = vector.Slice(first + half, half);
                int k = 0;
                for (; k <= half - Vector<float>.Count; k += Vector<float>.Count)
                {
                    Vector<float> a = new(low[k..]), b = new(high[k..]);
                    (a + b).CopyTo(low[k..]);
                    (a - b).CopyTo(high[k..]);
                }

                for (; k < half; k++)
                    (low[k], high[k]) = (low[k] + high[k], low[k] - high[k]);
            }
        }
    }
}
