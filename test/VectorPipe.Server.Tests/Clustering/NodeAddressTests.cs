using NUnit.Framework;
using VectorPipe.Cluster.Links;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Where nodes say that they are reached.</summary>
internal sealed class NodeAddressTests
{
    [TestCase("host", "host:5")]
    [TestCase("host:7001", "host:7001")]
    [TestCase("node_1.example", "node_1.example:5")]
    [TestCase("10.0.0.1", "10.0.0.1:5")]
    [TestCase("10.0.0.1:65535", "10.0.0.1:65535")]
    [TestCase("::1", "[::1]:5")]
    [TestCase("2001:db8::1", "[2001:db8::1]:5")]
    [TestCase("[2001:db8::1]", "[2001:db8::1]:5")]
    [TestCase("[2001:db8::1]:7001", "[2001:db8::1]:7001")]
    public void An_address_has_the_port_that_it_names_or_that_of_the_node(string text, string expected)
    {
        Assert.That(NodeAddress.Find(text, 5).ToString(), Is.EqualTo(expected));
        Assert.That(NodeAddress.Find(expected, 9).ToString(), Is.EqualTo(expected), "as the catalogue has it");
        Assert.That(new ServerOptions { Cluster = "any", Announce = text }.FindError(), Is.Null);
    }

    [TestCase("")]
    [TestCase(":7001")]
    [TestCase("host:")]
    [TestCase("host:redis")]
    [TestCase("host:0")]
    [TestCase("host:65536")]
    [TestCase("host:-1")]
    [TestCase("host:+1")]
    [TestCase("host: 1")]
    [TestCase("host:1:2")]
    [TestCase("two hosts")]
    [TestCase("[host]:7001")]
    [TestCase("[10.0.0.1]:7001")]
    [TestCase("[::1")]
    [TestCase("[::1]7001")]
    [TestCase("[::1]:")]
    [TestCase("::1]:7001")]
    public async Task What_is_none_is_said_at_the_start(string text)
    {
        Assert.That(
            new ServerOptions { Cluster = "any", Announce = text }.FindError(),
            Is.EqualTo($"--announce: expected host, host:port, an IPv6 address or [IPv6 address]:port, with a port of 1 to 65535, "
                + $"found '{text}'"));

        // One that the catalogue has all the same is a node that cannot be reached.
        await using var link = new NodeLink(text, password: null, TimeProvider.System);
        using var inbox = new ReplyInbox(TimeProvider.System);
        link.Begin(new LinkCall(inbox, HangBound.Patience), LinkCommand.Encode(["PING"u8.ToArray()]));
        LinkCall? ended = await inbox.NextAsync(HangBound.Patience);
        Assert.That(ended?.Failure?.Message, Is.EqualTo($"expected the host and the port of a node, found '{text}'"));
    }
}
