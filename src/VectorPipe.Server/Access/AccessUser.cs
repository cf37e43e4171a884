namespace VectorPipe.Server.Access;

/// <summary>A user that clients can be. Changes of its rights count for all of its connections at once.</summary>
internal sealed class AccessUser(string name, AccessRights rights)
{
    /// <summary>The user of clients that have not said who they are.</summary>
    public const string Default = "default";

    private AccessRights _rights = rights;

    public string Name { get; } = name;

    public AccessRights Rights
    {
        get => Volatile.Read(ref _rights);
        set => Volatile.Write(ref _rights, value);
    }
}
