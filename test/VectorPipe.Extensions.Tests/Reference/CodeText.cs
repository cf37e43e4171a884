using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace VectorPipe.Extensions.Tests.Reference;

/// <summary>Types and members as C# has them, without what a reader does not need: attributes, constraints, bodies.</summary>
internal static class CodeText
{
    private static readonly NullabilityInfoContext _nullability = new();

    private static readonly Dictionary<Type, string> _keywords = new()
    {
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
        [typeof(string)] = "string",
        [typeof(object)] = "object",
        [typeof(void)] = "void",
    };

    /// <summary>Name of a type with its arguments: <c>VectorCollection&lt;TKey&gt;</c>.</summary>
    public static string NameOf(Type type)
    {
        if (type.IsByRef || type.IsArray)
            return NameOf(type.GetElementType()!) + (type.IsArray ? "[]" : "");
        if (_keywords.TryGetValue(type, out string? keyword))
            return keyword;
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return NameOf(underlying) + "?";
        string name = type.IsNested && !type.IsGenericParameter ? $"{NameOf(type.DeclaringType!)}.{type.Name}" : type.Name;
        int tick = name.IndexOf('`', StringComparison.Ordinal);
        return tick < 0 ? name : $"{name[..tick]}<{string.Join(", ", type.GetGenericArguments().Select(NameOf))}>";
    }

    /// <summary>Kind of a type and what it derives from: <c>sealed class X : IAsyncDisposable</c>.</summary>
    public static string DeclarationOf(Type type)
    {
        string kind = type switch
        {
            { IsEnum: true } => "enum",
            { IsInterface: true } => "interface",
            { IsValueType: true } => IsRecord(type) ? "record struct" : "struct",
            _ when IsRecord(type) => $"{(type.IsAbstract ? "abstract " : type.IsSealed ? "sealed " : "")}record",
            { IsAbstract: true, IsSealed: true } => "static class",
            { IsAbstract: true } => "abstract class",
            { IsSealed: true } => "sealed class",
            _ => "class",
        };
        Type? parent = type is { IsClass: true, BaseType: { } found } && found != typeof(object) ? found : null;
        IEnumerable<Type> interfaces = type.IsEnum ? [] : type.GetInterfaces().Where(own => own.Name is
            "IAsyncDisposable" or "IDisposable" or "IReadOnlyList`1" or "IDictionary`2" or "IReadOnlyDictionary`2");
        string[] bases = [.. (parent is null ? [] : new[] { parent }).Concat(interfaces).Select(NameOf).Order(StringComparer.Ordinal)];
        return $"public {kind} {NameOf(type)}{(bases.Length == 0 ? "" : " : " + string.Join(", ", bases))}";
    }

    // The compiler makes this member for records alone.
    private static bool IsRecord(Type type) =>
        type.GetMethod("PrintMembers", BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.DeclaredOnly) is not null;

    /// <summary>A member: <c>Task&lt;bool&gt; DeleteAsync(TKey key)</c>.</summary>
    public static string SignatureOf(MemberInfo member) => member switch
    {
        ConstructorInfo constructor => $"{Bare(constructor.DeclaringType!)}({Parameters(constructor.GetParameters())})",
        MethodInfo method => $"{Prefix(method)}{ReturnOf(method)} {NameOf(method)}({Parameters(method.GetParameters())})",
        PropertyInfo property => PropertyOf(property),
        FieldInfo { IsLiteral: true, DeclaringType.IsEnum: true } field => field.Name,
        FieldInfo field => $"{(field.IsLiteral ? "const" : "static readonly")} {NameOf(field.FieldType)} {field.Name}"
            + (field.IsLiteral ? $" = {Literal(field.GetRawConstantValue(), field.FieldType)}" : ""),
        EventInfo happening => $"event {NameOf(happening.EventHandlerType!)} {happening.Name}",
        _ => member.Name,
    };

    private static string PropertyOf(PropertyInfo property)
    {
        string type = NameOf(property.PropertyType) + Mark(_nullability.Create(property).ReadState, property.PropertyType);
        ParameterInfo[] index = property.GetIndexParameters();
        string name = index.Length == 0 ? property.Name : $"this[{Parameters(index)}]";
        bool isInit = property.SetMethod?.ReturnParameter.GetRequiredCustomModifiers().Length > 0;
        bool isSet = property.SetMethod is { IsPublic: true };
        string required = property.IsDefined(typeof(RequiredMemberAttribute)) ? "required " : "";
        return $"{required}{Prefix(property.GetMethod!)}{type} {name} {{ get;{(!isSet ? "" : isInit ? " init;" : " set;")} }}";
    }

    private static string Prefix(MethodInfo method) =>
        method.IsStatic ? "static "
        : method.DeclaringType!.IsInterface ? ""
        : method.IsAbstract ? "abstract "
        : method.GetBaseDefinition() != method ? "override "
        : method is { IsVirtual: true, IsFinal: false } ? "virtual "
        : "";

    private static string ReturnOf(MethodInfo method) =>
        NameOf(method.ReturnType) + Mark(_nullability.Create(method.ReturnParameter).ReadState, method.ReturnType);

    private static string NameOf(MethodInfo method) => method.Name.StartsWith("op_", StringComparison.Ordinal)
        ? $"operator {method.Name[3..]}"
        : method.IsGenericMethod ? $"{method.Name}<{string.Join(", ", method.GetGenericArguments().Select(NameOf))}>" : method.Name;

    private static string Bare(Type type) => type.Name.Split('`')[0];

    private static string Parameters(ParameterInfo[] parameters) => string.Join(", ", parameters.Select(parameter =>
    {
        string direction = parameter.IsOut ? "out " : parameter.ParameterType.IsByRef ? (parameter.IsIn ? "in " : "ref ") : "";
        string type = NameOf(parameter.ParameterType) + Mark(_nullability.Create(parameter).WriteState, parameter.ParameterType);
        string value = parameter.HasDefaultValue ? $" = {Literal(parameter.DefaultValue, parameter.ParameterType)}" : "";
        return $"{direction}{type} {parameter.Name}{value}";
    }));

    private static string Mark(NullabilityState state, Type type) =>
        state == NullabilityState.Nullable && !type.IsValueType && !type.IsGenericParameter ? "?" : "";

    private static string Literal(object? value, Type type) => value switch
    {
        null => type.IsValueType && Nullable.GetUnderlyingType(type) is null ? "default" : "null",
        string text => $"\"{text}\"",
        bool truth => truth ? "true" : "false",
        _ when type.IsEnum => $"{type.Name}.{Enum.GetName(type, value) ?? value.ToString()}",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };
}
