using VectorPipe.Storage.Nodes;

namespace VectorPipe.Storage.Manifests;

/// <summary>Checks the content of pages whose checksums are right. Thread-safe.</summary>
internal interface IPageCheck
{
    /// <summary>Describes the defect of a node page, numbered from 0; null if it has none. Compares keys unless they are null.</summary>
    string? FindDefect(NodePage page, long number, KeyDirectoryCheck? keys);

    /// <summary>Describes the defect of a page of codes, numbered from 0; null if it has none.</summary>
    string? FindCodeDefect(ReadOnlySpan<byte> page, long number);
}
