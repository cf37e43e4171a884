using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Connections;

/// <summary>Serves a connection from its first byte to its end.</summary>
internal sealed class RespConnectionHandler(ServerState server) : ConnectionHandler
{
    private readonly ServerState _server = server;

    public override async Task OnConnectedAsync(ConnectionContext connection)
    {
        using var cursors = new ClientCursors(_server.Clock, _server.CursorPlaces);
        var session = new ClientSession(_server.NextClient(), connection, _server, cursors);
        _server.Clients[session.Id] = session;

        // Clients that lost their power or their way are found out within minutes, and make room.
        connection.Features.Get<IConnectionSocketFeature>()?.Socket.SetSocketOption(
            SocketOptionLevel.Socket, SocketOptionName.KeepAlive, optionValue: true);
        try
        {
            if (_server.Clients.Count > _server.Options.MaxClients)
            {
                _server.CountRefused();
                var writer = new RespWriter();
                writer.Error("ERR max number of clients reached");
                await connection.Transport.Output.WriteAsync(writer.Written.ToArray(), connection.ConnectionClosed);
                return;
            }

            using var loop = new CommandLoop(_server, session, connection);
            await loop.RunAsync();
        }
        catch (Exception e) when (e is ConnectionResetException or ConnectionAbortedException or OperationCanceledException)
        {
            // The client has gone, or was closed: nobody waits for an answer.
        }
        finally
        {
            _server.Clients.TryRemove(session.Id, out _);
        }
    }
}
