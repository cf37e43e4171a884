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

    // There are dozens of calls a connection: what a large one left is not kept.
    private const int MostKeptHits = 128;
    private const int MostKeptComponents = 4096;

    private static readonly UTF8Encoding _strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private float[] _vector = [];
    private RespWriter? _passedOn;
    private ValueTask _run;

    public ServerState Server { get; } = server;

    public ClientSession Session { get; } = session;

    public RespCommand Command { get; } = new(session.Blocks);

    public RespWriter Reply { get; } = new(server.Options.ReplyBytes);

    /// <summary>Room for the command as another node is to carry it out.</summary>
    public RespWriter PassedOn => _passedOn ??= new RespWriter();

    /// <summary>What it writes and holds while it runs; known to <see cref="RunningCalls"/> alone.</summary>
    public int RunningElement { get; set; }

    /// <inheritdoc cref="RunningElement"/>
    public int RunningBytes { get; set; }

    /// <summary>The hits of a search; with a filter, the nearest, whether they match or not.</summary>
    public CollectionHitBuffer<string> Hits { get; private set; } = new();

    /// <summary>The places of those hits that match a filter.</summary>
    public List<int> Matches { get; private set; } = [];

    /// <summary>Ends the command early, as its client has gone.</summary>
    public CancellationToken Stop { get; set; }

    /// <summary>The replica that a command is about, held until it has ended; null on a server of its own.</summary>
    public VectorSet? Replica { get; set; }

    public int Count => Command.Count;

    /// <summary>Whether the reply is whole.</summary>
    public bool HasEnded => _run.IsCompleted;

    /// <summary>Begins to carry out the command.</summary>
    public void Run(CommandInfo? info, RunningCalls running)
    {
#pragma warning disable CA2012 // The writer of replies awaits it, once, before the call is used again.
        _run = CommandRunner.RunAsync(info, this, running);
#pragma warning restore CA2012
    }

    /// <summary>Ends when the reply is whole. Awaited once, by the writer of replies.</summary>
    public ValueTask EndAsync() => _run;

    /// <summary>Before the next command. The one before has ended, so nothing uses its vector or its hits any more.</summary>
    public void Clear()
    {
        Command.Clear();
        Reply.Clear();
        _passedOn?.Clear();
        Replica = null;
        _run = default;
        if (Hits.Count > MostKeptHits)
            Hits = new CollectionHitBuffer<string>();
        if (Matches.Capacity > MostKeptHits)
            Matches = [];
        if (_vector.Length > MostKeptComponents)
            _vector = [];
    }

    /// <summary>Room for the vector of the command.</summary>
    /// <param name="length">Its components.</param>
    public float[] VectorOf(int length) => _vector.Length == length ? _vector : _vector = new float[length];

    /// <summary>The set that an argument names, held for the caller; null if there is none. In a cluster, the replica.</summary>
    /// <exception cref="CommandException">The name is too long.</exception>
    public HeldSet? FindSet(int index)
    {
        if (Server.Router is not null)
            return Replica is { } replica && replica.TryHold() ? new HeldSet(replica) : null;
        Span<char> name = stackalloc char[MostNameBytes];
        return Server.Sets.Find(name[..Encoding.Latin1.GetChars(SetNameBytes(index), name)]);
    }

    /// <summary>The name of a set: a byte a character, so that any bytes are a name.</summary>
    /// <exception cref="CommandException">It is too long.</exception>
    public string SetName(int index) => Encoding.Latin1.GetString(SetNameBytes(index));

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

    private ReadOnlySpan<byte> SetNameBytes(int index)
    {
        ReadOnlySpan<byte> name = Command[index];
        return name.Length <= MostNameBytes
            ? name
            : throw new CommandException($"ERR key name: expected at most {MostNameBytes} bytes, found {name.Length}");
    }
}
