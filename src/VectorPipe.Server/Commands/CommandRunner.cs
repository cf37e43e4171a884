using System.Diagnostics;
using VectorPipe.Server.Resp;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Commands;

/// <summary>Runs commands, and turns what goes wrong into replies.</summary>
internal static class CommandRunner
{
    /// <summary>Carries out a call. Always ends with a whole reply, and never throws.</summary>
    /// <param name="info">Its command; null if there is none of that name.</param>
    public static async Task RunAsync(CommandInfo? info, Call call)
    {
        try
        {
            if (info is null)
                throw Unknown(call);
            if (!info.Takes(call.Count))
                throw CommandException.WrongCount(info.Name);
            if (!call.Session.IsAuthenticated && !info.IsOpen)
                throw new CommandException("NOAUTH Authentication required.");
            call.Session.LastCommand = info.Name;
            await info.Run(call);
            Debug.Assert(call.Reply.Written.Length > 0, "every command has a reply");
        }
        catch (CommandException e)
        {
            Fail(call, e.Message);
        }
        catch (SearchOverloadedException e)
        {
            call.Server.Searches.CountRefused();
            Fail(call, "BUSY " + e.Message);
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
    }

    private static void Fail(Call call, string message)
    {
        call.Reply.Clear();
        call.Reply.Error(message);
    }

    private static CommandException Unknown(Call call)
    {
        const int most = 128;
        string Short(int index) => call.Command.Text(index) is { Length: > most } text ? text[..most] : call.Command.Text(index);
        string arguments = string.Concat(Enumerable.Range(1, Math.Min(call.Count, 4) - 1).Select(index => $"'{Short(index)}' "));
        return new CommandException($"ERR unknown command '{Short(0)}', with args beginning with: {arguments}");
    }
}
