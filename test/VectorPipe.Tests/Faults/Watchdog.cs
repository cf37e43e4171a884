using System.Runtime.ExceptionServices;
using NUnit.Framework;

namespace VectorPipe.Tests.Faults;

/// <summary>Runs a case on a thread of its own, so that a hang fails the test, with a dump, rather than the whole run.</summary>
internal static class Watchdog
{
    // Less than the bound of a whole test, which knows less.
    private static readonly TimeSpan _bound = TimeSpan.FromSeconds(50);

    /// <summary>Runs cases to their end, each at most for the bound.</summary>
    /// <param name="name">What is run, and how to run it again.</param>
    /// <param name="body">The cases.</param>
    /// <param name="dump">What is in flight, for the message; called while the case still runs. Null for nothing.</param>
    /// <param name="step">Which case is under way: a bound's time in which it does not change is a hang. Null for a single one.</param>
    public static void Run(string name, Action body, Func<string>? dump = null, Func<string>? step = null)
    {
        ExceptionDispatchInfo? error = null;
        NUnit.Framework.Internal.TestExecutionContext context = NUnit.Framework.Internal.TestExecutionContext.CurrentContext;
        Thread thread = new(() =>
        {
            try
            {
                // Assertions report to the context of the test that runs on their thread.
                context.EstablishExecutionEnvironment();
                body();
            }
            catch (Exception e)
            {
                error = ExceptionDispatchInfo.Capture(e);
            }
        })
        { IsBackground = true, Name = name };
        thread.Start();
        string? before;
        do
        {
            before = step?.Invoke();
            HangBound.Current?.Restart();
        }
        while (!thread.Join(_bound) && step?.Invoke() != before);
        HangBound.Current?.Restart();
        if (thread.IsAlive)
            throw new AssertionException($"{name} hangs: {dump?.Invoke() ?? "nothing is known of its reads"}");
        if (error is not null)
        {
            var test = TestContext.CurrentContext.Test;
            TestContext.Out.WriteLine(
                $"failed: {name}; {dump?.Invoke()}; again: dotnet test --filter FullyQualifiedName~{test.ClassName}.{test.MethodName}");
        }

        error?.Throw();
    }
}
