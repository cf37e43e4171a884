namespace VectorPipe.Server.Access;

/// <summary>A file of users does not hold what it should; the message names the line.</summary>
internal sealed class AccessFileException(string message) : Exception(message);
