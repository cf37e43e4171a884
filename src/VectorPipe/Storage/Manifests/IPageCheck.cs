using VectorPipe.Storage.Nodes;

namespace VectorPipe.Storage.Manifests;

/// <summary>Tells what is wrong with the content of a page whose checksum is right.</summary>
/// <remarks>Thread-safe.</remarks>
internal interface IPageCheck
{
    /// <summary>Tells what is wrong with a node page; null if nothing is.</summary>
    /// <param name="page">The page.</param>
    /// <param name="number">Its number, from 0.</param>
    /// <param name="keys">What its keys are compared with; null for nothing.</param>
    string? FindDefect(NodePage page, long number, KeyDirectoryCheck? keys);

    /// <summary>Tells what is wrong with a page of codes; null if nothing is.</summary>
    /// <param name="page">The page.</param>
    /// <param name="number">Its number, from 0.</param>
    string? FindCodeDefect(ReadOnlySpan<byte> page, long number);
}
