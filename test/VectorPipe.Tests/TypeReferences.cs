using System.Reflection;
using System.Reflection.Emit;

namespace VectorPipe.Tests;

/// <summary>Finds the types that a type refers to in its bases, members, local variables and instructions.</summary>
internal static class TypeReferences
{
    private const BindingFlags Declared =
        BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private static readonly Dictionary<short, OpCode> _opCodes = typeof(OpCodes)
        .GetFields(BindingFlags.Public | BindingFlags.Static)
        .Select(field => (OpCode)field.GetValue(null)!)
        .ToDictionary(code => code.Value);

    /// <summary>The types, generic ones as their definitions, each with the place of the first mention.</summary>
    public static Dictionary<Type, string> Of(Type type)
    {
        var found = new Dictionary<Type, string>();
        Add(found, type.BaseType, "base type");
        foreach (Type implemented in type.GetInterfaces())
            Add(found, implemented, "interface");
        foreach (FieldInfo field in type.GetFields(Declared))
            Add(found, field.FieldType, $"field {field.Name}");
        foreach (MethodBase method in type.GetMethods(Declared).Cast<MethodBase>().Concat(type.GetConstructors(Declared)))
            AddMethod(found, method);
        return found;
    }

    private static void AddMethod(Dictionary<Type, string> found, MethodBase method)
    {
        string where = $"method {method.Name}";
        if (method is MethodInfo { ReturnType: var returned })
            Add(found, returned, where);
        foreach (ParameterInfo parameter in method.GetParameters())
            Add(found, parameter.ParameterType, where);
        foreach (
            Type constraint in method.IsGenericMethod
            ? method.GetGenericArguments().SelectMany(g => g.GetGenericParameterConstraints())
            : [])
            Add(found, constraint, where);
        if (method.GetMethodBody() is not { } body)
            return;
        foreach (LocalVariableInfo local in body.LocalVariables)
            Add(found, local.LocalType, where);
        foreach (int token in Tokens(body.GetILAsByteArray() ?? []))
            AddMember(found, Resolve(method, token), where);
    }

    private static void AddMember(Dictionary<Type, string> found, MemberInfo? member, string where)
    {
        Add(found, member as Type ?? member?.DeclaringType, where);
        foreach (Type argument in member is MethodInfo { IsGenericMethod: true } generic ? generic.GetGenericArguments() : [])
            Add(found, argument, where);
    }

    private static void Add(Dictionary<Type, string> found, Type? type, string where)
    {
        if (type is null || type.IsGenericParameter)
            return;
        if (type.HasElementType)
        {
            Add(found, type.GetElementType(), where);
            return;
        }

        foreach (Type argument in type.IsGenericType ? type.GetGenericArguments() : [])
            Add(found, argument, where);
        found.TryAdd(type.IsGenericType ? type.GetGenericTypeDefinition() : type, where);
    }

    private static MemberInfo? Resolve(MethodBase method, int token) => method.Module.ResolveMember(
        token,
        method.DeclaringType is { IsGenericType: true } declaring ? declaring.GetGenericArguments() : null,
        method.IsGenericMethod ? method.GetGenericArguments() : null);

    /// <summary>The metadata tokens of types and members in a method's instructions (ECMA-335, partition III).</summary>
    private static IEnumerable<int> Tokens(byte[] il)
    {
        for (int at = 0; at < il.Length;)
        {
            short value = il[at++];
            if (value == 0xFE)
                value = (short)(0xFE00 | il[at++]);
            OperandType operand = _opCodes[value].OperandType;
            if (operand is OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType)
                yield return BitConverter.ToInt32(il, at);
            at += operand switch
            {
                OperandType.InlineNone => 0,
                OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
                OperandType.InlineVar => 2,
                OperandType.InlineI8 or OperandType.InlineR => 8,
                OperandType.InlineSwitch => 4 + 4 * BitConverter.ToInt32(il, at),
                _ => 4,
            };
        }
    }
}
