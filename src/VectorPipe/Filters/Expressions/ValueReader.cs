using System.Collections;
using System.Globalization;
using System.Linq.Expressions;
using System.Reflection;
using VectorPipe.Filters.Algebra;

namespace VectorPipe.Filters.Expressions;

/// <summary>Finds the value of an expression that does not depend on the record: constants, captured variables, members, calls.</summary>
/// <remarks>All members come from the expression, so a trimmed program has them; nothing is compiled.</remarks>
internal static class ValueReader
{
    /// <summary>The value.</summary>
    /// <exception cref="InvalidFilterException">The expression is not understood, depends on the record, or fails.</exception>
    public static object? Read(Expression expression) => Read(expression, 0);

    /// <summary>The value as that of an attribute; null for null.</summary>
    /// <exception cref="InvalidFilterException">No attribute has values of this type.</exception>
    public static AttributeValue? ReadAttribute(Expression expression) => ToAttribute(Read(expression), expression);

    /// <summary>The values of a collection.</summary>
    /// <exception cref="InvalidFilterException">It is none, or has null or values of another type among its own.</exception>
    public static List<AttributeValue> ReadMany(Expression expression)
    {
        object? read = Read(expression);
        if (read is string or not IEnumerable)
            throw ExpressionReader.Error(expression, "a collection of values");
        var values = new List<AttributeValue>();
        foreach (object? item in (IEnumerable)read)
            values.Add(ToAttribute(item, expression) ?? throw ExpressionReader.Error(expression, "a collection without null"));
        return values;
    }

    /// <summary>The strings of a collection.</summary>
    /// <exception cref="InvalidFilterException">It is none, or not of strings.</exception>
    public static List<string> ReadTexts(Expression expression)
    {
        var texts = new List<string>();
        foreach (AttributeValue value in ReadMany(expression))
        {
            if (value.Type != AttributeType.String)
                throw ExpressionReader.Error(expression, "a collection of strings");
            texts.Add(value.AsString());
        }

        return texts;
    }

    private static object? Read(Expression? expression, int depth)
    {
        if (depth > FilterLimits.MaxDepth)
            throw new InvalidFilterException($"Filter: expected at most {FilterLimits.MaxDepth} levels of expressions, found more.");
        switch (expression)
        {
            case null:
                return null;
            case ConstantExpression constant:
                return constant.Value;
            case MemberExpression { Member: FieldInfo field } member:
                return Try(member, () => field.GetValue(HolderOf(member, depth)));
            case MemberExpression { Member: PropertyInfo property } member:
                return Try(member, () => property.GetValue(HolderOf(member, depth)));
            case UnaryExpression { NodeType: ExpressionType.Convert or ExpressionType.ConvertChecked } conversion:
                if (conversion.Method is { } converter)
                    return Try(conversion, () => converter.Invoke(null, [Read(conversion.Operand, depth + 1)]));
                return Widening.IsWidening(conversion.Operand.Type, conversion.Type) || IsEnum(conversion.Type)
                    ? Read(conversion.Operand, depth + 1)
                    : throw Unknown(conversion);
            case NewArrayExpression { NodeType: ExpressionType.NewArrayInit } array:
                return array.Expressions.Select(item => Read(item, depth + 1)).ToArray();
            case NewExpression { Constructor: { } constructor } made:
                return Try(made, () => constructor.Invoke(Arguments(made.Arguments)));
            case MethodCallExpression call:
                object? holder = call.Object is null ? null : HolderOf(call, call.Object, depth);
                return Try(call, () => call.Method.Invoke(holder, Arguments(call.Arguments)));
            default:
                throw Unknown(expression);
        }

        object?[] Arguments(IEnumerable<Expression> arguments) => [.. arguments.Select(argument => Read(argument, depth + 1))];
    }

    private static object? HolderOf(MemberExpression member, int depth) =>
        member.Expression is null ? null : HolderOf(member, member.Expression, depth);

    private static object HolderOf(Expression whole, Expression holder, int depth) =>
        Read(holder, depth + 1) ?? throw ExpressionReader.Error(whole, "a member of an object, not of null");

    private static object? Try(Expression expression, Func<object?> read)
    {
        try
        {
            return read();
        }
        catch (Exception e) when (e is TargetInvocationException or NotSupportedException or ArgumentException)
        {
            throw new InvalidFilterException(
                $"Filter: expected a value, found that '{expression}' fails: {(e.InnerException ?? e).Message}", e.InnerException ?? e);
        }
    }

    private static AttributeValue? ToAttribute(object? value, Expression expression)
    {
        switch (value)
        {
            case null:
                return null;
            case AttributeValue known:
                return known;
            case bool truth:
                return truth;
            case string text:
                return text;
            case Guid guid:
                return guid;
            case DateTimeOffset time:
                return time;
            case float or double:
                return Convert.ToDouble(value, CultureInfo.InvariantCulture);
            case ulong and > long.MaxValue:
                throw ExpressionReader.Error(expression, "a number of 64 bits with a sign");
            case sbyte or byte or short or ushort or int or uint or long or ulong or Enum:
                return Convert.ToInt64(value, CultureInfo.InvariantCulture);
            default:
                throw ExpressionReader.Error(
                    expression,
                    $"a value of an attribute's type (bool, an integer, double, string, Guid, DateTimeOffset), not {value.GetType().Name}");
        }
    }

    private static bool IsEnum(Type type) => (Nullable.GetUnderlyingType(type) ?? type).IsEnum;

    private static InvalidFilterException Unknown(Expression expression) => ExpressionReader.Error(
        expression, "members of the record compared with constants, variables, members or calls (put other values into a variable)");
}
