using System.Globalization;
using NUnit.Framework;

namespace VectorPipe.Tests.Formats;

/// <summary>Gives a randomised test its generator, and prints the command that repeats the run.</summary>
internal static class RandomizedTest
{
    public static Random Start()
    {
        int seed = TestContext.Parameters.Get("seed", Environment.TickCount);
        string value = seed.ToString(CultureInfo.InvariantCulture);
        var test = TestContext.CurrentContext.Test;
        TestContext.Out.WriteLine(
            $"seed {value}; again: dotnet test --filter FullyQualifiedName~{test.ClassName}.{test.MethodName} "
            + $"-- 'TestRunParameters.Parameter(name=\"seed\", value=\"{value}\")'");
        return new Random(seed);
    }
}
