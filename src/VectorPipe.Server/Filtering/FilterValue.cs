using System.Globalization;

namespace VectorPipe.Server.Filtering;

/// <summary>A value in a filter: a constant, the content of a field, or a result. Truth is 1 or 0.</summary>
internal readonly struct FilterValue
{
    private readonly double _number;
    private readonly object? _content;

    private FilterValue(FilterValueKind kind, double number, object? content)
    {
        Kind = kind;
        _number = number;
        _content = content;
    }

    public static FilterValue Null { get; }

    public FilterValueKind Kind { get; }

    public string Text => (string)_content!;

    public FilterValue[] Items => (FilterValue[])_content!;

    /// <summary>As a condition: not 0, not empty, not null.</summary>
    public bool IsTrue => Kind switch
    {
        FilterValueKind.Number => _number != 0,
        FilterValueKind.Text => Text.Length > 0,
        FilterValueKind.Null => false,
        _ => true,
    };

    /// <summary>As a number: that of a text that is one, else 0.</summary>
    public double Number => Kind switch
    {
        FilterValueKind.Number => _number,
        FilterValueKind.Text when double.TryParse(Text, NumberStyles.Float, CultureInfo.InvariantCulture, out double value) => value,
        _ => 0,
    };

    public static FilterValue Of(double number) => new(FilterValueKind.Number, number, null);

    public static FilterValue Of(bool truth) => Of(truth ? 1.0 : 0);

    public static FilterValue Of(string text) => new(FilterValueKind.Text, 0, text);

    public static FilterValue Of(FilterValue[] items) => new(FilterValueKind.Tuple, 0, items);

    /// <summary>Equal as texts if both are texts, null to null only, else as numbers.</summary>
    public static bool AreEqual(in FilterValue a, in FilterValue b)
    {
        if (a.Kind == FilterValueKind.Text && b.Kind == FilterValueKind.Text)
            return string.Equals(a.Text, b.Text, StringComparison.Ordinal);
        if (a.Kind == FilterValueKind.Null || b.Kind == FilterValueKind.Null)
            return a.Kind == b.Kind;
        return a.Number == b.Number;
    }

    /// <summary>Whether a value is one of an array, or a text within a text.</summary>
    public static bool IsIn(in FilterValue item, in FilterValue whole)
    {
        if (whole.Kind == FilterValueKind.Text)
            return item.Kind == FilterValueKind.Text && whole.Text.Contains(item.Text, StringComparison.Ordinal);
        if (whole.Kind != FilterValueKind.Tuple)
            return false;
        foreach (FilterValue one in whole.Items)
        {
            if (AreEqual(item, one))
                return true;
        }

        return false;
    }
}
