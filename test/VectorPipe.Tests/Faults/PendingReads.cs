using System.Collections;
using System.Reflection;
using VectorPipe.Pipeline;

namespace VectorPipe.Tests.Faults;

/// <summary>Finds the sessions of reads below an object of the library, and describes their reads in flight.</summary>
internal static class PendingReads
{
    private const BindingFlags Fields = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    public static string Describe(object root)
    {
        var seen = new HashSet<object>(ReferenceEqualityComparer.Instance) { root };
        var open = new Queue<object>([root]);
        var sessions = new List<string>();
        while (open.TryDequeue(out object? at))
        {
            if (at is PendingIoSession session)
            {
                sessions.Add($"{session.Pending} pending; {session.DescribeInFlight()}");
                continue;
            }

            foreach (object child in Children(at))
            {
                if (seen.Add(child))
                    open.Enqueue(child);
            }
        }

        return string.Join(" | ", sessions.DefaultIfEmpty("no session"));
    }

    private static IEnumerable<object> Children(object at)
    {
        IEnumerable<object?> values = at is IEnumerable items and (Array or IList) && !at.GetType().GetElementTypeOrSelf().IsPrimitive
            ? items.Cast<object?>()
            : FieldsOf(at.GetType()).Select(field => field.GetValue(at));
        return values.OfType<object>().Where(value => IsOurs(value.GetType()));
    }

    private static IEnumerable<FieldInfo> FieldsOf(Type type)
    {
        for (Type? at = type; at is not null && IsOurs(at); at = at.BaseType)
        {
            foreach (FieldInfo field in at.GetFields(Fields).Where(field => !field.FieldType.IsPointer && !field.FieldType.IsPrimitive))
                yield return field;
        }
    }

    private static Type GetElementTypeOrSelf(this Type type) => type.GetElementType() ?? type;

    private static bool IsOurs(Type type) =>
        type.IsArray ? IsOurs(type.GetElementType()!)
        : type.IsGenericType && type.Namespace == "System.Collections.Generic" ? type.GetGenericArguments().Any(IsOurs)
        : type.Namespace?.StartsWith(nameof(VectorPipe), StringComparison.Ordinal) == true;
}
