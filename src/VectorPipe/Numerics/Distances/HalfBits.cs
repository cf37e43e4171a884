namespace VectorPipe.Numerics.Distances;

/// <summary>Converts binary16 to binary32 by integer operations: .NET 10 has no vector instruction for it.</summary>
/// <remarks>
/// The 16 bits, sign-extended to 32, are shifted so that exponent and fraction meet those of a binary32; the mask keeps the sign and the
/// 15 bits; the product with 2^112 corrects the exponent's bias. Exact for finite values, subnormals too; infinities and NaN become
/// finite values of 65,536 and more.
/// </remarks>
internal static class HalfBits
{
    /// <summary>Difference of the lengths of the two fractions.</summary>
    public const int Shift = 13;

    /// <summary>The sign bit and the shifted exponent and fraction.</summary>
    public const int Mask = unchecked((int)0x8FFFE000);

    /// <summary>2^(127-15).</summary>
    public const float Scale = 5.192296858534828e33f;
}
