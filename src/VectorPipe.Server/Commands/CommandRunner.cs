using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;
using VectorPipe.Server.Access;
using VectorPipe.Server.Connections;
using VectorPipe.Server.Resp;
using VectorPipe.Server.Sets;
using VectorPipe.Tasks;

namespace VectorPipe.Server.Commands;

/// <summary>Runs commands, and turns what goes wrong into replies.</summary>
internal static class CommandRunner
{
    /// <summary>Carries out a call. Always ends with a whole reply, and never throws.</summary>
    /// <param name="info">Its command; null if there is none of that name.</param>
    /// <param name="call">The call, which has begun.</param>
    /// <param name="running">The running calls of its client, which it leaves.</param>
    [AsyncMethodBuilder(typeof(PooledTaskBuilder))]
    public static async ValueTask RunAsync(CommandInfo? info, Call call, RunningCalls running)
    {
        try
        {
            if (info is null)
                throw Unknown(call);
            if (!info.Takes(call.Count))
                throw CommandException.WrongCount(info.Name);
            CheckAccess(info, call);
            call.Session.LastCommand = info.Name;
            if (call.Server is { Options.Cluster: not null, Router: null } && !info.IsOpen)
                throw new CommandException("LOADING This node is joining its cluster");
            if (info.Subcommands.Count > 0 && call.Count == 2 && call.Command.Is(1, "HELP"))
                WriteHelp(info, call.Reply);
            else if (info.Categories.HasFlag(AccessCategory.Vector) && call.Server.Router is { } router)
                await router.RunAsync(info, call);
            else
                await info.Run(call);
            Debug.Assert(call.Reply.Written.Length > 0, "every command has a reply");
        }
        catch (CommandException e)
        {
            Fail(call, e.Message);
        }
        catch (SearchOverloadedException)
        {
            Fail(call, call.Server.Refuse());
        }
        catch (Exception e) when (e is TooManySetsException or ReplyTooLongException)
        {
            Fail(call, "ERR " + e.Message);
        }
        catch (InvalidVectorException)
        {
            Fail(call, "ERR invalid vector specification");
        }
        catch (IndexWriteException e)
        {
            Fail(call, "MISCONF " + e.Message);
        }
        catch (OperationCanceledException)
        {
            // The client has gone; the reply is written to nobody.
            Fail(call, "ERR cancelled");
        }
        catch (Exception e)
        {
            ServerLog.CommandFailed(call.Server.Logger, e, info?.Name ?? "unknown", call.Session.Id);
            Fail(call, $"ERR internal error: {e.Message}");
        }
        finally
        {
            // The reply may wait for its client; long arguments need not.
            call.Command.Clear();
            call.Session.CountReply(call.Reply.Written.Length);
            running.End(call);
        }
    }

    private static void WriteHelp(CommandInfo info, RespWriter reply)
    {
        reply.Array(info.Subcommands.Count + 1);
        reply.Simple($"{info.Name.ToUpperInvariant()} <subcommand> [<arg> [value] ...]. Subcommands are:");
        foreach ((string name, _) in info.Subcommands)
            reply.Simple(name.ToUpperInvariant());
    }

    private static void CheckAccess(CommandInfo info, Call call)
    {
        if (info.IsOpen)
            return;
        AccessUser user = call.Session.User ?? throw new CommandException("NOAUTH Authentication required.");
        if (AccessCheck.Find(user.Rights, info, call.Command) is not { } denial)
            return;
        call.Server.Access.Log.Add(denial, user.Name, call.Session.Describe(call.Server.Clock));
        throw new CommandException("NOPERM " + denial.Message(user.Name));
    }

    private static void Fail(Call call, string message)
    {
        call.Reply.Clear();
        call.Reply.Error(message);
    }

    private static CommandException Unknown(Call call)
    {
        const int most = 128;
        string Short(int index, int length) => call.Command.Text(index) is var text && text.Length > length ? text[..length] : text;
        var arguments = new StringBuilder();
        for (int at = 1; at < call.Count && arguments.Length < most; at++)
            arguments.Append('\'').Append(Short(at, most - arguments.Length)).Append("' ");
        return new CommandException($"ERR unknown command '{Short(0, most)}', with args beginning with: {arguments}");
    }
}
