namespace VectorPipe.Searching.State;

/// <summary>Nodes of keys that were added, moved or deleted since the key directory was written.</summary>
/// <remarks>One thread writes, any number read at the same time.</remarks>
internal sealed class MovedKeys
{
    /// <summary>The most internal ids that fit.</summary>
    public const long MostNodes = int.MaxValue - 2;

    private readonly HandleMap _values;

    /// <param name="values">Holds them; null for an empty map.</param>
    public MovedKeys(HandleMap? values = null) => _values = values ?? new HandleMap();

    /// <summary>Keys; exact on the writer's thread.</summary>
    public int Count => _values.Count;

    /// <summary>Keys that it takes beside those that it has.</summary>
    public int Room => _values.Room;

    public long MemoryBytes => _values.Bytes;

    /// <summary>The number that stands for a node, or for none, in a file.</summary>
    public static uint ValueOf(uint? id) => id is { } node ? node + 1 : 0;

    /// <summary>Finds a key; false if the key directory knows.</summary>
    /// <param name="key">The key.</param>
    /// <param name="id">Its node; null if it was deleted.</param>
    public bool TryFind(ulong key, out uint? id)
    {
        bool isKnown = _values.TryGet(key, out int value);
        id = value > 0 ? (uint)value - 1 : null;
        return isKnown;
    }

    /// <summary>Sets the node of a key; null if it was deleted.</summary>
    public void Set(ulong key, uint? id) => _values.Set(key, (int)ValueOf(id));

    /// <summary>All keys; on the writer's thread.</summary>
    public IEnumerable<(ulong Key, uint? Id)> All() =>
        _values.All().Select(entry => (entry.Handle, entry.Entry > 0 ? (uint)entry.Entry - 1 : (uint?)null));
}
