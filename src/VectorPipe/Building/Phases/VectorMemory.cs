using VectorPipe.Numerics.Conversion;

namespace VectorPipe.Building.Phases;

/// <summary>What a vector may cost in memory at search time, divided between its code and the page graph.</summary>
/// <param name="CodeBytes">Bytes of a code.</param>
/// <param name="PageGraphBytes">Bytes of the page graph, a vector.</param>
internal readonly record struct VectorMemory(int CodeBytes, double PageGraphBytes)
{
    // What a vector costs by default: this, and a twentieth of its own size.
    private const double DefaultBytes = 32;
    private const double DefaultShare = 0.05;

    // The page graph earns its keep up to about this; past it, bytes are worth more in the code.
    private const double WantedPageGraphBytes = 5;

    // A code of a byte for two components leaves little error, and short vectors are coded best component by component; what is left over
    // goes to the page graph, up to as much as pays.
    private const int LeastComponentsOfByte = 2;
    private const int FewComponents = 32;
    private const int LeastCode = 8;
    private const double MostPageGraphBytes = 32;

    /// <summary>What a vector costs in memory by default, bytes.</summary>
    public static double DefaultMemory(VectorElementType type, int dimension) =>
        DefaultBytes + DefaultShare * dimension * type.SizeInBytes();

    /// <summary>Divides a budget.</summary>
    /// <param name="memory">Bytes a vector.</param>
    /// <param name="dimension">Components of a vector.</param>
    /// <param name="codeBytes">Bytes of a code, if they are given; what is left is the page graph's.</param>
    /// <param name="pageGraphBytes">Bytes of the page graph, if they are given; what is left is the code's.</param>
    public static VectorMemory Of(double memory, int dimension, int? codeBytes, double? pageGraphBytes)
    {
        double useful = Math.Max((double)dimension / LeastComponentsOfByte, Math.Min(dimension, FewComponents));
        int code = codeBytes
            ?? WholeChunks(
                dimension, Math.Min(useful, Math.Max(memory - (pageGraphBytes ?? WantedPageGraphBytes), Math.Min(memory, LeastCode))));
        return new VectorMemory(code, pageGraphBytes ?? Math.Clamp(memory - code, 0, MostPageGraphBytes));
    }

    // Chunks of one length are coded alike: the most bytes that chunks of a whole number of components make.
    private static int WholeChunks(int dimension, double most)
    {
        int components = (int)Math.Ceiling(dimension / Math.Max(1, Math.Floor(most)));
        return Math.Min(1024, (dimension - 1) / components + 1);
    }
}
