using NUnit.Framework;
using VectorPipe.Searching.Filtering;

namespace VectorPipe.Tests.Searching.Filtering;

/// <summary>A set of matches answers as the ids of which it was made, as a list and as bits.</summary>
internal sealed class MatchSetTests
{
    private const int Ids = 10_007;

    [Test]
    public void A_set_answers_as_its_ids([Values(0, 1, 9, 64, 2048, 2049, 9000, Ids)] int count, [Values(1, 2)] int seed)
    {
        HashSet<uint> ids = Choose(count, seed);
        MatchSet set = SetOf(ids, Ids + 1);
        var random = new Random(seed);

        Assert.That(set.Count, Is.EqualTo(count));
        Assert.That(set.IsListed, Is.EqualTo(count <= MatchSet.MostListed));
        Assert.That(Enumerable.Range(0, Ids + 100).All(id => set.Contains((uint)id) == ids.Contains((uint)id)));
        for (int trial = 0; trial < 100; trial++)
        {
            uint first = (uint)random.Next(Ids + 10);
            int length = random.Next(65);
            ulong expected = 0;
            for (int i = 0; i < length; i++)
                expected |= ids.Contains(first + (uint)i) ? 1ul << i : 0;
            Assert.That(set.Bits(first, length), Is.EqualTo(expected), $"{length} from {first}");
            uint end = first + (uint)random.Next(700);
            Assert.That(set.CountIn(first, end), Is.EqualTo(ids.Count(id => id >= first && id < end)), $"{first} to {end}");
        }
    }

    [Test]
    public void Matches_come_in_ascending_batches([Values(0, 5, 2048, 2049, 9000)] int count, [Values(1, 7, 1024)] int room)
    {
        HashSet<uint> ids = Choose(count, 3);
        MatchSet set = SetOf(ids, Ids + 1);
        var found = new List<uint>();
        var batch = new uint[room];
        ulong next = 0;
        int copied;
        do
        {
            copied = set.Copy(batch, ref next);
            found.AddRange(batch[..copied]);
        }
        while (copied == room);

        Assert.That(found.SequenceEqual(ids.Order()));
    }

    [Test]
    public void All_nodes_match_whatever_slots_are_free()
    {
        var set = SetOf([1, 2, 5], 3);

        Assert.That(set.IsAll);
        Assert.That(set.Count, Is.EqualTo(3));
        Assert.That(set.Contains(900));
        Assert.That(set.Bits(77, 3), Is.EqualTo(7));
        Assert.That(SetOf([], 0).Count, Is.Zero);
    }

    private static HashSet<uint> Choose(int count, int seed)
    {
        uint[] all = [.. Enumerable.Range(0, Ids).Select(id => (uint)id)];
        new Random(seed).Shuffle(all);
        return [.. all[..count]];
    }

    private static MatchSet SetOf(IEnumerable<uint> ids, long nodes)
    {
        var bits = new ulong[(Ids + 63) / 64];
        foreach (uint id in ids)
            bits[id / 64] |= 1ul << (int)(id % 64);
        return MatchSet.Of(bits, nodes);
    }
}
