using System.Reflection;

namespace VectorPipe.Tests;

/// <summary>Names of types as a C# programmer writes them, without namespaces.</summary>
internal static class ApiName
{
    private static readonly Dictionary<Type, string> _keywords = new()
    {
        [typeof(void)] = "void",
        [typeof(bool)] = "bool",
        [typeof(byte)] = "byte",
        [typeof(sbyte)] = "sbyte",
        [typeof(short)] = "short",
        [typeof(ushort)] = "ushort",
        [typeof(int)] = "int",
        [typeof(uint)] = "uint",
        [typeof(long)] = "long",
        [typeof(ulong)] = "ulong",
        [typeof(float)] = "float",
        [typeof(double)] = "double",
        [typeof(char)] = "char",
        [typeof(string)] = "string",
        [typeof(object)] = "object",
    };

    /// <summary>The name of a type.</summary>
    public static string Of(Type type) => Of(type, null);

    /// <summary>The name of a type where it is used, with a question mark where null may be found.</summary>
    public static string Of(Type type, NullabilityInfo? use)
    {
        if (type.IsByRef)
            return Of(type.GetElementType()!, use);
        if (Nullable.GetUnderlyingType(type) is { } value)
            return Of(value) + "?";
        string suffix = use is { ReadState: NullabilityState.Nullable } or { WriteState: NullabilityState.Nullable } && !type.IsValueType ? "?" : "";
        if (type.IsArray)
            return $"{Of(type.GetElementType()!, use?.ElementType)}[{new string(',', type.GetArrayRank() - 1)}]{suffix}";
        if (_keywords.TryGetValue(type, out string? keyword))
            return keyword + suffix;
        string outer = type is { IsNested: true, IsGenericParameter: false } ? Of(type.DeclaringType!) + "." : "";
        if (!type.IsGenericType)
            return outer + type.Name + suffix;
        Type[] arguments = type.GetGenericArguments();
        var names = arguments.Select((argument, i) => Of(argument, use?.GenericTypeArguments is { } uses && i < uses.Length ? uses[i] : null));
        return $"{outer}{type.Name.Split('`')[0]}<{string.Join(", ", names)}>{suffix}";
    }

    /// <summary>What a type parameter demands, as a where clause with a space in front; empty if nothing.</summary>
    public static string Constraint(Type parameter)
    {
        GenericParameterAttributes flags = parameter.GenericParameterAttributes;
        bool isStruct = flags.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint);
        bool isUnmanaged = parameter.CustomAttributes.Any(attribute => attribute.AttributeType.Name == "IsUnmanagedAttribute");
        List<string> demands = [];
        if (isStruct)
            demands.Add(isUnmanaged ? "unmanaged" : "struct");
        if (flags.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint))
            demands.Add("class");
        demands.AddRange(parameter.GetGenericParameterConstraints().Where(type => type != typeof(ValueType)).Select(Of));
        if (flags.HasFlag(GenericParameterAttributes.DefaultConstructorConstraint) && !isStruct)
            demands.Add("new()");
        return demands.Count == 0 ? "" : $" where {parameter.Name} : {string.Join(", ", demands)}";
    }
}
