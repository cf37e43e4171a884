using NUnit.Framework;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Searching.State;

/// <summary>Keys that moved are found at their last node, keys that were deleted at none, and others not at all.</summary>
[TestFixture]
public sealed class MovedKeysTests
{
    [Test]
    public void Each_key_has_its_last_node()
    {
        var random = new Random(1);
        var keys = new MovedKeys();
        var expected = new Dictionary<ulong, uint?>();
        for (int i = 0; i < 5000; i++)
        {
            ulong key = (ulong)random.Next(1500) * 0x9E3779B97F4A7C15;
            uint? id = random.Next(4) == 0 ? null : (uint)random.Next(4) switch
            {
                0 => 0,
                1 => (uint)MovedKeys.MostNodes - 1,
                _ => (uint)random.Next(),
            };
            keys.Set(key, id);
            expected[key] = id;
        }

        Assert.That(keys.Count, Is.EqualTo(expected.Count));
        foreach ((ulong key, uint? id) in expected)
            Assert.That((keys.TryFind(key, out uint? found), found), Is.EqualTo((true, id)));
        Assert.That(keys.TryFind(1, out _), Is.False);
        Assert.That(
            keys.All().OrderBy(entry => entry.Key), Is.EqualTo(expected.Select(pair => (pair.Key, pair.Value)).OrderBy(e => e.Key)));
    }

    [Test]
    public void The_node_of_a_file_tells_a_node_from_none() =>
        Assert.That(
            new uint?[] { null, 0, 7 }.Select(MovedKeys.ValueOf), Is.EqualTo(new uint[] { 0, 1, 8 }));
}
