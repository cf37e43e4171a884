using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using VectorPipe.Filters.Algebra;

namespace VectorPipe.Filters.Expressions;

/// <summary>Reads a filter from a lambda expression.</summary>
/// <param name="lambda">The expression.</param>
/// <param name="toAttribute">The name of the attribute for that of a member.</param>
internal sealed class ExpressionReader(LambdaExpression lambda, Func<string, string> toAttribute)
{
    private readonly ParameterExpression _record = lambda.Parameters[0];

    /// <exception cref="InvalidFilterException">A part of the expression is not understood.</exception>
    public FilterNode Read() => Read(lambda.Body, 0);

    /// <summary>The error for a part of an expression.</summary>
    public static InvalidFilterException Error(Expression found, string expected) =>
        new($"Filter: expected {expected}, found '{found}' ({found.NodeType}).");

    private FilterNode Read(Expression expression, int depth)
    {
        if (depth > FilterLimits.MaxDepth)
            throw new InvalidFilterException($"Filter: expected at most {FilterLimits.MaxDepth} levels of expressions, found more.");
        switch (expression)
        {
            case BinaryExpression { NodeType: ExpressionType.AndAlso or ExpressionType.And } and:
                return GroupNode.Of(isAnd: true, Operands(and, ExpressionType.AndAlso, ExpressionType.And).Select(Inner).ToArray());
            case BinaryExpression { NodeType: ExpressionType.OrElse or ExpressionType.Or } or:
                return GroupNode.Of(isAnd: false, Operands(or, ExpressionType.OrElse, ExpressionType.Or).Select(Inner).ToArray());
            case UnaryExpression { NodeType: ExpressionType.Not } not:
                return Inner(not.Operand).Negate();
            case BinaryExpression binary:
                return ReadComparison(binary);
            case MethodCallExpression call:
                return new CallReader(this).Read(call);
        }

        if (expression is MemberExpression { Member.Name: nameof(Nullable<>.HasValue), Expression: { } nullable }
            && Nullable.GetUnderlyingType(nullable.Type) is not null && TryGetAttribute(nullable, out string? present))
            return Comparisons.Exists(present);
        if (expression.Type == typeof(bool) && TryGetAttribute(expression, out string? attribute))
            return Comparisons.Equal(attribute, true);
        return ValueReader.Read(expression) is bool constant ? ConstantNode.Of(constant) : throw Error(expression, "a condition");

        FilterNode Inner(Expression inner) => Read(inner, depth + 1);
    }

    /// <summary>The attribute for which an expression stands: a member of the record, perhaps converted.</summary>
    public bool TryGetAttribute(Expression expression, [NotNullWhen(true)] out string? attribute)
    {
        attribute = null;
        Expression inner = WithoutConversions(expression);
        if (inner is MemberExpression { Member.Name: nameof(Nullable<>.Value), Expression: { } nullable }
            && Nullable.GetUnderlyingType(nullable.Type) is not null)
            inner = WithoutConversions(nullable);
        if (inner is MemberExpression { Expression: { } holder } member && WithoutConversions(holder) == _record)
            attribute = toAttribute(member.Member.Name);
        return attribute is not null;
    }

    // Only widening keeps the value: (byte)record.Number is another number.
    private static Expression WithoutConversions(Expression expression)
    {
        while (expression is UnaryExpression { NodeType: ExpressionType.Convert or ExpressionType.ConvertChecked, Method: null } conversion
               && Widening.IsWidening(conversion.Operand.Type, conversion.Type))
            expression = conversion.Operand;
        return expression;
    }

    // Long chains lean to the left: they are unrolled, and do not recur.
    private static Stack<Expression> Operands(BinaryExpression chain, ExpressionType kind, ExpressionType strict)
    {
        var operands = new Stack<Expression>();
        Expression rest = chain;
        while (rest is BinaryExpression binary && (binary.NodeType == kind || binary.NodeType == strict))
        {
            operands.Push(binary.Right);
            rest = binary.Left;
        }

        operands.Push(rest);
        return operands;
    }

    private FilterNode ReadComparison(BinaryExpression binary)
    {
        bool isFlipped = !TryGetAttribute(binary.Left, out string? attribute);
        Expression operand = isFlipped ? binary.Left : binary.Right;
        if ((isFlipped && !TryGetAttribute(binary.Right, out attribute)) || TryGetAttribute(operand, out _))
            throw Error(binary, "a comparison of a member of the record with a value that does not depend on the record");
        AttributeValue? value = ValueReader.ReadAttribute(operand);
        ExpressionType kind = isFlipped ? Flip(binary.NodeType) : binary.NodeType;
        if (value is not { } known)
        {
            return kind switch
            {
                ExpressionType.Equal => Comparisons.Exists(attribute!).Negate(),
                ExpressionType.NotEqual => Comparisons.Exists(attribute!),
                _ => throw Error(binary, "a value to compare with"),
            };
        }

        return kind switch
        {
            ExpressionType.Equal => Comparisons.Equal(attribute!, known),
            ExpressionType.NotEqual => Comparisons.NotEqual(attribute!, known),
            ExpressionType.LessThan => Comparisons.LessThan(attribute!, known),
            ExpressionType.LessThanOrEqual => Comparisons.LessThanOrEqual(attribute!, known),
            ExpressionType.GreaterThan => Comparisons.GreaterThan(attribute!, known),
            ExpressionType.GreaterThanOrEqual => Comparisons.GreaterThanOrEqual(attribute!, known),
            _ => throw Error(binary, "a comparison"),
        };
    }

    private static ExpressionType Flip(ExpressionType kind) => kind switch
    {
        ExpressionType.LessThan => ExpressionType.GreaterThan,
        ExpressionType.LessThanOrEqual => ExpressionType.GreaterThanOrEqual,
        ExpressionType.GreaterThan => ExpressionType.LessThan,
        ExpressionType.GreaterThanOrEqual => ExpressionType.LessThanOrEqual,
        _ => kind,
    };
}
