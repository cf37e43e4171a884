using VectorPipe.Quantization;

namespace VectorPipe.Tests.Quantization;

/// <summary>Samples and quantizers that the tests share.</summary>
internal static class QuantizerCases
{
    /// <summary>Clustered vectors away from the origin: count x dimension floats.</summary>
    public static float[] Sample(int count, int dimension, int seed)
    {
        var random = new Random(seed);
        var centres = new float[20 * dimension];
        for (int i = 0; i < centres.Length; i++)
            centres[i] = random.NextSingle() * 10;
        var sample = new float[count * dimension];
        for (int i = 0; i < count; i++)
        {
            int centre = random.Next(20);
            for (int k = 0; k < dimension; k++)
                sample[(i * dimension) + k] = centres[(centre * dimension) + k] + random.NextSingle();
        }

        return sample;
    }

    /// <summary>Vectors whose variance falls over directions that are no axes: count x dimension floats.</summary>
    public static float[] TurnedSample(int count, int dimension, int seed)
    {
        var random = new Random(seed);
        float[] directions = [.. Enumerable.Range(0, dimension * dimension).Select(_ => random.NextSingle() - 0.5f)];
        var sample = new float[count * dimension];
        for (int i = 0; i < count; i++)
        {
            for (int direction = 0; direction < dimension; direction++)
            {
                float length = (random.NextSingle() - 0.5f) * 10 * MathF.Pow(0.7f, direction);
                for (int k = 0; k < dimension; k++)
                    sample[(i * dimension) + k] += length * directions[(direction * dimension) + k];
            }

            for (int k = 0; k < dimension; k++)
                sample[(i * dimension) + k] += k;
        }

        return sample;
    }

    /// <summary>The stored form of the quantizer.</summary>
    public static byte[] Bytes(Quantizer quantizer) => QuantizerFormat.ToBytes(quantizer);

    public static double MeanSquaredError(Quantizer quantizer, float[] vectors)
    {
        int count = vectors.Length / quantizer.Dimension;
        var codes = new byte[count * quantizer.CodeBytes];
        var decoded = new float[quantizer.Dimension];
        quantizer.Encode(vectors, count, codes);
        double sum = 0;
        for (int i = 0; i < count; i++)
        {
            quantizer.Decode(codes.AsSpan(i * quantizer.CodeBytes, quantizer.CodeBytes), decoded);
            for (int k = 0; k < decoded.Length; k++)
                sum += Math.Pow(vectors[(i * quantizer.Dimension) + k] - decoded[k], 2);
        }

        return sum / count;
    }
}
