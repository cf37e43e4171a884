using System.Globalization;
using System.Runtime.ExceptionServices;
using NUnit.Framework.Interfaces;
using NUnit.Framework.Internal;
using NUnit.Framework.Internal.Commands;

namespace VectorPipe.TestHost;

/// <summary>Runs a test on a thread of its own and leaves that thread behind if it hangs.</summary>
internal sealed class BoundedCommand(TestCommand inner) : DelegatingTestCommand(inner)
{
    /// <summary>Overrides the seconds that a test may take, for machines that are slow or busy.</summary>
    private const string Variable = "VECTORPIPE_HANG_SECONDS";

    private const int HeavySeconds = 1800;

    public override TestResult Execute(TestExecutionContext context)
    {
        var bound = new HangBound(BoundOf(Test));
        ExceptionDispatchInfo? error = null;
        var thread = new Thread(() =>
        {
            try
            {
                HangBound.Current = bound;
                context.EstablishExecutionEnvironment();
                innerCommand.Execute(context);
            }
            catch (Exception e)
            {
                error = ExceptionDispatchInfo.Capture(e);
            }
        })
        { IsBackground = true, Name = Test.Name };
        thread.Start();
        while (!thread.Join(bound.Left))
        {
            if (bound.Left > TimeSpan.Zero)
                continue;

            // The thread that hangs still writes to the old result, which nobody reads.
            context.CurrentResult = Test.MakeTestResult();
            context.CurrentResult.SetResult(
                ResultState.Failure, $"The test hangs: no progress for {bound.Seconds} s. {InFlight.Describe()}");
            return context.CurrentResult;
        }

        error?.Throw();
        return context.CurrentResult;
    }

    private static int BoundOf(Test test)
    {
        int seconds = int.TryParse(Environment.GetEnvironmentVariable(Variable), CultureInfo.InvariantCulture, out int said)
            ? said
            : HangBound.DefaultSeconds;
        for (ITest? at = test; at is not null; at = at.Parent)
        {
            if (at.Properties.Get("HangSeconds") is int own)
                return Math.Max(own, seconds);
            // Without the first question a list would be added to it, while another thread may read it.
            if (at.Properties.ContainsKey("Category") && at.Properties["Category"].Contains("Heavy"))
                return Math.Max(HeavySeconds, seconds);
        }

        return seconds;
    }
}
