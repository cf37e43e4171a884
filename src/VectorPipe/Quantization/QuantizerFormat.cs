using VectorPipe.Model;

namespace VectorPipe.Quantization;

/// <summary>Quantizers as blocks of bytes.</summary>
internal static class QuantizerFormat
{
    /// <summary>Bytes of the block of a quantizer of a shape.</summary>
    public static int ByteLength(int dimension, int codeBytes, CodeKind kind) =>
        ProductQuantizerFormat.ByteLength(dimension, codeBytes, kind);

    /// <summary>The block of a quantizer.</summary>
    public static byte[] ToBytes(Quantizer quantizer)
    {
        var bytes = new byte[ByteLength(quantizer.Dimension, quantizer.CodeBytes, quantizer.Kind)];
        ((ProductQuantizer)quantizer).Write(bytes);
        return bytes;
    }

    /// <summary>Reads a block, all of it.</summary>
    /// <param name="source">The bytes.</param>
    /// <exception cref="QuantizerFormatException">They are something else, or damaged.</exception>
    public static Quantizer Read(ReadOnlySpan<byte> source) => ProductQuantizerFormat.Read(source);
}
