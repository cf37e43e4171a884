namespace VectorPipe.Storage.Manifests;

/// <summary>What searches by gain find and cost at a threshold, or searches of lists at a number of lists.</summary>
/// <param name="Threshold">Results that a page must promise to be read, for k = 10; of an index of lists the lists that are
/// scanned.</param>
/// <param name="Recall">Recall@10.</param>
/// <param name="Reads">Pages read a query.</param>
internal readonly record struct CalibrationPoint(float Threshold, float Recall, float Reads);
