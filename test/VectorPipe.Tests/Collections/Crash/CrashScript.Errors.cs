using NUnit.Framework;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Crash;

/// <content>The errors that a script meets.</content>
internal sealed partial class CrashScript<TKey>
{
    private void AssertInDoubt(Exception error)
    {
        if (!IsDead)
            Assert.That(error, Is.TypeOf<IndexWriteException>().With.Message.Contains(Cause), Context);
    }

    private bool IsDead => Errors.Any(error => error.ToString().Contains(nameof(ProcessDeathException), StringComparison.Ordinal));

    private string Cause => IsDead ? "the process died"
        : Errors.Any(error => error.Message.Contains("No space left", StringComparison.Ordinal)) ? "No space left" : "Input/output error";

    private async Task<Exception?> TryAsync(Func<Task> action)
    {
        try
        {
            await action().WaitAsync(HangBound.Patience);
            return null;
        }
        catch (Exception e) when (e is VectorPipeException or ProcessDeathException)
        {
            Errors.Add(e);
            return e;
        }
        catch (Exception e) when (e is not (AssertionException or ResultStateException))
        {
            Assert.Fail($"an error that is not typed: {e}; {Context}");
            throw;
        }
    }
}
