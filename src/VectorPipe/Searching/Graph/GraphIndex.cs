using VectorPipe.Devices;
using VectorPipe.Devices.Native;
using VectorPipe.Pipeline;
using VectorPipe.Quantization;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Graph;

/// <summary>An open index that is a graph: codes, code book and page graph in memory, nodes on the device.</summary>
/// <param name="manifest">What the index holds.</param>
/// <param name="directory">The index directory.</param>
/// <param name="quantizer">The code book.</param>
/// <param name="codes">Codes of all nodes; owned from here on.</param>
/// <param name="device">The device with its files: nodes, keys, and the original vectors, if they have a file; owned from here on.</param>
internal class GraphIndex(Manifest manifest, string directory, Quantizer quantizer, NativeBuffer codes, IDevice device)
    : SearchIndex(manifest, directory, device, FileRole.Vectors)
{
    public Quantizer Quantizer { get; } = quantizer;

    /// <summary>Codes of all nodes, by internal id.</summary>
    public NativeBuffer Codes { get; } = codes;

    /// <summary>Entry points and the links of pages; null in the plain layout.</summary>
    public PageGraph? PageGraph { get; init; }

    /// <summary>Internal ids of the entry points; by default those of the page graph or, in the plain layout, the medoid.</summary>
    public uint[] Entries
    {
        get => field ??= PageGraph?.Entries ?? (Schema.Count == 0 ? [] : [(uint)Schema.EntryPoint]);
        init;
    }

    public override IndexKindOperations Kind => GraphKind.Instance;

    public override long MemoryBytes => (long)Codes.Length;

    public override bool CanAdapt => PageGraph is not null;

    public override IEnumerable<uint> EntryPages => Entries.Select(id => id / (uint)Layout.NodesPerPage);

    public override QuerySlot CreateQuery(PendingIoSession session, int queriesInFlight) => new GraphQuery(this, session);

    protected override void Free()
    {
        base.Free();
        Codes.Dispose();
        PageGraph?.Dispose();
    }
}
