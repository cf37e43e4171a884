namespace VectorPipe.Server.Connections;

/// <summary>Closes a connection that is silent for too long, or does not give its password in time.</summary>
/// <remarks>Its timers go off on any thread. Without a time-out and with a user there are none.</remarks>
internal sealed class ConnectionWatch : IDisposable
{
    private static readonly TimeSpan _shortest = TimeSpan.FromMilliseconds(1);

    private readonly TimeProvider _clock;
    private readonly TimeSpan _timeout;
    private readonly ITimer? _unknown;
    private readonly ITimer? _idle;
    private long _active;

    /// <summary>Begins to watch.</summary>
    /// <param name="server">Its clock and its time-out.</param>
    /// <param name="session">The client.</param>
    /// <param name="isBusy">Whether something of the client is on its way: it is not silent then.</param>
    /// <param name="close">Closes the connection.</param>
    public ConnectionWatch(ServerState server, ClientSession session, Func<bool> isBusy, Action close)
    {
        _clock = server.Clock;
        _timeout = TimeSpan.FromSeconds(server.Options.TimeoutSeconds);
        _active = _clock.GetTimestamp();
        if (session.User is null)
            _unknown = Start(TimeSpan.FromSeconds(server.Options.LoginSeconds), () => EndUnknown(server, session, close));
        if (_timeout > TimeSpan.Zero)
            _idle = Start(_timeout, () => EndIdle(session, isBusy, close));
    }

    /// <summary>Notes that the client has sent or taken something.</summary>
    public void Touch()
    {
        if (_idle is not null)
            Volatile.Write(ref _active, _clock.GetTimestamp());
    }

    public void Dispose()
    {
        _unknown?.Dispose();
        _idle?.Dispose();
    }

    private static void EndUnknown(ServerState server, ClientSession session, Action close)
    {
        if (session.User is not null)
            return;
        ServerLog.ClientClosed(
            server.Logger, session.Id, session.Address, $"it gave no password for {server.Options.LoginSeconds} s");
        close();
    }

    // Who listens to channels waits for others, and links of nodes are kept for the next command.
    private void EndIdle(ClientSession session, Func<bool> isBusy, Action close)
    {
        if (isBusy() || session.Channels.Count > 0 || session.IsNode)
            Touch();
        TimeSpan left = _timeout - _clock.GetElapsedTime(Volatile.Read(ref _active));
        if (left <= TimeSpan.Zero)
            close();
        else
            _idle?.Change(left > _shortest ? left : _shortest, Timeout.InfiniteTimeSpan);
    }

    private ITimer Start(TimeSpan due, Action act) =>
        _clock.CreateTimer(static act => ((Action)act!)(), act, due, Timeout.InfiniteTimeSpan);
}
