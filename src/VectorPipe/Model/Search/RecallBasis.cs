namespace VectorPipe;

/// <summary>How the recall of a search is known.</summary>
public enum RecallBasis
{
    /// <summary>Not at all: the options set a threshold, a list size or a number of probes, and no target recall.</summary>
    Settings = 0,

    /// <summary>The index's calibration reached the target recall with this effort.</summary>
    Calibrated = 1,

    /// <summary>The calibration did not reach the target recall: the search took the most effort of the calibration.</summary>
    BeyondCalibration = 2,

    /// <summary>The index has no calibration: the search took an effort that reaches the target on most collections.</summary>
    Estimated = 3,

    /// <summary>Every vector was compared: recall is 1.</summary>
    Exact = 4,
}
