namespace VectorPipe.Server.Commands;

/// <summary>A command cannot be carried out; the message is the reply, with its code.</summary>
internal sealed class CommandException(string message) : Exception(message)
{
    public static CommandException WrongCount(string command) => new($"ERR wrong number of arguments for '{command}' command");

    /// <summary>A subcommand is not known, or has another number of arguments.</summary>
    public static CommandException UnknownSubcommand(Call call, string command)
    {
        CommandNumber number = CommandInfo.Find(call.Command[0])!.NumberOf(call.Command, 0);
        return number.Name.Contains('|', StringComparison.Ordinal)
            ? WrongCount(number.Name)
            : new CommandException($"ERR unknown subcommand '{call.Command.Text(1)}'. Try {command} HELP.");
    }

    public static CommandException Syntax() => new("ERR syntax error");
}
