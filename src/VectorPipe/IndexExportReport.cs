namespace VectorPipe;

/// <summary>What an export wrote.</summary>
/// <param name="Points">Vectors and keys, and nodes of the graph: one a row in each file.</param>
/// <param name="VectorFile">Path of the vectors.</param>
/// <param name="KeyFile">Path of the keys.</param>
/// <param name="GraphFile">Path of the graph; null if none was written.</param>
public sealed record IndexExportReport(long Points, string VectorFile, string KeyFile, string? GraphFile);
