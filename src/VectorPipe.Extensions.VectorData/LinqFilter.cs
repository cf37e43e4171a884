using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using Microsoft.Extensions.VectorData.ProviderServices;
using Microsoft.Extensions.VectorData.ProviderServices.Filter;
using VectorPipe.Filters.Expressions;

namespace VectorPipe.Extensions.VectorData;

/// <summary>From a condition in LINQ to a <see cref="Filter"/>. What C# says of null holds: null differs from every value.</summary>
internal sealed class LinqFilter : FilterTranslatorBase
{
    /// <summary>Translates a condition.</summary>
    /// <exception cref="NotSupportedException">A part of it has no counterpart; the message names the part.</exception>
    public Filter Translate(LambdaExpression condition, CollectionModel model) =>
        Read(PreprocessFilter(condition, model, new FilterPreprocessingOptions()));

    private Filter Read(Expression expression) => expression switch
    {
        ConstantExpression { Value: bool truth } => truth ? Filter.All : Filter.None,
        BinaryExpression { NodeType: ExpressionType.AndAlso or ExpressionType.And } both => Read(both.Left) & Read(both.Right),
        BinaryExpression { NodeType: ExpressionType.OrElse or ExpressionType.Or } either => Read(either.Left) | Read(either.Right),
        BinaryExpression comparison => ReadComparison(comparison),
        UnaryExpression { NodeType: ExpressionType.Not } inner => !Read(inner.Operand),
        UnaryExpression { NodeType: ExpressionType.Convert } inner => Read(inner.Operand),
        MethodCallExpression call when TryMatchContains(call, out Expression? source, out Expression? item) => ReadContains(source, item),
        MethodCallExpression { Method.Name: nameof(Enumerable.Any), Arguments: [var source, var condition] } =>
            ReadAny(source, condition),
        MethodCallExpression { Method.Name: nameof(string.StartsWith), Object: { } text, Arguments: [var prefix, ..] } call
            when IsOrdinal(call) && Constant(prefix) is string or char =>
            Filter.StartsWith(Attribute(text, AttributeType.String), $"{Constant(prefix)}"),
        _ when TryFindProperty(expression, out PropertyModel? property) && IsTruth(property.Type) =>
            Filter.Equal(Attribute(property, expression), true),
        _ => throw Unsupported(expression),
    };

    private Filter ReadComparison(BinaryExpression comparison)
    {
        ExpressionType type = comparison.NodeType;
        Expression side = comparison.Left, other = comparison.Right;
        if (!TryFindProperty(side, out _))
        {
            // language == null || book.Language == language: the first half says whether the second counts.
            if (!TryFindProperty(other, out _) && type is ExpressionType.Equal or ExpressionType.NotEqual)
                return Equals(Constant(side), Constant(other)) == (type == ExpressionType.Equal) ? Filter.All : Filter.None;
            (side, other) = (other, side);
            type = Mirror(type);
        }

        string name = Attribute(side);
        object? value = Constant(other);
        if (value is null)
        {
            return type switch
            {
                ExpressionType.Equal => !Filter.Exists(name),
                ExpressionType.NotEqual => Filter.Exists(name),
                _ => Filter.None,
            };
        }

        AttributeValue constant = DataValues.ToAttribute(value);
        return type switch
        {
            ExpressionType.Equal => Filter.Equal(name, constant),
            ExpressionType.NotEqual => !Filter.Equal(name, constant),
            ExpressionType.LessThan => Filter.LessThan(name, constant),
            ExpressionType.LessThanOrEqual => Filter.LessThanOrEqual(name, constant),
            ExpressionType.GreaterThan => Filter.GreaterThan(name, constant),
            ExpressionType.GreaterThanOrEqual => Filter.GreaterThanOrEqual(name, constant),
            _ => throw Unsupported(comparison),
        };
    }

    private Filter ReadContains(Expression source, Expression item)
    {
        if (TryFindProperty(source, out _))
        {
            // A set holds no null.
            return Constant(item) is string text ? Filter.Contains(Attribute(source, AttributeType.StringSet), text) : Filter.None;
        }

        string name = Attribute(item);
        (List<AttributeValue> values, bool hasNull) = Values(RequireOrdinal(source));
        Filter filter = Filter.In(name, values);
        return hasNull ? filter | !Filter.Exists(name) : filter;
    }

    // book.Tags.Any(tag => wanted.Contains(tag))
    private Filter ReadAny(Expression source, Expression condition)
    {
        string name = Attribute(source, AttributeType.StringSet);
        if (condition is UnaryExpression { NodeType: ExpressionType.Quote } quoted)
            condition = quoted.Operand;
        if (condition is LambdaExpression { Parameters: [var tag], Body: MethodCallExpression call }
            && TryMatchContains(call, out Expression? wanted, out Expression? item) && Plain(item) == tag)
        {
            return Filter.ContainsAny(name, Values(RequireOrdinal(wanted)).Values.Select(value => value.AsString()));
        }

        if (condition is not LambdaExpression { Parameters: [var one], Body: BinaryExpression { NodeType: ExpressionType.Equal } equal }
            || (Plain(equal.Left) != one && Plain(equal.Right) != one))
            throw Unsupported(condition);

        // A set holds no null.
        return Constant(Plain(equal.Left) == one ? equal.Right : equal.Left) is string text ? Filter.Contains(name, text) : Filter.None;
    }

    private (List<AttributeValue> Values, bool HasNull) Values(Expression source)
    {
        List<AttributeValue> values = [];
        bool hasNull = false;
        foreach (object? value in Items(source))
        {
            if (value is null)
                hasNull = true;
            else
                values.Add(DataValues.ToAttribute(value));
        }

        return (values, hasNull);
    }

    private IEnumerable<object?> Items(Expression source) => Plain(source) switch
    {
        NewArrayExpression array => array.Expressions.Select(Constant),
        var expression => Constant(expression) is IEnumerable items ? items.Cast<object?>() : throw Unsupported(source),
    };

    // Without conversions that keep the value: a short is compared as an int, and a value of a dynamic record is cast to its type.
    private bool TryFindProperty(Expression expression, [NotNullWhen(true)] out PropertyModel? property)
    {
        property = null;
        while (expression is UnaryExpression { NodeType: ExpressionType.Convert or ExpressionType.ConvertChecked } conversion)
        {
            if (conversion.Operand.Type == typeof(object) && conversion.Type != typeof(object))
                return TryBindProperty(conversion.Operand, out property) && TypeOf(property.Type) == TypeOf(conversion.Type);
            if (!FilterConstants.IsOfTime(conversion) && !Widening.IsWidening(conversion.Operand.Type, conversion.Type))
                return false;
            expression = conversion.Operand;
        }

        return TryBindProperty(expression, out property);

        static Type TypeOf(Type type) => Nullable.GetUnderlyingType(type) ?? type;
    }

    private static object? Constant(Expression expression) =>
        FilterConstants.TryRead(expression, out object? value) ? value : throw Unsupported(expression);

    private static bool IsOrdinal(MethodCallExpression startsWith) => startsWith.Arguments is [_]
        || (startsWith.Arguments is [_, var comparison] && Constant(comparison) is StringComparison.Ordinal);

    private static Expression RequireOrdinal(Expression collection) =>
        !FilterConstants.TryRead(collection, out object? value) || TextSets.IsOrdinal(value)
            ? collection
            : throw new NotSupportedException(
                $"Expected a set that compares texts by their characters (ordinal), found another comparer in \"{collection}\".");

    private static Expression Plain(Expression expression)
    {
        while (expression is UnaryExpression { NodeType: ExpressionType.Convert or ExpressionType.ConvertChecked } convert)
            expression = convert.Operand;

        // The compiler turns an array into a span where the method takes one.
        return expression is MethodCallExpression { Method.Name: "op_Implicit", Arguments: [var inner] } ? Plain(inner) : expression;
    }

    private string Attribute(Expression expression) =>
        TryFindProperty(expression, out PropertyModel? property) ? Attribute(property, expression) : throw Unsupported(expression);

    private string Attribute(Expression expression, AttributeType type)
    {
        string name = Attribute(expression);
        return TryFindProperty(expression, out PropertyModel? property) && Schemas.AttributeTypeOf(property.Type) == type
            ? name
            : throw Unsupported(expression);
    }

    private static string Attribute(PropertyModel property, Expression expression) => property switch
    {
        DataPropertyModel { IsIndexed: true } => property.StorageName,
        DataPropertyModel => throw new NotSupportedException(
            $"Expected an indexed property in the filter, found {property.ModelName}: set its {nameof(DataPropertyModel.IsIndexed)}."),
        _ => throw Unsupported(expression),
    };

    private static bool IsTruth(Type type) => (Nullable.GetUnderlyingType(type) ?? type) == typeof(bool);

    private static ExpressionType Mirror(ExpressionType type) => type switch
    {
        ExpressionType.LessThan => ExpressionType.GreaterThan,
        ExpressionType.LessThanOrEqual => ExpressionType.GreaterThanOrEqual,
        ExpressionType.GreaterThan => ExpressionType.LessThan,
        ExpressionType.GreaterThanOrEqual => ExpressionType.LessThanOrEqual,
        _ => type,
    };

    private static NotSupportedException Unsupported(Expression expression) => new(
        $"Expected comparisons of indexed data properties with values, &&, ||, !, Contains of lists, StartsWith or Any, found "
        + $"\"{expression}\". Put a value that does not depend on the record into a variable before.");
}
