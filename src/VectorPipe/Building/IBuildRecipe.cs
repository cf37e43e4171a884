using VectorPipe.Model.Build;

namespace VectorPipe.Building;

/// <summary>The seam behind which kinds of indexes differ for a build: options and vectors in, phases out.</summary>
internal interface IBuildRecipe : IBuildSeam
{
    /// <summary>Lists the phases of a build. Reads no vector and creates nothing.</summary>
    /// <param name="request">What is to be built.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option does not go with the vectors.</exception>
    PreparedBuild Prepare(BuildRequest request);
}
