using Microsoft.Extensions.Logging;

namespace VectorPipe.Server;

/// <summary>What the server logs.</summary>
internal static partial class ServerLog
{
    [LoggerMessage(EventId = 1, Level = LogLevel.Information, Message = "{Sets} vector sets of {Folder} are served on port {Port}.")]
    public static partial void Started(ILogger logger, int sets, string folder, int port);

    [LoggerMessage(EventId = 2, Level = LogLevel.Warning, Message = "{Path}: a set that was not made, or was removed, is deleted.")]
    public static partial void RemainsDeleted(ILogger logger, string path);

    [LoggerMessage(EventId = 3, Level = LogLevel.Error, Message = "Command {Command} of client {Client} failed.")]
    public static partial void CommandFailed(ILogger logger, Exception exception, string command, long client);

    [LoggerMessage(EventId = 4, Level = LogLevel.Warning, Message = "Client {Client} at {Address} is closed: {Reason}")]
    public static partial void ClientClosed(ILogger logger, long client, string address, string reason);

    [LoggerMessage(EventId = 5, Level = LogLevel.Information, Message = "All clients are closed, all sets are on disk.")]
    public static partial void Stopped(ILogger logger);

    [LoggerMessage(EventId = 6, Level = LogLevel.Error, Message = "Request of {Path} failed.")]
    public static partial void RequestFailed(ILogger logger, Exception exception, string path);
}
