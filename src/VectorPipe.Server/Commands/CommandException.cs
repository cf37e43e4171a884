namespace VectorPipe.Server.Commands;

/// <summary>A command cannot be carried out; the message is the reply, with its code.</summary>
internal sealed class CommandException(string message) : Exception(message)
{
    public static CommandException WrongCount(string command) => new($"ERR wrong number of arguments for '{command}' command");

    public static CommandException UnknownSubcommand(Call call, string command) => new(
        $"ERR unknown subcommand or wrong number of arguments for '{call.Command.Text(1)}'. Try {command} HELP.");

    public static CommandException Syntax() => new("ERR syntax error");
}
