namespace VectorPipe.Storage;

/// <summary>What searches by gain find and cost at a threshold.</summary>
/// <param name="Threshold">Results that a page must promise to be read, for k = 10.</param>
/// <param name="Recall">Recall@10.</param>
/// <param name="Reads">Pages read a query.</param>
internal readonly record struct CalibrationPoint(float Threshold, float Recall, float Reads);
