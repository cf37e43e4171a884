using NUnit.Framework;
using VectorPipe.Searching.Pools;
using VectorPipe.Tests.Formats;
using VectorPipe.Tests.Searching.Policies;

namespace VectorPipe.Tests.Searching.Pools;

/// <summary>The end of the answer is estimated from results and expected results.</summary>
public sealed class FrontierTests
{
    [Test]
    public void The_kth_distance_is_that_of_results_and_expectations_together()
    {
        Random random = RandomizedTest.Start();
        for (int i = 0; i < 2000; i++)
        {
            Frontier frontier = FrontierCases.Draw(random);
            Assert.That(
                frontier.KthDistance(), Is.EqualTo(FrontierCases.Kth(frontier)),
                $"case {i}: k = {frontier.K}, {frontier.Results.Count} results, {frontier.Candidates.Count} candidates");
        }
    }

    [Test]
    public void Without_a_bound_everything_is_within([Values(-5f, 0f, 5f)] float kth, [Values(-5f, 0f, 5f, 1e30f)] float distance) =>
        Assert.That(new DistanceModel(1, 1, 0).IsWithin(distance, float.PositiveInfinity, kth), Is.True);

    [Test]
    public void Distances_up_to_the_end_of_the_answer_are_within_any_factor_from_one(
        [Values(-5f, 0f, 5f)] float kth, [Values(0f, 2f)] float shift, [Values(1f, 1.6f)] float factor)
    {
        var model = new DistanceModel(1, 1, shift);
        Assert.That(model.IsWithin(kth, factor, kth), Is.True, "as near");
        Assert.That(model.IsWithin(kth - 1, factor, kth), Is.True, "nearer");
    }

    [Test]
    public void A_factor_bounds_distances() => Assert.That(
        new[] { 15.9f, 16.1f }.Select(distance => new DistanceModel(1, 1, 0).IsWithin(distance, 1.6f, 10)), Is.EqualTo(
            new[] { true, false }));
}
