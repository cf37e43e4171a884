using VectorPipe.Model.Build;

namespace VectorPipe.Building;

/// <summary>Makes the phases of a build from options and vectors: kinds of indexes differ here.</summary>
internal interface IBuildRecipe : IBuildSeam
{
    /// <summary>Lists the phases of a build. Reads no vector and creates nothing.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option does not fit the vectors.</exception>
    PreparedBuild Prepare(BuildRequest request);
}
