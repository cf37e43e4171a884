using NUnit.Framework;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Searching.State;

/// <summary>A map that has as many handles as a table can hold refuses another one, and loses nothing.</summary>
[TestFixture]
public sealed class HandleMapTests
{
    private const int Slots = 256;
    private const int Most = Slots / 4 * 3;

    [Test]
    public void A_full_map_refuses_another_handle_and_keeps_what_it_has()
    {
        var map = new HandleMap(Slots);
        for (int i = 0; i < Most; i++)
        {
            Assert.That(map.Room, Is.EqualTo(Most - i));
            map.Set((ulong)i * 7, i);
        }

        Assert.That(
            () => map.Set(1, 1), Throws.TypeOf<IndexWriteException>().With.Message.Contains($"at most {Most} different keys"));
        map.Set(14, 99);
        Assert.That((map.Count, map.Room, map.TryGet(1, out _)), Is.EqualTo((Most, 0, false)));
        for (int i = 0; i < Most; i++)
            Assert.That((map.TryGet((ulong)i * 7, out int entry), entry), Is.EqualTo((true, i == 2 ? 99 : i)));
        Assert.That(map.Bytes, Is.EqualTo(Slots * 12L), "it does not grow beyond its bound");
    }

    [Test]
    public void Moved_keys_tell_how_many_more_they_take()
    {
        var keys = new MovedKeys(new HandleMap(Slots));
        keys.Set(5, null);
        keys.Set(5, 7);
        Assert.That(keys.Room, Is.EqualTo(Most - 1));
    }
}
