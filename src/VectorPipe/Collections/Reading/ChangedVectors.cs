using Microsoft.Win32.SafeHandles;
using VectorPipe.Collections.Generations;
using VectorPipe.Devices.Native;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.State;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Vectors;

namespace VectorPipe.Collections.Reading;

/// <summary>Reads the live vectors of a generation that checkpoints have changed, page by page.</summary>
internal static unsafe class ChangedVectors
{
    private const int PagesTogether = 256;

    /// <summary>Reads batches.</summary>
    /// <param name="pinned">The view, leased.</param>
    /// <param name="changes">What checkpoints changed.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    public static IEnumerable<VectorBatch> Read(PinnedView pinned, GraphChanges changes, CancellationToken cancellationToken)
    {
        var index = (GraphIndex)pinned.View.Generation!.Index.Contents;
        using SafeFileHandle file = FileStorageIo.Instance.OpenForReading(index.NodePath);
        using OriginalVectorReader? originals = OriginalVectorReader.Open(index.Directory, index.Manifest);
        using var buffer = new NativeBuffer((nuint)index.Layout.PageSize);
        for (int first = 0; first < changes.Pages; first += PagesTogether)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int end = Math.Min(first + PagesTogether, changes.Pages);
            yield return Read(pinned, changes, index, file, originals, buffer, first, end);
        }
    }

    private static VectorBatch Read(
        PinnedView pinned, GraphChanges changes, GraphIndex index, SafeFileHandle file, OriginalVectorReader? originals,
        NativeBuffer buffer, int first, int end)
    {
        NodeLayout layout = index.Layout;
        int rowBytes = index.Schema.VectorBytes, count = 0;
        byte[] rows = new byte[(end - first) * layout.NodesPerPage * rowBytes];
        ulong[] handles = new ulong[(end - first) * layout.NodesPerPage];
        for (uint number = (uint)first; number < end; number++)
        {
            index.Read(file, number, buffer, changes);
            var page = new NodePage(buffer.Pointer, layout);
            for (int slot = 0; slot < page.Count; slot++)
            {
                uint id = (number * (uint)layout.NodesPerPage) + (uint)slot;
                ulong handle = page.Key(slot);
                if (!changes.IsLive(id) || pinned.Hides(handle))
                    continue;
                Span<byte> row = rows.AsSpan(count * rowBytes, rowBytes);
                if (originals is null)
                    VectorConversion.Convert(layout.ElementType, page.Vector(slot), index.Schema.ElementType, row);
                else if (changes.Slots.IsBuilt(id))
                    originals.Read(id, handle).CopyTo(row);
                else
                    OriginalOf(pinned, index, handle).CopyTo(row);
                handles[count++] = handle;
            }
        }

        return new VectorBatch(rows.AsMemory(0, count * rowBytes), handles[..count]);
    }

    private static ReadOnlySpan<byte> OriginalOf(PinnedView pinned, GraphIndex index, ulong handle) =>
        pinned.View.Content!.Records.VectorOf(handle) is { } vector
            ? vector.Span
            : throw new IndexCorruptException(index.Directory, $"expected a record of handle {handle} with its vector, found none");
}
