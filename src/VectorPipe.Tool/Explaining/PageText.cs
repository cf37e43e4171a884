using System.Globalization;

namespace VectorPipe.Tool.Explaining;

/// <summary>Texts of the page, whatever the culture is.</summary>
internal static class PageText
{
    public static string Of(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);

    /// <summary>A duration, with a decimal where it counts. Number and unit stay on one line.</summary>
    public static string Us(double us) => Of($"{(us < 10 ? Of($"{us:0.0}") : Of($"{us:N0}"))}\u00a0µs");
}
