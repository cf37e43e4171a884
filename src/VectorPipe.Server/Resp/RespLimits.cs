namespace VectorPipe.Server.Resp;

/// <summary>Bounds of what a client may send. Beyond them its connection is closed with an error.</summary>
/// <param name="Arguments">Most arguments of a command.</param>
/// <param name="BulkBytes">Most bytes of an argument.</param>
/// <param name="CommandBytes">Most bytes of all arguments of a command.</param>
/// <param name="InlineBytes">Most bytes of a command in one line, and of a line that announces a length.</param>
internal sealed record RespLimits(int Arguments, int BulkBytes, int CommandBytes, int InlineBytes)
{
    /// <summary>A vector of 65,536 components as texts, with room for options; payloads of the size of the largest vector.</summary>
    public static RespLimits Default { get; } = new(131_100, 16 << 20, 64 << 20, 64 << 10);

    /// <summary>Before a password was given: enough to give it.</summary>
    public static RespLimits Unauthenticated { get; } = new(10, 16 << 10, 64 << 10, 16 << 10);
}
