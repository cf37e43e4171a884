namespace VectorPipe.Storage.Manifests;

/// <summary>Recall and reads of searches by gain at a threshold, or of IVF searches at a number of lists.</summary>
/// <param name="Threshold">The least gain of a page that is read, for k = 10; IVF: lists scanned.</param>
/// <param name="Recall">Recall@10.</param>
/// <param name="Reads">Pages read per query.</param>
internal readonly record struct CalibrationPoint(float Threshold, float Recall, float Reads);
