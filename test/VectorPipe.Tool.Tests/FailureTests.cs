using NUnit.Framework;

namespace VectorPipe.Tool.Tests;

public sealed class FailureTests
{
    [Test]
    public void A_message_of_many_lines_becomes_one_line() =>
        Assert.That(Failure.Describe(new IOException("first\r\n  second\n"), "build"), Is.EqualTo("first second"));

    [TestCase("build", "ListSize", "--build-list-size")]
    [TestCase("search", "ListSize", "--list-size")]
    [TestCase("search", "BeamWidth", "--beam-width")]
    [TestCase("search", "k", "-k")]
    [TestCase("build", "MemoryBudget", "--memory")]
    [TestCase("build", "PageElementType", "--page-vectors")]
    public void An_option_is_named_as_the_user_wrote_it(string verb, string property, string option) => Assert.That(
        Failure.Describe(new ArgumentOutOfRangeException(property, 7, "Expected 1 to 5."), verb), Is.EqualTo(
            $"{option}: Expected 1 to 5. Found 7."));

    [Test]
    public void An_unexpected_error_names_its_type() =>
        Assert.That(
            Failure.Describe(new InvalidOperationException("odd"), "build"), Is.EqualTo("unexpected InvalidOperationException: odd"));
}
