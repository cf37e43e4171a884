using NUnit.Framework;
using VectorPipe.Collections.Checkpoints;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>A place is used again when nobody reads what was there, and not before.</summary>
[TestFixture]
public sealed class FreePlacesTests
{
    [Test]
    public void The_file_grows_while_nothing_is_free()
    {
        var places = new FreePlaces(3, null, 0);
        Assert.That(new[] { places.Take(), places.Take() }, Is.EqualTo(new[] { 3u, 4u }));
        places.Commit(1, [0, 2]);
        Assert.That((places.Places, places.Free, places.Retired), Is.EqualTo((5, 0, 2)));
    }

    [Test]
    public void What_a_checkpoint_gives_up_is_free_when_views_of_before_are_gone()
    {
        var places = new FreePlaces(3, null, 0);
        Commit(places, 1, 0, 2);
        Commit(places, 2, 1);
        places.Reclaim(0);
        Assert.That(places.Free, Is.EqualTo(0));
        places.Reclaim(1);
        Assert.That((places.Free, places.Retired), Is.EqualTo((2, 1)));
        Assert.That(new[] { places.Take(), places.Take() }, Is.EqualTo(new[] { 0u, 2u }), "the lowest first");
        places.Reclaim(2);
        Assert.That(places.Take(), Is.EqualTo(1));
        Assert.That(places.Places, Is.EqualTo(6), "three of the build, three that were added");
    }

    [Test]
    public void What_a_checkpoint_took_that_failed_is_free_again()
    {
        var places = new FreePlaces(2, null, 0);
        places.Take();
        places.Take();
        places.Rollback();
        Assert.That((places.Free, places.Places), Is.EqualTo((2, 4)));
        Assert.That(places.Take(), Is.EqualTo(2));
        places.Commit(1, [0]);
        places.Rollback();
        Assert.That(places.Free, Is.EqualTo(1), "what is in force stays");
    }

    [TestCase(1)]
    [TestCase(2)]
    public void No_place_is_ever_used_twice(int seed)
    {
        var random = new Random(seed);
        var places = new FreePlaces(20, null, 0);
        uint[] pages = [.. Enumerable.Range(0, 20).Select(page => (uint)page)];
        var views = new List<(uint Checkpoint, uint[] Pages)> { (0, [.. pages]) };
        for (uint checkpoint = 1; checkpoint < 200; checkpoint++)
        {
            places.Reclaim(views.Min(view => view.Checkpoint));
            var next = (uint[])pages.Clone();
            var retired = new List<uint>();
            foreach (int page in Enumerable.Range(0, pages.Length).Where(_ => random.Next(3) == 0))
            {
                retired.Add(next[page]);
                next[page] = places.Take();
                Assert.That(views.SelectMany(view => view.Pages), Does.Not.Contain(next[page]), "a view has that place");
            }

            if (random.Next(4) == 0)
            {
                places.Rollback();
                checkpoint--;
                continue;
            }

            places.Commit(checkpoint, retired);
            pages = next;
            views.Add((checkpoint, pages));
            Assert.That(pages, Is.Unique);
            views.RemoveAll(view => view.Checkpoint != checkpoint && random.Next(2) == 0);
        }

        places.Reclaim(uint.MaxValue);
        Assert.That(places.Free + pages.Length, Is.EqualTo(places.Places), "every place is in use or free");
    }

    [Test]
    public void A_free_place_takes_a_bit()
    {
        const int Count = 100_000;
        var places = new FreePlaces(Count, null, 0);
        places.Commit(1, [.. Enumerable.Range(0, Count / 2).Select(place => (uint)(2 * place))]);
        Assert.That(places.MemoryBytes, Is.EqualTo(Count / 2 * sizeof(uint)), "they may still be read");
        places.Reclaim(1);
        Assert.That(places.MemoryBytes, Is.InRange(Count / 8, Count / 4));
        for (uint place = 0; place < Count; place += 2)
            Assert.That(places.Take(), Is.EqualTo(place));
        Assert.That(places.Free, Is.Zero);
    }

    private static void Commit(FreePlaces places, uint checkpoint, params uint[] retired)
    {
        foreach (uint _ in retired)
            places.Take();
        places.Commit(checkpoint, [.. retired]);
    }
}
