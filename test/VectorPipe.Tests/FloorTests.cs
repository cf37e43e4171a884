using System.Reflection;
using NUnit.Framework;

namespace VectorPipe.Tests;

/// <summary>The library is built in floors, one a namespace: a floor may use those below it, never one above.</summary>
internal sealed class FloorTests
{
    private const string Root = "VectorPipe";

    /// <summary>From the top down.</summary>
    private static readonly string[] _floors =
    [
        Root,
        "VectorPipe.Building.Partitioned",
        "VectorPipe.Building",
        "VectorPipe.Searching",
        "VectorPipe.Storage",
        "VectorPipe.Quantization",
        "VectorPipe.Pipeline",
        "VectorPipe.Devices",
        "VectorPipe.Formats",
        "VectorPipe.Numerics",
        "VectorPipe.Diagnostics",
    ];

    private static readonly Assembly _library = typeof(BuildOptions).Assembly;

    [Test]
    public void Every_type_lives_on_a_known_floor()
    {
        IEnumerable<string> strangers = LibraryTypes().Where(type => Array.IndexOf(_floors, FloorOf(type)) < 0).Select(type => type.FullName!);

        Assert.That(strangers, Is.Empty, "The floors are: " + string.Join(" > ", _floors));
    }

    [TestCaseSource(nameof(_floors))]
    public void A_floor_uses_none_above_it(string floor)
    {
        int level = Array.IndexOf(_floors, floor);
        string[] upward =
        [
            .. from type in LibraryTypes()
               where FloorOf(type) == floor
               from reference in TypeReferences.Of(type)
               let other = Array.IndexOf(_floors, FloorOf(reference.Key))
               where reference.Key.Assembly == _library && other >= 0 && other < level
               select $"{type} ({reference.Value}) uses {reference.Key}",
        ];

        Assert.That(upward, Is.Empty, $"{floor} may use only what lies below it in {string.Join(" > ", _floors)}");
    }

    [Test]
    public void The_check_sees_what_a_method_body_calls()
    {
        Dictionary<Type, string> references = TypeReferences.Of(typeof(Caller));

        Assert.That(references.Keys, Does.Contain(typeof(Callee)));
    }

    /// <summary>The floor is the namespace's first name below the root; what lies deeper are its rooms.</summary>
    private static string? FloorOf(Type type)
    {
        string? name = type.Namespace;
        int room = name is not null && name.StartsWith(Root + ".", StringComparison.Ordinal) ? name.IndexOf('.', Root.Length + 1) : -1;
        return room < 0 ? name : name![..room];
    }

    /// <summary>Types that were written, not those that the compiler puts beside them.</summary>
    private static IEnumerable<Type> LibraryTypes() =>
        _library.GetTypes().Where(type => type.Namespace is { } name && (name == Root || name.StartsWith(Root + ".", StringComparison.Ordinal)));

    private static class Caller
    {
        public static int Call() => Callee.Answer();
    }

    private static class Callee
    {
        public static int Answer() => Environment.ProcessId;
    }
}
