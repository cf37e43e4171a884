using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using NUnit.Framework;
using VectorPipe.Bench.Servers;

namespace VectorPipe.Bench.Tests;

/// <summary>A sender that has half a millisecond until its next command sleeps, and wakes for replies.</summary>
public sealed class SocketWaitTests
{
    [Test]
    public void A_wait_of_less_than_a_millisecond_lasts_as_long()
    {
        (Socket here, Socket there) = Connect();
        using (here)
        using (there)
        {
            var time = TimeSpan.FromMicroseconds(500);
            long start = Stopwatch.GetTimestamp();
            Assert.That(SocketWait.ForBytes(here, time), Is.False);
            Assert.That(Stopwatch.GetElapsedTime(start), Is.GreaterThanOrEqualTo(time));
        }
    }

    [Test]
    public void It_ends_with_the_first_bytes_and_with_the_connection()
    {
        (Socket here, Socket there) = Connect();
        using (here)
        {
            there.Send("+"u8);
            Assert.That(SocketWait.ForBytes(here, HangBound.Patience));
            here.Receive(new byte[1]);
            there.Dispose();
            Assert.That(SocketWait.ForBytes(here, HangBound.Patience));
        }
    }

    private static (Socket Here, Socket There) Connect()
    {
        using var listener = new Socket(SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var here = new Socket(SocketType.Stream, ProtocolType.Tcp);
        here.Connect(listener.LocalEndPoint!);
        return (here, listener.Accept());
    }
}
