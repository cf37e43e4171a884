namespace VectorPipe.Server.Commands;

/// <summary>What may run beside a command of the same client.</summary>
internal enum CommandKind
{
    /// <summary>Nothing: it waits for all before it, and all after it wait for it.</summary>
    Control,

    /// <summary>Other reads.</summary>
    Read,

    /// <summary>Other writes of this kind, of other elements.</summary>
    Put,
}
