using NUnit.Framework;
using VectorPipe.Bench.Mixes;

namespace VectorPipe.Bench.Tests.Mixes;

public sealed class MixPlanTests
{
    [TestCase("search=50,upsert=50", 16, "Search 8, Upsert 8")]
    [TestCase("search=95,upsert=5", 16, "Search 15, Upsert 1")]
    [TestCase("search=40,upsert=40,delete=20", 5, "Search 2, Upsert 2, Delete 1")]
    [TestCase("search=98,upsert=1,delete=1", 3, "Search 1, Upsert 1, Delete 1")]
    [TestCase("search=50,upsert=50", 1, " 1")]
    public void A_caller_of_a_paced_run_does_one_kind_of_operation(string mix, int threads, string expected)
    {
        var plan = new MixPlan(
            Mix.Parse(mix.Split(',')), new MixKeys("uniform", 10, 1), null!, null, 10, new SearchOptions(), Validate: false, 100, 1);

        (MixKind? Kind, int Thread, int Threads)[] roles = [.. Enumerable.Range(0, threads).Select(i => plan.RoleOf(i, threads))];

        IEnumerable<string> counts = roles.GroupBy(role => role.Kind).Select(group => $"{group.Key} {group.Count()}");
        Assert.That(string.Join(", ", counts), Is.EqualTo(expected));
        foreach (IGrouping<MixKind?, (MixKind? Kind, int Thread, int Threads)> kind in roles.GroupBy(role => role.Kind))
        {
            Assert.That(kind.Select(role => role.Thread), Is.EqualTo(Enumerable.Range(0, kind.Count())));
            Assert.That(kind.Select(role => role.Threads), Is.All.EqualTo(kind.Count()));
        }
    }
}
