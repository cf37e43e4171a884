using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using VectorPipe.Cluster.Catalogue;
using VectorPipe.Server.Access;
using VectorPipe.Server.Clustering;
using VectorPipe.Server.Connections;
using VectorPipe.Server.Dashboard;
using VectorPipe.Server.Health;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server;

/// <summary>A server of vector sets: from opening its data folder to closing it.</summary>
internal sealed class VectorSetServer : IAsyncDisposable
{
    // Connections end behind the commands that run; after this, those that have not ended are cut off.
    private static readonly TimeSpan _longestDrain = TimeSpan.FromSeconds(25);

    // Of a client whose commands wait: as much as keeps the reader of commands busy. Long commands are taken in pieces.
    private const int MostUnreadBytes = 64 << 10;

    private readonly WebApplication _host;
    private readonly VectorPipeEngine _engine;
    private readonly SetStore _sets;
    private readonly ServerState _state;
    private readonly ClusterRouter? _router;
    private readonly ILoggerFactory _loggers;

    private VectorSetServer(
        WebApplication host, VectorPipeEngine engine, SetStore sets, ServerState state, ClusterRouter? router, ILoggerFactory loggers)
    {
        _router = router;
        _host = host;
        _loggers = loggers;
        _engine = engine;
        _sets = sets;
        _state = state;
    }

    /// <summary>The port that it listens on.</summary>
    public int Port => _state.Port;

    /// <summary>The port of health, metrics and the dashboard; 0 for none.</summary>
    public int HttpPort => _state.HttpPort;

    /// <summary>The sets that it serves.</summary>
    public SetStore Sets => _sets;

    /// <summary>Opens all sets, and then listens.</summary>
    /// <param name="options">The options, without errors.</param>
    /// <param name="clock">The clock; null for that of the system.</param>
    /// <param name="adapt">Changes how collections are opened, for measurements; null for no change.</param>
    /// <param name="cancellationToken">Ends the start early.</param>
    /// <exception cref="IOException">The folder or the port cannot be had.</exception>
    /// <exception cref="VectorPipeException">A set cannot be opened.</exception>
    /// <exception cref="ClusterException">The database of the cluster cannot be used, or another node has the name.</exception>
    /// <exception cref="AccessFileException">The file of users is wrong, or lets everybody in from other machines.</exception>
    public static async Task<VectorSetServer> StartAsync(
        ServerOptions options, TimeProvider? clock = null, Func<CollectionOptions, CollectionOptions>? adapt = null,
        CancellationToken cancellationToken = default)
    {
        AccessList access = AccessList.Open(options.Password, options.AccessFile, clock ?? TimeProvider.System);
        options.CheckReach(access);
        ILoggerFactory loggers = LoggerFactory.Create(static logging =>
            logging.AddSimpleConsole(console => console.SingleLine = true).AddFilter("Microsoft", LogLevel.Warning));
        var engine = new VectorPipeEngine(new VectorPipeEngineOptions
        {
            SearchThreads = options.Threads ?? Environment.ProcessorCount,
            MaxQueuedQueries = options.MaxQueuedQueries,
            MemoryLimitBytes = options.MemoryMiB << 20,
        });
        SetStore? sets = null;
        WebApplication? host = null;
        ClusterRouter? router = null;
        try
        {
            ILogger logger = loggers.CreateLogger("VectorPipe.Server");
            CollectionOptions open = CollectionOptionsOf(options, engine, loggers);
            open = adapt?.Invoke(open) ?? open;
            // A node's replicas follow from the sets of its cluster, whose number is bounded where they are made.
            int mostSets = options.Cluster is null ? options.MaxSets : int.MaxValue;
            sets = await SetStore.OpenAsync(options.Directory, open, mostSets, logger, cancellationToken);
            if (options.Cluster is null && sets.FindReplica() is { } name)
                throw new IOException($"{options.Directory}: expected --cluster, as set {name} is a replica of a cluster, found none");
            var state = new ServerState(options, sets, access, logger, clock ?? TimeProvider.System)
            {
                Waiting = () => engine.QueuedQueries,
            };
            host = BuildHost(options, state, loggers);
            state.RequestStop = host.Lifetime.StopApplication;
            await host.StartAsync(cancellationToken);
            int[] ports = [.. host.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses
                .Select(address => new Uri(address).Port)];
            state.Port = ports[0];
            state.HttpPort = ports.ElementAtOrDefault(1);
            if (options.Cluster is not null)
                state.Router = router = await ClusterRouter.JoinAsync(state, cancellationToken);
            ServerLog.Started(logger, sets.Count, options.Directory, state.Port);
            return new VectorSetServer(host, engine, sets, state, router, loggers);
        }
        catch
        {
            if (host is not null)
                await host.DisposeAsync();
            if (router is not null)
                await router.DisposeAsync();
            if (sets is not null)
                await sets.DisposeAsync();
            await engine.DisposeAsync();
            loggers.Dispose();
            throw;
        }
    }

    /// <summary>Returns when it was asked to stop.</summary>
    public async Task WaitForStopAsync(CancellationToken cancellationToken)
    {
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using CancellationTokenRegistration stopping = _host.Lifetime.ApplicationStopping.Register(() => asked.TrySetResult());
        await using CancellationTokenRegistration outside = cancellationToken.Register(() => asked.TrySetResult());
        await asked.Task;
    }

    /// <summary>Stops listening, ends connections behind the commands that run, and closes all sets.</summary>
    public async ValueTask DisposeAsync()
    {
        using (var longest = new CancellationTokenSource(_longestDrain))
            await _host.StopAsync(longest.Token);
        await _host.DisposeAsync();
        if (_router is not null)
            await _router.DisposeAsync();
        await _sets.DisposeAsync();
        await _engine.DisposeAsync();
        ServerLog.Stopped(_state.Logger);
        _loggers.Dispose();
    }

    private static CollectionOptions CollectionOptionsOf(
        ServerOptions options, VectorPipeEngine engine, ILoggerFactory loggers) => new()
        {
            Durability = options.AppendFsync == "always" ? Durability.GroupCommit : Durability.OnFlush,
            Open = new OpenOptions { Engine = engine, LoggerFactory = loggers, CacheBytes = options.CacheMiB << 20 },
        };

    // Those behind the certificate in its file: clients need not know any but the root.
    private static X509Certificate2Collection ChainOf(string certificateFile)
    {
        var chain = new X509Certificate2Collection();
        chain.ImportFromPemFile(certificateFile);
        chain.RemoveAt(0);
        return chain;
    }

    private static WebApplication BuildHost(ServerOptions options, ServerState state, ILoggerFactory loggers)
    {
        WebApplicationBuilder builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Services.AddSingleton(state).AddSingleton(loggers).AddRoutingCore();
        builder.WebHost.UseKestrelCore().UseSockets(sockets =>
        {
            sockets.MaxReadBufferSize = MostUnreadBytes;

            // On the thread of the pool that the socket has woken: another one would take as long to wake as a short command takes.
            sockets.UnsafePreferInlineScheduling = true;
        }).UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            var address = IPAddress.Parse(options.Bind);
            kestrel.AddServerHeader = false;
            kestrel.Listen(address, options.Port, listen =>
            {
                if (options.CertificateFile is not null)
                {
                    listen.UseHttps(X509Certificate2.CreateFromPemFile(options.CertificateFile, options.KeyFile), https =>
                    {
                        https.HandshakeTimeout = TimeSpan.FromSeconds(options.LoginSeconds);
                        https.ServerCertificateChain = ChainOf(options.CertificateFile);
                    });
                }

                listen.UseConnectionHandler<RespConnectionHandler>();
            });
            if (options.HttpPort >= 0)
                kestrel.Listen(address, options.HttpPort);
        });
        WebApplication host = builder.Build();
        HealthPages.Map(host, state);
        DashboardPages.Map(host, state);
        return host;
    }
}
