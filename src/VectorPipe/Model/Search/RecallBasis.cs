namespace VectorPipe;

/// <summary>What is known about the recall of a search.</summary>
public enum RecallBasis
{
    /// <summary>Nothing: a threshold, a list size or a number of probes was given, and no recall was aimed at.</summary>
    Settings = 0,

    /// <summary>The index's calibration found the target recall with this effort.</summary>
    Calibrated = 1,

    /// <summary>The target recall is above all that the index's calibration found: the search took the most effort that the calibration
    /// knows.</summary>
    BeyondCalibration = 2,

    /// <summary>The index was not calibrated: the search took an effort that finds as much on most collections.</summary>
    Estimated = 3,

    /// <summary>Every vector was compared: the answer is the true one.</summary>
    Exact = 4,
}
