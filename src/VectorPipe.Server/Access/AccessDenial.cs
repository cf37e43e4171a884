namespace VectorPipe.Server.Access;

/// <summary>Why a user may not give a command.</summary>
/// <param name="Reason">What it lacks: command, key, channel; or auth, if it could not say who it is.</param>
/// <param name="Object">The name of the command, the set or the channel.</param>
internal sealed record AccessDenial(string Reason, string Object)
{
    /// <summary>What a client is told: no names of sets and channels that it may not know of.</summary>
    public string Message(string user) => Reason switch
    {
        "key" => "No permissions to access a key",
        "channel" => "No permissions to access a channel",
        _ => FullMessage(user),
    };

    /// <summary>What an administrator is told.</summary>
    public string FullMessage(string user) => Reason == "command"
        ? $"User {user} has no permissions to run the '{Object}' command"
        : $"User {user} has no permissions to access the '{Object}' {Reason}";
}
