using System.Reflection;

namespace VectorPipe.Extensions.Tests.Reference;

/// <summary>Names of types and members in files of XML comments, as the compiler forms them.</summary>
internal static class DocumentationId
{
    public static string Of(Type type) => "T:" + NameOf(type);

    public static string Of(MemberInfo member)
    {
        string name = $"{NameOf(member.DeclaringType!)}.{member.Name.Replace('.', '#')}";
        return member switch
        {
            ConstructorInfo constructor => $"M:{name}{Parameters(constructor)}",
            MethodInfo method => $"M:{name}{Arity(method)}{Parameters(method)}{Conversion(method)}",
            PropertyInfo property => $"P:{name}{Parameters(property.GetIndexParameters())}",
            EventInfo => $"E:{name}",
            _ => $"F:{name}",
        };
    }

    private static string NameOf(Type type) => type.FullName!.Replace('+', '.');

    private static string Arity(MethodInfo method) => method.IsGenericMethod ? $"``{method.GetGenericArguments().Length}" : "";

    private static string Conversion(MethodInfo method) =>
        method.Name is "op_Implicit" or "op_Explicit" ? "~" + Parameter(method.ReturnType) : "";

    private static string Parameters(MethodBase method) => Parameters(method.GetParameters());

    private static string Parameters(ParameterInfo[] parameters) =>
        parameters.Length == 0 ? "" : $"({string.Join(',', parameters.Select(parameter => Parameter(parameter.ParameterType)))})";

    private static string Parameter(Type type)
    {
        if (type.IsByRef)
            return Parameter(type.GetElementType()!) + "@";
        if (type.IsArray)
            return Parameter(type.GetElementType()!) + "[]";
        if (type.IsGenericMethodParameter)
            return $"``{type.GenericParameterPosition}";
        if (type.IsGenericTypeParameter)
            return $"`{type.GenericParameterPosition}";
        if (!type.IsGenericType)
            return NameOf(type);
        string name = NameOf(type.GetGenericTypeDefinition());
        string arguments = string.Join(',', type.GetGenericArguments().Select(Parameter));
        return $"{name[..name.IndexOf('`', StringComparison.Ordinal)]}{{{arguments}}}";
    }
}
