namespace VectorPipe;

/// <summary>What searches by gain, or of lists, found and cost when an index was calibrated.</summary>
/// <param name="Threshold">Results that a page must promise to be read; of an index of lists the lists that were scanned at most
/// (<see cref="IvfSearch.Probes"/>).</param>
/// <param name="Recall">Recall@10, 0 to 1.</param>
/// <param name="Reads">Pages read a query.</param>
public readonly record struct IndexCalibrationPoint(double Threshold, double Recall, double Reads);
