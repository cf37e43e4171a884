using System.Buffers;
using System.Text;
using NUnit.Framework;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Tests.Resp;

/// <summary>Commands come out as they went in, however their bytes are split; what is no command is an error.</summary>
[TestFixture]
public sealed class RespParserTests
{
    private static readonly RespLimits _limits = new(Arguments: 5, BulkBytes: 20, CommandBytes: 40, InlineBytes: 30);

    [TestCase("*1\r\n$4\r\nPING\r\n", "PING")]
    [TestCase("*3\r\n$1\r\na\r\n$0\r\n\r\n$2\r\n\r\n\r\n", "a||\r\n")]
    [TestCase("*0\r\n*1\r\n$1\r\na\r\n", "a")]
    [TestCase("*-1\r\n*1\r\n$1\r\na\r\n", "a")]
    [TestCase("PING\r\n", "PING")]
    [TestCase("PING\n", "PING")]
    [TestCase("\r\n\n  \r\n PING  x \r\n", "PING|x")]
    [TestCase("a \"b c\" 'd e' f\r\n", "a|b c|d e|f")]
    [TestCase("a \"\\x41\\n\\\"\\q\" '\\'\\n'\r\n", "a|A\n\"q|'\\n")]
    [TestCase("a \"\"\r\n", "a|")]
    [TestCase("a b\"c d\"\r\n", "a|bc d")]
    public void A_command_is_the_same_at_every_split(string text, string expected)
    {
        for (int first = 0; first <= text.Length; first++)
        {
            for (int second = first; second <= text.Length; second++)
            {
                string read = Read(_limits, [text[..first], text[first..second], text[second..]]);
                Assert.That(read, Is.EqualTo(expected + "\f"), $"split at {first} and {second}");
            }
        }
    }

    [Test]
    public void Commands_in_one_piece_come_out_one_by_one() =>
        Assert.That(Read(_limits, ["PING\r\n*1\r\n$1\r\na\r\nb c\r\n*2\r\n$1\r\n"]), Is.EqualTo("PING\fa\fb|c\f"));

    [TestCase("*x\r\n", "invalid multibulk length")]
    [TestCase("*\r\n", "invalid multibulk length")]
    [TestCase("*6\r\n", "invalid multibulk length")]
    [TestCase("*99999999999999999999\r\n", "invalid multibulk length")]
    [TestCase("*1\r\nPING\r\n", "expected '$', got 'P'")]
    [TestCase("*1\r\n\r\n", "expected '$', got ' '")]
    [TestCase("*1\r\n$x\r\n", "invalid bulk length")]
    [TestCase("*1\r\n$-1\r\n", "invalid bulk length")]
    [TestCase("*1\r\n$21\r\n", "invalid bulk length")]
    [TestCase("*3\r\n$20\r\naaaaaaaaaaaaaaaaaaaa\r\n$20\r\naaaaaaaaaaaaaaaaaaaa\r\n$1\r\n", "invalid bulk length")]
    [TestCase("a \"b\r\n", "unbalanced quotes in request")]
    [TestCase("a 'b'c\r\n", "unbalanced quotes in request")]
    [TestCase("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "too big inline request")]
    [TestCase("*1111111111111111111111111111111", "too big mbulk count string")]
    [TestCase("*1\r\n$111111111111111111111111111111111", "too big bulk count string")]
    public void What_is_no_command_or_too_large_is_an_error(string text, string message)
    {
        Assert.That(() => Read(_limits, [text]), Throws.TypeOf<RespProtocolException>().With.Message.EqualTo("Protocol error: " + message));
        Assert.That(() => Read(_limits, text.Select(character => character.ToString())), Throws.TypeOf<RespProtocolException>());
    }

    [TestCase(50_000, 1)]
    [TestCase(10_000_000, 2, Category = "Heavy")]
    public void Any_bytes_are_commands_or_an_error(int cases, int seed)
    {
        string[] words = ["*", "$", "1", "2", "-1", "\r\n", "\r", "\n", "PING", " ", "\"", "'", "\\", "\\x4", "\0", "a", "\xff"];
        var random = new Random(seed);
        var text = new StringBuilder();
        int commands = 0, errors = 0;
        for (int i = 0; i < cases; i++)
        {
            text.Clear();
            for (int left = random.Next(1, 20); left > 0; left--)
                text.Append(words[random.Next(words.Length)]);
            string whole = text.ToString();
            int split = random.Next(whole.Length);
            try
            {
                string read = Read(_limits, [whole[..split], whole[split..]]);
                commands += read.Length > 0 ? 1 : 0;
                if (i % 16 == 0)
                    Assert.That(Read(_limits, [whole]), Is.EqualTo(read), "the same in one piece");
            }
            catch (RespProtocolException)
            {
                errors++;
            }
        }

        Assert.That((commands, errors), Is.GreaterThan((cases / 50, cases / 50)), "both happen");
    }

    // All commands of bytes that come piece by piece: | between arguments, \f behind a command.
    private static string Read(RespLimits limits, IEnumerable<string> pieces)
    {
        var parser = new RespParser { Limits = limits };
        var command = new RespCommand();
        var read = new StringBuilder();
        byte[] kept = [];
        foreach (string piece in pieces)
        {
            var buffer = new ReadOnlySequence<byte>([.. kept, .. Encoding.Latin1.GetBytes(piece)]);
            while (parser.TryRead(ref buffer, command))
            {
                read.AppendJoin('|', Enumerable.Range(0, command.Count).Select(at => Encoding.Latin1.GetString(command[at]))).Append('\f');
                command.Clear();
            }

            kept = buffer.ToArray();
        }

        return read.ToString();
    }
}
