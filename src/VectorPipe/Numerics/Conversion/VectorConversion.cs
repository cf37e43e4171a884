using System.Runtime.InteropServices;

namespace VectorPipe.Numerics.Conversion;

/// <summary>Converts stored vectors, and finds those that no index can hold.</summary>
internal static class VectorConversion
{
    /// <summary>Converts a stored vector to floats.</summary>
    public static void ToFloat(VectorElementType type, ReadOnlySpan<byte> vector, Span<float> components)
    {
        switch (type)
        {
            case VectorElementType.Float32:
                MemoryMarshal.Cast<byte, float>(vector).CopyTo(components);
                break;
            case VectorElementType.Float16:
                ReadOnlySpan<Half> halves = MemoryMarshal.Cast<byte, Half>(vector);
                for (int i = 0; i < components.Length; i++)
                    components[i] = (float)halves[i];
                break;
            case VectorElementType.UInt8:
                for (int i = 0; i < components.Length; i++)
                    components[i] = vector[i];
                break;
            default:
                for (int i = 0; i < components.Length; i++)
                    components[i] = (sbyte)vector[i];
                break;
        }
    }

    /// <summary>Copies contiguous vectors, or converts them between float32 and float16.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The types differ, and one is an integer.</exception>
    public static void Convert(VectorElementType from, ReadOnlySpan<byte> vector, VectorElementType to, Span<byte> converted)
    {
        if (from == to)
        {
            vector.CopyTo(converted);
        }
        else if (from == VectorElementType.Float32 && to == VectorElementType.Float16)
        {
            ReadOnlySpan<float> floats = MemoryMarshal.Cast<byte, float>(vector);
            Span<Half> halves = MemoryMarshal.Cast<byte, Half>(converted)[..floats.Length];
            for (int i = 0; i < floats.Length; i++)
                halves[i] = (Half)floats[i];
        }
        else if (from == VectorElementType.Float16 && to == VectorElementType.Float32)
        {
            ToFloat(from, vector, MemoryMarshal.Cast<byte, float>(converted)[..(vector.Length / 2)]);
        }
        else
        {
            throw new ArgumentOutOfRangeException(nameof(to), to, $"Expected {from}, or one of Float32 and Float16 for the other.");
        }
    }

    /// <summary>Converts floats to a stored vector: rounded, and clamped to the range of the type.</summary>
    public static void FromFloat(VectorElementType type, ReadOnlySpan<float> components, Span<byte> vector)
    {
        switch (type)
        {
            case VectorElementType.Float32:
                components.CopyTo(MemoryMarshal.Cast<byte, float>(vector));
                break;
            case VectorElementType.Float16:
                Span<Half> halves = MemoryMarshal.Cast<byte, Half>(vector);
                for (int i = 0; i < components.Length; i++)
                    halves[i] = (Half)Math.Clamp(components[i], (float)Half.MinValue, (float)Half.MaxValue);
                break;
            case VectorElementType.UInt8:
                for (int i = 0; i < components.Length; i++)
                    vector[i] = (byte)Math.Clamp(MathF.Round(components[i]), byte.MinValue, byte.MaxValue);
                break;
            default:
                for (int i = 0; i < components.Length; i++)
                    vector[i] = (byte)(sbyte)Math.Clamp(MathF.Round(components[i]), sbyte.MinValue, sbyte.MaxValue);
                break;
        }
    }

    /// <summary>Converts a stored vector to the floats that codes are made of, normalised for cosine.</summary>
    public static void ToCodeSpace(DistanceMetric metric, VectorElementType type, ReadOnlySpan<byte> vector, Span<float> components)
    {
        ToFloat(type, vector, components);
        if (metric != DistanceMetric.Cosine)
            return;
        double norm = 0;
        foreach (float component in components)
            norm += (double)component * component;
        float factor = (float)(1 / Math.Sqrt(norm));
        for (int i = 0; i < components.Length; i++)
            components[i] *= factor;
    }

    /// <summary>Returns why a vector can be neither indexed nor searched for; null if it can.</summary>
    public static string? FindDefect(DistanceMetric metric, VectorElementType type, ReadOnlySpan<byte> vector)
    {
        if (type == VectorElementType.Float32)
        {
            ReadOnlySpan<float> values = MemoryMarshal.Cast<byte, float>(vector);
            for (int i = 0; i < values.Length; i++)
            {
                if (!float.IsFinite(values[i]))
                    return $"expected finite components, found {values[i]} at component {i}";
            }

            // The squares of larger components, and with them the distances, would overflow.
            if (Norm(values) is var norm && !double.IsFinite(norm) | norm > float.MaxValue / 4)
                return $"expected a squared norm below {float.MaxValue / 4:G2}, found {norm:G2}";
        }
        else if (type == VectorElementType.Float16)
        {
            ReadOnlySpan<Half> values = MemoryMarshal.Cast<byte, Half>(vector);
            for (int i = 0; i < values.Length; i++)
            {
                if (!Half.IsFinite(values[i]))
                    return $"expected finite components, found {values[i]} at component {i}";
            }
        }

        if (metric == DistanceMetric.Cosine && IsZero(type, vector))
            return "expected a direction, which the cosine metric needs, found all zeros";
        return null;
    }

    /// <summary>|x|² of a stored vector of floats, summed in double precision.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The components are integers.</exception>
    public static double SquaredNorm(VectorElementType type, ReadOnlySpan<byte> vector)
    {
        if (type == VectorElementType.Float32)
            return Norm(MemoryMarshal.Cast<byte, float>(vector));
        if (type != VectorElementType.Float16)
            throw new ArgumentOutOfRangeException(nameof(type), type, "Expected Float32 or Float16.");
        double norm = 0;
        foreach (Half value in MemoryMarshal.Cast<byte, Half>(vector))
            norm += (double)value * (double)value;
        return norm;
    }

    private static double Norm(ReadOnlySpan<float> values)
    {
        double norm = 0;
        foreach (float value in values)
            norm += (double)value * value;
        return norm;
    }

    private static bool IsZero(VectorElementType type, ReadOnlySpan<byte> vector)
    {
        // A norm that underflows has no direction that could be computed.
        if (type == VectorElementType.Float32)
            return Norm(MemoryMarshal.Cast<byte, float>(vector)) < 1.17549435e-38f;
        if (type == VectorElementType.Float16)
        {
            foreach (Half value in MemoryMarshal.Cast<byte, Half>(vector))
            {
                if (value != Half.Zero)
                    return false;
            }

            return true;
        }

        return vector.IndexOfAnyExcept((byte)0) < 0;
    }
}
