using NUnit.Framework;
using NUnit.Framework.Interfaces;
using NUnit.Framework.Internal;

namespace VectorPipe.TestHost;

/// <summary>All combinations of the values of a test's parameters, of which only a few run every time.</summary>
/// <remarks>
/// These few have each value of each parameter, or those of one in so many; all others are Heavy. Fixtures of other arguments pair the
/// values in another way.
/// </remarks>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class SpreadAttribute(int oneIn = 1) : CombinatorialAttribute, ITestBuilder
{
    /// <summary>One in so many of the spread combinations runs every time.</summary>
    public int OneIn => oneIn;

    /// <inheritdoc/>
    public new IEnumerable<TestMethod> BuildFrom(IMethodInfo method, Test? suite)
    {
        TestMethod[] tests = [.. base.BuildFrom(method, suite)];
        TestMethod[] complete = [.. tests.Where(test => test.RunState != RunState.NotRunnable)];
        if (complete.Length == 0)
            return tests;
        object?[][] values =
        [
            .. Enumerable.Range(0, method.GetParameters().Length)
                .Select(at => complete.Select(test => test.Arguments[at]).Distinct().ToArray()),
        ];
        int longest = values.Max(of => of.Length);

        // The sum of the characters is the same in every process, unlike the hash of a string.
        int shift = suite?.Name.Sum(static character => character) ?? 0;
        var few = new HashSet<string>();
        for (int i = shift % oneIn; i < longest; i += oneIn)
            few.Add(string.Join(' ', values.Select((of, at) => (i + (shift * at)) % of.Length)));
        foreach (TestMethod test in complete)
        {
            if (!few.Contains(string.Join(' ', values.Select((of, at) => Array.IndexOf(of, test.Arguments[at])))))
                test.Properties.Add(PropertyNames.Category, "Heavy");
        }

        return tests;
    }
}
