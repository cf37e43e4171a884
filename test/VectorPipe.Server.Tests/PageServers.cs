using CommandLine;
using NUnit.Framework;

namespace VectorPipe.Server.Tests;

/// <summary>The command lines of the server that pages show.</summary>
internal static class PageServers
{
    private const string Program = "vectorpipe-server", Help = "--help";

    /// <summary>Those of blocks, and those that sentences name with more than their help.</summary>
    public static PageCommand[] All() =>
    [
        .. PageCommand.All().Where(command => command.Program == Program),
        .. PageCommand.InSentences(Program).Where(command => !command.Text.Contains(Help, StringComparison.Ordinal)),
    ];

    /// <summary>The options of a command line, which must be without errors, for a folder and free ports of its own.</summary>
    /// <param name="command">The command; a file of options that it names is in the current folder.</param>
    /// <param name="folder">The folder that stands for the current one.</param>
    public static ServerOptions Parse(PageCommand command, string folder)
    {
        string[] words = ShellLine.Parse(command.Text).Words[1..];
        ParserResult<ServerOptions> parsed;
        using (var parser = new Parser(settings => settings.ParsingCulture = System.Globalization.CultureInfo.InvariantCulture))
            parsed = parser.ParseArguments<ServerOptions>(ConfigurationFile.Expand(words));
        Assert.That(parsed.Errors, Is.Empty, $"{command}");
        ServerOptions options = parsed.Value;
        Assert.That(options.FindError(), Is.Null, $"{command}");
        options.Port = 0;
        options.HttpPort = Math.Min(options.HttpPort, 0);
        options.Directory = Path.Combine(folder, options.Directory);
        return options;
    }

    /// <summary>Asks a server whether it is there, and to stop, and waits until it does.</summary>
    public static async Task StopAsync(VectorSetServer server)
    {
        using (RespClient client = await RespClient.ConnectAsync(server.Port))
        {
            Assert.That(await client.CallAsync("PING"), Is.EqualTo("+PONG\r\n"));
            Assert.That(await client.CallAsync("SHUTDOWN"), Is.EqualTo("+OK\r\n"));
        }

        using var limit = new CancellationTokenSource(HangBound.Patience);
        await server.WaitForStopAsync(limit.Token);
        Assert.That(limit.IsCancellationRequested, Is.False, "it has stopped because it was asked to");
    }
}
