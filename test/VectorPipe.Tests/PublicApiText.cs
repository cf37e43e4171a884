using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace VectorPipe.Tests;

/// <summary>What other assemblies can see of an assembly, as text: one line a type or member, in an order that depends on names alone.</summary>
/// <remarks>What the compiler adds to records is left out: the word "record" says it.</remarks>
internal static class PublicApiText
{
    private const BindingFlags Declared =
        BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private static readonly NullabilityInfoContext _nullability = new();

    /// <summary>The text; lines end with a line feed.</summary>
    public static string Of(Assembly assembly)
    {
        var text = new StringBuilder();
        foreach (Type type in assembly.GetExportedTypes().OrderBy(type => type.FullName, StringComparer.Ordinal))
        {
            text.Append(Header(type)).Append('\n');
            foreach ((_, string line) in Members(type).OrderBy(member => member.Name, StringComparer.Ordinal).ThenBy(member => member.Line, StringComparer.Ordinal))
                text.Append("    ").Append(line).Append('\n');
            text.Append('\n');
        }

        return text.ToString().TrimEnd('\n') + "\n";
    }

    private static string Header(Type type)
    {
        bool record = type.GetMethod("<Clone>$") is not null || (type.IsValueType && type.GetMethod("PrintMembers", Declared) is not null);
        string kind = type switch
        {
            { IsEnum: true } => "enum",
            { IsInterface: true } => "interface",
            { IsValueType: true } => (IsReadOnly(type) ? "readonly " : "") + (type.IsByRefLike ? "ref " : "") + (record ? "record " : "") + "struct",
            { IsAbstract: true, IsSealed: true } => "static class",
            _ => (type.IsAbstract ? "abstract " : "") + (type.IsSealed ? "sealed " : "") + (record ? "record" : "class"),
        };
        if (type.IsEnum)
            return $"{kind} {type.FullName} : {ApiName.Of(Enum.GetUnderlyingType(type))}";
        IEnumerable<Type> bases = type.GetInterfaces().Except(type.BaseType?.GetInterfaces() ?? []).Where(implemented => implemented.IsPublic).OrderBy(ApiName.Of, StringComparer.Ordinal);
        if (type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType))
            bases = bases.Prepend(parent);
        string list = string.Join(", ", bases.Select(ApiName.Of));
        return $"{kind} {type.Namespace}.{ApiName.Of(type)}" + (list.Length > 0 ? " : " + list : "");
    }

    private static IEnumerable<(string Name, string Line)> Members(Type type) => type.IsEnum
        ? type.GetFields(BindingFlags.Static | BindingFlags.Public).Select(EnumMember)
        :
        [
            .. type.GetFields(Declared).Where(field => IsVisible(field.Attributes)).Select(field => (field.Name, Field(field))),
            .. type.GetConstructors(Declared).Where(IsVisible).Select(constructor => (constructor.Name, $"{Access(constructor)}constructor({Parameters(constructor)})")),
            .. type.GetProperties(Declared).Where(property => property.GetAccessors(true).Any(IsVisible) && !IsGenerated(property)).Select(property => (property.Name, Property(property))),
            .. type.GetEvents(Declared).Where(e => IsVisible(e.AddMethod!)).Select(e => (e.Name, $"event {ApiName.Of(e.EventHandlerType!)} {e.Name}")),
            .. type.GetMethods(Declared).Where(method => IsVisible(method) && !IsGenerated(method) && !IsAccessor(method)).Select(method => (method.Name, Method(method))),
        ];

    /// <summary>By value: the number is what callers have compiled in, and often what files hold.</summary>
    private static (string Name, string Line) EnumMember(FieldInfo field)
    {
        long value = Convert.ToInt64(field.GetRawConstantValue(), CultureInfo.InvariantCulture);
        return (value.ToString("D20", CultureInfo.InvariantCulture), $"{field.Name} = {value}");
    }

    private static string Field(FieldInfo field)
    {
        string name = $"{ApiName.Of(field.FieldType, _nullability.Create(field))} {field.Name}";
        if (field.IsLiteral)
            return $"const {name} = {Literal(field.GetRawConstantValue())}";
        return (field.IsFamily || field.IsFamilyOrAssembly ? "protected " : "") + (field.IsStatic ? "static " : "") + (field.IsInitOnly ? "readonly " : "") + name;
    }

    private static string Property(PropertyInfo property)
    {
        MethodInfo any = property.GetAccessors(true).First(IsVisible);
        string get = property.GetMethod is { } getter && IsVisible(getter) ? "get; " : "";
        string set = "";
        if (property.SetMethod is { } setter && IsVisible(setter))
            set = setter.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit)) ? "init; " : "set; ";
        string required = property.IsDefined(typeof(RequiredMemberAttribute)) ? "required " : "";
        string index = property.GetIndexParameters().Length > 0 ? $"[{Parameters(any)}]" : "";
        return $"{Access(any)}{required}{ApiName.Of(property.PropertyType, _nullability.Create(property))} {property.Name}{index} {{ {get}{set}}}";
    }

    private static string Method(MethodInfo method)
    {
        string generic = "", constraints = "";
        if (method.IsGenericMethodDefinition)
        {
            Type[] arguments = method.GetGenericArguments();
            generic = $"<{string.Join(", ", arguments.Select(argument => argument.Name))}>";
            constraints = string.Concat(arguments.Select(ApiName.Constraint));
        }

        return $"{Access(method)}{ApiName.Of(method.ReturnType, _nullability.Create(method.ReturnParameter))} {method.Name}{generic}({Parameters(method)}){constraints}";
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(parameter =>
    {
        string direction = parameter.IsOut ? "out " : parameter.IsIn ? "in " : parameter.ParameterType.IsByRef ? "ref " : "";
        string optional = parameter.HasDefaultValue ? " = " + Literal(parameter.RawDefaultValue) : "";
        return $"{direction}{ApiName.Of(parameter.ParameterType, _nullability.Create(parameter))} {parameter.Name}{optional}";
    }));

    private static string Literal(object? value) => value switch
    {
        null => "default",
        string text => $"\"{text}\"",
        bool flag => flag ? "true" : "false",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };

    private static string Access(MethodBase method)
    {
        string protection = method.IsFamily || method.IsFamilyOrAssembly ? "protected " : "";
        if (method.IsStatic)
            return protection + "static ";
        if (method.DeclaringType!.IsInterface || !method.IsVirtual)
            return protection;
        if (method.IsAbstract)
            return protection + "abstract ";
        bool overrides = method is MethodInfo info && info.GetBaseDefinition() != info;
        return protection + (overrides ? "override " : method.IsFinal ? "" : "virtual ");
    }

    private static bool IsVisible(MethodBase method) =>
        method.IsPublic || ((method.IsFamily || method.IsFamilyOrAssembly) && !method.DeclaringType!.IsSealed);

    private static bool IsVisible(FieldAttributes attributes) =>
        (attributes & FieldAttributes.FieldAccessMask) is FieldAttributes.Public or FieldAttributes.Family or FieldAttributes.FamORAssem;

    private static bool IsGenerated(MemberInfo member) =>
        member.IsDefined(typeof(CompilerGeneratedAttribute)) || member is PropertyInfo { Name: "EqualityContract" } || member.Name == "<Clone>$";

    private static bool IsAccessor(MethodInfo method) => method.IsSpecialName && !method.Name.StartsWith("op_", StringComparison.Ordinal);

    private static bool IsReadOnly(Type type) => type.IsDefined(typeof(IsReadOnlyAttribute));
}
