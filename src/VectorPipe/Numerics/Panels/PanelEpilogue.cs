using System.Numerics;
using System.Runtime.CompilerServices;

namespace VectorPipe.Numerics.Panels;

/// <summary>Turns the sums of a panel kernel into distances, in place.</summary>
internal static unsafe class PanelEpilogue
{
    /// <summary>Converts the sums of one row, and sets the lanes after the last candidate to infinity.</summary>
    /// <param name="rows">All rows.</param>
    /// <param name="row">The row.</param>
    /// <param name="panel">The candidates.</param>
    /// <param name="from">First candidate, a multiple of two groups.</param>
    /// <param name="results">Sums, those of candidate i at entry i.</param>
    public static void Apply(in PanelRows rows, int row, VectorPanel panel, int from, float* results)
    {
        int lanes = VectorPanel.Lanes(panel.Count);
        switch (rows.Distance)
        {
            case PanelDistance.ByteL2:
                SquaredL2(rows.RowTerm(row), panel.Terms, from, lanes, results);
                break;
            case PanelDistance.ByteL2Extended:
                SquaredL2(rows.RowTerm(row), panel.Terms, from, lanes, results);
                AddExtraComponent(rows.Aux(row), panel.Auxiliary, from, lanes, results);
                break;
            case PanelDistance.ByteChord:
                for (int i = from; i < panel.Count; i++)
                    results[i] = Chord(((int*)results)[i] + rows.RowTerm(row) + panel.Terms[i], rows.Aux(row), panel.Auxiliary[i]);
                break;
            default:
                break;
        }

        new Span<float>(results + panel.Count, lanes - panel.Count).Fill(float.PositiveInfinity);
    }

    /// <summary>|a/|a| - b/|b||² of a dot product and two squared norms; 0 for equal vectors, and 2 if one is zero.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static float Chord(float dot, float squaredNormA, float squaredNormB)
    {
        // The root of the product, unlike the product of roots, is exact for equal vectors.
        double product = (double)squaredNormA * squaredNormB;
        return product == 0 ? 2 : (float)Math.Max(0, 2 - 2 * (dot / Math.Sqrt(product)));
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void SquaredL2(int rowTerm, int* terms, int from, int lanes, float* results)
    {
        var row = new Vector<int>(rowTerm);
        for (int i = from; i < lanes; i += Vector<int>.Count)
        {
            Vector<int> sums = Vector.Load((int*)results + i);
            Vector<int> distances = row + Vector.Load(terms + i) - (sums + sums);
            Vector.ConvertToSingle(distances).Store(results + i);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void AddExtraComponent(float extra, float* extras, int from, int lanes, float* results)
    {
        var row = new Vector<float>(extra);
        for (int i = from; i < lanes; i += Vector<float>.Count)
        {
            Vector<float> difference = row - Vector.Load(extras + i);
            (Vector.Load(results + i) + difference * difference).Store(results + i);
        }
    }
}
