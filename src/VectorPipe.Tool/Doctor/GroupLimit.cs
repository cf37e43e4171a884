namespace VectorPipe.Tool.Doctor;

/// <summary>A limit of a control group.</summary>
/// <param name="Value">The limit: bytes, or processors.</param>
/// <param name="Folder">Folder of the group.</param>
/// <param name="Name">File of the limit in it.</param>
internal sealed record GroupLimit(double Value, string Folder, string Name);
