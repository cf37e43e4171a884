using System.Reflection;
using NUnit.Framework;

namespace VectorPipe.Tests;

/// <summary>The folders of the library are rooms in an order: a room uses only rooms before it.</summary>
[Category("Structure")]
internal sealed class RoomTests
{
    private const int MostFiles = 30;
    private const int MostColumns = 140;

    private static readonly Assembly _library = typeof(BuildOptions).Assembly;

    [Test]
    public void Every_folder_is_a_known_room_and_every_room_has_a_type()
    {
        RoomMap map = RoomMap.Read();

        Assert.Multiple(() =>
        {
            Assert.That(map.Rooms.Except(RoomOrder.BottomUp), Is.Empty, "folders that the order does not name");
            Assert.That(RoomOrder.BottomUp.Except(map.Rooms), Is.Empty, "rooms without a file");
            Assert.That(
                RoomOrder.BottomUp.Where(room => !LibraryTypes().Any(type => map.RoomOf(type) == room)), Is.Empty, "rooms without a type");
        });
    }

    [Test]
    public void Every_type_lives_in_a_room()
    {
        RoomMap map = RoomMap.Read();

        Assert.That(LibraryTypes().Where(type => map.RoomOf(type) is null), Is.Empty);
    }

    [TestCaseSource(typeof(RoomOrder), nameof(RoomOrder.BottomUp))]
    public void A_room_uses_only_rooms_below_it(string room)
    {
        RoomMap map = RoomMap.Read();
        int level = Array.IndexOf(RoomOrder.BottomUp, room);
        Type[] here = [.. LibraryTypes().Where(type => map.RoomOf(type) == room)];
        string[] upward =
        [
            .. from type in here
               from reference in TypeReferences.Of(type)
               where reference.Key.Assembly == _library
               let other = map.RoomOf(reference.Key)
               where other is not null && Array.IndexOf(RoomOrder.BottomUp, other) > level
               select $"{type} ({reference.Value}) uses {reference.Key} of {other}",
        ];

        Assert.Multiple(() =>
        {
            Assert.That(here, Is.Not.Empty, "a room without types proves nothing");
            Assert.That(upward, Is.Empty, "the order is: " + string.Join(" < ", RoomOrder.BottomUp));
        });
    }

    [Test]
    public void No_folder_holds_more_files_than_a_reader_can_scan()
    {
        Assert.That(RoomMap.Read().FilesByRoom.Where(room => room.Value > MostFiles), Is.Empty, $"folders of more than {MostFiles} files");
    }

    [Test]
    public void No_line_is_longer_than_the_columns_of_a_screen()
    {
        string[] longer =
        [
            .. from folder in new[] { "src", "test", "benchmark", "samples" }
               from file in Directory.EnumerateFiles(Path.Combine(RoomMap.Read().Repository, folder), "*.cs", SearchOption.AllDirectories)
               where !file.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}", StringComparison.Ordinal)
               from line in File.ReadLines(file).Select((text, at) => (Text: text, Number: at + 1))
               where line.Text.Length > MostColumns
               select $"{file}({line.Number}): {line.Text.Length} columns",
        ];

        Assert.That(longer, Is.Empty);
    }

    [Test]
    public void Public_types_are_in_three_namespaces_and_internal_ones_in_that_of_their_folder()
    {
        RoomMap map = RoomMap.Read();
        string[] strangers =
        [
            .. from type in LibraryTypes()
               where !type.IsNested && map.RoomOf(type) is not null
               let expected = type.IsPublic
                   ? map.RoomOf(type) switch
                   {
                       "Formats" or "Importing" or "Exporting" => "VectorPipe.Formats",
                       "Model/Devices" or "Devices" or "Devices/Choosing" => "VectorPipe.Devices",
                       _ => "VectorPipe",
                   }
                   : map.RoomOf(type) == RoomMap.Root ? "VectorPipe" : "VectorPipe." + map.RoomOf(type)!.Replace('/', '.')
               where type.Namespace != expected
               select $"{type.FullName}: expected namespace {expected}",
        ];

        Assert.That(strangers, Is.Empty);
    }

    [Test]
    public void The_check_sees_a_type_that_a_method_body_calls()
    {
        Dictionary<Type, string> references = TypeReferences.Of(typeof(Caller));

        Assert.That(references.Keys, Does.Contain(typeof(Callee)));
    }

    /// <summary>Types of the sources, without those that the compiler adds at the root of the assembly.</summary>
    private static IEnumerable<Type> LibraryTypes() =>
        _library.GetTypes()
        .Where(type => type.Namespace is { } name && (name == "VectorPipe" || name.StartsWith("VectorPipe.", StringComparison.Ordinal)));

    private static class Caller
    {
        public static int Call() => Callee.Answer();
    }

    private static class Callee
    {
        public static int Answer() => Environment.ProcessId;
    }
}
