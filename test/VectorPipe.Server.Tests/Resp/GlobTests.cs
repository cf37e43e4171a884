using NUnit.Framework;
using VectorPipe.Server.Commands;

namespace VectorPipe.Server.Tests.Resp;

/// <summary>Patterns of names.</summary>
[TestFixture]
public sealed class GlobTests
{
    [TestCase("", "", true)]
    [TestCase("", "a", false)]
    [TestCase("*", "", true)]
    [TestCase("*", "abc", true)]
    [TestCase("a*c", "abbbc", true)]
    [TestCase("a*c", "abbb", false)]
    [TestCase("a*b*c", "axxbyyc", true)]
    [TestCase("*aab", "aaaab", true)]
    [TestCase("a?c", "abc", true)]
    [TestCase("a?c", "ac", false)]
    [TestCase("[a-c]x", "bx", true)]
    [TestCase("[c-a]x", "bx", true)]
    [TestCase("[^a-c]x", "bx", false)]
    [TestCase("[^a-c]x", "dx", true)]
    [TestCase("[abc]", "c", true)]
    [TestCase("[a-]", "-", true)]
    [TestCase("[ab", "b", true)]
    [TestCase("[\\]]", "]", true)]
    [TestCase("\\*", "*", true)]
    [TestCase("\\*", "a", false)]
    [TestCase("a\\", "a\\", true)]
    public void A_pattern_matches_whole_names(string pattern, string name, bool matches) =>
        Assert.That(Glob.Matches(pattern, name), Is.EqualTo(matches));

    [Test]
    public void Many_stars_take_no_long_time() =>
        Assert.That(Glob.Matches(string.Concat(Enumerable.Repeat("*a", 50)) + "b", new string('a', 5_000)), Is.False);
}
