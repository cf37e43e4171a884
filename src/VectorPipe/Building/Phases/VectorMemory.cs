using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Building.Phases;

/// <summary>The memory of a vector at search time, divided between its code and the page graph.</summary>
/// <param name="CodeBytes">Bytes of a code.</param>
/// <param name="PageGraphBytes">Bytes of the page graph per vector.</param>
internal readonly record struct VectorMemory(int CodeBytes, double PageGraphBytes)
{
    // The default: this, and a twentieth of the size of the vector.
    private const double DefaultBytes = 32;
    private const double DefaultShare = 0.05;

    // Beyond about this, bytes are worth more in the code.
    private const double WantedPageGraphBytes = 5;

    // A code of a byte for two components leaves little error, and short vectors are coded best component by component. The rest goes to
    // the page graph, as far as it pays.
    private const int LeastComponentsOfByte = 2;
    private const int FewComponents = 32;
    private const int LeastCode = 8;
    private const double MostPageGraphBytes = 32;

    /// <summary>The default memory of a vector, in bytes.</summary>
    public static double DefaultMemory(VectorElementType type, int dimension) =>
        DefaultBytes + DefaultShare * dimension * type.SizeInBytes();

    /// <summary>Divides a budget.</summary>
    /// <param name="memory">Bytes a vector.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="codeBytes">Bytes of a code; null to follow from the rest.</param>
    /// <param name="pageGraphBytes">Bytes of the page graph per vector; null to follow from the rest.</param>
    public static VectorMemory Of(double memory, int dimension, int? codeBytes, double? pageGraphBytes)
    {
        double useful = Math.Max((double)dimension / LeastComponentsOfByte, Math.Min(dimension, FewComponents));
        int code = codeBytes
            ?? WholeChunks(
                dimension, Math.Min(useful, Math.Max(memory - (pageGraphBytes ?? WantedPageGraphBytes), Math.Min(memory, LeastCode))));
        return new VectorMemory(code, pageGraphBytes ?? Math.Clamp(memory - code, 0, MostPageGraphBytes));
    }

    // The most bytes for which chunks have a whole number of components: chunks of one length are coded alike.
    private static int WholeChunks(int dimension, double most)
    {
        int components = (int)Math.Ceiling(dimension / Math.Max(1, Math.Floor(most)));
        return Math.Min(1024, (dimension - 1) / components + 1);
    }
}
