using NUnit.Framework;
using VectorPipe.Building.Phases;

namespace VectorPipe.Tests.Building.Phases;

/// <summary>Compares the number of threads within a budget with a trial of every number.</summary>
public sealed class ThreadBudgetTests
{
    [Test]
    public void As_many_requested_threads_as_fit_are_used(
        [Values(1, 2, 3, 7, 64, 1024)] int most, [Values(100, 103, 116, 300, 3000, 100_000)] long budget)
    {
        // The first threads fit into memory that another stage takes as well.
        static long LeastOf(int threads) => Math.Max(103, 81 + (23L * (threads - 1)));
        int expected = Enumerable.Range(1, most).Where(threads => LeastOf(threads) <= budget).DefaultIfEmpty(1).Max();
        Assert.That(ThreadBudget.Within(budget, most, LeastOf), Is.EqualTo(expected));
    }

    [Test]
    public void Without_a_budget_all_threads_are_used() => Assert.That(ThreadBudget.Within(null, 64, _ => long.MaxValue), Is.EqualTo(64));
}
