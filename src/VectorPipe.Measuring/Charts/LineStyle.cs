namespace VectorPipe.Measuring.Charts;

/// <summary>The style of a series, in SVG terms: its colour, and its dashes and marker for prints without colours.</summary>
/// <param name="Marker">Outline of the marker around the origin, as path data.</param>
/// <param name="IsFilled">Whether the marker is filled with the colour instead of white.</param>
internal sealed record LineStyle(string Color, string Dashes, string Marker, bool IsFilled)
{
    // The colour-blind safe palette of Okabe and Ito, without its yellow, which is too light on white.
    private static readonly string[] _colors = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00"];
    private static readonly string[] _dashes = ["none", "7 3", "2 3", "9 3 2 3", "12 4", "5 2 1 2 1 2"];

    private static readonly string[] _markers =
    [
        "M-4 0 A4 4 0 1 0 4 0 A4 4 0 1 0 -4 0 Z",
        "M-3.5 -3.5 H3.5 V3.5 H-3.5 Z",
        "M0 -4.5 L4.5 3.5 H-4.5 Z",
        "M0 -5 L5 0 L0 5 L-5 0 Z",
        "M0 4.5 L4.5 -3.5 H-4.5 Z",
    ];

    /// <summary>The style of the series of a number. Styles repeat after hundreds of series.</summary>
    public static LineStyle Of(int series) => new(
        _colors[series % _colors.Length],
        _dashes[series % _dashes.Length],
        _markers[series % _markers.Length],
        series / (_dashes.Length * _markers.Length) % 2 == 0);
}
