using NUnit.Framework;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Searching.State;

/// <summary>Slots of pages whose bits lie in one word, in several, or end where a word ends.</summary>
/// <param name="nodesPerPage">Slots of a page.</param>
[TestFixture(1)]
[TestFixture(10)]
[TestFixture(63)]
[TestFixture(64)]
[TestFixture(100)]
public sealed class NodeSlotsTests(int nodesPerPage)
{
    private const int MostVersion = GraphChanges.MostVersion;

    [Test]
    public void They_hold_what_was_put_there_through_copies_and_growth()
    {
        var random = new Random(nodesPerPage);
        int pages = 5;
        var slots = new NodeSlots(pages, nodesPerPage);
        byte[] model = new byte[pages * nodesPerPage];
        for (int step = 0; step < 400; step++)
        {
            uint page = (uint)random.Next(pages);
            int id = ((int)page * nodesPerPage) + random.Next(nodesPerPage);
            switch (random.Next(8))
            {
                case 0:
                    byte[] states = new byte[random.Next(nodesPerPage + 1)];
                    random.NextBytes(states);
                    for (int i = 0; i < states.Length; i++)
                        states[i] %= 2 * (MostVersion + 1);
                    slots.Set(page, states);
                    states.CopyTo(model, page * nodesPerPage);
                    break;
                case 1:
                    slots.Grow(++pages);
                    Array.Resize(ref model, pages * nodesPerPage);
                    break;
                case 2:
                    // What lies behind the pages that are copied stays behind.
                    int copied = random.Next(1, pages + 1);
                    var copy = new NodeSlots(pages, nodesPerPage);
                    copy.CopyFrom(slots, copied);
                    slots = copy;
                    model.AsSpan(copied * nodesPerPage).Clear();
                    break;
                case < 6:
                    if (slots.FreeSlot(page, MostVersion) is { } free)
                    {
                        if (random.Next(3) == 0)
                        {
                            // As if it had never been there.
                            slots.Take(free);
                            slots.Return(free);
                            break;
                        }

                        slots.Take(free);
                        model[free] = (byte)(((model[free] >> 1) + 1) << 1 | 1);
                    }

                    break;
                default:
                    slots.Free((uint)id);
                    model[id] &= 0xFE;
                    break;
            }

            AssertEqual(slots, model);
        }
    }

    private void AssertEqual(NodeSlots slots, byte[] model)
    {
        Assert.That(slots.States.SequenceEqual(model));
        for (uint id = 0; id < model.Length; id++)
        {
            if (slots.IsLive(id) != ((model[id] & 1) != 0) || slots.VersionOf(id) != model[id] >> 1 || slots.IsBuilt(id) != (model[id] == 1)
                || slots.IsCurrent(id, 2) != (model[id] == 5))
            {
                Assert.Fail($"slot {id} with the state {model[id]}");
            }
        }

        foreach (uint beyond in new[] { (uint)model.Length, (uint)model.Length + 63, uint.MaxValue })
            Assert.That((slots.IsLive(beyond), slots.IsCurrent(beyond, 0)), Is.EqualTo((false, false)));
        uint[] live = new uint[nodesPerPage];
        for (uint page = 0; page < model.Length / nodesPerPage; page++)
        {
            uint[] ids = [.. Enumerable.Range((int)page * nodesPerPage, nodesPerPage).Select(id => (uint)id)];
            uint[] expected = [.. ids.Where(id => (model[id] & 1) != 0)];
            int count = slots.CopyLive(page, live);
            Assert.That(live[..count], Is.EqualTo(expected));
            Assert.That(slots.FirstLive(page), Is.EqualTo(expected.Length == 0 ? null : expected[0]));
            uint[] free = [.. ids.Where(id => (model[id] & 1) == 0 && model[id] >> 1 < MostVersion)];
            Assert.That(slots.FreeSlot(page, MostVersion), Is.EqualTo(free.Length == 0 ? null : free[0]));
        }
    }
}
