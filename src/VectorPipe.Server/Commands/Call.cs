using System.Buffers.Text;
using System.Text;
using VectorPipe.Server.Connections;
using VectorPipe.Server.Resp;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Commands;

/// <summary>A command of a client on its way from its arguments to its reply; used again for the next one.</summary>
internal sealed class Call(ServerState server, ClientSession session)
{
    /// <summary>Most bytes of an element's name: those of a key of a collection.</summary>
    public const int MostElementBytes = 512;

    private const int MostNameBytes = 1024;

    private static readonly UTF8Encoding _strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    public ServerState Server { get; } = server;

    public ClientSession Session { get; } = session;

    public RespCommand Command { get; } = new();

    public RespWriter Reply { get; } = new();

    /// <summary>What is being done; ends when the reply is whole.</summary>
    public Task Task { get; set; } = Task.CompletedTask;

    /// <summary>Ends the command early, as its client has gone.</summary>
    public CancellationToken Stop { get; set; }

    /// <summary>The replica that a command is about, held until it has ended; null on a server of its own.</summary>
    public VectorSet? Replica { get; set; }

    public int Count => Command.Count;

    /// <summary>Before the next command.</summary>
    public void Clear()
    {
        Command.Clear();
        Reply.Clear();
        Replica = null;
        Task = Task.CompletedTask;
    }

    /// <summary>The set that an argument names, held for the caller; null if there is none. In a cluster, the replica.</summary>
    /// <exception cref="CommandException">The name is too long.</exception>
    public HeldSet? FindSet(int index) => Server.Router is null
        ? Server.Sets.Find(SetName(index))
        : Replica is { } replica && replica.TryHold() ? new HeldSet(replica) : null;

    /// <summary>The name of a set: a byte a character, so that any bytes are a name.</summary>
    /// <exception cref="CommandException">It is too long.</exception>
    public string SetName(int index)
    {
        ReadOnlySpan<byte> name = Command[index];
        return name.Length <= MostNameBytes
            ? Encoding.Latin1.GetString(name)
            : throw new CommandException($"ERR key name: expected at most {MostNameBytes} bytes, found {name.Length}");
    }

    /// <summary>The name of an element.</summary>
    /// <exception cref="CommandException">It is too long, or no UTF-8.</exception>
    public string Element(int index)
    {
        ReadOnlySpan<byte> name = Command[index];
        if (name.Length is 0 or > MostElementBytes)
            throw new CommandException($"ERR element name: expected 1 to {MostElementBytes} bytes, found {name.Length}");
        try
        {
            return _strict.GetString(name);
        }
        catch (DecoderFallbackException)
        {
            throw new CommandException("ERR element name: expected UTF-8, found other bytes");
        }
    }

    /// <summary>A pattern of names, a byte a character.</summary>
    /// <exception cref="CommandException">It is too long.</exception>
    public string Pattern(int index)
    {
        ReadOnlySpan<byte> pattern = Command[index];
        return pattern.Length <= MostNameBytes
            ? Encoding.Latin1.GetString(pattern)
            : throw new CommandException($"ERR pattern: expected at most {MostNameBytes} bytes, found {pattern.Length}");
    }

    /// <summary>Whether an argument is an integer.</summary>
    public bool TryInteger(int index, out long value)
    {
        ReadOnlySpan<byte> text = Command[index];
        return Utf8Parser.TryParse(text, out value, out int read) && read == text.Length && text[0] != '+';
    }

    /// <summary>Whether an argument is a number.</summary>
    public bool TryNumber(int index, out double value) => TryNumber(Command[index], out value);

    /// <inheritdoc cref="TryNumber(int, out double)"/>
    public static bool TryNumber(ReadOnlySpan<byte> text, out double value)
    {
        if (!text.IsEmpty && text[0] == '+')
            text = text[1..];
        return Utf8Parser.TryParse(text, out value, out int read) && read == text.Length;
    }
}
