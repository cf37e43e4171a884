using System.Numerics;
using System.Text;

namespace VectorPipe.Tests.Filters;

/// <summary>A condition on attributes, written down and evaluated as plainly as can be: what filters must agree with.</summary>
internal sealed record NaiveFilter(string Kind, string Name, AttributeValue[] Values, NaiveFilter[] Parts)
{
    public static NaiveFilter Of(string kind, string name, params AttributeValue[] values) => new(kind, name, values, []);

    public static NaiveFilter Of(string kind, params NaiveFilter[] parts) => new(kind, "", [], parts);

    public bool Matches(AttributeSet row)
    {
        switch (Kind)
        {
            case "and":
                return Parts.All(part => part.Matches(row));
            case "or":
                return Parts.Any(part => part.Matches(row));
            case "not":
                return !Parts[0].Matches(row);
            case "all":
                return true;
            case "none":
                return false;
        }

        if (!row.TryGetValue(Name, out AttributeValue value))
            return false;
        return Kind switch
        {
            "exists" => true,
            "==" => Compare(value, Values[0]) == 0,
            "!=" => Compare(value, Values[0]) != 0,
            "<" => Compare(value, Values[0]) < 0,
            "<=" => Compare(value, Values[0]) <= 0,
            ">" => Compare(value, Values[0]) > 0,
            ">=" => Compare(value, Values[0]) >= 0,
            "between" => Compare(value, Values[0]) >= 0 && Compare(value, Values[1]) <= 0,
            "in" => Values.Any(item => Compare(value, item) == 0),
            "starts_with" => value.AsString().StartsWith(Values[0].AsString(), StringComparison.Ordinal),
            "contains_any" => Values.Any(item => value.AsStringSet().Contains(item.AsString())),
            "contains_all" => Values.All(item => value.AsStringSet().Contains(item.AsString())),
            _ => throw new InvalidOperationException(Kind),
        };
    }

    // Null, which is neither less nor equal nor more, for NaN.
    private static int? Compare(AttributeValue left, AttributeValue right)
    {
        switch (left.Type)
        {
            case AttributeType.Boolean:
                return left.AsBoolean().CompareTo(right.AsBoolean());
            case AttributeType.String:
                return Encoding.UTF8.GetBytes(left.AsString()).AsSpan().SequenceCompareTo(Encoding.UTF8.GetBytes(right.AsString()));
            case AttributeType.Guid:
                return left.AsGuid() == right.AsGuid() ? 0 : 1;
            case AttributeType.DateTimeOffset:
                return left.AsDateTimeOffset().UtcTicks.CompareTo(right.AsDateTimeOffset().UtcTicks);
        }

        if (left.Type == AttributeType.Double && !double.IsFinite(left.AsDouble()))
            return double.IsNaN(left.AsDouble()) ? null : double.Sign(left.AsDouble());
        return Exact(left).CompareTo(Exact(right));
    }

    // In units of the least double.
    private static BigInteger Exact(AttributeValue number)
    {
        if (number.Type == AttributeType.Int64)
            return new BigInteger(number.AsInt64()) << 1074;
        long bits = BitConverter.DoubleToInt64Bits(number.AsDouble());
        int exponent = (int)((bits >> 52) & 0x7FF);
        BigInteger mantissa = (bits & 0xF_FFFF_FFFF_FFFF) | (exponent == 0 ? 0 : 1L << 52);
        BigInteger size = mantissa << Math.Max(exponent - 1, 0);
        return bits < 0 ? -size : size;
    }
}
