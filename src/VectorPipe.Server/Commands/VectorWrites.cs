using VectorPipe.Server.Resp;
using VectorPipe.Server.Sets;
using static VectorPipe.Server.Access.AccessCategory;

namespace VectorPipe.Server.Commands;

/// <summary>The commands that change a vector set: VADD, VREM and VSETATTR.</summary>
internal static class VectorWrites
{
    public static IReadOnlyList<CommandInfo> Commands { get; } =
    [
        new("vadd", -5, CommandKind.Put, Write | Vector | Slow, AddAsync, 1),
        new("vrem", 3, CommandKind.Control, Write | Vector | Slow, RemoveAsync, 1),
        new("vsetattr", 4, CommandKind.Put, Write | Vector | Fast, SetAttributesAsync, 1),
        new("xcompact", 2, CommandKind.Control, Write | Vector | Slow | Admin, CompactAsync, 1),
    ];

    /// <summary>A number of the element that a write is about: the same for writes of one element.</summary>
    public static int ElementHash(RespCommand command)
    {
        var hash = new HashCode();
        int at = command.Is(0, "VADD") ? VectorArguments.Skip(command, 2) : 2;
        if (at > 0 && at < command.Count)
        {
            hash.AddBytes(command[1]);
            hash.AddBytes(command[at]);
        }

        return hash.ToHashCode();
    }

    private static async Task AddAsync(Call call)
    {
        var arguments = AddArguments.Read(call);
        bool? isAdded = null;
        HeldSet? held = call.Server.Sets.Find(arguments.Name);
        while (isAdded is null)
        {
            // One that was found may be going: where sets are made, it has gone.
            held ??= await call.Server.Sets.FindOrMakeAsync(arguments.Name, arguments.SettingsOf, call.Stop);
            isAdded = await WriteAsync(call, held.Value, async set =>
            {
                ReadOnlyMemory<float> vector = arguments.VectorFor(set.Settings);
                return await set.PutAsync(arguments.Element, vector, arguments.Attributes, call.Stop);
            });
            held = null;
        }

        call.Reply.Boolean(isAdded.Value);
    }

    // Writes to a set, and lets it go; null if it goes for all. A set without an element is none: the last one was removed, or the first
    // one was refused.
    private static async Task<bool?> WriteAsync(Call call, HeldSet held, Func<VectorSet, Task<bool>> write)
    {
        VectorSet set = held.Set;
        bool isEmpty = false;
        try
        {
            using (held)
            {
                if (!set.TryBeginWrite())
                    return null;
                try
                {
                    return await write(set);
                }
                finally
                {
                    set.EndWrite();
                    isEmpty = set.Collection.Count == 0;
                }
            }
        }
        finally
        {
            if (isEmpty)
                await call.Server.Sets.RemoveAsync(set.Settings.Name, onlyIfEmpty: true);
        }
    }

    private static async Task RemoveAsync(Call call)
    {
        string name = call.SetName(1), element = call.Element(2);
        bool? isRemoved = call.Server.Sets.Find(name) is { } held
            ? await WriteAsync(call, held, set => set.RemoveAsync(element, call.Stop))
            : null;
        call.Reply.Boolean(isRemoved ?? false);
    }

    private static async Task SetAttributesAsync(Call call)
    {
        ReadOnlyMemory<byte> attributes = AddArguments.ReadAttributes(call, 3);
        string name = call.SetName(1), element = call.Element(2);
        bool? isSet = call.Server.Sets.Find(name) is { } held
            ? await WriteAsync(call, held, set => set.SetAttributesAsync(element, attributes, call.Stop))
            : null;
        call.Reply.Boolean(isSet ?? false);
    }

    // Writes of others go on meanwhile.
    private static Task CompactAsync(Call call) => VectorReads.WithSetAsync(
        call,
        static reply => reply.Error("ERR key does not exist"),
        static async (call, set) => call.Reply.Boolean(await set.Collection.CompactAsync(cancellationToken: call.Stop)));
}
