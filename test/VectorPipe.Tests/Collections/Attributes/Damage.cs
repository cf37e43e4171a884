namespace VectorPipe.Tests.Collections.Attributes;

/// <summary>What a file could hold in place of what was written.</summary>
internal static class Damage
{
    /// <summary>Every shorter piece from the beginning, and the bytes with each bit flipped.</summary>
    public static IEnumerable<byte[]> Of(byte[] bytes)
    {
        for (int length = 0; length < bytes.Length; length++)
            yield return bytes[..length];
        for (int bit = 0; bit < bytes.Length * 8; bit++)
        {
            byte[] flipped = (byte[])bytes.Clone();
            flipped[bit / 8] ^= (byte)(1 << (bit % 8));
            yield return flipped;
        }
    }
}
