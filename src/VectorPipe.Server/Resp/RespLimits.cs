namespace VectorPipe.Server.Resp;

/// <summary>Bounds of what a client may send. Beyond them its connection is closed with an error.</summary>
/// <param name="Arguments">Most arguments of a command.</param>
/// <param name="BulkBytes">Most bytes of an argument.</param>
/// <param name="CommandBytes">Most bytes of all arguments of a command.</param>
/// <param name="InlineBytes">Most bytes of a command in one line, and of a line that announces a length.</param>
internal sealed record RespLimits(int Arguments, int BulkBytes, int CommandBytes, int InlineBytes)
{
    /// <summary>Most arguments that a command may have by any option.</summary>
    public const int MostArguments = 1 << 20;

    /// <summary>Most bytes that a command, and replies that wait, may have by any option.</summary>
    public const int MostBytes = 256 << 20;

    /// <summary>As Redis has it.</summary>
    public const int MostInlineBytes = 64 << 10;

    /// <summary>Before a password was given: enough to give it.</summary>
    public static RespLimits Unauthenticated { get; } = new(10, 16 << 10, 64 << 10, 16 << 10);

    /// <summary>Of another node, which passes on what its own options allow.</summary>
    public static RespLimits Node { get; } = new(MostArguments, MostBytes, MostBytes, MostInlineBytes);
}
