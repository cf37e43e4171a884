namespace QuickStart;

/// <summary>Synthetic data similar to embeddings: clusters of different sizes, with few directions of variation.</summary>
internal static class SyntheticData
{
    /// <summary>Components of a vector.</summary>
    public const int Dimension = 128;

    private const int Clusters = 200;
    private const int Directions = 16;
    private const int RowsPerBlock = 1_000;

    /// <summary>Creates vectors, always the same.</summary>
    public static byte[] Create(int count)
    {
        var random = new Random(1);
        float[] directions = Gaussians(random, Directions * Dimension, 1);
        float[] centres = Gaussians(random, Clusters * Directions, 2);
        byte[] rows = new byte[count * Dimension];

        // Every block has its own generator, so the data does not depend on the number of processors.
        Parallel.For(0, (count + RowsPerBlock - 1) / RowsPerBlock, block =>
        {
            var own = new Random(1 + block);
            for (int row = block * RowsPerBlock; row < Math.Min(count, (block + 1) * RowsPerBlock); row++)
                FillRow(own, directions, centres, rows.AsSpan(row * Dimension, Dimension));
        });
        return rows;
    }

    private static void FillRow(Random random, float[] directions, float[] centres, Span<byte> row)
    {
        // The product of two numbers makes early clusters larger than late ones.
        int cluster = (int)(Clusters * random.NextDouble() * random.NextDouble());
        Span<float> values = stackalloc float[Dimension];
        values.Fill(128);
        for (int d = 0; d < Directions; d++)
        {
            float weight = 5 * (centres[cluster * Directions + d] + Gaussian(random));
            for (int i = 0; i < Dimension; i++)
                values[i] += weight * directions[d * Dimension + i];
        }

        for (int i = 0; i < Dimension; i++)
            row[i] = (byte)Math.Clamp(values[i] + 4 * Gaussian(random), 0, 255);
    }

    private static float[] Gaussians(Random random, int count, float deviation)
    {
        var values = new float[count];
        for (int i = 0; i < count; i++)
            values[i] = deviation * Gaussian(random);
        return values;
    }

    // A normally distributed number (Box and Muller).
    private static float Gaussian(Random random) =>
        MathF.Sqrt(-2 * MathF.Log(1 - random.NextSingle())) * MathF.Cos(MathF.Tau * random.NextSingle());
}
