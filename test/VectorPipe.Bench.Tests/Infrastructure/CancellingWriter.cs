using System.Text;

namespace VectorPipe.Bench.Tests.Infrastructure;

/// <summary>Cancels a run when it prints a certain word.</summary>
internal sealed class CancellingWriter(string word, CancellationTokenSource cancellation) : TextWriter
{
    public override Encoding Encoding => Encoding.UTF8;

    public override void Write(char value)
    {
    }

    public override void WriteLine(string? value)
    {
        if (value?.Contains(word, StringComparison.Ordinal) == true)
            cancellation.Cancel();
    }
}
