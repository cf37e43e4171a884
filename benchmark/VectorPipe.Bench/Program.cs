using System.Runtime.InteropServices;
using VectorPipe.Bench;

using var cancellation = new CancellationTokenSource();

// The first signal ends the run and cleans up; a second one, once the first was taken, ends the process as usual.
void Cancel(PosixSignalContext signal)
{
    signal.Cancel = !cancellation.IsCancellationRequested;
    cancellation.Cancel();
}

using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Cancel);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Cancel);
return await BenchCli.RunAsync(args, Console.Out, Console.Error, cancellation.Token);
