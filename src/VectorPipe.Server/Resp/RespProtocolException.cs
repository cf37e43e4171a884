namespace VectorPipe.Server.Resp;

/// <summary>Bytes that are no command. The connection cannot go on: where the next command begins is unknown.</summary>
internal sealed class RespProtocolException(string message) : Exception("Protocol error: " + message);
