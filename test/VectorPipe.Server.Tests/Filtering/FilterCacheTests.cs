using System.Text;
using NUnit.Framework;
using VectorPipe.Server.Filtering;

namespace VectorPipe.Server.Tests.Filtering;

/// <summary>Filters that come again are not read again, and only so many are kept.</summary>
public sealed class FilterCacheTests
{
    [Test]
    public void A_filter_that_comes_again_is_the_same()
    {
        var cache = new FilterCache();
        AttributeFilter first = cache.Read(".year > 1980"u8);
        Assert.That(cache.Read(".year > 1981"u8), Is.Not.SameAs(first));
        Assert.That(cache.Read(".year > 1980"u8), Is.SameAs(first));
        Assert.That(cache.Count, Is.EqualTo(2));
    }

    [Test]
    public void However_many_come_few_are_kept()
    {
        var cache = new FilterCache();
        for (int i = 0; i < 2000; i++)
        {
            AttributeFilter filter = cache.Read(Encoding.UTF8.GetBytes($".n == {i}"));
            Assert.That(filter.Matches(Encoding.UTF8.GetBytes($$"""{"n":{{i}}}""")));
            Assert.That(cache.Count, Is.LessThanOrEqualTo(256));
        }
    }

    [Test]
    public void Long_ones_and_wrong_ones_are_not_kept()
    {
        var cache = new FilterCache();
        byte[] text = Encoding.UTF8.GetBytes($".title == '{new string('x', 2000)}'");
        AttributeFilter first = cache.Read(text);
        Assert.That(cache.Read(text), Is.Not.SameAs(first));
        Assert.That(() => cache.Read(".year >"u8), Throws.TypeOf<FilterSyntaxException>());
        Assert.That(cache.Count, Is.Zero);
    }

    [Test]
    public void Texts_that_were_met_before_are_those_of_each_element()
    {
        AttributeFilter filter = new FilterCache().Read(".genre == 'drama'"u8);
        string[] genres = ["drama", "comedy", "dr\\u0061ma", "drama ", "", "Drama", new string('d', 100), "amard"];
        bool[] matches = [true, false, true, false, false, false, false, false];
        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < genres.Length; i++)
                Assert.That(filter.Matches(Encoding.UTF8.GetBytes($$"""{"genre":"{{genres[i]}}"}""")), Is.EqualTo(matches[i]), genres[i]);
        }
    }
}
