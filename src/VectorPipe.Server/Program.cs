using System.Globalization;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using CommandLine;
using Microsoft.Extensions.Hosting.Systemd;
using VectorPipe;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Server;
using VectorPipe.Server.Access;

// Exit codes: 0 stopped when asked to, 2 wrong options, 3 a folder, a file or the port cannot be had.
const int BadUsage = 2;
const int BadFile = 3;

string[] words;
try
{
    words = ConfigurationFile.Expand(args);
}
catch (Exception e) when (e is IOException or UnauthorizedAccessException)
{
    Console.Error.WriteLine($"vectorpipe-server: {args[0]}: expected a file of options: {e.Message}");
    return BadFile;
}

using var parser = new Parser(settings =>
{
    settings.HelpWriter = Console.Error;
    settings.ParsingCulture = CultureInfo.InvariantCulture;
});
ParserResult<ServerOptions> parsed = parser.ParseArguments<ServerOptions>(words);
if (parsed is not Parsed<ServerOptions> { Value: var options })
    return parsed.Errors.IsHelp() || parsed.Errors.IsVersion() ? 0 : BadUsage;
options.Password ??= Environment.GetEnvironmentVariable("VECTORPIPE_REQUIREPASS");
options.Cluster ??= Environment.GetEnvironmentVariable("VECTORPIPE_CLUSTER");
if (options.FindError() is { } error)
{
    Console.Error.WriteLine($"vectorpipe-server: {error}");
    return BadUsage;
}

using var stop = new CancellationTokenSource();
using var interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using var terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
try
{
    await using VectorSetServer server = await VectorSetServer.StartAsync(options, cancellationToken: stop.Token);
    // To systemd, if it has started this process and wants to know: see packaging/vectorpipe.service.
    var service = new SystemdNotifier();
    service.Notify(ServiceState.Ready);
    await server.WaitForStopAsync(stop.Token);
    service.Notify(ServiceState.Stopping);
    return 0;
}
catch (OperationCanceledException) when (stop.IsCancellationRequested)
{
    // Asked to stop while it was starting.
    return 0;
}
catch (AccessFileException e)
{
    Console.Error.WriteLine($"vectorpipe-server: {e.Message}");
    return BadUsage;
}
catch (Exception e) when (
    e is IOException or UnauthorizedAccessException or SocketException or CryptographicException or VectorPipeException
        or ClusterException)
{
    Console.Error.WriteLine($"vectorpipe-server: {e.Message}");
    return BadFile;
}

// The first signal asks it to stop in order, a second one ends the process as usual.
void Stop(PosixSignalContext signal)
{
    signal.Cancel = !stop.IsCancellationRequested;
    stop.Cancel();
}
