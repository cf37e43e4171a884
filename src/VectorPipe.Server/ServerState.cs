using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using VectorPipe.Server.Access;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Connections;
using VectorPipe.Server.Figures;
using VectorPipe.Server.Filtering;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server;

/// <summary>What all connections share.</summary>
internal sealed class ServerState(ServerOptions options, SetStore sets, AccessList access, ILogger logger, TimeProvider clock)
{
    private const int MostScans = 4;

    // Each keeps up to 16 MiB of pages.
    private const int MostCursors = 256;

    private readonly string _busy =
        $"BUSY Expected fewer than {options.MaxQueuedQueries} searches to wait (--max-queued-queries). Ask again when some have been "
        + "answered, or ask for fewer at once.";

    private readonly long _started = clock.GetTimestamp();
    private long _clients;
    private long _commands;
    private long _refused;

    public ServerOptions Options { get; } = options;

    /// <summary>The sets that are kept on this machine.</summary>
    public SetStore Sets { get; } = sets;

    /// <summary>The sets that clients see.</summary>
    public ISetNames Names => Router ?? (ISetNames)Sets;

    /// <summary>Who carries out commands about sets in a cluster; null for a server on its own.</summary>
    public ISetRouter? Router { get; set; }

    /// <summary>Who may do what.</summary>
    public AccessList Access { get; } = access;

    /// <summary>How searches run that say nothing about it.</summary>
    public SearchOptions DefaultSearch { get; } = new() { TargetRecall = options.TargetRecall };

    public ILogger Logger { get; } = logger;

    public TimeProvider Clock { get; } = clock;

    /// <summary>The clients that are connected, by number.</summary>
    public ConcurrentDictionary<long, ClientSession> Clients { get; } = new();

    /// <summary>What searches took.</summary>
    public SearchFigures Searches { get; } = new();

    /// <summary>Filters of searches.</summary>
    public FilterCache Filters { get; } = new();

    public TimeSpan Uptime => Clock.GetElapsedTime(_started);

    public long ConnectionsReceived => Volatile.Read(ref _clients);

    public long CommandsProcessed => Volatile.Read(ref _commands);

    public long ConnectionsRefused => Volatile.Read(ref _refused);

    /// <summary>Taken by commands that go over all elements of a set, so that searches keep most of the machine.</summary>
    public SemaphoreSlim Scans { get; } = new(MostScans, MostScans);

    /// <summary>Taken by searches of clients that wait to go on.</summary>
    public SemaphoreSlim CursorPlaces { get; } = new(MostCursors, MostCursors);

    /// <summary>The searches of all sets that wait.</summary>
    public Func<int> Waiting { get; init; } = static () => 0;

    /// <summary>Whether as many searches wait as may: a further one is refused.</summary>
    public bool IsFull => Waiting() >= Options.MaxQueuedQueries;

    /// <summary>The port that it listens on.</summary>
    public int Port { get; set; } = options.Port;

    /// <summary>The port of health, metrics and the dashboard; 0 for none.</summary>
    public int HttpPort { get; set; }

    /// <summary>Asks the process to end.</summary>
    public Action RequestStop { get; set; } = () => { };

    /// <summary>What a search is answered that is refused, and counts it.</summary>
    public string Refuse()
    {
        Searches.CountRefused();
        return _busy;
    }

    public long NextClient() => Interlocked.Increment(ref _clients);

    public void CountCommand() => Interlocked.Increment(ref _commands);

    public void CountRefused() => Interlocked.Increment(ref _refused);
}
