using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using VectorPipe.Numerics;

namespace VectorPipe.Quantization;

/// <summary>
/// RaBitQ codes (Gao and Long 2024, extended to more levels by Gao et al. 2024): a centred vector is rotated by chance and every component rounded to one of a few levels; two factors a vector make
/// of the products with the rounded vector unbiased estimates of those with the vector itself, whose error is bounded.
/// </summary>
/// <remarks>
/// <para>With x the centred and rotated vector, y the point of the grid that lies nearest to its direction and q the query likewise: scale = |x|² / (y·x), and x·q is estimated by scale (y·q). What is left,
/// x - scale y, is perpendicular to x and points anywhere as the rotation is drawn: the estimate of x·q is unbiased, and its standard deviation is at most |q| sqrt(|scale y|² - |x|²) / sqrt(D - 1).</para>
/// <para>Nothing is learnt but the mean. Bytes name points of a <see cref="GridLayout"/>, so that distances come out of the same tables as those of a product quantizer.</para>
/// </remarks>
internal sealed unsafe class RaBitQuantizer : Quantizer
{
    private const int Centroids = ProductQuantizer.CentroidsPerChunk;

    // The scale at which a vector is rounded and the point that it is rounded to are made better in turns; a fifth turn changes next to nothing.
    private const int Turns = 4;

    private readonly float[] _mean;
    private readonly int[] _places;
    private readonly float[] _levels;
    private readonly float[] _inverseSteps;
    private readonly float[] _steps;

    /// <summary>Takes over parts that are known to be right.</summary>
    /// <param name="codeBytes">Bytes of a code, factors included: <see cref="LeastCodeBytes"/> to the dimension.</param>
    /// <param name="mean">What is subtracted from a vector: a float a component.</param>
    /// <param name="rotation">What a centred vector goes through.</param>
    internal RaBitQuantizer(int codeBytes, float[] mean, HadamardRotation rotation)
        : base(mean.Length, codeBytes)
    {
        _mean = mean;
        Rotation = rotation;
        Grid = new GridLayout(Dimension, codeBytes - CodeFactors.Bytes);
        _places = new int[Dimension];
        for (int chunk = 0; chunk < Grid.ChunkOffsets.Length - 1; chunk++)
        {
            int place = 1;
            for (int k = Grid.ChunkOffsets[chunk]; k < Grid.ChunkOffsets[chunk + 1]; place *= Grid.Levels[k++])
                _places[k] = place;
        }

        // Whole registers of components; those that are none have one level, which stands for 0.
        int padded = Padded(Dimension);
        _levels = new float[padded];
        _inverseSteps = new float[padded];
        _steps = new float[padded];
        Array.Fill(_levels, 1);
        for (int k = 0; k < Dimension; k++)
        {
            _levels[k] = Grid.Levels[k];
            _steps[k] = Grid.Steps[k];
            _inverseSteps[k] = 1 / Grid.Steps[k];
        }
    }

    /// <inheritdoc/>
    public override CodeKind Kind => CodeKind.RaBitQ;

    /// <inheritdoc/>
    public override int FactorBytes => CodeFactors.Bytes;

    /// <summary>What is subtracted from a vector before it is rotated.</summary>
    public ReadOnlySpan<float> Mean => _mean;

    /// <summary>What a centred vector goes through.</summary>
    public HadamardRotation Rotation { get; }

    /// <summary>What the bytes of a code name.</summary>
    public GridLayout Grid { get; }

    /// <summary>The shortest code of a vector: two levels a component, and the factors.</summary>
    public static int LeastCodeBytes(int dimension) => GridLayout.LeastBytes(dimension) + CodeFactors.Bytes;

    /// <summary>Takes the mean of a sample, and draws a rotation.</summary>
    /// <param name="sample">count x dimension floats.</param>
    /// <param name="count">Vectors in the sample; 1 or more.</param>
    /// <param name="dimension">Components of a vector; 1 to <see cref="Quantizer.MaxDimension"/>.</param>
    /// <param name="codeBytes">Bytes of a code, factors included: <see cref="LeastCodeBytes"/> to <paramref name="dimension"/>.</param>
    /// <param name="seed">Same sample and seed, same quantizer.</param>
    /// <exception cref="ArgumentException">The sample's length is not count x dimension, or a number is out of its range.</exception>
    public static RaBitQuantizer Train(ReadOnlyMemory<float> sample, int count, int dimension, int codeBytes, ulong seed = 0)
    {
        ProductQuantizer.CheckTraining(sample.Length, count, dimension, codeBytes, iterations: 1, threads: 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(codeBytes, LeastCodeBytes(dimension));
        return new RaBitQuantizer(codeBytes, ProductQuantizer.MeanOf(sample.Span, count, dimension), HadamardRotation.Random(dimension, seed));
    }

    /// <inheritdoc/>
    public override void Encode(ReadOnlySpan<float> vectors, int count, Span<byte> codes)
    {
        CheckLength(vectors.Length, count, Dimension, nameof(vectors));
        CheckLength(codes.Length, count, CodeBytes, nameof(codes));
        int padded = _levels.Length;
        float[] room = ArrayPool<float>.Shared.Rent(2 * padded);
        Span<float> vector = room.AsSpan(0, padded), level = room.AsSpan(padded, padded);
        for (int i = 0; i < count; i++)
        {
            vector[Dimension..].Clear();
            Centre(vectors.Slice(i * Dimension, Dimension), vector);
            Rotation.Apply(vector[..Dimension]);
            EncodeRotated(vector, level, codes.Slice(i * CodeBytes, CodeBytes));
        }

        ArrayPool<float>.Shared.Return(room);
    }

    /// <inheritdoc/>
    /// <remarks>It is longer than the vector that was coded, so that products with it are unbiased.</remarks>
    public override void Decode(ReadOnlySpan<byte> code, Span<float> vector)
    {
        CheckLength(code.Length, 1, CodeBytes, nameof(code));
        CheckLength(vector.Length, 1, Dimension, nameof(vector));
        float scale = CodeFactors.Read(code[^CodeFactors.Bytes..]).Scale;
        for (int k = 0; k < Dimension; k++)
            vector[k] = scale * GridValue(code, k);
        Rotation.ApplyInverse(vector);
        for (int k = 0; k < Dimension; k++)
            vector[k] += _mean[k];
    }

    /// <summary>How far an estimated distance may be from the exact one.</summary>
    /// <remarks>
    /// Over random rotations errors lie within <paramref name="deviations"/> standard deviations about as often as those of a normal distribution do: 95 % within 2, 99.7 % within 3. They are smaller where
    /// query and vector point the same way. The rounding of the factors is included, that of a table to 16 bits is not: see <see cref="CodeDistanceTable.MaxRounding"/>.
    /// </remarks>
    /// <param name="metric">What is estimated.</param>
    /// <param name="code"><see cref="Quantizer.CodeBytes"/> bytes.</param>
    /// <param name="queryNorm">Length of the query; less the mean, but for the inner product.</param>
    /// <param name="deviations">How many standard deviations.</param>
    public float ErrorBound(DistanceMetric metric, ReadOnlySpan<byte> code, float queryNorm, float deviations)
    {
        CheckLength(code.Length, 1, CodeBytes, nameof(code));
        CodeFactors factors = CodeFactors.Read(code[^CodeFactors.Bytes..]);
        double squaredLength = 0;
        for (int k = 0; k < Dimension; k++)
            squaredLength += Math.Pow(factors.Scale * GridValue(code, k), 2);
        bool isProduct = metric == DistanceMetric.InnerProduct;
        double products = isProduct ? 1 : 2;
        double perpendicular = Math.Sqrt(Math.Max(0, squaredLength - factors.SquaredNorm) / Math.Max(1, Dimension - 1));
        double rounding = CodeFactors.MaxRounding * ((isProduct ? 0 : factors.SquaredNorm) + (products * queryNorm * Math.Sqrt(squaredLength)));
        return (float)((deviations * products * queryNorm * perpendicular) + rounding);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public override QueryTerms FillTable(DistanceMetric metric, ReadOnlySpan<float> query, Span<float> scratch, float* table)
    {
        bool isProduct = metric == DistanceMetric.InnerProduct;
        Span<float> turned = scratch[..Dimension];
        float constant = 0;
        if (isProduct)
        {
            query.CopyTo(turned);
            for (int k = 0; k < turned.Length; k++)
                constant -= query[k] * _mean[k];
        }
        else
        {
            Centre(query, turned);
            foreach (float component in turned)
                constant += component * component;
        }

        Rotation.Apply(turned);
        ReadOnlySpan<int> offsets = Grid.ChunkOffsets;
        for (int chunk = 0; chunk < offsets.Length - 1; chunk++, table += Centroids)
        {
            int size = 1;
            table[0] = 0;
            for (int k = offsets[chunk]; k < offsets[chunk + 1]; k++)
            {
                // The entries so far, once for each level; the lowest level last, for its place is theirs.
                float factor = turned[k] * (isProduct ? -1 : -2);
                for (int level = Grid.Levels[k] - 1; level >= 0; level--)
                    Add(table, factor * Grid.Value(k, level), size, table + (level * size));
                size *= Grid.Levels[k];
            }

            // Points that no code names must not widen the range of the row.
            new Span<float>(table + size, Centroids - size).Fill(table[0]);
        }

        return new QueryTerms(constant, isProduct ? 0 : 1);
    }

    private static int Padded(int dimension) => (dimension + Vector256<float>.Count - 1) & -Vector256<float>.Count;

    private static void Add(float* entries, float value, int count, float* result)
    {
        int i = 0;
        for (; i <= count - Vector256<float>.Count; i += Vector256<float>.Count)
            (Vector256.Load(entries + i) + Vector256.Create(value)).Store(result + i);
        for (; i < count; i++)
            result[i] = entries[i] + value;
    }

    private void Centre(ReadOnlySpan<float> vector, Span<float> result)
    {
        ReadOnlySpan<float> mean = _mean;
        for (int k = 0; k < mean.Length; k++)
            result[k] = vector[k] - mean[k];
    }

    private float GridValue(ReadOnlySpan<byte> code, int component)
    {
        // The first chunks have a component more than the others.
        int bytes = CodeBytes - CodeFactors.Bytes, longer = Dimension % bytes, length = Dimension / bytes;
        int chunk = component < longer * (length + 1) ? component / (length + 1) : (component - longer) / length;
        return Grid.Value(component, code[chunk] / _places[component] % Grid.Levels[component]);
    }

    private void EncodeRotated(Span<float> vector, Span<float> level, Span<byte> code)
    {
        double squaredNorm = 0;
        foreach (float component in vector)
            squaredNorm += (double)component * component;
        double product = 0, scale = Math.Sqrt(squaredNorm / Dimension);
        for (int turn = 0; turn < Turns && scale > 0; turn++)
        {
            (product, double squaredLength) = Round(vector, (float)(1 / scale), level);
            scale = product / squaredLength;
        }

        // A vector so short that nothing can be computed of it counts as the mean.
        bool isNothing = !(product > 0);
        ReadOnlySpan<int> offsets = Grid.ChunkOffsets;
        for (int chunk = 0; chunk < offsets.Length - 1; chunk++)
        {
            int point = 0;
            for (int k = offsets[chunk]; k < offsets[chunk + 1] && !isNothing; k++)
                point += (int)level[k] * _places[k];
            code[chunk] = (byte)point;
        }

        new CodeFactors(isNothing ? 0 : (float)(squaredNorm / product), isNothing ? 0 : (float)squaredNorm).Write(code[^CodeFactors.Bytes..]);
    }

    /// <summary>Rounds a vector to the grid.</summary>
    /// <param name="vector">Rotated.</param>
    /// <param name="factor">Brings it to the grid's size.</param>
    /// <param name="level">Receives the level of each component.</param>
    /// <returns>The product of the point of the grid with the vector, and with itself.</returns>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private (double Product, double SquaredLength) Round(ReadOnlySpan<float> vector, float factor, Span<float> level)
    {
        // Eight lanes on every processor, software included: sums come out the same, bit for bit.
        Vector256<float> products = default, squares = default, half = Vector256.Create(0.5f), factors = Vector256.Create(factor);
        ref float from = ref MemoryMarshal.GetReference(vector), to = ref MemoryMarshal.GetReference(level);
        for (nuint k = 0; k < (nuint)vector.Length; k += (nuint)Vector256<float>.Count)
        {
            Vector256<float> value = Vector256.LoadUnsafe(ref from, k);
            Vector256<float> levels = Vector256.LoadUnsafe(ref _levels[0], k), steps = Vector256.LoadUnsafe(ref _steps[0], k);
            Vector256<float> at = Vector256.Floor((value * factors * Vector256.LoadUnsafe(ref _inverseSteps[0], k)) + (levels * half));
            at = Vector256.Min(Vector256.Max(at, Vector256<float>.Zero), levels - Vector256<float>.One);
            at.StoreUnsafe(ref to, k);
            Vector256<float> point = (at - ((levels - Vector256<float>.One) * half)) * steps;
            products += point * value;
            squares += point * point;
        }

        double product = 0, square = 0;
        for (int lane = 0; lane < Vector256<float>.Count; lane++)
        {
            product += products[lane];
            square += squares[lane];
        }

        return (product, square);
    }
}
