using VectorPipe.Bench.Nodes;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Devices;
using VectorPipe.Devices.Memory;
using VectorPipe.Model.Collections;
using VectorPipe.Server;

namespace VectorPipe.Bench.Commands;

/// <summary><c>vectorpipe-bench node</c>.</summary>
internal static class NodeBench
{
    public static async Task<int> RunAsync(NodeBenchArguments arguments, CancellationToken cancellationToken)
    {
        ServerOptions options = arguments.ToServerOptions();
        var times = new ServiceTimes(latencyUs: 0, arguments.DeviceIops);
        var tuning = new CollectionTuning { OpenDevice = paths => new RatedDevice(DefaultDevice.Open(paths), times) };
        try
        {
            await using VectorSetServer server = await VectorSetServer.StartAsync(
                options, adapt: collection => collection with { Tuning = tuning }, cancellationToken: cancellationToken);
            await server.WaitForStopAsync(cancellationToken);
        }
        catch (ClusterException e)
        {
            throw new IOException(e.Message, e);
        }

        return ExitCodes.Ok;
    }
}
