using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Server.Access;
using VectorPipe.Server.Connections;

namespace VectorPipe.Server.Tests.Clients;

/// <summary>Clients that say nothing, and those that do not say who they are.</summary>
internal sealed class SilentClientTests
{
    private const int TimeoutSeconds = 300;

    private static readonly TimeSpan _timeout = TimeSpan.FromSeconds(TimeoutSeconds);
    private static readonly TimeSpan _longestUnknown = TimeSpan.FromSeconds(new ServerOptions().LoginSeconds);

    [Test]
    public async Task A_client_that_is_silent_for_the_time_out_is_closed_and_one_that_is_not_goes_on()
    {
        var time = new ManualTime();
        await using RunningServer server = await RunningServer.StartAsync(options => options.TimeoutSeconds = TimeoutSeconds, time);
        using RespClient silent = await server.ConnectAsync(), other = await server.ConnectAsync();
        await silent.CallAsync("PING");
        await other.CallAsync("PING");
        time.Advance(_timeout / 2);
        await other.CallAsync("PING");
        time.Advance(_timeout / 2);
        Assert.That(await silent.IsClosedAsync());
        Assert.That(await other.CallAsync("PING"), Is.EqualTo("+PONG\r\n"));
        time.Advance(_timeout);
        Assert.That(await other.IsClosedAsync());
    }

    [Test]
    public async Task A_client_that_listens_to_a_channel_may_be_silent()
    {
        var time = new ManualTime();
        await using RunningServer server = await RunningServer.StartAsync(options => options.TimeoutSeconds = TimeoutSeconds, time);
        using RespClient client = await server.ConnectAsync();
        await client.CallAsync("SUBSCRIBE", "news");
        time.Advance(_timeout);
        time.Advance(_timeout);
        Assert.That(await client.CallAsync("PING"), Does.Contain("pong"));
        await client.CallAsync("UNSUBSCRIBE", "news");
        time.Advance(_timeout);
        Assert.That(await client.IsClosedAsync());
    }

    [Test]
    public async Task Without_a_time_out_no_client_is_too_silent()
    {
        var time = new ManualTime();
        await using RunningServer server = await RunningServer.StartAsync(clock: time);
        using RespClient client = await server.ConnectAsync();
        await client.CallAsync("PING");
        time.Advance(TimeSpan.FromDays(365));
        Assert.That(await client.CallAsync("PING"), Is.EqualTo("+PONG\r\n"));
    }

    [Test]
    public async Task Who_has_not_given_the_password_in_time_is_closed()
    {
        var time = new ManualTime();
        await using RunningServer server = await RunningServer.StartAsync(options => options.Password = "secret", time);
        using RespClient stranger = await server.ConnectAsync(), friend = await server.ConnectAsync();
        await stranger.CallAsync("PING");
        Assert.That(await friend.CallAsync("AUTH", "secret"), Is.EqualTo("+OK\r\n"));
        time.Advance(_longestUnknown / 2);
        Assert.That(await stranger.CallAsync("PING"), Does.StartWith("-NOAUTH"));
        time.Advance(_longestUnknown / 2);
        Assert.That(await stranger.IsClosedAsync());
        Assert.That(await friend.CallAsync("PING"), Is.EqualTo("+PONG\r\n"));
    }

    [Test]
    public async Task Half_a_command_does_not_count_as_a_password()
    {
        var time = new ManualTime();
        await using RunningServer server = await RunningServer.StartAsync(options => options.Password = "secret", time);
        using RespClient stranger = await server.ConnectAsync();
        await stranger.CallAsync("PING");
        await stranger.SendAsync("*2\r\n$4\r\nAUTH\r\n"u8.ToArray());
        time.Advance(_longestUnknown);
        Assert.That(await stranger.IsClosedAsync());
    }

    [TestCase(false, false, 1)]
    [TestCase(true, false, 0)]
    [TestCase(false, true, 0)]
    public void Nodes_and_clients_whose_commands_run_may_be_silent(bool isNode, bool isBusy, int closed)
    {
        var time = new ManualTime();
        var access = AccessList.Open(password: null, file: null, time);
        using var places = new SemaphoreSlim(1, 1);
        using var cursors = new ClientCursors(time, places);
        var state = new ServerState(new ServerOptions { TimeoutSeconds = TimeoutSeconds }, null!, access, NullLogger.Instance, time);
        var session = new ClientSession(1, new DefaultConnectionContext(), state, cursors) { IsNode = isNode };
        int closes = 0;
        using var watch = new ConnectionWatch(state, session, () => isBusy, () => closes++);
        time.Advance(_timeout);
        time.Advance(_timeout);
        Assert.That(closes, Is.EqualTo(closed));
    }

    [TestCase(-1)]
    [TestCase(31_536_001)]
    public void A_wrong_time_out_is_named(int seconds) =>
        Assert.That(new ServerOptions { TimeoutSeconds = seconds }.FindError(), Does.StartWith("--timeout: expected"));
}
