using System.Text;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Resp;

namespace VectorPipe.Server.Access;

/// <summary>Whether a user may give a command.</summary>
internal static class AccessCheck
{
    /// <summary>Finds what a user lacks for a command.</summary>
    /// <param name="rights">Its rights.</param>
    /// <param name="info">The command.</param>
    /// <param name="command">Its arguments.</param>
    /// <param name="first">The argument that is its name.</param>
    /// <returns>What it lacks; null if it may give the command.</returns>
    public static AccessDenial? Find(AccessRights rights, CommandInfo info, RespCommand command, int first = 0)
    {
        if (rights.IsUnlimited || info.IsOpen)
            return null;
        CommandNumber number = info.NumberOf(command, first);
        if (!rights.MayRun(number.Number))
            return new AccessDenial("command", number.Name);
        int key = first + info.FirstKey;
        int end = info.FirstKey == 0 ? key : info.HasManyKeys ? command.Count : Math.Min(key + 1, command.Count);
        for (int at = key; at < end; at++)
        {
            string set = Encoding.Latin1.GetString(command[at]);
            if (!rights.MayUse(set, info.Categories.HasFlag(AccessCategory.Write)))
                return new AccessDenial("key", command.Text(at));
        }

        return FindChannel(rights, info, command, first);
    }

    // SUBSCRIBE and PSUBSCRIBE name channels only, PUBLISH one. To end a subscription nothing is needed.
    private static AccessDenial? FindChannel(AccessRights rights, CommandInfo info, RespCommand command, int first)
    {
        if (info.Name is not ("subscribe" or "psubscribe" or "publish"))
            return null;
        int end = info.Name == "publish" ? first + 2 : command.Count;
        for (int at = first + 1; at < end; at++)
        {
            if (!rights.MayHear(command.Text(at), isPattern: info.Name == "psubscribe"))
                return new AccessDenial("channel", command.Text(at));
        }

        return null;
    }
}
