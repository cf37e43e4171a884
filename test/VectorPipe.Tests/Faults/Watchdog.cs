using System.Runtime.ExceptionServices;
using NUnit.Framework;

namespace VectorPipe.Tests.Faults;

/// <summary>Runs a case on a thread of its own, so that a hang fails only the test, with a dump.</summary>
internal static class Watchdog
{
    private const int DefaultSeconds = 60;

    /// <summary>Runs cases to their end; each may take five sixths of what a test may take.</summary>
    /// <param name="name">The case, and the command that repeats it.</param>
    /// <param name="body">The cases.</param>
    /// <param name="dump">Describes the reads in flight for the message, while the case still runs; may be null.</param>
    /// <param name="step">The name of the current case; a hang is when it does not change within the bound. Null for a single case.</param>
    public static void Run(string name, Action body, Func<string>? dump = null, Func<string>? step = null)
    {
        // Less than the bound of the whole test, whose message has less detail.
        TimeSpan bound = TimeSpan.FromSeconds((HangBound.Current?.Seconds ?? DefaultSeconds) * 5 / 6);
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
        while (!thread.Join(bound) && step?.Invoke() != before);
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
