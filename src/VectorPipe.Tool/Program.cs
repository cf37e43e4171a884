using System.Runtime.InteropServices;
using VectorPipe.Tool;

using var cancellation = new CancellationTokenSource();

// The first signal asks the command to stop and clean up; a second one, once the first was taken, ends the process as usual.
void Cancel(PosixSignalContext signal)
{
    signal.Cancel = !cancellation.IsCancellationRequested;
    cancellation.Cancel();
}

using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Cancel);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Cancel);
return await Cli.RunAsync(args, Console.Out, Console.Error, cancellation.Token);
