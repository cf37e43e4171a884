namespace VectorPipe;

/// <summary>Recall and cost of one effort, as the calibration of an index measured them.</summary>
/// <param name="Threshold"><see cref="GraphSearch.Threshold"/> of a graph, <see cref="IvfSearch.Probes"/> of IVF.</param>
/// <param name="Recall">
/// Recall@10, 0 to 1. By queries that a graph's calibration has made of the index's own vectors, at most what real queries find at such a
/// threshold: where vectors lie close together, their own queries are too easy.
/// </param>
/// <param name="Reads">Pages read a query.</param>
public readonly record struct IndexCalibrationPoint(double Threshold, double Recall, double Reads);
