using VectorPipe.Storage.Manifests;

namespace VectorPipe.Searching.Index;

/// <summary>Measures an index; the index chooses the way that is its kind's.</summary>
internal interface ICalibrator
{
    /// <summary>Makes queries, fits the line of code distances, and measures the thresholds.</summary>
    Calibration RunGraph();

    /// <summary>Makes queries and measures numbers of probes.</summary>
    /// <param name="lists">Lists of the index.</param>
    Calibration RunLists(int lists);
}
