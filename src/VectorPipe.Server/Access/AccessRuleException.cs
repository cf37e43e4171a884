namespace VectorPipe.Server.Access;

/// <summary>A rule about a user cannot be followed; the message says why.</summary>
internal sealed class AccessRuleException(string message) : Exception(message);
