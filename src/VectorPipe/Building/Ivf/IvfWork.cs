using VectorPipe.Building.Clusters;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Shuffling;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Building.Ivf;

/// <summary>State that the phases of an IVF index hand on to each other.</summary>
internal sealed class IvfWork : BuildWork
{
    /// <summary>The vectors of each list.</summary>
    public LeafMap? Map { get; set; }

    /// <summary>The places of the lists in the pages.</summary>
    public IvfDirectory? Directory { get; set; }

    public CentroidGraph? Centroids { get; set; }

    /// <summary>The vectors by list, in scratch files.</summary>
    public ShuffledLayout? Shuffled { get; set; }

    /// <summary>The keys of all vectors, once these are written.</summary>
    public KeyDirectoryWriter<uint>? KeyDirectory { get; set; }

    public LeafMap RequireMap() => Map ?? throw new InvalidOperationException("Vectors are divided before lists are written.");

    public override void Release()
    {
        Map?.Dispose();
        Map = null;
        base.Release();
    }

    public override void Dispose()
    {
        base.Dispose();
        Centroids?.Dispose();
        Centroids = null;
    }
}
