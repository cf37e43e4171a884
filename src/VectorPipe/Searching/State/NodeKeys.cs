using VectorPipe.Storage.Keys;

namespace VectorPipe.Searching.State;

/// <summary>What tells the node of a key: a key directory, and the keys that changed since it was written.</summary>
/// <remarks>A look-up takes one pair and keeps to it. The moved keys grow until a later directory replaces both.</remarks>
/// <param name="Directory">The directory.</param>
/// <param name="IsBuilt">Whether the build wrote it; otherwise its nodes are those of a checkpoint.</param>
/// <param name="NodeCount">It leads to nodes below this.</param>
/// <param name="Moved">What changed since.</param>
internal sealed record NodeKeys(KeyRegion Directory, bool IsBuilt, uint NodeCount, MovedKeys Moved)
{
    /// <summary>Keys that changed since the build, or a few more: some changed before the directory was written, and again after.</summary>
    public long Changed => Directory.Changed + Moved.Count;
}
