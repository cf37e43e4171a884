namespace VectorPipe.Searching.Pools;

/// <summary>Keys whose vectors are in the index but not in the collection any more: deleted, or replaced by newer ones.</summary>
/// <remarks>Thread-safe: keys may become hidden while searches ask.</remarks>
internal interface IHiddenKeys
{
    /// <summary>Whether the vector of a key is hidden now.</summary>
    bool Hides(ulong key);
}
