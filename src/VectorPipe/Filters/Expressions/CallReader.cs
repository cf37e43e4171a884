using System.Linq.Expressions;
using VectorPipe.Filters.Algebra;

namespace VectorPipe.Filters.Expressions;

/// <summary>Reads the calls that stand for comparisons.</summary>
/// <param name="reader">Knows the record.</param>
internal sealed class CallReader(ExpressionReader reader)
{
    /// <exception cref="InvalidFilterException">The call is none of those that are understood.</exception>
    public FilterNode Read(MethodCallExpression call)
    {
        if (call.Method.Name == nameof(string.StartsWith) && call.Method.DeclaringType == typeof(string))
            return ReadStartsWith(call);
        if (TryGetContains(call, out Expression collection, out Expression item))
            return ReadContains(call, collection, item);
        if (call.Method.DeclaringType == typeof(Enumerable) && call.Method.Name is nameof(Enumerable.Any) or nameof(Enumerable.All)
            && call.Arguments is [var source, LambdaExpression inner])
            return ReadQuantifier(call, source, inner);
        throw Unknown(call);
    }

    private FilterNode ReadStartsWith(MethodCallExpression call)
    {
        bool isOrdinal = call.Arguments.Count == 1
            || (call.Arguments is [_, { } comparison] && ValueReader.Read(comparison) is StringComparison.Ordinal);
        if (!isOrdinal || !reader.TryGetAttribute(call.Object!, out string? attribute))
            throw Unknown(call);
        return ValueReader.Read(call.Arguments[0]) switch
        {
            string prefix => Comparisons.StartsWith(attribute, prefix),
            char first => Comparisons.StartsWith(attribute, first.ToString()),
            _ => throw Unknown(call),
        };
    }

    private FilterNode ReadContains(MethodCallExpression call, Expression collection, Expression item)
    {
        if (reader.TryGetAttribute(collection, out string? tags))
        {
            return ValueReader.Read(item) is string text
                ? Comparisons.Contains(tags, [text], isAll: false)
                : throw ExpressionReader.Error(item, "a string that the set contains");
        }

        return reader.TryGetAttribute(item, out string? attribute)
            ? Comparisons.In(attribute, ValueReader.ReadMany(RequireOrdinal(collection)))
            : throw Unknown(call);
    }

    // values.Any(value => record.Tags.Contains(value)), the same with All, and record.Tags.Any(tag => values.Contains(tag)).
    private FilterNode ReadQuantifier(MethodCallExpression call, Expression source, LambdaExpression inner)
    {
        bool isAll = call.Method.Name == nameof(Enumerable.All);
        if (inner.Body is not MethodCallExpression contains || !TryGetContains(contains, out Expression collection, out Expression item)
            || item != inner.Parameters[0])
            throw Unknown(call);
        if (reader.TryGetAttribute(collection, out string? attribute))
            return Comparisons.Contains(attribute, ValueReader.ReadTexts(source), isAll);
        return !isAll && reader.TryGetAttribute(source, out attribute)
            ? Comparisons.Contains(attribute, ValueReader.ReadTexts(RequireOrdinal(collection)), isAll: false)
            : throw Unknown(call);
    }

    private static Expression RequireOrdinal(Expression collection) => TextSets.IsOrdinal(ValueReader.Read(collection))
        ? collection
        : throw ExpressionReader.Error(collection, "a set that compares texts by their characters (ordinal)");

    // A method of the collection, or one of those that extend sequences and spans. A part of a text is no item.
    private static bool TryGetContains(MethodCallExpression call, out Expression collection, out Expression item)
    {
        collection = item = call;
        if (call.Method.Name != nameof(Enumerable.Contains))
            return false;
        if (call.Object is not null && call.Arguments.Count == 1)
            (collection, item) = (call.Object, call.Arguments[0]);
        else if (IsExtension(call.Method.DeclaringType) && call.Arguments.Count >= 2 && call.Arguments.Skip(2).All(IsNull))
            (collection, item) = (WithoutSpan(call.Arguments[0]), call.Arguments[1]);
        else
            return false;
        return collection.Type != typeof(string);
    }

    private static bool IsExtension(Type? type) => type == typeof(Enumerable) || type == typeof(MemoryExtensions);

    private static bool IsNull(Expression comparer) => comparer is ConstantExpression { Value: null };

    // An array that is searched as a span is converted before.
    private static Expression WithoutSpan(Expression expression) => expression switch
    {
        MethodCallExpression { Method.Name: "op_Implicit", Arguments: [var array] } => array,
        UnaryExpression { NodeType: ExpressionType.Convert, Method.Name: "op_Implicit" } conversion => conversion.Operand,
        _ => expression,
    };

    private static InvalidFilterException Unknown(Expression call) => ExpressionReader.Error(
        call, "StartsWith, Contains, or Any and All of what record.Tags contains");
}
