namespace VectorPipe.Server.Access;

/// <summary>A command that was refused, once or several times.</summary>
internal sealed class AccessLogEntry(long id, AccessDenial denial, string user, string client, DateTimeOffset first, long timestamp)
{
    public long Id { get; } = id;

    public AccessDenial Denial { get; } = denial;

    public string User { get; } = user;

    /// <summary>Whose it was, the last time.</summary>
    public string Client { get; set; } = client;

    public DateTimeOffset First { get; } = first;

    public DateTimeOffset Last { get; set; } = first;

    /// <summary>The last time, as a timestamp of the server's clock.</summary>
    public long Timestamp { get; set; } = timestamp;

    public long Count { get; set; } = 1;
}
