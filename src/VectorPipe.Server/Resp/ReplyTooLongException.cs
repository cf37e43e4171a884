namespace VectorPipe.Server.Resp;

/// <summary>A reply takes more memory than a client may take.</summary>
internal sealed class ReplyTooLongException(int most)
    : Exception($"reply: expected at most {most} bytes, found more; ask for less at once");
