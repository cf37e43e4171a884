using System.Text;
using VectorPipe.Filters.Algebra;

namespace VectorPipe.Filters.Text;

/// <summary>Writes what one attribute must be, in few comparisons.</summary>
internal static class ValuePrinter
{
    /// <summary>Writes a node; in parentheses if it takes several comparisons and stands within others.</summary>
    public static string Print(ValueNode node, bool isWithin)
    {
        var name = new StringBuilder();
        LiteralPrinter.AppendName(name, node.Attribute);
        return node.MatchesMissing
            ? $"not {PrintPresent($"{name}", node.Values.Complement(), node.Family, !node.MatchesUnordered, isWithin: true)}"
            : PrintPresent($"{name}", node.Values, node.Family, node.MatchesUnordered, isWithin);
    }

    // Without what matches a missing value. Only ranges leave out NaN, and only their inverse takes it in; types without NaN have a choice.
    private static string PrintPresent(string name, ValueSet values, ValueFamily family, bool matchesUnordered, bool isWithin)
    {
        List<ValueRange> ranges = values.ToRanges();
        ValueSet others = values.Complement();
        List<ValueRange> otherRanges = others.ToRanges();
        bool isInverse = family == ValueFamily.Number ? matchesUnordered : otherRanges.Count < ranges.Count;
        if (!isInverse)
            return PrintRanges(name, values, ranges, isWithin);
        if (otherRanges.Count == 0)
            return $"exists {name}";
        return otherRanges is [{ IsPoint: true } point]
            ? $"{name} != {Literal(point.Low!.Value)}"
            : Within(isWithin, $"exists {name} and not {PrintRanges(name, others, otherRanges, isWithin: true)}");
    }

    private static string PrintRanges(string name, ValueSet values, List<ValueRange> ranges, bool isWithin)
    {
        // Every number but NaN.
        if (values.IsFull)
            return Within(isWithin, $"{name} < 0 or {name} >= 0");
        ValueRange[] points = [.. ranges.Where(range => range.IsPoint)];
        string[] terms = [.. ranges.Where(range => !range.IsPoint).Select(range => PrintRange(name, range, isWithin && ranges.Count == 1))];
        if (points.Length == 1)
            terms = [$"{name} == {Literal(points[0].Low!.Value)}", .. terms];
        else if (points.Length > 1)
            terms = [$"{name} in ({string.Join(", ", points.Select(point => Literal(point.Low!.Value)))})", .. terms];
        return terms.Length == 1 ? terms[0] : Within(isWithin, string.Join(" or ", terms));
    }

    private static string PrintRange(string name, ValueRange range, bool isWithin)
    {
        string low = range.Low is { } above ? $"{name} {(above.IsAfter ? ">" : ">=")} {Literal(above)}" : "";
        string high = range.High is { } below ? $"{name} {(below.IsAfter ? "<=" : "<")} {Literal(below)}" : "";
        if (range.Low is not { } first || range.High is not { } last)
            return low + high;
        if (!first.IsAfter && last.IsAfter)
            return $"{name} between {Literal(first)} and {Literal(last)}";
        bool isPrefix = !first.IsAfter && !last.IsAfter && first.Value.Type == AttributeType.String
            && TextOrder.AfterPrefix(first.Value.AsString()) == last.Value.AsString();
        return isPrefix ? $"{name} starts_with {Literal(first)}" : Within(isWithin, $"{low} and {high}");
    }

    private static string Literal(Cut cut)
    {
        var text = new StringBuilder();
        LiteralPrinter.AppendValue(text, cut.Value);
        return text.ToString();
    }

    private static string Within(bool isWithin, string text) => isWithin ? $"({text})" : text;
}
