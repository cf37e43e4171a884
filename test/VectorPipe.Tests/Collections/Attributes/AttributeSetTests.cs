using NUnit.Framework;

namespace VectorPipe.Tests.Collections.Attributes;

public sealed class AttributeSetTests
{
    [Test]
    public void A_set_is_written_as_an_initializer_and_read_by_name()
    {
        var set = new AttributeSet { ["year"] = 2024, ["lang"] = "en" };
        set.Add("draft", false);
        set["year"] = 2025;
        using (Assert.EnterMultipleScope())
        {
            Assert.That(set, Has.Count.EqualTo(3));
            Assert.That(set["year"].AsInt64(), Is.EqualTo(2025));
            Assert.That(set.Keys, Is.EquivalentTo(["year", "lang", "draft"]));
            Assert.That(set.Values, Is.EquivalentTo(new AttributeValue[] { 2025, "en", false }));
            Assert.That(set.ContainsKey("Year"), Is.False);
            Assert.That(set.TryGetValue("other", out _), Is.False);
            Assert.That(() => set["other"], Throws.TypeOf<KeyNotFoundException>());
        }
    }

    [Test]
    public void Sets_with_the_same_content_are_equal_in_any_order()
    {
        var set = new AttributeSet { ["year"] = 2024, ["lang"] = "en" };
        var turned = new AttributeSet { ["lang"] = "en", ["year"] = 2024 };
        using (Assert.EnterMultipleScope())
        {
            Assert.That(set.Equals(turned), Is.True);
            Assert.That(set.Equals((object)turned), Is.True);
            Assert.That(set.GetHashCode(), Is.EqualTo(turned.GetHashCode()));
            Assert.That(set.Equals(new AttributeSet { ["year"] = 2024 }), Is.False);
            Assert.That(set.Equals(new AttributeSet { ["year"] = 2024, ["lang"] = "de" }), Is.False);
            Assert.That(set.Equals(new AttributeSet { ["year"] = 2024, ["language"] = "en" }), Is.False);
            Assert.That(set.Equals(null), Is.False);
        }
    }

    [Test]
    public void A_second_value_of_a_name_and_a_value_without_a_type_are_refused()
    {
        var set = new AttributeSet { ["year"] = 2024 };
        using (Assert.EnterMultipleScope())
        {
            Assert.That(() => set.Add("year", 1), Throws.ArgumentException.With.Message.Contains("year"));
            Assert.That(() => set.Add("other", default), Throws.ArgumentException.With.Message.Contains("a value with a type"));
            Assert.That(() => set["other"] = default, Throws.ArgumentException);
            Assert.That(set, Has.Count.EqualTo(1));
        }
    }
}
