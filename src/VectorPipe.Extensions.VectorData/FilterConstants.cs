using System.Linq.Expressions;
using Microsoft.Extensions.VectorData.ProviderServices.Filter;

namespace VectorPipe.Extensions.VectorData;

/// <summary>Values of parts of a filter that do not depend on the record, with the conversions that C# makes.</summary>
internal static class FilterConstants
{
    /// <summary>The value of a part; false if it is none of those that are understood.</summary>
    public static bool TryRead(Expression expression, out object? value)
    {
        value = null;
        switch (expression)
        {
            case ConstantExpression constant:
                value = constant.Value;
                return true;
            case QueryParameterExpression parameter:
                value = parameter.Value;
                return true;
            case BinaryExpression { NodeType: ExpressionType.Coalesce, Conversion: null } choice:
                return TryRead(choice.Left, out value) && (value is not null || TryRead(choice.Right, out value));
            case UnaryExpression { NodeType: ExpressionType.Convert or ExpressionType.ConvertChecked } conversion:
                return TryRead(conversion.Operand, out object? operand) && TryConvert(operand, conversion, out value);
            case MethodCallExpression { Method.Name: "op_Implicit", Arguments: [var inner] }:
                // The compiler turns an array into a span where the method takes one.
                return TryRead(inner, out value);
            default:
                return false;
        }
    }

    /// <summary>Whether a conversion is that from a time without an offset, which counts as UTC, to one with it.</summary>
    public static bool IsOfTime(UnaryExpression conversion) =>
        conversion.Type == typeof(DateTimeOffset) && conversion.Operand.Type == typeof(DateTime);

    private static bool TryConvert(object? operand, UnaryExpression conversion, out object? value)
    {
        value = operand;
        Type type = Nullable.GetUnderlyingType(conversion.Type) ?? conversion.Type;
        if (operand is null || type.IsInstanceOfType(operand) || IsOfTime(conversion))
            return true;
        if (conversion.Method is not null)
        {
            // A span of an array is its items.
            return conversion.Method.Name == "op_Implicit" && operand is Array;
        }

        if (operand is float or double)
        {
            double real = Convert.ToDouble(operand, null);
            if (type == typeof(float) || type == typeof(double))
            {
                value = type == typeof(float) ? (float)real : real;
                return true;
            }

            // What C# makes of others depends on the processor.
            return real is > long.MinValue and < long.MaxValue && TryNarrow((long)real, type, conversion.NodeType, out value);
        }

        bool isWhole = operand is sbyte or byte or short or ushort or int or uint or long or char or Enum or ulong and <= long.MaxValue;
        return isWhole && TryNarrow(operand is char one ? one : Convert.ToInt64(operand, null), type, conversion.NodeType, out value);
    }

    private static bool TryNarrow(long number, Type type, ExpressionType conversion, out object? value)
    {
        value = Type.GetTypeCode(type) switch
        {
            _ when type.IsEnum => Enum.ToObject(type, number),
            TypeCode.SByte => (sbyte)number,
            TypeCode.Byte => (byte)number,
            TypeCode.Int16 => (short)number,
            TypeCode.UInt16 => (ushort)number,
            TypeCode.Int32 => (int)number,
            TypeCode.UInt32 => (uint)number,
            TypeCode.Int64 => number,
            TypeCode.Single => (float)number,
            TypeCode.Double => (double)number,
            _ => null,
        };
        bool isKept = conversion == ExpressionType.Convert || value is float or double or Enum
            || (value is not null && Convert.ToInt64(value, null) == number);
        return value is not null && isKept;
    }
}
