using NUnit.Framework;
using VectorPipe.Collections.Checkpoints;
using VectorPipe.Storage.Keys;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>Key directories lie behind that of the build, where nobody reads another one.</summary>
[TestFixture]
public sealed class KeyPlacesTests
{
    private const long Built = 10;

    [Test]
    public void The_first_directory_lies_behind_that_of_the_build()
    {
        Assert.That(new KeyPlaces(Built, 17, null, 3).Find(5), Is.EqualTo(Built), "what a failed checkpoint left behind is no directory");
    }

    [Test]
    public void A_directory_that_was_replaced_is_overwritten_when_nobody_reads_it()
    {
        var places = new KeyPlaces(Built, Built, null, 0);
        places.Commit(1, At(10, 5));
        Assert.That(places.Find(5), Is.EqualTo(15));
        places.Commit(2, At(15, 5));
        places.Reclaim(1);
        Assert.That(places.Find(5), Is.EqualTo(20), "a view of checkpoint 1 is left");
        places.Reclaim(2);
        Assert.That((places.Find(5), places.Find(6)), Is.EqualTo((10, 20)));
        places.Commit(3, At(10, 5));
        places.Reclaim(3);
        Assert.That((places.Find(6), places.Find(60)), Is.EqualTo((15, 15)), "the end is free");
    }

    [Test]
    public void What_lies_beside_the_directory_in_force_may_be_read_by_another_process_when_it_is_opened()
    {
        var places = new KeyPlaces(Built, 30, At(15, 5), 7);
        Assert.That(places.Find(1), Is.EqualTo(30));
        places.Reclaim(6);
        Assert.That(places.Find(1), Is.EqualTo(30));
        places.Reclaim(7);
        Assert.That((places.Find(5), places.Find(6)), Is.EqualTo((10, 20)));
    }

    private static KeyRegion At(long first, long pages) => new(first - 1, pages + 1, 0, new KeyDirectoryShape(0, pages, 0, 1), 0);
}
