using System.Buffers.Text;
using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace VectorPipe.Bench.Servers;

/// <summary>A connection that speaks version 2 of Redis's protocol: commands go out together, replies are taken one by one.</summary>
/// <remarks>Not thread-safe. Blocks; allocates nothing per reply.</remarks>
internal sealed class ServerConnection : IDisposable
{
    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private byte[] _received = new byte[64 << 10];
    private int _start;
    private int _end;
    private byte[] _toSend = new byte[64 << 10];
    private int _length;

    /// <summary>Connects to a server of this machine.</summary>
    /// <exception cref="IOException">There is none.</exception>
    public ServerConnection(int port)
    {
        try
        {
            _socket.Connect(IPAddress.Loopback, port);
        }
        catch (SocketException e)
        {
            _socket.Dispose();
            throw new IOException($"Port {port} of this machine: expected a server, found: {e.Message}", e);
        }
    }

    /// <summary>The numbers in the array that was the last reply.</summary>
    public List<long> Numbers { get; } = [];

    /// <summary>A command.</summary>
    public static byte[] Encode(IReadOnlyList<byte[]> words)
    {
        using var bytes = new MemoryStream();
        bytes.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"*{words.Count}\r\n")));
        foreach (byte[] word in words)
        {
            bytes.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"${word.Length}\r\n")));
            bytes.Write(word);
            bytes.Write("\r\n"u8);
        }

        return bytes.ToArray();
    }

    /// <inheritdoc cref="Encode(IReadOnlyList{byte[]})"/>
    public static byte[] Encode(params string[] words) => Encode([.. words.Select(Encoding.UTF8.GetBytes)]);

    /// <summary>Adds a command to those that <see cref="Flush"/> sends.</summary>
    public void Add(ReadOnlySpan<byte> command)
    {
        if (_length + command.Length > _toSend.Length)
            Array.Resize(ref _toSend, Math.Max(2 * _toSend.Length, _length + command.Length));
        command.CopyTo(_toSend.AsSpan(_length));
        _length += command.Length;
    }

    /// <summary>Sends the commands.</summary>
    /// <exception cref="IOException">The server has closed the connection.</exception>
    public void Flush()
    {
        for (int sent = 0; sent < _length;)
        {
            int count = _socket.Send(_toSend.AsSpan(sent, _length - sent), SocketFlags.None, out SocketError error);
            sent += error == SocketError.Success ? count : throw Gone(error);
        }

        _length = 0;
    }

    /// <summary>Sends what fits without waiting for the other side.</summary>
    public void SendWithoutWaiting(ReadOnlySpan<byte> bytes)
    {
        _socket.Blocking = false;
        while (_socket.Poll(0, SelectMode.SelectWrite))
        {
            _socket.Send(bytes, SocketFlags.None, out SocketError error);
            if (error != SocketError.Success)
                return;
        }
    }

    /// <summary>Whether bytes come within a time, in ticks of <see cref="Stopwatch"/>. The thread sleeps until then.</summary>
    public bool Waits(long ticks) => SocketWait.ForBytes(_socket, Stopwatch.GetElapsedTime(0, Math.Max(0, ticks)));

    /// <summary>Takes the bytes that have come, at least some.</summary>
    /// <exception cref="IOException">The server has closed the connection.</exception>
    public void Receive()
    {
        if (_start > 0)
        {
            _received.AsSpan(_start, _end - _start).CopyTo(_received);
            _end -= _start;
            _start = 0;
        }

        if (_end == _received.Length)
            Array.Resize(ref _received, 2 * _received.Length);
        int count = _socket.Receive(_received.AsSpan(_end), SocketFlags.None, out SocketError error);
        if (count == 0)
            throw Gone(error);
        _end += count;
    }

    /// <summary>Takes the next reply if it has come as a whole.</summary>
    /// <param name="error">The text, if it is an error.</param>
    /// <returns>Whether there was one; its numbers are in <see cref="Numbers"/>.</returns>
    public bool TryTake(out string? error)
    {
        error = null;
        int at = _start;
        Numbers.Clear();
        if (!TryValue(ref at, ref error))
            return false;
        _start = at;
        return true;
    }

    /// <summary>Sends a command and waits for its reply.</summary>
    /// <returns>Its bytes.</returns>
    /// <exception cref="IOException">It is an error.</exception>
    public string Call(params string[] words)
    {
        Add(Encode(words));
        Flush();
        string? error;
        int start;
        while (true)
        {
            start = _start;
            if (TryTake(out error))
                break;
            Receive();
        }

        return error is null
            ? Encoding.UTF8.GetString(_received, start, _start - start)
            : throw new IOException($"The server: expected a reply to {words[0]}, found '{error}'.");
    }

    public void Dispose() => _socket.Dispose();

    private bool TryValue(ref int at, ref string? error)
    {
        int line = _received.AsSpan(at, _end - at).IndexOf("\r\n"u8);
        if (line < 0)
            return false;
        ReadOnlySpan<byte> text = _received.AsSpan(at + 1, line - 1);
        byte type = _received[at];
        at += line + 2;
        switch (type)
        {
            case (byte)'-':
                error = Encoding.UTF8.GetString(text);
                return true;
            case (byte)'$':
                return TryBulk(Number(text), ref at);
            case (byte)'*':
                long count = Number(text);
                for (long i = 0; i < count; i++)
                {
                    if (!TryValue(ref at, ref error))
                        return false;
                }

                return true;
            case (byte)':':
                Numbers.Add(Number(text));
                return true;
            default:
                return true;
        }
    }

    private bool TryBulk(long length, ref int at)
    {
        if (length < 0)
            return true;
        if (at + length + 2 > _end)
            return false;
        if (Utf8Parser.TryParse(_received.AsSpan(at, (int)length), out long number, out int read) && read == length)
            Numbers.Add(number);
        at += (int)length + 2;
        return true;
    }

    private static IOException Gone(SocketError error) =>
        new($"The server: expected replies, found the end of the connection ({error}).");

    private static long Number(ReadOnlySpan<byte> text) => Utf8Parser.TryParse(text, out long number, out _)
        ? number
        : throw new IOException($"The server: expected a number, found '{Encoding.UTF8.GetString(text)}'.");
}
