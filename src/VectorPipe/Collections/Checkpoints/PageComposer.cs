using Microsoft.Win32.SafeHandles;
using VectorPipe.Devices.Native;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Collections.Checkpoints;

/// <summary>Reads a page as it is and composes the next one, on one thread.</summary>
/// <param name="index">The graph.</param>
/// <param name="source">Its node file.</param>
/// <param name="writer">The number in the headers of pages.</param>
internal sealed unsafe class PageComposer(GraphIndex index, SafeFileHandle source, uint writer) : IDisposable
{
    private readonly PageRewriter _rewriter = new(index);
    private readonly NativeBuffer _old = new((nuint)index.Layout.PageSize);

    /// <summary>Composes a page, and its links in memory; nothing of other pages changes.</summary>
    /// <param name="draft">Says which nodes the page has.</param>
    /// <param name="page">The page.</param>
    /// <param name="bytes">Receives it.</param>
    public void Compose(GraphDraft draft, uint page, Span<byte> bytes)
    {
        GraphChanges changes = draft.Changes;
        bool isNew = changes.Writers[page] == 0;
        if (!isNew)
            index.Read(source, page, _old, changes);
        bytes.Clear();
        var identity = new PageIdentity(index.NodeFile.FileId, page + 1L, writer);
        _rewriter.Rewrite(draft, page, isNew ? null : _old.Pointer, bytes, identity);
    }

    public void Dispose() => _old.Dispose();
}
