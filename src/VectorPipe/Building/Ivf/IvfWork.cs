using VectorPipe.Building.Clusters;
using VectorPipe.Building.Phases;
using VectorPipe.Building.Shuffling;
using VectorPipe.Storage.Manifests;

namespace VectorPipe.Building.Ivf;

/// <summary>What the phases of an index of lists hand on to each other.</summary>
internal sealed class IvfWork : BuildWork
{
    /// <summary>Which vectors lie in which list.</summary>
    public LeafMap? Map { get; set; }

    /// <summary>Where the lists lie.</summary>
    public IvfDirectory? Directory { get; set; }

    /// <summary>The centroids.</summary>
    public CentroidGraph? Centroids { get; set; }

    /// <summary>The vectors in the order of their lists, in scratch files.</summary>
    public ShuffledLayout? Shuffled { get; set; }

    /// <summary>The lists.</summary>
    public LeafMap RequireMap() => Map ?? throw new InvalidOperationException("Vectors are divided before lists are written.");

    /// <inheritdoc/>
    public override void Release()
    {
        Map?.Dispose();
        Map = null;
        base.Release();
    }

    /// <inheritdoc/>
    public override void Dispose()
    {
        base.Dispose();
        Centroids?.Dispose();
        Centroids = null;
    }
}
