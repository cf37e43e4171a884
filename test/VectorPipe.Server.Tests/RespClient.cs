using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace VectorPipe.Server.Tests;

/// <summary>A client that shows replies byte by byte. Texts stand for bytes, a character a byte.</summary>
internal sealed class RespClient : IDisposable
{
    private readonly Socket _socket;
    private readonly NetworkStream _stream;
    private readonly BufferedStream _input;

    private RespClient(Socket socket)
    {
        _socket = socket;
        _stream = new NetworkStream(socket);
        _input = new BufferedStream(_stream);
    }

    public static async Task<RespClient> ConnectAsync(int port)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync(IPAddress.Loopback, port);
        return new RespClient(socket);
    }

    /// <summary>A command as an array of bulk strings.</summary>
    public static byte[] Encode(params IReadOnlyCollection<string> arguments)
    {
        var text = new StringBuilder().Append(CultureInfo.InvariantCulture, $"*{arguments.Count}\r\n");
        foreach (string argument in arguments)
            text.Append(CultureInfo.InvariantCulture, $"${argument.Length}\r\n").Append(argument).Append("\r\n");
        return Encoding.Latin1.GetBytes(text.ToString());
    }

    /// <summary>Sends a command and reads its reply.</summary>
    public async Task<string> CallAsync(params string[] arguments)
    {
        await SendAsync(Encode(arguments));
        return await ReadReplyAsync();
    }

    /// <summary>Sends commands, some at once, and reads their replies.</summary>
    public async Task<IReadOnlyList<string>> CallAllAsync(IEnumerable<byte[]> commands)
    {
        var replies = new List<string>();
        foreach (byte[][] some in commands.Chunk(100))
        {
            await SendAsync(some.SelectMany(bytes => bytes).ToArray());
            foreach (byte[] _ in some)
                replies.Add(await ReadReplyAsync());
        }

        return replies;
    }

    public async Task SendAsync(ReadOnlyMemory<byte> bytes) => await _stream.WriteAsync(bytes);

    /// <summary>No more commands come.</summary>
    public void EndSending() => _socket.Shutdown(SocketShutdown.Send);

    /// <summary>Reads a reply with all that belongs to it.</summary>
    public async Task<string> ReadReplyAsync()
    {
        var reply = new StringBuilder();
        for (long values = 1; values > 0; values--)
        {
            string line = await ReadLineAsync();
            reply.Append(line);
            bool hasNumber = line[0] is '$' or '*' or '%' or '>' or '~';
            long number = hasNumber ? long.Parse(line.AsSpan(1).TrimEnd(), CultureInfo.InvariantCulture) : 0;
            if (line[0] == '$' && number >= 0)
                reply.Append(await ReadBytesAsync((int)number + 2));
            else if (line[0] is '*' or '>' or '~')
                values += Math.Max(0, number);
            else if (line[0] == '%')
                values += 2 * number;
        }

        return reply.ToString();
    }

    /// <summary>Whether the server has closed the connection.</summary>
    public async Task<bool> IsClosedAsync()
    {
        try
        {
            return await _input.ReadAsync(new byte[1]) == 0;
        }
        catch (IOException)
        {
            return true;
        }
    }

    public void Dispose()
    {
        _input.Dispose();
        _stream.Dispose();
        _socket.Dispose();
    }

    private async Task<string> ReadLineAsync()
    {
        var line = new StringBuilder();
        do
        {
            line.Append(await ReadBytesAsync(1));
        }
        while (line[^1] != '\n');
        return line.ToString();
    }

    /// <summary>Reads so many bytes of replies.</summary>
    public async Task<string> ReadBytesAsync(int count)
    {
        byte[] bytes = new byte[count];
        await _input.ReadExactlyAsync(bytes);
        return Encoding.Latin1.GetString(bytes);
    }
}
