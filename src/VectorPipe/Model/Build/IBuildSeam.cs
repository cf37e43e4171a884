namespace VectorPipe.Model.Build;

/// <summary>
/// Other phases than those that options ask for. The floor that builds defines them: options carry them without knowing them.
/// </summary>
internal interface IBuildSeam;
