namespace VectorPipe;

/// <summary>Recall and cost of one effort, as the calibration of an index measured them.</summary>
/// <param name="Threshold"><see cref="GraphSearch.Threshold"/> of a graph, <see cref="IvfSearch.Probes"/> of IVF.</param>
/// <param name="Recall">Recall@10, 0 to 1.</param>
/// <param name="Reads">Pages read a query.</param>
public readonly record struct IndexCalibrationPoint(double Threshold, double Recall, double Reads);
