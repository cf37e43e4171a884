using NUnit.Framework;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>Ranges of names that are larger than a reply.</summary>
[TestFixture]
public sealed class RangeTests
{
    [Test]
    public void No_more_names_are_collected_than_a_reply_has_room_for()
    {
        // Ten bytes each, with what is around a name.
        const int Room = 100;
        var all = new FirstNames(int.MaxValue, Room);
        for (int i = 0; i < 10; i++)
            all.Add("name"u8.ToArray());
        Assert.That(() => all.Add("name"u8.ToArray()), Throws.InstanceOf<ReplyTooLongException>());

        var first = new FirstNames(10, Room);
        for (int i = 1000; i > 0; i--)
            first.Add([0, 0, (byte)(i >> 8), (byte)i]);
        Assert.That(first.ToArray().Select(name => (int)name[3]), Is.EqualTo(Enumerable.Range(1, 10)));
    }

    [Test]
    public async Task A_range_without_room_in_a_reply_is_an_error_and_a_part_of_it_is_not()
    {
        await using RunningServer server = await RunningServer.StartAsync(options => options.ReplyBytes = 100);
        using RespClient client = await server.ConnectAsync();
        for (int i = 10; i < 30; i++)
            await client.CallAsync("VADD", "k", "VALUES", "1", "1", $"{i}");
        Assert.That(
            await client.CallAsync("VRANGE", "k", "-", "+"),
            Is.EqualTo("-ERR reply: expected at most 100 bytes, found more; ask for less at once\r\n"));
        Assert.That(await client.CallAsync("VRANGE", "k", "-", "+", "2"), Is.EqualTo("*2\r\n$2\r\n10\r\n$2\r\n11\r\n"));
    }
}
