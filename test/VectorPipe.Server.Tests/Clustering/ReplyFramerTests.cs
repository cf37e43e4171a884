using System.Buffers;
using System.Text;
using NUnit.Framework;
using VectorPipe.Cluster.Links;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Where replies of another node end.</summary>
internal sealed class ReplyFramerTests
{
    private static readonly string[] _replies =
    [
        "+OK\r\n",
        "-ERR no\r\n",
        ":12\r\n",
        "_\r\n",
        "#t\r\n",
        ",0.5\r\n",
        "$0\r\n\r\n",
        "$5\r\na\r\nbc\r\n",
        "$-1\r\n",
        "*-1\r\n",
        "*0\r\n",
        "*2\r\n$1\r\na\r\n*1\r\n:1\r\n",
        "%2\r\n$1\r\na\r\n,1\r\n$1\r\nb\r\n*2\r\n,2\r\n_\r\n",
        "~1\r\n+a\r\n",
    ];

    [Test]
    public void Replies_that_come_in_pieces_end_where_they_end()
    {
        byte[] all = Encoding.ASCII.GetBytes(string.Concat(_replies));
        int[] lengths = [.. _replies.Select(reply => reply.Length)];
        for (int piece = 1; piece <= all.Length; piece++)
        {
            var framer = new ReplyFramer();
            var found = new List<int>();
            int start = 0;
            for (int end = Math.Min(piece, all.Length); ; end = Math.Min(end + piece, all.Length))
            {
                while (framer.TryFind(new ReadOnlySequence<byte>(all, start, end - start), out long length))
                {
                    found.Add((int)length);
                    start += (int)length;
                }

                if (end == all.Length)
                    break;
            }

            Assert.That(found, Is.EqualTo(lengths), $"in pieces of {piece} bytes");
        }
    }

    [TestCase("HTTP/1.1 200\r\n")]
    [TestCase("\r\n")]
    [TestCase("$\r\n")]
    [TestCase("$x\r\n")]
    [TestCase("$-2\r\n")]
    [TestCase("*99999999999\r\n")]
    public void What_is_no_reply_is_refused(string bytes)
    {
        Assert.Throws<InvalidDataException>(
            () => new ReplyFramer().TryFind(new ReadOnlySequence<byte>(Encoding.ASCII.GetBytes(bytes)), out _));
    }

    [Test]
    public void A_line_without_an_end_is_refused()
    {
        byte[] bytes = new byte[100_000];
        bytes.AsSpan().Fill((byte)'+');
        Assert.Throws<InvalidDataException>(() => new ReplyFramer().TryFind(new ReadOnlySequence<byte>(bytes), out _));
    }

    [Test]
    public void Any_bytes_give_a_reply_or_a_typed_error([Range(1, 10)] int seed)
    {
        var random = new Random(seed);
        for (int i = 0; i < 20_000; i++)
        {
            string text = string.Concat(random.GetItems(_replies, 1 + random.Next(3)));
            byte[] bytes = Encoding.ASCII.GetBytes(text);
            bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
            try
            {
                bool isWhole = new ReplyFramer().TryFind(new ReadOnlySequence<byte>(bytes), out long length);
                Assert.That(length, isWhole ? Is.InRange(2, bytes.Length) : Is.Zero);
            }
            catch (InvalidDataException)
            {
                continue;
            }
        }
    }
}
